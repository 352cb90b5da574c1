"""The command palette: the same commands as the slash commands, found by typing."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider

from ui.actions import COMMANDS, ScreenCommand

if TYPE_CHECKING:
    from ui.app import StewardApp


class StewardCommands(Provider):
    async def discover(self) -> Hits:
        for command in COMMANDS:
            yield DiscoveryHit(command.label, self._run(command), help=f"/{command.name}")

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in COMMANDS:
            score = max(matcher.match(command.label), matcher.match(command.name))
            if score > 0:
                yield Hit(score, matcher.highlight(command.label), self._run(command), help=f"/{command.name}")

    def _run(self, command: ScreenCommand) -> Callable[[], Awaitable[None]]:
        app: StewardApp = self.app  # type: ignore[assignment]  # the palette is part of no other app

        async def run() -> None:
            await app.run_command(command, "")

        return run
