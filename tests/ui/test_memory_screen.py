"""Memory in the terminal UI, driven as its user would: the screen, what stands under messages, and why an answer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.events import ForgetOffer, MemoryAsked, Receipt, Refusal, Remembered
from memory.preferences import Filter, Preference
from memory.types import Message
from tests.support.known_user import get_to_know
from tests.support.pilot import Driver, a_desk, a_home, opened
from ui.desk import Desk
from ui.screens.memory import MemoryScreen
from ui.widgets.bars import Rows


@dataclass
class Known:
    driver: Driver
    desk: Desk
    said: Message
    reply: Message

    async def one(self, thing: str) -> Preference:
        every = await self.desk.conversation.preferences.list(limit=100)
        return next(one for one in every if one.object == thing)

    def has_looked(self) -> bool:
        return not any(worker.is_running for worker in self.driver.app.workers if worker.group in ("look", "why"))

    def foot(self) -> str:
        return self.driver.app.screen.query_one("#memory-foot", Rows).text

    async def choose(self, words: str) -> None:
        """Filter to one memory."""
        await self.driver.press(*words)
        await self.driver.until(lambda: "1 shown" in self.driver.screen_text())
        await self.driver.until(self.has_looked)
        await self.driver.until(lambda: "History" in self.driver.screen_text())


@asynccontextmanager
async def known(folder: Path, size: tuple[int, int] = (120, 40), *, at_memory: bool = True) -> AsyncIterator[Known]:
    desk = a_desk(await asyncio.to_thread(a_home, folder), "Gladly.", "And more.")
    said, reply = await get_to_know(desk.conversation.preferences, desk.conversation.transcript)
    async with opened(desk, size) as driver:
        if at_memory:
            await driver.press("f7")
            await driver.until(lambda: isinstance(driver.app.screen, MemoryScreen))
            await driver.until(lambda: "14 in all" in driver.screen_text() and "you want fado" in driver.screen_text())
        yield Known(driver=driver, desk=desk, said=said, reply=reply)


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 40)])
async def test_list_and_reasons_stand_side_by_side_or_above_each_other(tmp_path: Path, size: tuple[int, int]) -> None:
    async with known(tmp_path, size) as user:
        text = user.driver.screen_text()
        assert "3 to review" in text
        assert "I eat fish now" in text
        assert "“I like fado”" in text


async def test_typing_filters_and_the_panel_says_why(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        await user.choose("coriander")
        text = user.driver.screen_text()
        assert "“I hate coriander”" in text
        assert "in “Dinner for eight”" in text
        assert "you avoid coriander" in text
        assert "added by you" in text
        assert "an answer of “A week in Lisbon”" in text
        await user.driver.press("escape")
        await user.driver.until(lambda: "shown" not in user.driver.screen_text())


async def test_one_status_source_or_domain(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        for words, sign in (("replaced", "I'm vegetarian"), ("was noticed", "fado"), ("transport", "Window seats")):
            await user.driver.press("ctrl+f")
            await user.driver.until(lambda: "Show what?" in user.driver.screen_text())
            offers = user.driver.app.screen.query_one("#offers")
            lines = [str(option.prompt) for option in offers.options]  # type: ignore[attr-defined]
            await user.driver.press(*["down"] * next(at for at, line in enumerate(lines) if words in line), "enter")
            await user.driver.until(_narrowed_to(user, sign))
        assert "fado" not in _list(user)


def _narrowed_to(user: Known, sign: str) -> Callable[[], bool]:
    return lambda: "only" in user.driver.screen_text() and sign in _list(user)


def _list(user: Known) -> str:
    options = user.driver.app.screen.query_one("#memory-list")
    return "\n".join(str(option.prompt) for option in options.options)  # type: ignore[attr-defined]


async def test_confirm_pin_edit_and_undo(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        await user.choose("fado")
        await user.driver.press("ctrl+y")
        await user.driver.until(lambda: "Confirmed: “I like fado”" in user.foot())
        assert (await user.one("fado")).source == "confirmed"
        await user.driver.press("ctrl+t")
        await user.driver.until(lambda: "Pinned" in user.foot())
        assert (await user.one("fado")).pinned
        await user.driver.press("ctrl+z")
        await user.driver.until(lambda: "is undone" in user.foot())
        assert not (await user.one("fado")).pinned
        await user.driver.press("ctrl+e")
        await user.driver.until(lambda: "In your words" in user.driver.screen_text())
        await user.driver.press("end", *" and jazz", "enter")
        await user.driver.until(lambda: "Saved: “I like fado and jazz”" in user.foot())


async def test_scope_and_merge(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        await user.choose("bullets")
        await user.driver.press("ctrl+s")
        await user.driver.until(lambda: "Where does it hold?" in user.driver.screen_text())
        await user.driver.press("6")
        await user.driver.until(lambda: "YYYY-MM-DD" in user.driver.screen_text())
        await user.driver.press(*"someday", "enter")
        await user.driver.until(lambda: "is no date" in user.foot())
        await user.driver.press("ctrl+s")
        await user.driver.until(lambda: "Where does it hold?" in user.driver.screen_text())
        await user.driver.press("4")
        await user.driver.until(lambda: "Name of the project" in user.driver.screen_text())
        await user.driver.press(*"thesis", "enter")
        await user.driver.until(lambda: "Holds in the project thesis" in user.foot())
        await user.driver.press("ctrl+g")
        await user.driver.until(lambda: "no other one" in user.driver.screen_text())


async def test_forgetting_shows_what_goes_and_takes_it(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        await user.choose("coriander")
        await user.driver.press("ctrl+d")
        await user.driver.until(lambda: "Forget this for good?" in user.driver.screen_text())
        assert "1 change in the history, 1 note of use" in user.driver.screen_text()
        await user.driver.press("1")
        await user.driver.until(lambda: isinstance(user.driver.app.screen, MemoryScreen))
        assert (await user.one("coriander")).status == "active"
        await user.driver.press("ctrl+d")
        await user.driver.until(lambda: "Forget this for good?" in user.driver.screen_text())
        await user.driver.press("2")
        await user.driver.until(lambda: "Forgotten: 1 memory" in user.foot())
        assert await user.desk.conversation.preferences.count(Filter(text="coriander")) == 0


async def test_the_review_queue_one_after_another(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        await user.driver.press("ctrl+r")
        await user.driver.until(lambda: "1 of 3" in user.driver.screen_text())
        assert "contradicts" in user.driver.screen_text()
        await user.driver.press("3")  # the old one
        await user.driver.until(lambda: "2 of 3" in user.driver.screen_text())
        await user.driver.press("2")  # keep
        await user.driver.until(lambda: "3 of 3" in user.driver.screen_text())
        await user.driver.press("1")  # later
        await user.driver.until(lambda: "1 left for later" in user.foot())
        assert (await user.one("aisle")).status == "retracted"
        await user.driver.press("escape")
        await user.driver.until(lambda: "1 to review (F7)" in user.driver.header())


async def test_enter_opens_the_message_where_it_was_said(tmp_path: Path) -> None:
    async with known(tmp_path) as user:
        await user.choose("coriander")
        await user.driver.press("enter")
        await user.driver.until(lambda: user.driver.chat.transcript.marked == user.said.id)
        assert "What shall I cook for eight" in user.driver.transcript_text()
        await user.driver.press("f7")
        await user.driver.until(lambda: "Why" in user.driver.screen_text())
        await user.choose("Sam")
        await user.driver.press("enter")
        await user.driver.until(lambda: "not said in a conversation" in user.foot())


async def test_a_message_on_another_branch_and_far_up_is_found(tmp_path: Path) -> None:
    async with known(tmp_path, at_memory=False) as user:
        transcript = user.desk.conversation.transcript
        other = await transcript.add_user_message(
            user.said.session_id, None, "Another beginning", at=user.said.created_at
        )
        parent = user.said
        for number in range(60):
            parent = await transcript.add_user_message(
                user.said.session_id, parent.id, f"more {number}", at=user.said.created_at
            )
        await transcript.select_branch(other.id)
        user.driver.app.open_message(user.said.session_id, user.said.id)
        await user.driver.until(lambda: user.driver.chat.transcript.marked == user.said.id)


async def test_w_shows_which_memories_shaped_an_answer(tmp_path: Path) -> None:
    async with known(tmp_path, at_memory=False) as user:
        user.driver.app.open_message(user.reply.session_id, user.reply.id)
        await user.driver.until(lambda: user.driver.chat.transcript.marked == user.reply.id)
        await user.driver.press("w")
        await user.driver.until(lambda: "What it knew about you" in user.driver.screen_text())
        text = user.driver.screen_text()
        assert "I hate coriander  (beside your question" in text
        assert "Keep answers to three bullets  (always in the prompt, followed" in text


async def test_what_a_message_had_saved_stands_under_it_and_can_be_taken_back(tmp_path: Path) -> None:
    async with known(tmp_path, at_memory=False) as user:
        driver, store = user.driver, user.desk.conversation.preferences
        await driver.send("I hate olives")
        message = driver.chat.shown.path[0]
        before = await store.count()
        entries = await store.history(limit=1)
        one = entries[0]
        receipt = Receipt(entry=one.id, operation="add", id=one.deltas[0].id, statement="I hate [b]olives[/b]")
        refusal = Refusal(because="secret", words="")
        await driver.app.note_memory(Remembered(receipts=(receipt,), refusals=(refusal,)))
        await driver.until(lambda: "Saved: “I hate [b]olives[/b]” · u on it" in driver.transcript_text())
        assert "looks like a password" in driver.transcript_text()
        await driver.press("tab")
        driver.chat.transcript.mark(message.id)
        await driver.press("u")
        await driver.until(lambda: "Taken back" in driver.transcript_text())
        assert await store.count() == before - 1
        await driver.press("u")
        await driver.until(lambda: any("nothing saved" in notice for notice in driver.notices()))


async def test_questions_of_memory_never_take_the_focus(tmp_path: Path) -> None:
    async with known(tmp_path, at_memory=False) as user:
        driver = user.driver
        await driver.send("hello")
        aisle, window = await user.one("aisle"), await user.one("window")
        asked = MemoryAsked(new=aisle.id, new_statement="aisle", old=window.id, old_statement="window")
        await driver.app.note_memory(asked)
        offer = ForgetOffer(ids=(window.id,), statements=("Window seats, always",))
        await driver.app.note_memory(Remembered(forget=offer))
        await driver.until(lambda: "To erase it for good as well" in driver.transcript_text())
        assert driver.chat.prompt.has_focus
        await driver.send("go on")
        await driver.app.note_memory(asked)
        await driver.until(lambda: "“aisle” contradicts “window”" in driver.transcript_text())


async def test_commands_of_memory(tmp_path: Path) -> None:
    async with known(tmp_path, at_memory=False) as user:
        driver = user.driver
        await driver.send_command("/remember I hate olives")
        await driver.until(lambda: any("Saved: “I hate olives”" in notice for notice in driver.notices()))
        await driver.send_command("/undo")
        await driver.until(lambda: any("is undone" in notice for notice in driver.notices()))
        await driver.send_command("/forget seat")
        await driver.until(lambda: "Which one?" in driver.screen_text())
        await driver.press("escape")
        await driver.send_command("/forget submarines")
        await driver.until(lambda: any("Nothing about" in notice for notice in driver.notices()))
        await driver.send_command("/review")
        await driver.until(lambda: "1 of 3" in driver.screen_text())
        await driver.press("escape")
        await driver.send_command("/nolearn")
        await driver.until(lambda: "nothing is learned here" in driver.header())
        await driver.send_command("/memory fado")
        await driver.until(lambda: "1 shown" in driver.screen_text())


async def test_an_empty_memory_teaches_and_incognito_shows_none(tmp_path: Path) -> None:
    async with known(tmp_path, at_memory=False) as user:
        await user.driver.send_command("/incognito")
        await user.driver.press("f7")
        await user.driver.until(lambda: "Nothing is remembered yet." in user.driver.screen_text())
        assert "Say it in the chat in plain words" in user.driver.screen_text()
        await user.driver.press("escape")
        await user.driver.send_command("/remember I hate olives")
        await user.driver.until(lambda: any("Nothing is kept" in notice for notice in user.driver.notices()))


async def test_from_what_is_said_to_the_note_the_answer_and_back(tmp_path: Path) -> None:
    """Through the whole turn: recognised, stored, receipted, recalled, explained, undone."""
    async with known(tmp_path, at_memory=False) as user:
        driver, store = user.driver, user.desk.conversation.preferences
        await driver.send("I can't stand aubergines.")
        await driver.until(lambda: "Saved: “I can't stand aubergines” · u on it" in driver.transcript_text())
        await driver.send("What can I do with aubergines?")
        await driver.press("tab", "w")
        await driver.until(lambda: "What it knew about you" in driver.screen_text())
        assert "I can't stand aubergines  (beside your question" in driver.screen_text()
        await driver.press("escape")
        driver.chat.transcript.mark(driver.chat.shown.path[0].id)
        await driver.press("u")
        await driver.until(lambda: "Taken back" in driver.transcript_text())
        assert await store.count(Filter(text="aubergines")) == 0
