"""The prompt: what is sent is what was meant, and nothing written is lost."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.timer import Timer, TimerCallback

from ui import folds
from ui.drafts import Draft
from ui.messages import DraftChanged, Sent
from ui.widgets.prompt import PASTE_SECONDS, Prompt

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


class HeldPrompt(Prompt):
    """Its moment after an Enter passes when the test says so."""

    later: Callable[[], None] | None = None

    def set_timer(
        self,
        delay: float,
        callback: TimerCallback | None = None,
        *,
        name: str | None = None,
        pause: bool = False,
    ) -> Timer:
        if delay == PASTE_SECONDS:
            self.later = cast(Callable[[], None], callback)
            delay = 3_600.0
        return super().set_timer(delay, callback, name=name, pause=pause)


class Bench(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Sent] = []
        self.drafts: list[str] = []
        self.refused: list[str] = []
        self.others: list[str] = []

    def compose(self) -> ComposeResult:
        yield HeldPrompt()

    def on_sent(self, event: Sent) -> None:
        self.sent.append(event)

    def on_draft_changed(self, event: DraftChanged) -> None:
        self.drafts.append(event.text)

    def on_prompt_refused(self, event: Prompt.Refused) -> None:
        self.refused.append(event.reason)

    def on_prompt_help_wanted(self) -> None:
        self.others.append("help")

    def on_prompt_quit_wanted(self) -> None:
        self.others.append("quit")

    def on_prompt_messages_wanted(self) -> None:
        self.others.append("messages")


class Hand:
    """Types at given times, so that no test depends on how quick the machine is."""

    def __init__(self, app: Bench, pilot: "Pilot[None]") -> None:
        self.app = app
        self.pilot = pilot
        self.prompt = app.query_one(HeldPrompt)
        self.now = 1_000.0

    async def key(self, key: str, character: str | None = None, *, after: float = 1.0) -> None:
        self._press(key, character if character is not None else key if len(key) == 1 else None, after)
        await self.pilot.pause()

    def _press(self, key: str, character: str | None, after: float) -> None:
        self.now += after
        event = events.Key(key, character)
        event.time = self.now
        self.prompt.post_message(event)

    async def enter(self, *, after: float = 1.0) -> None:
        await self.key("enter", "\r", after=after)

    async def moment_passes(self) -> None:
        assert self.prompt.later is not None
        self.prompt.call_later(self.prompt.later)
        await self.pilot.pause()

    async def type(self, text: str, *, each: float = 0.2) -> None:
        for character in text:
            if character == "\n":
                self._press("enter", "\r", each)
            else:
                self._press({" ": "space"}.get(character, character), character, each)
        await self.pilot.pause()

    async def paste(self, text: str, *, after: float = 1.0) -> None:
        self.now += after
        event = events.Paste(text)
        event.time = self.now
        self.prompt.post_message(event)
        await self.pilot.pause()


@asynccontextmanager
async def a_hand() -> AsyncIterator[Hand]:
    app = Bench()
    async with app.run_test() as pilot:
        app.query_one(Prompt).focus()
        await pilot.pause()
        yield Hand(app, pilot)


async def test_enter_sends_and_empties() -> None:
    async with a_hand() as hand:
        await hand.type("hello")
        await hand.enter()
        assert [(event.text, event.origin) for event in hand.app.sent] == [("hello", "typed")]
        assert hand.prompt.text == ""


@pytest.mark.parametrize("key", ["ctrl+j", "alt+enter", "shift+enter"])
async def test_other_keys_break_the_line(key: str) -> None:
    async with a_hand() as hand:
        await hand.type("a")
        await hand.key(key)
        await hand.type("b")
        assert hand.prompt.text == "a\nb"
        assert hand.app.sent == []


async def test_nothing_is_sent_when_there_is_nothing() -> None:
    async with a_hand() as hand:
        await hand.type("  ")
        await hand.enter()
        assert hand.app.sent == []


async def test_enter_right_after_a_paste_breaks_the_line() -> None:
    async with a_hand() as hand:
        await hand.paste("first\nsecond")
        await hand.enter(after=PASTE_SECONDS / 2)
        assert hand.app.sent == []
        assert hand.prompt.text == "first\nsecond\n"


async def test_a_paste_that_comes_as_keys_is_one_draft_and_is_not_sent() -> None:
    async with a_hand() as hand:
        await hand.type("one\ntwo\nthree\n", each=0.001)
        await hand.moment_passes()
        assert hand.prompt.text == "one\ntwo\nthree\n"
        assert hand.app.sent == []


async def test_one_line_and_enter_at_once_is_sent_after_a_moment() -> None:
    """A quick typist, or a program that types: nothing follows, so the Enter was meant."""
    async with a_hand() as hand:
        await hand.type("quick", each=0.001)
        await hand.enter(after=0.001)
        assert hand.app.sent == []
        await hand.moment_passes()
        assert [event.text for event in hand.app.sent] == ["quick"]


async def test_a_key_long_after_a_waiting_enter_lets_it_send() -> None:
    async with a_hand() as hand:
        await hand.type("first", each=0.001)
        await hand.enter(after=0.001)
        await hand.key("n", after=0.5)
        assert [event.text for event in hand.app.sent] == ["first"]
        assert hand.prompt.text == "n"


async def test_a_long_paste_is_folded_and_sent_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(12_345))
    async with a_hand() as hand:
        await hand.type("see: ")
        await hand.paste(text)
        assert hand.prompt.text == "see: [pasted 12,345 lines #1]"
        await hand.enter()
        assert hand.app.sent[0].text == f"see: {text}"
        assert hand.app.sent[0].origin == "pasted"


async def test_the_draft_has_folds_in_full() -> None:
    text = "x" * 5_000
    async with a_hand() as hand:
        await hand.paste(text)
        assert hand.app.drafts[-1] == text


async def test_a_fold_is_deleted_as_one() -> None:
    async with a_hand() as hand:
        await hand.type("a")
        await hand.paste("x" * 5_000)
        await hand.pilot.press("backspace")
        assert hand.prompt.text == "a"


async def test_two_equal_pastes_are_two_folds() -> None:
    async with a_hand() as hand:
        await hand.paste("x" * 5_000)
        await hand.paste("y" * 5_000)
        await hand.enter()
        assert hand.app.sent[0].text == "x" * 5_000 + "y" * 5_000


async def test_a_fold_can_be_put_into_the_text() -> None:
    text = "\n".join("abc" for _ in range(40))
    async with a_hand() as hand:
        await hand.paste(text)
        await hand.key("ctrl+o")
        assert hand.prompt.text == text
        await hand.enter()
        assert hand.app.sent[0].origin == "pasted"


async def test_a_huge_fold_stays_folded() -> None:
    async with a_hand() as hand:
        await hand.paste("x" * (folds.UNFOLD_CHARACTERS + 1))
        await hand.key("ctrl+o")
        assert "too long" in hand.app.refused[0]


async def test_too_much_is_refused_with_a_way_out() -> None:
    async with a_hand() as hand:
        await hand.paste("x" * (folds.MOST_CHARACTERS + 1))
        assert hand.prompt.text == ""
        assert "Save it as a file" in hand.app.refused[0]


async def test_words_that_look_like_a_fold_are_words() -> None:
    async with a_hand() as hand:
        await hand.type("[pasted 3 lines #1]")
        await hand.enter()
        assert hand.app.sent[0].text == "[pasted 3 lines #1]"
        assert hand.app.sent[0].origin == "typed"


@pytest.mark.parametrize(
    ("typed", "pasted", "origin"), [("why? ", "short", "pasted"), ("a long sentence ", "x", "typed")]
)
async def test_the_origin_is_what_most_of_it_is(typed: str, pasted: str, origin: str) -> None:
    async with a_hand() as hand:
        await hand.type(typed)
        await hand.paste(pasted)
        await hand.enter()
        assert hand.app.sent[0].origin == origin


async def test_a_paste_is_cleaned() -> None:
    async with a_hand() as hand:
        await hand.paste("a\x1b[2Jb\r\nc\x00\u202e")
        assert hand.prompt.text == "a\ufffd[2Jb\nc\ufffd\ufffd"


@pytest.mark.parametrize("character", [FAMILY, "🇩🇪", "e\u0301", "👍🏽", "\u1112\u1161\u11ab"])
async def test_backspace_takes_a_written_character(character: str) -> None:
    async with a_hand() as hand:
        await hand.paste(f"a{character}")
        await hand.pilot.press("backspace")
        assert hand.prompt.text == "a"


async def test_the_cursor_steps_over_written_characters() -> None:
    async with a_hand() as hand:
        await hand.paste(f"a{FAMILY}b")
        await hand.pilot.press("left", "left")
        assert hand.prompt.cursor_location == (0, 1)
        await hand.pilot.press("right")
        assert hand.prompt.cursor_location == (0, 1 + len(FAMILY))
        await hand.pilot.press("left", "delete")
        assert hand.prompt.text == "ab"


async def test_earlier_messages_come_back_and_the_draft_is_kept() -> None:
    async with a_hand() as hand:
        hand.prompt.remember([Draft(text="one"), Draft(text="two")])
        await hand.type("draft")
        await hand.pilot.press("up")
        assert hand.prompt.text == "two"
        await hand.pilot.press("up")
        assert hand.prompt.text == "one"
        await hand.pilot.press("up")
        assert hand.prompt.text == "one"
        await hand.pilot.press("down", "down")
        assert hand.prompt.text == "draft"


async def test_what_was_pasted_stays_pasted_when_it_comes_back() -> None:
    async with a_hand() as hand:
        hand.prompt.remember([Draft(text="a short quotation", origin="pasted")])
        await hand.pilot.press("up")
        await hand.enter()
        hand.prompt.write("another one", "pasted")
        await hand.enter()
        hand.prompt.write("my own words")
        await hand.enter()
        assert [event.origin for event in hand.app.sent] == ["pasted", "pasted", "typed"]


async def test_up_moves_within_a_longer_text_first() -> None:
    async with a_hand() as hand:
        hand.prompt.remember([Draft(text="earlier")])
        hand.prompt.write("first line\nsecond line")
        await hand.pilot.press("up")
        assert hand.prompt.text == "first line\nsecond line"
        await hand.pilot.press("up")
        assert hand.prompt.text == "earlier"


async def test_a_long_earlier_message_is_folded_and_sent_whole() -> None:
    async with a_hand() as hand:
        hand.prompt.remember([Draft(text="x" * 5_000)])
        await hand.pilot.press("up")
        assert "[pasted 5,000 characters #1]" in hand.prompt.text
        await hand.enter()
        assert hand.app.sent[0].text == "x" * 5_000


@pytest.mark.parametrize(
    ("key", "character", "wish"), [("question_mark", "?", "help"), ("ctrl+d", None, "quit"), ("tab", "\t", "messages")]
)
async def test_keys_of_an_empty_prompt(key: str, character: str | None, wish: str) -> None:
    async with a_hand() as hand:
        await hand.key(key, character)
        assert hand.app.others == [wish]


async def test_a_question_mark_in_a_sentence_is_one() -> None:
    async with a_hand() as hand:
        await hand.type("why")
        await hand.key("question_mark", "?")
        assert hand.prompt.text == "why?"
        assert hand.app.others == []


async def test_brackets_in_the_text_are_letters() -> None:
    async with a_hand() as hand:
        for text in ("[/", "[@click=app.quit]x[/]", "[bold"):
            hand.prompt.write(text)
            await hand.pilot.pause()
            assert hand.prompt.text == text
