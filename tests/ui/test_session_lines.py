"""A conversation in one line of a list: cut by cells, named, and the match in sight."""

from datetime import UTC, datetime

import pytest

from tests.support.builders import a_session, a_talk
from ui.session_json import split_marks
from ui.session_lines import fit, list_lines, marked, others_line, show_lines

LONG = a_session("s1", title="a title that goes on and on", updated_at=datetime(2026, 3, 2, 9, 5, tzinfo=UTC))


def test_lines_are_cut_by_cells_and_say_so() -> None:
    assert list(list_lines([LONG], UTC, 44))[1] == "s1  2026-03-02 09:05         0  a title tha…"
    assert fit("京都京都", 6) == "京都…"
    assert fit("京都", 4) == "京都"
    assert fit("x", 0) == "…"[:1]


def test_an_untitled_session_says_so() -> None:
    assert list(list_lines([a_session(title=" \n")], UTC, None))[1].endswith("(no title)")


@pytest.mark.parametrize(
    ("snippet", "cells", "line"),
    [
        ("one \ue000two\ue001 three", None, "one «two» three"),
        ("one\n\n\ue000two\ue001\tthree", None, "one «two» three"),
        ("a long way before the \ue000match\ue001 and after", 21, "…re the «match» and after"),
        ("no mark at all", 5, "no mark at all"),
        ("\ue001broken \ue000marks", None, "broken marks"),
        ("\ue000one\ue001 \ue000two\ue001", None, "«one» two"),
        ("\ue000" + "x" * 50 + "\ue001", 10, "«" + "x" * 50 + "»"),
    ],
)
def test_the_match_stays_in_sight(snippet: str, cells: int | None, line: str) -> None:
    assert marked(snippet, cells) == line


def test_marks_become_places() -> None:
    assert split_marks("\ue000a\ue001b\ue000c\ue001") == ("abc", [(0, 1), (2, 3)])


def test_nothing_is_said_of_branches_where_there_are_none() -> None:
    talk = a_talk("Hi", "Hello")
    session = a_session(message_count=2)
    assert others_line(session, talk) == ""
    assert list(show_lines(session, talk, UTC))[-1] == "Hello"
