"""/tools, typed in line mode or in the terminal UI: the list, one more server after a yes, one fewer, permissions.

A server is added in two steps, and nothing of the first is kept: /tools add shows what it lists, /tools yes adds it.
"""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.effects import GrantId
from ui.errors import UiError
from ui.tool_acts import ToolActs, Wanted, reach_of

if TYPE_CHECKING:
    from ui.tool_acts import Offer
    from ui.wiring import Services

USES = "add NAME COMMAND..., approve NAME, yes, remove NAME, grants, revoke NUMBER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """`receipt`: something was done, in one line; else there is something to read."""

    lines: tuple[str, ...]
    receipt: bool = False


class ToolCommands:
    def __init__(self) -> None:
        self._offer: Offer | None = None

    async def run(self, services: Services, argument: str) -> Said:
        """Raises UiError, AssistantError, StoreError."""
        act, _, rest = argument.strip().partition(" ")
        match act:
            case "" | "list":
                return await _list(services)
            case "add":
                return await self._add(services, rest)
            case "approve":
                return await self._approve(services, rest.strip())
            case "yes":
                return await self._yes(services)
            case "remove":
                await asyncio.to_thread(_acts(services).remove, rest.strip())
                return Said(lines=(f"{rest.strip()} is removed. Nothing of it is called any more.",), receipt=True)
            case "grants":
                return await _grants(services)
            case "revoke":
                return await _revoke(services, rest.strip())
            case _:
                raise UiError(f"/tools has no “{act}”.", f"/tools takes {USES}")

    async def _add(self, services: Services, typed: str) -> Said:
        if services.options.keeps_nothing:
            raise UiError("Nothing is kept in this run, so no server is added.", "Start Steward without --incognito.")
        try:
            name, *command = shlex.split(typed)
        except ValueError as error:
            raise UiError("Which server?", "/tools add files npx -y some-server ~/Documents") from error
        url = command[0] if command and "://" in command[0] else None
        reach = await asyncio.to_thread(reach_of, command[1:] if url else command, url, (), None)
        self._offer = await _acts(services).offer(Wanted(name=name, reach=reach))
        return _shown(
            self._offer, "adds it; anything else leaves it. Variables and classes: steward tools add-mcp --help"
        )

    async def _approve(self, services: Services, name: str) -> Said:
        acts = _acts(services)
        before = await asyncio.to_thread(acts.shelf.find, name)
        offer = await acts.offer_again(name)
        if not offer.changed and not before.changed:
            return Said(lines=(f"{name} is what you approved.",), receipt=True)
        self._offer = offer
        return _shown(offer, "uses it as it is now; anything else leaves it out of use")

    async def _yes(self, services: Services) -> Said:
        offer, self._offer = self._offer, None
        if offer is None:
            raise UiError("There is nothing to say yes to.", "/tools add NAME COMMAND... shows a server first.")
        await asyncio.to_thread(_acts(services).accept, offer)
        return Said(
            lines=(f"{offer.server.name} is approved. Its tools are here from the next message on.",), receipt=True
        )


def _acts(services: Services) -> ToolActs:
    from assistant.tools.mcp.shelf import Shelf

    return ToolActs(Shelf(services.home), services.clock)


async def _list(services: Services) -> Said:
    from ui.tool_lines import own_rows, server_lines
    from ui.tool_wiring import own_tools

    own = sorted(await asyncio.to_thread(own_tools, services), key=lambda tool: tool.name)
    lines = [f"{name} [{effect}] {summary}" for name, effect, summary in own_rows(own)]
    for server in await asyncio.to_thread(_acts(services).shelf.servers):
        lines += ["", *server_lines(server)]
    return Said(lines=tuple(lines))


async def _grants(services: Services) -> Said:
    from ui.tool_lines import grant_line

    found = await services.decisions.grants()
    return Said(lines=tuple(map(grant_line, found)) or ("Nothing is allowed beforehand.",))


async def _revoke(services: Services, number: str) -> Said:
    if not number.isdecimal():
        raise UiError("Which permission?", "/tools grants numbers them.")
    grant = await services.decisions.revoke_grant(GrantId(int(number)), at=services.clock.now())
    return Said(lines=(f"Permission {number} is revoked: {grant.tool} asks again.",), receipt=True)


def _shown(offer: Offer, what_yes_does: str) -> Said:
    from ui.tool_lines import difference_lines, offer_lines

    lines = offer_lines(offer.server.name, offer.server.reach, offer.server.tools, remote=offer.remote)
    return Said(lines=(*lines, *difference_lines(offer.lines), "", f"/tools yes {what_yes_does}"))
