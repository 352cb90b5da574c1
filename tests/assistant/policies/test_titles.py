"""A session's title from what was said first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.titles import LIMIT, title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("What is a leap second?", "What is a leap second?"),
        ("Plan my week. I have two exams.", "Plan my week"),
        ("\n\n# Notes\nmore", "Notes"),
        ("```\nprint(1)\n```", "print(1)"),
        ("Version 3.11 is out. Nice", "Version 3.11 is out"),
        ("今日は何曜日ですか。教えて", "今日は何曜日ですか"),
        ("I would like to know how to bake a really good loaf of sourdough bread at home", None),
        ("\x1b]0;pwned\x07 hi", "\ufffd]0;pwned\ufffd hi"),
        ("?!", "?!"),
        ("", ""),
    ],
)
def test_takes_the_first_sentence(text: str, title: str | None) -> None:
    expected = "I would like to know how to bake a really good loaf of…" if title is None else title
    assert title_from(text) == expected


@given(st.text(st.characters(exclude_categories=())))
def test_is_always_one_short_line(text: str) -> None:
    title = title_from(text)
    assert len(title) <= LIMIT
    assert len(title.splitlines()) <= 1
