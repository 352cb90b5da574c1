"""The servers of a home: offered without being started, pinned, not used once they changed."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import FileUnreadable, NotAllowed, ToolError
from assistant.execution import Executor, Order
from assistant.tools.mcp.errors import ServerChanged, ServerFailed
from assistant.tools.mcp.servers import McpServers, approved, look
from assistant.tools.mcp.shelf import EDITED, RECLASSED, Shelf
from assistant.tools.mcp.tool import McpTool
from assistant.tools.mcp.types import Server
from assistant.tools.registry import Registry
from assistant.tools.types import CallContext, EffectKey
from memory.data_dir import Home
from memory.decisions_in_memory import InMemoryDecisions
from tests.support.clock import MONDAY, FixedClock
from tests.support.mcp import QUICK, Folder
from tests.support.waiting import eventually
from ui.tool_acts import ToolActs

CONTEXT = CallContext(now=MONDAY, zone="Europe/Berlin")
KEY = EffectKey("message-1")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "server")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    home = Home.resolve(str(tmp_path / "home"), {})
    home.make()
    return Shelf(home)


async def add(shelf: Shelf, folder: Folder, kind: str = "good", *, reads: tuple[str, ...] = ()) -> Server:
    reach = folder.reach(kind)
    server = approved("mail", reach, await look("mail", reach, QUICK), FixedClock(), reads=reads)
    await asyncio.to_thread(shelf.put, server)
    (folder.path / "pids").unlink()
    return server


async def opened(shelf: Shelf) -> McpServers:
    servers = McpServers(shelf, limits=QUICK)
    await servers.load()
    return servers


def named(servers: McpServers, name: str) -> McpTool:
    return next(tool for tool in servers.tools() if tool.name == name)


async def test_what_is_approved_is_offered_without_starting_it(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder, reads=("search_flights",))
    servers = await opened(shelf)
    assert {tool.name: tool.effect for tool in servers.tools()} == {
        "mcp.mail.delete_file": "external",
        "mcp.mail.pay_invoice": "grave",
        "mcp.mail.search_flights": "read",
        "mcp.mail.send_message": "external",
    }
    assert folder.lines("pids") == []
    await servers.close()


async def test_a_claim_to_be_harmless_decides_nothing(shelf: Shelf, folder: Folder) -> None:
    server = await add(shelf, folder, "lies")
    assert {tool.listed.name: (tool.effect, tool.listed.claims) for tool in server.tools}["delete_file"] == (
        "external",
        ("only reads", "only adds"),
    )


async def test_it_is_started_once_and_ended_at_the_end(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder)
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    arguments = tool.arguments.model_validate({"to": "ann@example.org", "body": "hello"})
    for number in range(2):
        outcome = await tool.run(arguments, EffectKey(f"message-{number}"), CONTEXT)
        assert outcome.text == "send_message done"
        assert outcome.untrusted
        assert [source.kind for source in outcome.sources] == ["mcp"]
    assert len(folder.lines("pids")) == 1
    await servers.close()
    assert folder.running() == []
    with pytest.raises(ServerFailed, match="Steward is closing"):
        await tool.run(arguments, KEY, CONTEXT)


async def test_a_table_becomes_options_with_equal_attributes(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder, reads=("search_flights",))
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.search_flights")
    outcome = await tool.run(tool.arguments.model_validate({"city": "Rome"}), KEY, CONTEXT)
    await servers.close()
    assert [choice.label for choice in outcome.choices] == ["Lufthansa 221", "KLM 1873", "Air Dolomiti 8"]
    assert [[(a.name, a.number, a.better) for a in choice.attributes] for choice in outcome.choices][0] == [
        ("price", 120.0, "low"),
        ("duration", 2.0, "low"),
        ("stops", 0.0, "low"),
    ]
    assert outcome.choices[1].claims == "Simply unbeatable"


async def test_a_server_that_changes_is_not_used_until_approved_again(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder, "changes")
    (folder.path / "changed").touch()
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    arguments = tool.arguments.model_validate({"to": "ann@example.org", "body": "hello"})
    for _ in range(2):  # also the second time, when it is on disk already
        with pytest.raises(ServerChanged, match="send_message has another description"):
            await tool.run(arguments, KEY, CONTEXT)
    assert folder.lines("called") == []
    assert folder.running() == []
    assert await servers.load()
    assert servers.tools() == ()
    await servers.close()


async def test_a_server_that_says_it_changed_is_looked_at_before_the_next_call(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder, "changes_later")
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    arguments = tool.arguments.model_validate({"to": "ann@example.org", "body": "hello"})
    await tool.run(arguments, KEY, CONTEXT)
    await eventually(lambda: servers.wary("mail"))  # its notice may come a moment after its answer
    with pytest.raises(ServerChanged, match="it has lost"):
        await tool.run(arguments, EffectKey("again"), CONTEXT)
    await servers.close()


async def test_a_removed_server_is_not_called_any_more(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder)
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    await asyncio.to_thread(shelf.remove, "mail")
    with pytest.raises(ToolError, match="There is no MCP server mail"):
        await tool.run(tool.arguments.model_validate({"to": "a", "body": "b"}), KEY, CONTEXT)
    assert folder.lines("pids") == []
    await servers.close()


async def test_a_server_that_does_not_start_is_left_alone_for_a_while(shelf: Shelf, folder: Folder) -> None:
    server = await add(shelf, folder)
    broken = folder.reach("exits")
    listed = [tool.listed for tool in server.tools]
    await asyncio.to_thread(shelf.put, approved("mail", broken, listed, FixedClock()))
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    for _ in range(3):
        with pytest.raises(ServerFailed, match="no licence"):
            await tool.run(tool.arguments.model_validate({"to": "a", "body": "b"}), KEY, CONTEXT)
    assert len(folder.lines("pids")) == 1
    await servers.close()


async def test_what_a_server_says_when_it_fails_is_quoted_and_cleaned(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder, "fails")
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    with pytest.raises(ToolError, match="It says: “no such \ufffd.2Jrecipient”"):
        await tool.run(tool.arguments.model_validate({"to": "a", "body": "b"}), KEY, CONTEXT)
    await servers.close()


async def test_sending_needs_a_decision_and_reading_does_not(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder, reads=("search_flights",))
    servers = await opened(shelf)
    executor = Executor(InMemoryDecisions())
    for name, values in (("send_message", {"to": "a", "body": "b"}), ("pay_invoice", {"amount": 5, "currency": "EUR"})):
        tool = named(servers, f"mcp.mail.{name}")
        arguments = tool.arguments.model_validate(values)
        preview = await tool.preview(arguments, CONTEXT)
        with pytest.raises(NotAllowed):
            await executor.carry_out(Order(key=KEY, tool=tool, arguments=arguments, preview=preview), CONTEXT)
    assert folder.lines("pids") == []
    tool = named(servers, "mcp.mail.search_flights")
    arguments = tool.arguments.model_validate({"city": "Rome"})
    preview = await tool.preview(arguments, CONTEXT)
    await executor.carry_out(Order(key=KEY, tool=tool, arguments=arguments, preview=preview), CONTEXT)
    assert len(folder.lines("called")) == 1
    await servers.close()


async def test_what_is_kept_is_read_back_whole_and_private(shelf: Shelf, folder: Folder) -> None:
    server = await add(shelf, folder, reads=("search_flights",))
    assert await asyncio.to_thread(shelf.servers) == (server,)
    assert shelf.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("rest", ["as it was", "left out"])
async def test_a_class_made_lighter_by_hand_opens_nothing(shelf: Shelf, folder: Folder, rest: str) -> None:
    await add(shelf, folder)
    stored = json.loads(shelf.path.read_text())
    tool = next(one for one in stored["servers"][0]["tools"] if one["name"] == "pay_invoice")
    assert tool["effect"] == "grave"
    tool["effect"] = "read"
    if rest == "left out":
        del stored["servers"][0]["classes"]
    shelf.path.write_text(json.dumps(stored))
    assert (await asyncio.to_thread(shelf.find, "mail")).changed == RECLASSED
    servers = await opened(shelf)
    assert servers.tools() == ()
    await asyncio.to_thread(shelf.mark_changed, "another", "")  # whatever writes the file again blesses nothing
    assert (await asyncio.to_thread(shelf.find, "mail")).changed == RECLASSED
    offer = await ToolActs(shelf, FixedClock(), QUICK).offer_again("mail")
    assert offer.lines == ("+ pay_invoice: grave again; the changed file said read",)
    assert {one.listed.name: one.effect for one in offer.server.tools}["pay_invoice"] == "grave"
    await servers.close()


async def test_an_edited_file_is_not_used(shelf: Shelf, folder: Folder) -> None:
    await add(shelf, folder)
    stored = json.loads(shelf.path.read_text())
    stored["servers"][0]["command"][0] = "/bin/sh"
    shelf.path.write_text(json.dumps(stored))
    assert (await asyncio.to_thread(shelf.find, "mail")).changed == EDITED
    servers = await opened(shelf)
    assert servers.tools() == ()
    await servers.close()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 2}', '{"version": 1, "servers": [{"name": "X"}]}'])
def test_a_file_that_is_wrong_is_named_and_left_alone(shelf: Shelf, content: str) -> None:
    shelf.path.write_text(content)
    with pytest.raises(FileUnreadable, match=r"mcp\.json is not usable"):
        shelf.servers()
    with pytest.raises(FileUnreadable):
        shelf.mark_changed("mail", "it changed")
    assert shelf.path.read_text() == content


async def test_too_many_tools_are_refused(shelf: Shelf, folder: Folder) -> None:
    server = await add(shelf, folder)
    for number in range(19):
        await asyncio.to_thread(shelf.put, replace(server, name=f"mail{number}"))
    with pytest.raises(ToolError, match="the most"):
        await asyncio.to_thread(shelf.put, replace(server, name="one_more"))


async def test_every_conversation_learns_what_was_approved_or_removed_elsewhere(shelf: Shelf, folder: Folder) -> None:
    servers = McpServers(shelf, limits=QUICK)
    first, second = Registry(), Registry()
    await servers.refresh(first)
    assert first.all() == ()
    await add(shelf, folder)
    for registry in (first, second):
        await servers.refresh(registry)
        assert [tool.name for tool in registry.all()][-1] == "mcp.mail.send_message"
    before = first.all()
    await servers.refresh(first)
    assert first.all() == before
    await asyncio.to_thread(shelf.remove, "mail")
    for registry in (first, second):
        await servers.refresh(registry)
        assert registry.all() == ()
    await asyncio.to_thread(shelf.path.write_text, "{")
    await servers.refresh(first)
    assert first.all() == ()
    await servers.close()


async def test_nobody_who_quits_waits_for_a_server_to_start(shelf: Shelf, folder: Folder) -> None:
    server = await add(shelf, folder)
    listed = [tool.listed for tool in server.tools]
    await asyncio.to_thread(
        shelf.put, approved("mail", folder.reach("hangs_at_start"), listed, FixedClock(), start_s=120)
    )
    servers = await opened(shelf)
    tool = named(servers, "mcp.mail.send_message")
    calling = asyncio.create_task(tool.run(tool.arguments.model_validate({"to": "a", "body": "b"}), KEY, CONTEXT))
    await eventually(folder.running)
    async with asyncio.timeout(60):  # it may take 120 to start
        await servers.close()
    with pytest.raises(ServerFailed):
        await calling
    assert folder.running() == []
