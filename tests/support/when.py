"""Short ways to ask what a phrase means at a moment, for tests."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from assistant.policies.when.parse import parse
from assistant.policies.when.types import (
    AboutEvent,
    Ambiguous,
    DateOnly,
    Instant,
    NextWeekday,
    NoTime,
    Options,
    Outcome,
    Reading,
    Recurrence,
    Refused,
    Understood,
    WallTime,
)

BERLIN = "Europe/Berlin"


def options(
    now: str = "2026-03-04 10:00",
    zone: str = BERLIN,
    *,
    day_first: bool = True,
    week_start: int = 0,
    next_weekday: NextWeekday | None = None,
) -> Options:
    """`now`: what the wall clock of `zone` shows. 4 March 2026 is a Wednesday."""
    moment = datetime.fromisoformat(now).replace(tzinfo=ZoneInfo(zone))
    return Options(now=moment, zone=zone, day_first=day_first, week_start=week_start, next_weekday=next_weekday)


def short(reading: Reading) -> str:
    """A reading in few characters: "2026-03-05 12:00", "2026-03-05" for a day, "FREQ=DAILY from 2026-03-05 08:00"."""
    match reading.value:
        case Instant(at=at):
            return at.astimezone(ZoneInfo(reading.zone)).strftime("%Y-%m-%d %H:%M:%S")
        case WallTime(local=local):
            return local.strftime("%Y-%m-%d %H:%M")
        case DateOnly(on=on):
            return on.isoformat()
        case Recurrence(start=start, rule=rule):
            return f"{rule} from {start.local:%Y-%m-%d %H:%M}"


def read(text: str, at: Options | None = None) -> str:
    """What `text` comes to: the reading, "ask: A | B", "no: REASON", "event: NAME", or "-" for no time."""
    return shown(parse(text, at or options()))


def shown(outcome: Outcome) -> str:
    match outcome:
        case Understood(reading=reading):
            return short(reading)
        case Ambiguous(readings=readings):
            return "ask: " + " | ".join(short(reading) for reading in readings)
        case Refused(reason=reason):
            return f"no: {reason}"
        case AboutEvent(event=event):
            return f"event: {event}"
        case NoTime():
            return "-"


def understood(text: str, at: Options | None = None) -> Understood:
    outcome = parse(text, at or options())
    assert isinstance(outcome, Understood), outcome
    return outcome


def wall(text: str) -> datetime:
    """What a clock on the wall shows: naive."""
    return datetime.fromisoformat(text)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
