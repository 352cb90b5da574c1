"""What may reach a store or a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.cleaning import clean, clean_chunk, clean_line, cut

# surrogates included: st.text() leaves them out by default
any_text = st.text(st.characters(exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[2J", "\ufffd[2J"),
        ("\x1b]52;c;aGk=\x07", "\ufffd]52;c;aGk=\ufffd"),
        ("a\x9b31mb", "a\ufffd31mb"),
        ("nul\0after", "nul\ufffdafter"),
        ("x\x7f", "x\ufffd"),
        ("x\udcc3", "x\ufffd"),
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("a\u202egnp.exe", "a\ufffdgnp.exe"),
        ("a\u2066b\u2069", "a\ufffdb\ufffd"),
        ("hi\U000e0041\U000e007f", "hi\ufffd\ufffd"),
        ("\ue000hit\ue001", "\ufffdhit\ufffd"),
        ("👩‍👩‍👧 مرحبا 你好 [/ [@click=app.quit]x[/]", "👩‍👩‍👧 مرحبا 你好 [/ [@click=app.quit]x[/]"),
        ("\u200f\u200e\u061c", "\u200f\u200e\u061c"),
    ],
)
def test_replaces_exactly_the_unsafe_characters(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(any_text)
def test_nothing_left_is_a_control_or_cannot_be_encoded(text: str) -> None:
    result = clean(text)
    assert [c for c in result if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"] == []
    result.encode("utf-8")


@given(any_text)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(any_text, st.data())
def test_any_split_into_chunks_gives_the_same_text(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    first, held = clean_chunk("", text[:at])
    second, held = clean_chunk(held, text[at:])
    assert first + second + clean(held) == clean(text)


def test_crlf_split_over_two_chunks_is_one_newline() -> None:
    assert clean_chunk("", "a\r") == ("a", "\r")
    assert clean_chunk("\r", "\nb") == ("\nb", "")


@given(any_text, st.integers(1, 80))
def test_a_line_has_no_break_and_keeps_the_limit(text: str, limit: int) -> None:
    line = clean_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


def test_a_line_marks_its_cut() -> None:
    assert clean_line("one\n two   three", 9) == "one two…"
    assert clean_line(" " * 10_000 + "late", 9) == "late"


@pytest.mark.parametrize("limit", range(1, 9))
def test_a_cut_never_splits_a_combined_character(limit: int) -> None:
    assert cut("👩‍👩‍👧‍👧 and more", limit) in ("…", "👩‍👩‍👧‍👧…")


def test_a_megabyte_is_cleaned_in_one_pass() -> None:
    assert clean("a\x1b" * 500_000) == "a\ufffd" * 500_000
