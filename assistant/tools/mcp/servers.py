"""The MCP servers of a home: offered from what was approved, started when first called, ended together."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from assistant.errors import FileUnreadable, ToolError
from assistant.ports import Clock
from assistant.tools.mcp.errors import ServerChanged, ServerFailed
from assistant.tools.mcp.pins import change_in_a_line, pin_of
from assistant.tools.mcp.schema import Unusable, arguments_of
from assistant.tools.mcp.shelf import Shelf
from assistant.tools.mcp.tool import McpTool
from assistant.tools.mcp.types import (
    ApprovedTool,
    Elicit,
    Limits,
    ListedTool,
    Reach,
    Result,
    Server,
    Web,
)
from assistant.tools.mcp.web import host_of, is_remote
from assistant.tools.mcp.words import proposed_effect, tool_name
from assistant.tools.registry import Registry
from assistant.tools.types import Effect, ToolName

if TYPE_CHECKING:
    from assistant.tools.mcp.connection import Connection

logger = logging.getLogger(__name__)

SULKING_S = 60.0  # a server that failed to start is not tried again for so long


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTool:
    """A tool of a server under its name in Steward."""

    name: ToolName
    tool: ApprovedTool


def named(server: str, tools: Sequence[ApprovedTool]) -> tuple[NamedTool, ...]:
    """By the servers' names for them, so that two that fall together are told apart the same every time."""
    found: list[NamedTool] = []
    for tool in sorted(tools, key=lambda tool: tool.listed.name):
        name = tool_name(server, tool.listed.name, [one.name for one in found])
        found.append(NamedTool(name=name, tool=tool))
    return tuple(found)


def approved(
    name: str,
    reach: Reach,
    listed: Sequence[ListedTool],
    clock: Clock,
    *,
    reads: Sequence[str] = (),
    grave: Sequence[str] = (),
    start_s: float = Limits().start_s,
) -> Server:
    """What the user says yes to. `reads` and `grave` name tools whose class the user sets. Raises ToolError."""
    known = {tool.name for tool in listed}
    for one in (*reads, *grave):
        if one not in known:
            raise ToolError(f"{name} has no tool {one}.", f"It has: {', '.join(sorted(known)) or 'none'}")
    tools = tuple(
        ApprovedTool(listed=tool, effect=_effect(tool, reads, grave), unusable=_unusable(tool)) for tool in listed
    )
    return Server(
        name=name, reach=reach, tools=tools, pin=pin_of(reach, listed), approved_at=clock.now(), start_s=start_s
    )


async def look(name: str, reach: Reach, limits: Limits) -> tuple[ListedTool, ...]:
    """Start a server, see what it lists, end it. Raises ServerFailed."""
    from assistant.tools.mcp.connection import Connection

    connection = Connection(name, reach, limits)
    try:
        return await connection.open()
    finally:
        await connection.close()


class McpServers:
    """Offers tools without starting anything; a removed or changed server is not called any more from that moment on,
    whoever removed it. `elicit`: who asks the user when a server asks back; nobody when None."""

    def __init__(self, shelf: Shelf, *, elicit: Elicit | None = None, limits: Limits | None = None) -> None:
        self._shelf = shelf
        self._elicit = elicit
        self._limits = limits or Limits()
        self._offered: tuple[McpTool, ...] = ()
        self._stamp = (0, 0)
        self._running: dict[str, Connection] = {}
        self._opening: Connection | None = None
        self._failed: dict[str, tuple[float, ServerFailed]] = {}
        self._starting = asyncio.Lock()
        self._closed = False

    async def refresh(self, registry: Registry) -> None:
        """What is offered there becomes what is approved now, whichever process approved or removed it. A file that
        cannot be used offers nothing: `steward tools` says why."""
        stamp = await asyncio.to_thread(self._shelf.stamp)
        if stamp != self._stamp:
            try:
                await self.load()
            except FileUnreadable as error:
                logger.warning("%s", error.message)
                self._offered = ()
            self._stamp = stamp
        present = tuple(tool for tool in registry.all() if isinstance(tool, McpTool))
        if present == self._offered:
            return
        for old in present:
            registry.remove(old.name)
        for new in self._offered:
            registry.add(new)

    async def load(self) -> tuple[Server, ...]:
        """Read again what is approved; the tools of servers that have not changed since are offered. Raises
        FileUnreadable."""
        servers = await asyncio.to_thread(self._shelf.servers)
        offered = [
            McpTool(server.name, one.name, one.tool, partial(self.call, server.name), where=_where(server.reach))
            for server in servers
            if not server.changed
            for one in named(server.name, server.tools)
            if not one.tool.unusable
        ]
        self._offered = tuple(sorted(offered, key=lambda tool: tool.name))
        return servers

    def tools(self) -> tuple[McpTool, ...]:
        """What is offered, by name, as it was loaded."""
        return self._offered

    def wary(self, name: str) -> bool:
        """Whether it says that its tools have changed: then they are compared before the next call."""
        return name in self._running and self._running[name].relist

    async def close(self) -> None:
        """All at once. Nothing of any server runs afterwards."""
        self._closed = True
        if self._opening is not None:
            await self._opening.close()  # nobody who quits waits for it to start
        async with self._starting:
            running, self._running = tuple(self._running.values()), {}
        await asyncio.gather(*(connection.close() for connection in running))

    async def call(self, name: str, tool: str, arguments: Mapping[str, Any], key: str) -> Result:
        """Raises ToolError: not approved any more, not started, hung, changed."""
        server = await asyncio.to_thread(self._shelf.find, name)
        if server.changed:
            raise _changed(server, server.changed)
        if tool not in [one.listed.name for one in server.tools]:
            raise ToolError(f"{name} has no approved tool {tool}.", "`steward tools list` shows what there is.")
        connection = await self._connection(server)
        if connection.relist:
            await self._compare(server, await connection.list())
        return await connection.call(tool, arguments, key)

    async def _connection(self, server: Server) -> "Connection":
        async with self._starting:
            if self._closed:
                raise ServerFailed(f"{server.name} is not started any more: Steward is closing.")
            connection = self._running.get(server.name)
            if connection is not None and connection.alive:
                return connection
            if connection is not None:
                await connection.close()
            return await self._start(server)

    async def _start(self, server: Server) -> "Connection":
        from assistant.tools.mcp.connection import Connection

        now = asyncio.get_running_loop().time()
        since, failure = self._failed.get(server.name, (float("-inf"), None))
        if failure is not None and now - since < SULKING_S:
            raise ServerFailed(failure.message, failure.hint)
        limits = replace(self._limits, start_s=server.start_s)
        connection = Connection(server.name, server.reach, limits, self._elicit)
        self._running.pop(server.name, None)
        self._opening = connection
        try:
            listed = await connection.open()
        except ServerFailed as error:
            self._failed[server.name] = (now, error)
            logger.info("MCP server %s did not start", server.name)
            raise
        finally:
            self._opening = None
        self._failed.pop(server.name, None)
        self._running[server.name] = connection
        await self._compare(server, listed)
        return connection

    async def _compare(self, server: Server, listed: Sequence[ListedTool]) -> None:
        """Raises ServerChanged, after ending it, when it is not what was approved."""
        if pin_of(server.reach, listed) == server.pin:
            return
        how = change_in_a_line(server, listed) or "its command has changed"
        if connection := self._running.pop(server.name, None):
            await connection.close()
        await asyncio.to_thread(self._shelf.mark_changed, server.name, how)
        raise _changed(server, how)


def _changed(server: Server, how: str) -> ServerChanged:
    return ServerChanged(
        f"{server.name} is not what you approved: {how}. Nothing was called.",
        f"`steward tools approve {server.name}` shows the difference and asks you.",
    )


def _where(reach: Reach) -> str:
    return host_of(reach.url) if isinstance(reach, Web) and is_remote(reach.url) else ""


def _effect(tool: ListedTool, reads: Sequence[str], grave: Sequence[str]) -> Effect:
    if tool.name in grave:
        return "grave"
    return "read" if tool.name in reads else proposed_effect(tool)


def _unusable(tool: ListedTool) -> str:
    try:
        arguments_of(tool.name, tool.schema)
    except Unusable as error:
        return str(error)
    return ""
