"""What a user does with a history from elsewhere: bring it in, and have it read for what it says about them. Called by
the command, line mode and the full screen."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.importing import ImportProgress, ImportReport, import_history
from assistant.importing_learn import Learned, learn_from_history
from memory.backup_names import BEFORE_IMPORT
from memory.backups import Backups
from memory.import_store import ImportStore
from memory.importing.archive import parts_of
from memory.importing.types import Limits
from models.types import Cancel
from ui.errors import UiError

if TYPE_CHECKING:
    from ui.wiring import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    report: ImportReport
    backup: Path | None  # of what was kept before; None when nothing was, or nothing was written
    to_learn_from: int  # own messages that could be read now


async def bring_in(
    services: "Services", path: Path, *, watch: Callable[[ImportProgress], None], cancel: Cancel, dry_run: bool = False
) -> Imported:
    """Raises UiError in a run that keeps nothing, ImportRefused for a file that is no export, StoreError."""
    store = _store(services)
    await asyncio.to_thread(parts_of, path, Limits())  # a file that is no export costs no backup
    backup = None if dry_run else await _back_up(services)
    at = services.clock.now()
    report = await import_history(path, store, at=at, watch=watch, cancel=cancel, dry_run=dry_run)
    waiting = 0 if dry_run else await store.unlearned_count()
    return Imported(report=report, backup=backup, to_learn_from=waiting)


async def learn(services: "Services", *, cancel: Cancel) -> Learned:
    """What the user said in imported conversations, as candidates that wait for a yes. Raises UiError, StoreError."""
    store = _store(services)
    if services.language is None:
        raise UiError("Nothing can be read in this run.")
    return await learn_from_history(
        store,
        services.preferences,
        services.language,
        at=services.clock.now(),
        cancel=cancel,
    )


async def waiting_to_learn(services: "Services") -> int:
    """How many of the user's own imported messages were not read yet."""
    return await _store(services).unlearned_count()


def _store(services: "Services") -> ImportStore:
    if services.imports is None:
        raise UiError("This run keeps nothing, so nothing can come in.", "Leave --incognito and --demo away.")
    return services.imports


async def _back_up(services: "Services") -> Path | None:
    if await services.transcript.latest_session() is None:
        return None
    backups, at = Backups(services.home), services.clock.now()
    path, _ = await asyncio.to_thread(backups.make, BEFORE_IMPORT, at)
    await asyncio.to_thread(backups.rotate, at)
    return path
