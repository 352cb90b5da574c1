"""What a server asks in the middle of a call: on disk before it is seen, answered once, and over with the call."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.errors import ToolError
from assistant.reports import CouldNot, Found, TurnedDown
from assistant.tools.mcp.asked_back import GONE, AskedBack
from assistant.tools.mcp.asking_back import form, page
from assistant.tools.mcp.connection import Connection
from assistant.tools.mcp.errors import ServerFailed
from assistant.tools.mcp.question_cards import question_card, read_values
from assistant.tools.mcp.types import Elicitation, Filled, Refused
from memory.decisions import Decision, DecisionId
from memory.decisions_in_memory import InMemoryDecisions
from memory.errors import ChangeRefused
from tests.support.clock import MONDAY, FixedClock
from tests.support.mcp import QUICK, Folder

MESSAGE = {"to": "ann@example.org", "body": "Hello"}


class Front:
    """Somebody who can be asked. `seen`: the decisions as they were on disk when they were shown."""

    def __init__(self, store: InMemoryDecisions, *, there: bool = True) -> None:
        self.store, self.there = store, there
        self.seen: asyncio.Queue[DecisionId] = asyncio.Queue()
        self.told: list[str] = []
        self.ended = asyncio.Event()

    def present(self) -> bool:
        return self.there

    def asked(self, decision: Decision) -> None:
        assert decision.id in self.store._decisions
        self.seen.put_nowait(decision.id)

    def over(self, decision: Decision, words: str) -> None:
        self.told.append(words)
        self.ended.set()


class Scene:
    def __init__(self, folder: Folder, *, patience_s: float = 60.0, there: bool = True) -> None:
        self.folder = folder
        self.store = InMemoryDecisions()
        self.back = AskedBack(lambda: self.store, FixedClock(), patience_s=patience_s)
        self.front = Front(self.store, there=there)
        self.back.asker = self.front
        self.connections: list[Connection] = []

    async def called(self, kind: str) -> asyncio.Task[tuple[str, ...]]:
        connection = Connection("mail", self.folder.reach(kind), QUICK, self.back)
        self.connections.append(connection)
        await connection.open()

        async def texts() -> tuple[str, ...]:
            return (await connection.call("send_message", MESSAGE, "key")).texts

        return asyncio.create_task(texts())

    async def state(self, id: DecisionId) -> tuple[str, str]:
        found = await self.store.decision(id)
        return found.state, found.result


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "server")


@pytest.fixture
async def scene(folder: Folder) -> AsyncIterator[Scene]:
    made = Scene(folder)
    yield made
    for connection in made.connections:
        await connection.close()


@pytest.mark.parametrize("said", ["2", "home", "Home"])
async def test_an_answer_reaches_the_call_that_waits(scene: Scene, said: str) -> None:
    call = await scene.called("asks")
    id = await scene.front.seen.get()
    asked = (await scene.store.decision(id)).asked
    assert asked.question == "mail asks: “Which calendar?”"
    assert [(option.key, option.label) for option in asked.options] == [
        ("1", "work"),
        ("2", "home"),
        ("decline", "Decline"),
    ]
    assert (asked.kind, asked.recommended, asked.you_decide, asked.effect) == ("server", "", False, "external")
    report = await scene.back.answer(id, said, source="card")
    assert isinstance(report, Found)
    assert json.loads((await call)[0]) == {"action": "accept", "content": {"calendar": "home"}}
    assert await scene.state(id) == ("done", f"mail has your answer: calendar: {said}.")
    with pytest.raises(ChangeRefused):
        await scene.store.answer(id, "1", source="x", at=MONDAY)


async def test_a_form_of_several_fields(scene: Scene) -> None:
    call = await scene.called("asks_much")
    id = await scene.front.seen.get()
    asked = (await scene.store.decision(id)).asked
    assert "\x1b" not in asked.question
    assert [field.default for field in asked.fields] == ["2", ""]
    for wrong in (
        "four",
        "seats: many; name: Ann",
        "seats: 4",
        "seats: 4; who: Ann",
        "seats: 4; name: password: x7y8z9",
    ):
        report = await scene.back.answer(id, wrong, source="card")
        assert isinstance(report, CouldNot)
        assert scene.back.waits(id)
    await scene.back.answer(id, "Seats: 4\nname: Ann; and Bo", source="card")
    assert json.loads((await call)[0])["content"] == {"seats": 4, "name": "Ann; and Bo"}


async def test_a_no_and_no_answer_are_told_apart(scene: Scene) -> None:
    call = await scene.called("asks")
    id = await scene.front.seen.get()
    assert isinstance(await scene.back.answer(id, "decline", source="card"), TurnedDown)
    assert json.loads((await call)[0]) == {"action": "decline"}
    assert (await scene.state(id))[0] == "declined"
    call = await scene.called("asks")
    id = await scene.front.seen.get()
    await scene.back.withdraw(id)
    assert json.loads((await call)[0]) == {"action": "cancel"}
    call = await scene.called("asks")
    id = await scene.front.seen.get()
    assert scene.back.stop()
    assert json.loads((await call)[0]) == {"action": "cancel"}
    assert await scene.state(id) == ("withdrawn", "stopped")
    assert not scene.back.stop()


async def test_a_page_is_shown_and_never_opened(scene: Scene) -> None:
    call = await scene.called("asks_to_open")
    id = await scene.front.seen.get()
    asked = (await scene.store.decision(id)).asked
    assert asked.options[0].attributes[0].value == "https://login.example/x"
    assert isinstance(await scene.back.answer(id, "hm", source="card"), CouldNot)
    await scene.back.answer(id, "1", source="card")
    assert json.loads((await call)[0]) == {"action": "accept"}


async def test_nobody_answers_in_time(folder: Folder) -> None:
    scene = Scene(folder, patience_s=0.05)
    call = await scene.called("asks")
    texts = await call
    assert json.loads(texts[0]) == {"action": "cancel"}
    assert texts[1] == "(What mail asked for was not answered in time.)"
    assert (await scene.state(DecisionId(1)))[0] == "expired"
    assert "too late" in scene.front.told[0]
    await scene.connections[0].close()


async def test_where_nobody_may_be_asked_nothing_is_kept(folder: Folder) -> None:
    scene = Scene(folder, there=False)
    texts = await (await scene.called("asks"))
    assert "nobody was asked" in texts[1]
    assert await scene.store.decisions() == ()
    await scene.connections[0].close()


@pytest.mark.parametrize(("kind", "file"), [("asks_and_dies", "die"), ("asks_and_goes_on", "go on")])
async def test_a_server_that_does_not_wait_ends_its_question(scene: Scene, kind: str, file: str) -> None:
    call = await scene.called(kind)
    id = await scene.front.seen.get()
    (scene.folder.path / file).touch()
    if kind == "asks_and_dies":
        with pytest.raises(ServerFailed):
            await call
    else:
        assert await call == ("went on",)
    await scene.front.ended.wait()
    assert await scene.state(id) == ("withdrawn", "mail did not wait for the answer.")


async def test_after_a_restart_it_is_over(scene: Scene) -> None:
    asked = form("mail", "send", "Which?", {"properties": {"a": {"type": "string"}}})
    card = question_card(asked, expires_at=MONDAY, patience="10 minutes")
    left = await scene.store.raise_decision(card, at=MONDAY)
    (gone,) = await scene.back.close_left_over()
    assert (gone.id, gone.state, gone.result) == (left.id, "withdrawn", GONE)
    assert await scene.back.close_left_over() == ()


def yes_or_no() -> Elicitation:
    return form("mail", "send", "Urgent?", {"properties": {"urgent": {"type": "boolean"}}, "required": ["urgent"]})


@pytest.mark.parametrize(("said", "value"), [("1", "yes"), ("2", "no"), ("yes", "yes"), ("No", "No"), ("n", "n")])
def test_no_is_an_answer_to_yes_or_no(said: str, value: str) -> None:
    assert read_values(yes_or_no(), said) == Filled(values={"urgent": value})
    assert read_values(yes_or_no(), "decline") == Refused()


@pytest.mark.parametrize("said", ["4111 1111 1111 1111", "my password is hunter22", "sk-live_abcdefghij0123456789"])
def test_what_looks_like_a_secret_is_not_sent(said: str) -> None:
    asked = form("mail", "send", "Anything else?", {"properties": {"note": {"type": "string"}}})
    with pytest.raises(ToolError, match="It was not sent"):
        read_values(asked, said)


def test_a_page_and_where_the_answer_goes_are_said() -> None:
    asked = page("crm", "find", "Log in", "https://crm.example/login", where="crm.example")
    card = question_card(asked, expires_at=MONDAY, patience="10 minutes")
    assert "goes to crm at crm.example" in card.why_now
    assert "opens no page" in card.why_now
    assert not card.allow_other
