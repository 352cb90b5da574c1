"""What a user does with MCP servers: add one, approve it again, take it away."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.policies.asking.calls import heavier
from assistant.tools.mcp.pins import change_in_a_line, difference, pin_of
from assistant.tools.mcp.servers import approved, look
from assistant.tools.mcp.shelf import BY_HAND
from assistant.tools.mcp.types import Limits, Stdio, Web
from assistant.tools.mcp.web import checked_url, is_remote
from ui.errors import UiError

if TYPE_CHECKING:
    from assistant.ports import Clock
    from assistant.tools.mcp.shelf import Shelf
    from assistant.tools.mcp.types import Reach, Server

_NAME = re.compile(r"[a-z][a-z0-9_]{0,19}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A server as the user names it, before anything of it ran."""

    name: str
    reach: Reach
    reads: tuple[str, ...] = ()
    grave: tuple[str, ...] = ()
    start_s: float = Limits().start_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What the user may say yes to. `lines`: how it differs from what was approved before, raw."""

    server: Server
    lines: tuple[str, ...] = ()
    remote: bool = False

    @property
    def changed(self) -> bool:
        return bool(self.lines)


class ToolActs:
    """Every method raises FileUnreadable when mcp.json cannot be used."""

    def __init__(self, shelf: Shelf, clock: Clock, limits: Limits | None = None) -> None:
        self.shelf = shelf
        self._clock = clock
        self._limits = limits or Limits()

    async def offer(self, wanted: Wanted) -> Offer:
        """Start it, look what it lists, end it. Nothing is kept. Raises UiError, ToolError."""
        await asyncio.to_thread(self._free, wanted.name)
        return await self._offer(wanted, None)

    async def offer_again(self, name: str) -> Offer:
        """The same for a server that was approved before, with the difference. Raises ToolError."""
        server = await asyncio.to_thread(self.shelf.find, name)
        known = {tool.listed.name: tool.effect for tool in server.tools}
        wanted = Wanted(name=name, reach=server.reach, start_s=server.start_s)
        offer = await self._offer(wanted, server)
        kept = {tool.listed.name for tool in offer.server.tools} & known.keys()
        by_hand = server.changed in BY_HAND  # then its classes are nobody's word, but where they are heavier
        tools = tuple(
            replace(tool, effect=heavier(tool.effect, known[one]) if by_hand else known[one])
            if (one := tool.listed.name) in kept
            else tool
            for tool in offer.server.tools
        )
        lighter = [tool for tool in tools if tool.listed.name in kept and known[tool.listed.name] != tool.effect]
        lines = tuple(
            f"+ {tool.listed.name}: {tool.effect} again; the changed file said {known[tool.listed.name]}"
            for tool in lighter
        )
        return replace(offer, server=replace(offer.server, tools=tools), lines=(*offer.lines, *lines))

    def accept(self, offer: Offer) -> Server:
        """The user said yes. Raises ToolError for one server too many."""
        self.shelf.put(offer.server)
        return offer.server

    def remove(self, name: str) -> Server:
        """Raises ToolError."""
        return self.shelf.remove(name)

    def _free(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise UiError(f"{name!r} cannot be a name.", "Take up to 20 of a-z, 0-9 and _, beginning with a letter.")
        if name in [server.name for server in self.shelf.servers()]:
            raise UiError(f"There is a server {name} already.", f"Another name, or first: steward tools remove {name}")

    async def _offer(self, wanted: Wanted, before: Server | None) -> Offer:
        limits = replace(self._limits, start_s=wanted.start_s)
        listed = await look(wanted.name, wanted.reach, limits)
        server = approved(
            wanted.name,
            wanted.reach,
            listed,
            self._clock,
            reads=wanted.reads,
            grave=wanted.grave,
            start_s=wanted.start_s,
        )
        lines: tuple[str, ...] = ()
        if before is not None and pin_of(wanted.reach, listed) != before.pin:
            lines = difference(before, wanted.reach, listed) or (change_in_a_line(before, listed),)
        return Offer(server=server, lines=lines, remote=isinstance(wanted.reach, Web) and is_remote(wanted.reach.url))


def reach_of(command: Sequence[str], url: str | None, environment: Sequence[str], token: str | None) -> Reach:
    """From what was typed. Raises UiError, ToolError."""
    for name in (*environment, *([token] if token else [])):
        if not _VARIABLE.fullmatch(name):
            raise UiError(f"{name!r} is not the name of a variable.", "Give the name only, never the value: --env NAME")
        if name not in os.environ:
            raise UiError(f"The variable {name} is not set.", f"Set it first: export {name}=...")
    if url is not None:
        if command or environment:
            raise UiError("A server at an address has no command and no --env.", "Its token is given by --token NAME")
        return Web(url=checked_url(url), token=token or "")
    if not command:
        raise UiError(
            "Which server?", "steward tools add-mcp NAME -- COMMAND...   or   steward tools add-mcp NAME --url URL"
        )
    if token:
        raise UiError("--token is for a server at an address.", "A command gets its variables by --env NAME")
    return Stdio(command=(_program(command[0]), *command[1:]), folder=str(Path.cwd()), environment=tuple(environment))


def _program(word: str) -> str:
    """A path is made whole, so that it means the same from every folder; a name is left to PATH."""
    if os.sep in word:
        path = Path(word).expanduser().absolute()
        if not path.is_file():
            raise UiError(f"There is no program {word}.", "Give the path of one, or a name that your shell finds.")
        return str(path)
    if shutil.which(word) is None:
        raise UiError(f"There is no program {word}.", "Install it, or give its path.")
    return word
