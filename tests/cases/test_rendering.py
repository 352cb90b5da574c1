"""What was drawn wrong, obeyed or lost on other screens: M01 to M18."""

import pytest

from assistant.policies.cleaning import clean, clean_chunk
from tests.support.naughty import raw_controls
from tests.support.work import Calls
from ui.drawing.answer_lines import HEAD_ROWS, TAIL_ROWS, AnswerLines, answer_rows
from ui.lines import copied, width_of
from ui.rendering import content, gate, one_line

WIDTH = 60


def texts(text: str, width: int = WIDTH) -> list[str]:
    return [row.text for row in answer_rows(text, width)]


@pytest.mark.parametrize("text", ["[/", "[/]", "a [/ b"])
def test_M01_a_lone_closing_bracket_is_letters(text: str) -> None:
    assert texts(text) == [text]
    assert content(text).plain == text


def test_M03_code_in_brackets_does_not_vanish() -> None:
    assert texts("[[self view] do:[self x]]") == ["[[self view] do:[self x]]"]


def test_M05_brackets_in_a_stream_are_letters_at_every_cut() -> None:
    text = "see [1] and [bold"
    for cut in range(len(text)):
        answer = AnswerLines(WIDTH)
        answer.grow(text[:cut])
        answer.rows()
        answer.grow(text)
        answer.finish()
        assert [row.text for row in answer.rows()] == [text]


def test_M06_an_open_bracket_swallows_nothing_that_follows() -> None:
    assert texts('[1,"3"] and [b + 3, then **bold**') == ['[1,"3"] and [b + 3, then bold']


def test_M08_labels_titles_and_file_names_are_cleaned() -> None:
    for shown in (one_line("a\x1b[2J.txt"), gate("a\x1b[2J.txt"), content("a\x1b[2J.txt").plain):
        assert raw_controls(shown) == []
        assert "[2J.txt" in shown


def test_M10_a_sequence_cut_by_a_chunk_leaks_nothing() -> None:
    first, held = clean_chunk("", "ab \x1b]52;c;")
    second, held = clean_chunk(held, "QUJD\x07 cd")
    whole = first + second + clean(held)
    assert raw_controls(whole) == []
    assert whole == clean("ab \x1b]52;c;QUJD\x07 cd")


def test_M11_half_a_megabyte_is_drawn_in_slices_and_folded() -> None:
    answer, longest = AnswerLines(76), 0
    with Calls() as calls:
        for _ in answer.draw("A short *paragraph*.\n\n" * 23_000):
            longest = max(longest, calls.lap())
    assert longest < 1_500_000
    assert len(answer.rows()) <= HEAD_ROWS + TAIL_ROWS + 3


def test_M13_a_table_of_wide_characters_lines_up() -> None:
    rows = texts("| 名前 | city |\n|---|---|\n| 山田太郎 | Graz |\n| Jo | 東京都 |")
    assert len({width_of(row.split("│")[0]) for row in rows if "│" in row}) == 1


def test_M15_a_long_cell_is_wrapped_and_copied_whole() -> None:
    cell = " ".join(f"word{number}" for number in range(45))
    rows = answer_rows(f"| a | b |\n|---|---|\n| x | {cell} |", 40)
    shown = " ".join(row.text for row in rows)
    assert all(f"word{number}" in shown for number in range(45))
    assert all(width_of(row.text) <= 40 for row in rows)
    assert "..." not in shown


def test_M18_an_action_in_the_text_is_text() -> None:
    text = "[@click=app.quit]x[/]"
    assert texts(text) == [text]
    assert not content(text).spans
    assert copied(answer_rows(text, WIDTH)) == text
