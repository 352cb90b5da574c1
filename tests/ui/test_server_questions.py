"""What an MCP server asks in the middle of a call, as its user meets it: on the card, in a form, line by line."""

import asyncio
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.tools.mcp.asked_back import AskedBack
from assistant.tools.mcp.asking_back import form
from assistant.tools.mcp.types import Dismissed, Elicitation, Filled, Refused
from memory.decisions import Decision
from tests.support.clock import MONDAY, FixedClock
from tests.support.decisions import a_mail, use_tools
from tests.support.pilot import a_desk, a_home, opened
from tests.support.tools import mail
from tests.support.waiting import eventually
from tests.ui.test_decision_card import card_text, long_ago, mark_and_answer, shown
from tests.ui.test_plain import Lines
from tests.ui.test_plain import a_desk as a_plain_desk
from ui.acting_wiring import without_model
from ui.commands.decisions import _act
from ui.deciding import Deciding
from ui.deciding_begins import watching
from ui.desk import Desk
from ui.plain import PlainChat
from ui.screens.server_form import ServerForm
from ui.server_questions import read_form
from ui.widgets.decision_card import DecisionCard
from ui.wiring import Options, owned

WHICH = {"calendar": {"type": "string", "enum": ["work", "home"]}}
MUCH = {"seats": {"type": "integer", "title": "Seats"}, "name": {"type": "string", "description": "who comes"}}


def asks(properties: dict[str, Any]) -> Elicitation:
    return form("mail", "send", "Which one?", {"properties": properties, "required": list(properties)})


def with_servers(desk: Desk) -> tuple[Desk, AskedBack]:
    services = desk.services
    back = AskedBack(lambda: services.decisions, FixedClock())
    return Desk(replace(services, asked_back=back), desk.model), back


async def test_a_choice_is_answered_on_the_card(tmp_path: Path) -> None:
    desk, back = with_servers(await asyncio.to_thread(lambda: a_desk(a_home(tmp_path))))
    async with opened(desk) as driver:
        await driver.until(lambda: back.asker is not None)
        asked = asyncio.create_task(back(asks(WHICH)))
        await driver.until(lambda: shown(driver) is not None)
        text = card_text(driver)
        assert "mail asks: “Which one?”" in text
        assert "a server asks" in text
        assert "It wants: calendar (one of work, home, needed)" in text
        assert driver.chat.query_one(DecisionCard).marked == ""
        await driver.until(lambda: driver.app.guard.shown_at != float("inf"))
        await driver.press("f11")
        await driver.until(lambda: isinstance(driver.app.focused, DecisionCard))
        long_ago(driver)
        await mark_and_answer(driver, "2")
        assert await asked == Filled(values={"calendar": "2"})
        await driver.until(lambda: shown(driver) is None)


async def test_a_form_is_filled_in_field_by_field(tmp_path: Path) -> None:
    desk, back = with_servers(await asyncio.to_thread(lambda: a_desk(a_home(tmp_path))))
    async with opened(desk) as driver:
        await driver.until(lambda: back.asker is not None)
        asked = asyncio.create_task(back(asks(MUCH)))
        await driver.until(lambda: shown(driver) is not None)
        await driver.until(lambda: driver.app.guard.shown_at != float("inf"))
        await driver.press("f11")
        await driver.until(lambda: isinstance(driver.app.focused, DecisionCard))
        long_ago(driver)
        await driver.press("o")
        await driver.until(lambda: isinstance(driver.app.screen, ServerForm))
        await driver.press("4", "enter", "enter")  # what is needed is asked for again
        assert isinstance(driver.app.screen, ServerForm)
        await driver.press("A", "n", "n", "enter")
        assert await asked == Filled(values={"seats": "4", "name": "Ann"})


async def test_line_mode_reads_it_out_and_asks_field_by_field(tmp_path: Path) -> None:
    desk, back = with_servers(await a_plain_desk(tmp_path=tmp_path))
    out = io.StringIO()
    chat = PlainChat(desk, Lines(["many", "Ann", "4", "Ann"]), out)
    async with chat.decisions.running():
        assert await back(asks(MUCH)) == Filled(values={"seats": "4", "name": "Ann"})
        for _ in range(3):
            await asyncio.sleep(0)
    text = out.getvalue()
    assert "Seats (a whole number, needed): 4" in text
    assert "“many” does not fit “Seats”" in text
    assert "mail has your answer: Seats: 4, name: Ann." in text


@pytest.mark.parametrize(("typed", "answer"), [("decline", Refused()), ("", Dismissed())])
async def test_line_mode_tells_a_no_from_no_answer(tmp_path: Path, typed: str, answer: object) -> None:
    desk, back = with_servers(await a_plain_desk(tmp_path=tmp_path))
    chat = PlainChat(desk, Lines([typed]), io.StringIO())
    async with chat.decisions.running():
        assert await back(asks(WHICH)) == answer


async def test_nobody_is_asked_in_a_conversation_of_which_nothing_is_kept(tmp_path: Path) -> None:
    desk, back = with_servers(await a_plain_desk(tmp_path=tmp_path))
    chat = PlainChat(desk, Lines([]), io.StringIO())
    async with chat.decisions.running():
        desk.begin(incognito=True)
        assert await back(asks(WHICH)) == Dismissed(because="nobody")


async def test_the_end_of_the_input_leaves_a_form_unanswered(tmp_path: Path) -> None:
    desk, back = with_servers(await a_plain_desk(tmp_path=tmp_path))
    chat = PlainChat(desk, Lines([]), io.StringIO())
    async with chat.decisions.running():
        assert await back(asks(MUCH)) == Dismissed()

    async def nothing(prompt: str) -> str | None:
        return None

    assert await read_form((await desk.services.decisions.decisions(("withdrawn",)))[0], nothing) == ""


class Present:
    def present(self) -> bool:
        return True

    def asked(self, decision: Decision) -> None:
        pass

    def over(self, decision: Decision, words: str) -> None:
        pass


async def test_a_second_terminal_answers_while_its_first_answer_is_carried_out(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first yes runs a tool that asks back; the answer to that comes the same way, and is not queued behind it."""
    post = mail()
    use_tools(monkeypatch, post)

    async def tell(lines: Sequence[str]) -> None:
        pass

    async with owned(Options(), "chat") as services:
        back = services.asked_back
        assert back is not None
        back.asker = Present()
        heard: list[object] = []
        run = type(post).run

        async def asking_back(self: Any, arguments: Any, key: Any, context: Any) -> Any:
            heard.append(await back(asks(WHICH)))
            return await run(self, arguments, key, context)

        monkeypatch.setattr(type(post), "run", asking_back)
        decision = await services.decisions.raise_decision(a_mail(), at=MONDAY)
        async with watching(services, Deciding(lambda: services, without_model), tell):
            first = asyncio.create_task(_act(Options(), "answer", decision.id, "yes"))
            await eventually(lambda: bool(back._waiting))
            (waiting,) = await services.decisions.decisions()
            second = await _act(Options(), "answer", waiting.id, "home")
            settled = await first
    assert (second.code, settled.code) == (0, 0)
    assert heard == [Filled(values={"calendar": "home"})]
    assert post.ran == ["decision-1"]
