"""Until when the user has looked: what came later came while they were away.

It is the last key in the terminal UI, the last line in line mode, and the moment either of them opened. What stood on
the screen then was seen, whether or not it is done; it waits in its list and is not told as missed.
"""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING

from memory.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.reminders import Due
    from ui.wiring import Services

SEEN = "seen"


async def reminders_looked_at(services: Services) -> datetime | None:
    """Until when, before this run; None: never. From now on it is now. Raises StoreError."""
    before = await services.reminders.noted(SEEN)
    await services.reminders.note(SEEN, services.clock.now().isoformat())
    return datetime.fromisoformat(before) if before else None


async def suggestions_looked_at(services: Services) -> datetime | None:
    """The same for suggestions. Raises StoreError."""
    before = await services.suggestions.noted(SEEN)
    await services.suggestions.note(SEEN, services.clock.now().isoformat())
    return datetime.fromisoformat(before) if before else None


async def note_leaving(services: Services, at: datetime) -> None:
    """Until `at` they have looked; a disk that refuses it costs no more than that something is told once more."""
    try:
        await services.reminders.note(SEEN, at.isoformat())
        await services.suggestions.note(SEEN, at.isoformat())
    except StoreError as error:
        sys.stderr.write(f"steward: what you have seen could not be noted: {error.message}\n")


def missed(open_ones: Iterable[Due], seen: datetime | None) -> tuple[Due, ...]:
    """Those that came after the user looked, or were never shown."""
    return tuple(
        due for due in open_ones if seen is None or due.notice.claimed_at > seen or due.notice.state == "claimed"
    )
