"""Asks once whether the stated windows still fit, where answers say that they do not. It changes nothing by itself: the
windows are the user's, and stay until the user takes others.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.policies.proactive.fitting import DOUBTED, doubt, inside_windows
from assistant.proactive_types import HoursQuestion
from memory.suggestion_store import SuggestionStore
from memory.suggestions import Hours, Settings
from memory.text import moment, moment_text

AGAIN_AFTER = timedelta(days=60)  # once it was said that they fit
_NOTE = "hours"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """`about`: the windows it was asked about; other windows since then are another matter."""

    about: str
    open: bool
    at: datetime


class Fitting:
    def __init__(self, store: SuggestionStore) -> None:
        self._store = store

    async def question(self, now: datetime, *, raise_it: bool = False) -> HoursQuestion | None:
        """The one that is open. `raise_it`: it becomes so where the answers speak against the windows; only then is
        anything written. Raises StoreError."""
        settings = await self._store.settings()
        if not settings.on or not settings.windows:
            return None
        asked = await self._asked(settings)
        is_open = asked is not None and asked.open
        if not is_open and (not raise_it or (asked is not None and now - asked.at < AGAIN_AFTER)):
            return None
        since = asked.at if asked is not None and not is_open else None
        answered = inside_windows(await self._store.rated(since), settings)
        if not is_open:
            if doubt(answered) < DOUBTED:
                return None
            await self._note(settings, True, now)
        bad = sum(answer == "not" and reason == "time" for _, answer, reason in answered)
        return HoursQuestion(windows=settings.windows, bad=bad)

    async def keep(self, now: datetime) -> None:
        """They fit. Raises StoreError."""
        await self._note(await self._store.settings(), False, now)

    async def _asked(self, settings: Settings) -> _Asked | None:
        text = await self._store.noted(_NOTE)
        if not text:
            return None
        found = json.loads(text)
        asked = _Asked(about=found["about"], open=found["open"], at=moment(found["at"]))
        return asked if asked.about == _named(settings.windows) else None

    async def _note(self, settings: Settings, is_open: bool, now: datetime) -> None:
        value = {"about": _named(settings.windows), "open": is_open, "at": moment_text(now)}
        await self._store.note(_NOTE, json.dumps(value))


def _named(windows: tuple[Hours, ...]) -> str:
    return " ".join(f"{one.start:%H:%M}-{one.stop:%H:%M}" for one in windows)
