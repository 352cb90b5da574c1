"""Wrapping: nothing is lost, nothing is too wide, and what is copied is the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.lines import PLAIN, Line, Look, chop, copied, width_of, wrap

TEXTS = st.text(alphabet=st.sampled_from("ab  cde-.漢字かな한글é👩\u200d🚀"), max_size=120)


@given(TEXTS, st.integers(4, 40))
def test_copying_wrapped_rows_gives_the_source(text: str, width: int) -> None:
    assert copied(wrap(((text, PLAIN),), width)) == text


@given(TEXTS, st.integers(4, 40))
def test_no_row_is_wider_than_asked(text: str, width: int) -> None:
    assert all(width_of(row.text) <= width for row in wrap(((text, PLAIN),), width))


@given(TEXTS, st.integers(4, 40))
def test_code_is_broken_anywhere_and_keeps_every_character(text: str, width: int) -> None:
    rows = chop(((text, PLAIN),), width)
    assert "".join(row.text for row in rows) == text
    assert all(width_of(row.text) <= width for row in rows)


@given(st.lists(st.tuples(TEXTS, st.sampled_from([PLAIN, Look(bold=True), Look(tone="link")])), max_size=6))
def test_looks_stay_with_their_text(runs: list[tuple[str, Look]]) -> None:
    bold = "".join(text for text, look in runs if look.bold)
    shown = "".join(text for row in wrap(runs, 12) for text, look in row.runs if look.bold)
    assert shown.replace(" ", "") == bold.replace(" ", "")


def test_words_stay_whole_where_they_fit() -> None:
    assert [row.text for row in wrap((("one two three four", PLAIN),), 9)] == ["one two", "three", "four"]


def test_scripts_without_spaces_break_between_characters() -> None:
    rows = [row.text for row in wrap((("見よ、東海の空あけて", PLAIN),), 8)]
    assert rows == ["見よ、東", "海の空あ", "けて"]


def test_decoration_is_not_copied() -> None:
    rows = wrap((("a longer line of words", PLAIN),), 12, lead=(("> ", PLAIN),), hang=(("> ", PLAIN),))
    assert [row.text for row in rows] == ["> a longer", "> line of", "> words"]
    assert copied(rows) == "a longer line of words"


@pytest.mark.parametrize("width", [0, -5, 1])
def test_a_hopeless_width_still_ends(width: int) -> None:
    assert copied(wrap((("some words", PLAIN),), width)) == "some words"


def test_an_empty_line_is_a_row() -> None:
    assert wrap((), 10) == [Line()]
