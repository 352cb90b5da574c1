"""The MCP servers of a run: known from the start, started when first called, ended with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.tools.mcp.servers import McpServers
    from memory.data_dir import Home


@asynccontextmanager
async def serving(home: "Home") -> AsyncIterator["McpServers"]:
    """Costs nothing until a server is called. On leaving, nothing of any of them runs."""
    from assistant.tools.mcp.servers import McpServers
    from assistant.tools.mcp.shelf import Shelf

    servers = McpServers(Shelf(home))
    try:
        yield servers
    finally:
        await servers.close()
