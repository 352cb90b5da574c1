"""What backups are called, and which of them have served their time. Pure.

Daily ones rotate: the seven newest stay, and of those before them the newest of each of four weeks. What was made
before a change (of schema, an import, a restore) stays three times a kind and for 90 days at most, so that what was
forgotten also leaves the backups. What the user made by hand, and a damaged original, is never removed by itself.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby

DAILY = "daily"
BY_HAND = "by-hand"
BEFORE_IMPORT = "before-import"
BEFORE_RESTORE = "before-restore"
BEFORE_REPAIR = "before-repair"
SALVAGED = "salvaged"
KEEP_DAILY = 7
KEEP_WEEKLY = 4
KEEP_BEFORE = 3
KEEP_BEFORE_FOR = timedelta(days=90)
SUFFIX = ".db"
ENCRYPTED = ".age"

_NAME = re.compile(
    r"(?P<kind>[a-z]+(?:-[a-z]+)*)-(?:(?P<day>\d{4}-\d\d-\d\d)(?:T(?P<time>\d{6})Z)?|\d+)(?:-\d+)?\.db(?:\.age)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupFile:
    """`at` is aware, UTC: from the name, else when the file was written. `size` in bytes."""

    name: str
    kind: str  # "daily", "by-hand", "before-schema", ...; "other" for a name that is not ours
    at: datetime
    size: int

    @property
    def encrypted(self) -> bool:
        return self.name.endswith(ENCRYPTED)


def name_of(kind: str, at: datetime) -> str:
    """Without suffix. A daily one has only its day, so that there is one a day."""
    moment = at.astimezone(UTC)
    return f"{kind}-{moment:%Y-%m-%d}" if kind == DAILY else f"{kind}-{moment:%Y-%m-%dT%H%M%SZ}"


def read_name(name: str, written: datetime, size: int) -> BackupFile | None:
    """None for a file that is no backup."""
    if name.startswith(".") or not name.endswith((SUFFIX, SUFFIX + ENCRYPTED)):
        return None
    found = _NAME.fullmatch(name)
    if found is None:
        return BackupFile(name=name, kind="other", at=written, size=size)
    at = _moment(found["day"], found["time"]) or written
    if found["time"] is None and written.astimezone(UTC).date() == at.date():
        at = written  # the name says the day, the file says when on it
    return BackupFile(name=name, kind=found["kind"], at=at, size=size)


def _moment(day: str | None, time: str | None) -> datetime | None:
    if day is None:
        return None
    try:
        return datetime.strptime(f"{day}{time or '000000'}", "%Y-%m-%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def is_due(backups: Iterable[BackupFile], now: datetime) -> bool:
    """Whether today (UTC) has no daily backup yet."""
    today = now.astimezone(UTC).date()
    return not any(backup.kind == DAILY and backup.at.date() >= today for backup in backups)


def surplus(backups: Iterable[BackupFile], now: datetime) -> tuple[BackupFile, ...]:
    """Those that may go, oldest first."""
    newest_first = sorted(backups, key=lambda backup: (backup.at, backup.name), reverse=True)
    goes: list[BackupFile] = []
    older = [backup for backup in newest_first if backup.kind == DAILY][KEEP_DAILY:]
    weeks = [list(days) for _, days in groupby(older, key=lambda backup: backup.at.isocalendar()[:2])]
    for number, days in enumerate(weeks):
        goes += days if number >= KEEP_WEEKLY else days[1:]
    for kind in sorted({backup.kind for backup in newest_first if _ages(backup.kind)}):
        for number, backup in enumerate(backup for backup in newest_first if backup.kind == kind):
            if number >= KEEP_BEFORE or now - backup.at > KEEP_BEFORE_FOR:
                goes.append(backup)
    return tuple(sorted(goes, key=lambda backup: (backup.at, backup.name)))


def _ages(kind: str) -> bool:
    return kind.startswith("before-") or kind == SALVAGED
