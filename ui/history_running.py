"""An import that runs behind a conversation: one at a time, while questions are asked and answered."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.importing import ImportProgress
from memory.errors import StoreError
from models.types import Cancel
from ui.errors import UiError
from ui.history_acts import Imported, bring_in

if TYPE_CHECKING:
    from ui.wiring import Services

Done = Callable[[Imported | StoreError | UiError], Awaitable[None]]


class ImportRunning:
    """`start`, `stop`, and `close` before the database goes."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._cancel = Cancel()

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self, services: "Services", path: Path, watch: Callable[[ImportProgress], None], done: Done) -> None:
        """`done` is called once, with what came of it. Raises UiError while another one runs."""
        if self.running:
            raise UiError("An import is running.", "/import stop ends it; what came in stays.")
        self._cancel = Cancel()
        self._task = asyncio.create_task(self._run(services, path, watch, done))

    def stop(self) -> bool:
        """At the next batch; False when none runs."""
        self._cancel.set()
        return self.running

    async def close(self) -> None:
        """Stopped, and over. What came in stays."""
        task, self._task = self._task, None
        if task is not None:
            self._cancel.set()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, services: "Services", path: Path, watch: Callable[[ImportProgress], None], done: Done) -> None:
        outcome: Imported | StoreError | UiError
        try:
            outcome = await bring_in(services, path, watch=watch, cancel=self._cancel)
        except (StoreError, UiError) as error:
            outcome = error
        if self._task is not None:
            await done(outcome)
