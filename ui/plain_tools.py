"""/tools in line mode."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ui.tools_typed import USES, ToolCommands

if TYPE_CHECKING:
    from ui.plain import PlainChat


class PlainTools:
    """Remembers the server that was shown last, for the yes."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self._commands = ToolCommands()

    async def run(self, argument: str) -> None:
        said = await self._commands.run(self._chat.desk.services, argument)
        if not said.receipt:
            self._chat.say_all(said.lines)
            return
        for line in said.lines:
            self._chat.status(line)


async def _tools(chat: "PlainChat", argument: str) -> None:
    await chat.tools.run(argument)


COMMANDS: tuple[tuple[str, str, str, "Callable[[PlainChat, str], Awaitable[None]]"], ...] = (
    ("tools", "[ACT]", f"what Steward can do, and MCP servers; it takes {USES}", _tools),
)
