"""From words to an MCP tool: a card with the exact arguments first, then once, and never what a text asks for."""

import asyncio
from pathlib import Path

import pytest

from assistant.acting import Actor
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.reports import Carried, CouldNot, TurnedDown, Waits
from assistant.tools.mcp.servers import McpServers, approved, look
from assistant.tools.mcp.shelf import Shelf
from assistant.tools.registry import Registry
from memory.data_dir import Home
from memory.decisions_in_memory import InMemoryDecisions
from memory.errors import ChangeRefused
from models.scripted import Choice, Reply, ScriptedModel
from models.types import Cancel
from tests.support.builders import a_message
from tests.support.clock import FixedClock
from tests.support.mcp import QUICK, Folder

PROMPTS = ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap="{message} {question}")
WISH = "Send a message to ann@example.org: I am delayed"
FILLED = '{"to":"ann@example.org","body":"I am delayed"}'


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "server")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    home = Home.resolve(str(tmp_path / "home"), {})
    home.make()
    return Shelf(home)


async def offered(shelf: Shelf, folder: Folder) -> McpServers:
    reach = folder.reach("good")
    server = approved("mail", reach, await look("mail", reach, QUICK), FixedClock(), reads=("search_flights",))
    await asyncio.to_thread(shelf.put, server)
    return McpServers(shelf, limits=QUICK)


def actor_on(servers: McpServers, store: InMemoryDecisions, *replies: Reply, choices: tuple[Choice, ...] = ()) -> Actor:
    model = ScriptedModel(*replies, choices=list(choices))
    reader = CallReader(model, PROMPTS)
    return Actor(Registry(), store, model, FixedClock(), zone=lambda: "UTC", reader=reader, refresh=servers.refresh)


async def test_sending_waits_for_a_yes_and_happens_once(shelf: Shelf, folder: Folder) -> None:
    servers, store = await offered(shelf, folder), InMemoryDecisions()
    actor = actor_on(servers, store, FILLED, choices=(((0.95, 0.05),),))
    waits = await actor.consider(a_message(1, WISH), (), Cancel())
    assert isinstance(waits, Waits)
    assert [attribute.value for attribute in waits.decision.asked.options[0].attributes][1:] == [
        "to: ann@example.org",
        "body: I am delayed",
    ]
    assert folder.lines("called") == []
    later = actor_on(servers, store)  # another process, the next day
    assert isinstance(await later.answer(waits.decision.id, "yes", source="command"), Carried)
    with pytest.raises(ChangeRefused):
        await later.answer(waits.decision.id, "yes", source="command")
    assert len(folder.lines("called")) == 1
    await servers.close()


async def test_a_no_calls_nothing(shelf: Shelf, folder: Folder) -> None:
    servers, store = await offered(shelf, folder), InMemoryDecisions()
    actor = actor_on(servers, store, FILLED, choices=(((0.95, 0.05),),))
    waits = await actor.consider(a_message(1, WISH), (), Cancel())
    assert isinstance(waits, Waits)
    assert isinstance(await actor.answer(waits.decision.id, "no", source="chat"), TurnedDown)
    assert folder.lines("called") == []
    await servers.close()


async def test_an_answer_for_a_server_that_is_gone_says_so(shelf: Shelf, folder: Folder) -> None:
    servers, store = await offered(shelf, folder), InMemoryDecisions()
    actor = actor_on(servers, store, FILLED, choices=(((0.95, 0.05),),))
    waits = await actor.consider(a_message(1, WISH), (), Cancel())
    assert isinstance(waits, Waits)
    await asyncio.to_thread(shelf.remove, "mail")
    assert isinstance(await actor.answer(waits.decision.id, "yes", source="chat"), CouldNot)
    assert folder.lines("called") == []
    await servers.close()
