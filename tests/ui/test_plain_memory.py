"""Memory in line mode, over a pipe: every act of the memory screen, receipts, and the questions a turn leaves."""

import re
from pathlib import Path

import pytest

from memory.preferences import Filter
from tests.support.known_user import get_to_know
from tests.ui.test_plain import a_desk, chat
from ui.desk import Desk


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    desk = await a_desk("Gladly.", "And more.", "More.", tmp_path=tmp_path)
    await get_to_know(desk.conversation.preferences, desk.conversation.transcript)
    return desk


async def test_the_list_is_numbered_and_one_says_why(desk: Desk) -> None:
    out = await chat(desk, "/memory coriander", "/memory 1")
    assert "1. I hate coriander (food, id " in out
    assert "food.taste: avoids coriander" in out
    assert "“I hate coriander”, (message 1 of" in out
    assert "beside your question" in out


async def test_the_list_says_what_waits(desk: Desk) -> None:
    out = await chat(desk, "/memory")
    assert "I like fado (music, unconfirmed, id " in out
    assert "status: 3 wait for you: /review" in out


async def test_every_act_answers_with_a_receipt(desk: Desk) -> None:
    out = await chat(
        desk,
        "/memory fado",
        "/memory confirm 1",
        "/memory pin 1",
        "/memory unpin 1",
        "/memory scope 1 project:book",
        "/memory edit 1",
        "I love fado and morna",
        "/memory olives",
        "/remember I hate olives",
        "/memory hate",
        "/memory merge 1 2",
        "/memory history",
        "/undo",
        "/undo 9999",
        "/undo soon",
        "/memory deny",
    )
    for words in (
        "Confirmed: “I like fado” (/undo",
        "Pinned: “I like fado”",
        "No longer pinned: “I like fado”",
        "Holds in the project book: “I like fado”",
        "instead: I love fado and morna",
        "Saved: “I love fado and morna”",
        "status: nothing fits",
        "Saved: “I hate olives”",
        "Merged into: “I hate olives”",
        "(merged) is undone",
        "error: There is nothing to undo.",
        "error: soon is no number of a change.",
        "error: Which memory?",
    ):
        assert words in out, words


async def test_forgetting_shows_what_goes_and_asks(desk: Desk) -> None:
    store = desk.conversation.preferences
    out = await chat(desk, "/forget coriander", "1", "/forget coriander", "2", "/forget submarines", "/forget")
    assert "I hate coriander, [in force, 1 quote]" in out
    assert "status: kept" in out
    assert "status: Forgotten: 1 memory, 1 quote" in out
    assert "error: Nothing about 'submarines' is remembered." in out
    assert "error: Forget what?" in out
    assert await store.count(Filter(text="coriander")) == 0


async def test_several_that_fit_are_numbered(desk: Desk) -> None:
    out = await chat(desk, "/forget seat", "2", "2")
    assert "Which one?\n1. Window seats, always\n2. aisle seats are easier with the dog\n" in out
    assert await desk.conversation.preferences.count(Filter(text="aisle")) == 0
    assert await desk.conversation.preferences.count(Filter(text="window")) == 1


async def test_the_review_queue(desk: Desk) -> None:
    out = await chat(desk, "/review", "2", "4", "3", "We eat at eight", "/review")
    assert "1 of 3" in out
    assert "Which one holds?" in out
    assert "Not kept: “aisle seats are easier with the dog”" in out
    assert re.search("Saved: “We eat at eight”", out)
    assert "status: 1 left for later" in out


async def test_what_a_message_saves_is_told_and_undone(desk: Desk) -> None:
    out = await chat(desk, "I can't stand aubergines.", "What about aubergines?", "/why", "/undo", "/memory aubergines")
    assert "status: Saved: “I can't stand aubergines”" in out
    assert "Remembered: I can't stand aubergines  (beside your question" in out
    assert out.rstrip().endswith("status: nothing fits")


async def test_forgetting_in_plain_words_asks_at_the_end_of_the_turn(desk: Desk) -> None:
    out = await chat(desk, "Forget that I hate coriander.", "2")
    assert "No longer used: “I hate coriander”" in out
    assert "out of use. Erase it for good?" in out


async def test_nothing_is_kept_where_nothing_may_be(desk: Desk) -> None:
    out = await chat(desk, "/incognito", "/remember I hate olives", "/memory", "/nolearn")
    assert "error: Nothing is kept in an incognito conversation." in out
    assert "nothing is remembered yet" in out
    assert "nothing is learned from it" in out


async def test_what_is_not_kept_while_learning_is_paused_is_said(desk: Desk) -> None:
    desk.services.switch.on = False
    out = await chat(desk, "Remember that I hate olives.", "/memory olives")
    assert "Not kept: learning is paused. “Remember that I hate olives” /learning on (steward learning on)" in out
    assert "nothing fits" in out
