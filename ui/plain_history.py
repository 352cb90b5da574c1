"""Bringing in a history in line mode: /import FILE runs behind the conversation and says how far it is."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from models.types import Cancel
from ui.errors import UiError

if TYPE_CHECKING:
    from assistant.importing import ImportProgress
    from memory.errors import StoreError
    from ui.history_acts import Imported
    from ui.history_running import ImportRunning
    from ui.plain import PlainChat

_STEP = 10  # percent between two lines


class PlainHistory:
    """At most one import of this chat. What it needs is loaded when it is first used."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self._import: ImportRunning | None = None
        self._said = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """What runs at the end is stopped; what came in stays."""
        try:
            yield
        finally:
            if self._import is not None:
                await self._import.close()

    async def start(self, path: Path) -> None:
        from ui.history_running import ImportRunning

        self._import = self._import or ImportRunning()
        self._said = 0
        self._import.start(self._chat.desk.services, path, self._watch, self._done)
        self._chat.status("the import runs; go on meanwhile. /import stop ends it")

    def stop(self) -> None:
        if self._import is None or not self._import.stop():
            raise UiError("No import is running.", "/import FILE begins one.")
        self._chat.status("the import is being stopped")

    async def learn(self) -> None:
        from ui.history_acts import learn
        from ui.history_words import learned_words

        learned = await learn(self._chat.desk.services, cancel=Cancel())
        self._chat.status(learned_words(learned.read, learned.proposed, "/review"))

    def _watch(self, progress: "ImportProgress") -> None:
        from ui.history_words import progress_words

        percent = progress.done * 100 // max(progress.total, 1)
        if percent >= self._said + _STEP and percent < 100:
            self._said = percent
            self._chat.announce(f"import: {progress_words(progress)}")

    async def _done(self, outcome: "Imported | StoreError | UiError") -> None:
        from ui.history_acts import Imported
        from ui.history_words import report_lines

        if not isinstance(outcome, Imported):
            self._chat.announce(f"import: {outcome.message} {outcome.hint}".rstrip())
            return
        for line in report_lines(outcome, dry_run=False):
            self._chat.announce(f"import: {line}")
        if outcome.to_learn_from:
            count = f"{outcome.to_learn_from:,}"
            self._chat.announce(
                f"import: {count} messages of yours can be read for what they say of you: /import learn"
            )


async def import_history(chat: "PlainChat", argument: str) -> None:
    match argument.strip():
        case "":
            raise UiError("Which file?", "/import chatgpt-export.zip; also /import stop and /import learn")
        case "stop":
            chat.history.stop()
        case "learn":
            await chat.history.learn()
        case name:
            await chat.history.start(await asyncio.to_thread(Path(name.strip("\"'")).expanduser))


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    (
        "import",
        "FILE|stop|learn",
        "bring in what you said to ChatGPT or Claude; learn: propose from it",
        import_history,
    ),
)
