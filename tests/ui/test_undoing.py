"""/undo takes back whichever was last: what was asked for in words, by a command, or remembered."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.clock import FixedClock
from tests.ui.test_plain import a_desk, chat
from ui.desk import Desk

LINES = {  # in the order in which they are typed, and what /undo says of each
    "remind me to call mum on Sunday at 6pm": "call mum, deleted",
    "/tasks add buy milk": "Taken back: Task: buy milk",
    "/calendar add lunch on Friday at noon": "Taken back: In the calendar: lunch",
    "/notes add The key is at Tom's.": "Taken back: Note: The key is at Tom's.",
    "/remember I like olives": "is undone.",
    "/remind feed the cat tomorrow at 7pm": "feed the cat, deleted",
}


async def after_a_minute(desk: Desk, *typed: str) -> str:
    assert isinstance(desk.clock, FixedClock)
    desk.clock.advance(timedelta(minutes=1))
    return await chat(desk, *typed)


async def test_the_last_one_goes_first_whatever_it_was(tmp_path: Path) -> None:
    desk = await a_desk(tmp_path=tmp_path)
    for line in LINES:
        await after_a_minute(desk, line)
    for said in reversed(LINES.values()):
        assert said in await after_a_minute(desk, "/undo")
    assert "There is nothing to take back." in await after_a_minute(desk, "/undo")


async def test_the_receipt_in_a_conversation_names_it(tmp_path: Path) -> None:
    desk = await a_desk(tmp_path=tmp_path)
    assert "To take it back: /undo" in await chat(desk, next(iter(LINES)))


@pytest.mark.parametrize("line", [line for line in LINES if "remember" not in line])
async def test_what_is_kept_is_not_touched_from_an_incognito_conversation(line: str, tmp_path: Path) -> None:
    desk = await a_desk(tmp_path=tmp_path)
    await chat(desk, line)
    assert "There is nothing to take back." in await after_a_minute(desk, "/incognito", "/undo")
