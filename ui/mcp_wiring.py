"""The MCP servers of a run: known from the start, started when first called, ended with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.ports import Clock
    from assistant.tools.mcp.asked_back import AskedBack
    from assistant.tools.mcp.servers import McpServers
    from memory.data_dir import Home
    from memory.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """`asked_back`: where their questions wait; whoever shows decisions attends to it."""

    servers: "McpServers"
    asked_back: "AskedBack"


@asynccontextmanager
async def serving(home: "Home", database: "Database", clock: "Clock") -> AsyncIterator[Served]:
    """Costs nothing until a server is called. On leaving, nothing of any of them runs."""
    from assistant.tools.mcp.asked_back import AskedBack
    from assistant.tools.mcp.servers import McpServers
    from assistant.tools.mcp.shelf import Shelf
    from ui.acting_wiring import kept_decisions

    decisions = kept_decisions(database)
    asked_back = AskedBack(lambda: decisions, clock)
    servers = McpServers(Shelf(home), elicit=asked_back)
    try:
        yield Served(servers=servers, asked_back=asked_back)
    finally:
        await servers.close()
