"""Whether reminders will be told: what is due, who tells it, how, and whether the clocks of the world are known."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.policies.when.zones import zone_exists
from memory.errors import StoreError
from ui.checks.result import Check, broken, note, ok

OVERDUE = timedelta(minutes=2)  # a tick comes every 15 seconds
MOST_COUNTED = 1_000
SILENT = timedelta(minutes=2)  # of a daemon that owns the home
_ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Reminders that are kept, and when the earliest is due that was not told yet."""

    active: int
    next_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tellers:
    """Who could tell a reminder. `looked_at`: when the living daemon last looked; None: there is none. `owner`: what
    owns the home now ("chat", "daemon"); "" for nobody. `start`: the command that starts an installed unit; "" where
    none is."""

    owner: str = ""
    looked_at: datetime | None = None
    start: str = ""
    notifies: bool = False
    session_bus: bool = False

    @property
    def anybody(self) -> bool:
        return self.owner in ("chat", "daemon") or self.looked_at is not None


def check_reminders(waiting: Waiting | StoreError, tellers: Tellers, now: datetime) -> Check:
    if isinstance(waiting, StoreError):
        return note("reminders", "they cannot be looked at while the database is in trouble")
    active, next_at = waiting.active, waiting.next_at
    if next_at is None:
        return ok("reminders", "none is to come" if not active else f"{active} kept, none with a time to come")
    when = f"{next_at.astimezone():%Y-%m-%d %H:%M}"
    if now - next_at > OVERDUE and tellers.anybody:
        return broken(
            "reminders", f"one was due at {when} and was not told", "Restart Steward; with a daemon: steward daemon run"
        )
    if not tellers.anybody:
        due = f"one was due at {when}" if next_at < now else f"the next is due at {when}"
        fix = tellers.start or "Keep `steward` open, or: steward daemon install"
        return note("reminders", f"{active} kept, {due}, and nothing runs that would tell it", fix)
    return ok("reminders", f"{active} kept, the next is due at {when}")


def check_daemon(tellers: Tellers, now: datetime) -> Check:
    looked = tellers.looked_at
    if looked is None:
        if tellers.start:
            return note("daemon", "installed, and not running", tellers.start)
        return ok("daemon", "none; reminders are told while Steward is open (steward daemon install)")
    ago = now - looked
    if tellers.owner == "daemon" and ago > SILENT:
        words = f"runs, and has not looked for {int(ago.total_seconds() // 60)} minutes"
        return broken("daemon", words, "Stop it and start it again: steward daemon status")
    at_login = "starts at login" if tellers.start else "does not start at login (steward daemon install)"
    rests = "" if tellers.owner == "daemon" else "; it waits while Steward is open"
    return ok("daemon", f"runs, looked at {looked.astimezone():%H:%M:%S}, {at_login}{rests}")


def check_notifications(tellers: Tellers, platform: str) -> Check:
    if tellers.looked_at is None and not tellers.start:
        return ok("notify", "only the daemon notifies, and there is none")
    if tellers.notifies:
        return ok("notify", "the desktop shows what the daemon tells")
    if platform.startswith("linux"):
        fix = "Install notify-send (package libnotify-bin)" if tellers.session_bus else "Start it in your session"
        what = "no notify-send was found" if tellers.session_bus else "there is no desktop session here"
        return note("notify", f"{what}; what the daemon would tell waits for Steward to open", fix)
    return note("notify", "the daemon has no way to notify here; what it would tell waits for Steward to open")


def check_zones(here: str) -> Check:
    """Reads files."""
    missing = [name for name in (*_ZONES, here) if not zone_exists(name)]
    if missing:
        fix = "Install the time zones: pip install tzdata, or your system's package tzdata"
        return broken("zones", f"the time zone {missing[0]} is not known here", fix)
    return ok("zones", f"yours is {here}; the rules of the others are known")
