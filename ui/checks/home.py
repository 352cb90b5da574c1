"""The home: settings, owner, modes, room on disk, database, clock."""

import os
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from memory.backup_names import BackupFile
from memory.data_dir import Holder, Home
from memory.errors import HomeLocked, StoreDamaged, StoreError
from memory.sqlite_health import Health, sqlite_is_safe, sqlite_version
from ui.checks.result import Check, broken, note, ok, size
from ui.errors import ConfigError

LITTLE_ROOM = 500_000_000
NO_ROOM = 20_000_000
BUILT_AFTER = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
AHEAD = timedelta(minutes=5)
OLD_BACKUP = timedelta(days=14)
MOST_NAMED = 3


def check_settings(home: Home, error: ConfigError | None) -> Check:
    if error is not None:
        return broken("settings", error.message, error.hint)
    return ok("settings", str(home.config_file) if home.config_file.exists() else "all defaults, no config.toml yet")


def check_owner(holder: Holder | None, *, alive: bool) -> Check:
    if holder is None or not alive:
        return ok("owner", "no Steward is running on this home")
    since = "" if holder.started is None else f", since {holder.started.astimezone():%H:%M}"
    return ok("owner", f"in use by process {holder.pid} ({holder.what}{since})")


def is_running(holder: Holder | None) -> bool:
    if holder is None:
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def check_modes(home: Home) -> Check:
    """Folders 0700, files 0600. Nothing is followed out of the home."""
    if os.name == "nt":
        return ok("modes", "the folders inherit the protection of your profile")
    roots = [root for root in home.roots if root.exists()]
    open_ones = [path for root in roots for path in _open_to_others(root)]
    if not open_ones:
        return ok("modes", "only you can read what Steward keeps")
    named = ", ".join(str(path) for path in open_ones[:MOST_NAMED])
    more = f" and {len(open_ones) - MOST_NAMED} more" if len(open_ones) > MOST_NAMED else ""
    places = " ".join(f'"{root}"' for root in roots)
    return broken(
        "modes",
        f"others on this machine can read {named}{more}",
        f"chmod -R go-rwx {places}",
    )


def _open_to_others(root: Path) -> Iterator[Path]:
    paths = [root, *(Path(folder, name) for folder, folders, files in os.walk(root) for name in (*folders, *files))]
    for path in paths:
        try:
            mode = path.lstat().st_mode
        except OSError:
            continue  # gone meanwhile
        if not stat.S_ISLNK(mode) and mode & 0o077:
            yield path


def check_writable(home: Home) -> Check:
    """Nothing is written: an existing folder is asked, for a missing one the nearest that exists."""
    for root in home.roots:
        place = next(path for path in (root, *root.parents) if path.exists())
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            return broken("home", f"{place} cannot be written", "Make it yours, or choose another place with --home.")
    return ok("home", f"data in {home.data}")


def check_room(free: int | None) -> Check:
    if free is None:
        return note("disk", "how much room is free cannot be said")
    if free < NO_ROOM:
        return broken("disk", f"{size(free)} free: what you write cannot be kept", "Free some space.")
    if free < LITTLE_ROOM:
        return note("disk", f"{size(free)} free", "Too little for another model: steward models remove NAME")
    return ok("disk", f"{size(free)} free")


def check_database(found: Health | StoreError | None) -> tuple[Check, ...]:
    sqlite = _check_sqlite()
    match found:
        case None:
            return ok("database", "not made yet: nothing was ever kept"), sqlite
        case HomeLocked():
            return note("database", found.message, found.hint), sqlite
        case StoreError():
            return broken("database", found.message, _first_step(found)), sqlite
        case Health():
            return _check_content(found), sqlite


def _first_step(error: StoreError) -> str:
    if isinstance(error, StoreDamaged):
        return "steward doctor --repair saves what can be read and offers the backups; the damaged file is kept."
    return error.hint or "Keep the file; do not delete it."


def _check_content(health: Health) -> Check:
    if health.findings:
        return broken(
            "database",
            f"damaged: {health.findings[0][:120]}",
            "steward doctor --repair saves what can be read; the damaged file is kept.",
        )
    if health.broken_references:
        return broken(
            "database",
            f"{health.broken_references} rows point to rows that are not there",
            "steward doctor --repair mends them, after a backup.",
        )
    if health.schema > health.known_schema:
        return broken(
            "database",
            f"written by a newer Steward (schema {health.schema}; this one knows {health.known_schema})",
            "Update Steward; until then it is only read: steward sessions export",
        )
    what = f"{health.sessions} conversations, {health.messages} messages, schema {health.schema}"
    if health.unindexed:
        return broken("database", f"{what}; search misses {health.unindexed} messages", "steward doctor --repair")
    return ok("database", f"whole: {what}")


def check_backups(found: Sequence[BackupFile], now: datetime, *, holds: bool) -> Check:
    """`holds`: whether there is anything to lose yet."""
    if not found:
        if holds:
            return note("backups", "none yet; one a day is made while Steward is open", "steward backup makes one now")
        return ok("backups", "none yet, and nothing to back up")
    newest = max(one.at for one in found)
    what = f"{len(found)}, the newest of {newest.astimezone():%Y-%m-%d %H:%M}"
    if holds and now - newest > OLD_BACKUP:
        return note("backups", what, "steward backup makes a new one; `steward daemon` makes one a day")
    return ok("backups", what)


def _check_sqlite() -> Check:
    if sqlite_is_safe():
        return ok("sqlite", sqlite_version())
    return note(
        "sqlite",
        f"{sqlite_version()} has a rare fault with several writers (fixed in 3.51.3); Steward has one writer, so it is "
        "not affected.",
    )


def check_clock(now: datetime, newest: datetime | None, zone: str | None) -> Check:
    where = f"{now.astimezone():%Y-%m-%d %H:%M} {zone or 'of an unnamed zone'}"
    if now < BUILT_AFTER:
        return broken(
            "clock", f"it says {where}, which is in the past", "Set the clock, or switch on time synchronisation."
        )
    if newest is not None and newest > now + AHEAD:
        return note(
            "clock",
            f"it says {where}, but your newest conversation is from {newest.astimezone():%Y-%m-%d %H:%M}",
            "If the clock is wrong, set it: new messages would be sorted before old ones.",
        )
    return ok("clock", where)
