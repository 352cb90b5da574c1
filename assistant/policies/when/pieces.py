"""Pieces of a phrase about time, as the scanner finds them: what was said, before it is put together."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal

from assistant.policies.when.types import Assumption, NextWeekday, Options

Frequency = Literal["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY", "SECONDLY"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What every rule looks at. `text`: lower case, as long as `raw`. `now`: what the user's wall clock shows."""

    raw: str
    text: str
    now: datetime
    options: Options

    @property
    def today(self) -> date:
        return self.now.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class DayChoice:
    """One day that may be meant. `later`: the next one of its kind, when this one turns out to have passed."""

    on: date
    later: date | None = None
    notes: tuple[Assumption, ...] = ()
    answer: NextWeekday | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A day, or several that may be meant. The rest says how it was said, for rules of recurrence and for checks:
    a bare weekday, a bare day of the month, the nth weekday of a month, a month and a day without a year."""

    choices: tuple[DayChoice, ...]
    weekday: int | None = None
    day_of_month: int | None = None
    nth: tuple[int, int] | None = None
    month_day: tuple[int, int] | None = None
    last: date | None = None  # of a period ("March", "next week"): its last day
    told: bool = False  # in words of the past: "yesterday", "last Friday"
    bare: bool = False  # nothing but a weekday's or a month's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A time of day. `open`: on a 12-hour clock, without saying which half. `others`: what else the words can mean."""

    hour: int
    minute: int = 0
    second: int = 0
    open: bool = False
    spelled: bool = False  # with minutes and two digits: as people of the 24-hour clock write it
    lasts: timedelta | None = None
    others: tuple["Clock", ...] = ()
    notes: tuple[Assumption, ...] = ()
    midnight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOfDay:
    """ "morning", "late afternoon", "tonight". `at`: (hour, minute) of a shaded part, else None. `days`: from today on,
    when the words say a day too ("this morning", "tonight", "last night")."""

    name: str
    at: tuple[int, int] | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A length of time: months and days go along the calendar, `lead` is counted. `vague`: "a few"."""

    months: int = 0
    days: int = 0
    lead: timedelta = timedelta(0)
    business: bool = False
    vague: bool = False

    @property
    def length(self) -> timedelta:
        return timedelta(days=30 * self.months + self.days) + self.lead


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A span from an anchor: now, a day, or an event that is named only. `sign`: -1 is before."""

    span: Span
    sign: Literal[-1, 1] = 1
    anchor: Day | None = None
    at: Clock | None = None
    event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """How often. `days`: RRULE weekdays (0 to 6). `nth`: the nth of them in the month. `times`: clock defaults a
    day."""

    frequency: Frequency
    interval: int = 1
    days: tuple[int, ...] = ()
    nth: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    month: int | None = None
    part: PartOfDay | None = None
    times: int = 1
    notes: tuple[Assumption, ...] = ()
    others: tuple["Repeat", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """ "for 20 minutes", "for 10 weeks": how long, or for how long it is repeated."""

    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """ "10 times": how often a recurrence happens."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A zone that was said."""

    zone: str
    offset: timedelta | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """ "now", "right now"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Impossible:
    """No such day or time; `reason` in words for the user."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Words about time that have no reading of their own."""


What = Day | Clock | PartOfDay | Shift | Repeat | Lasting | Times | Place | Now | Impossible | Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a rule read up to `stop`. `strong`: stands on its own; weak ones need another piece beside them."""

    stop: int
    what: What
    strong: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`lead`: the small words before it that belong to it ("on", "until the")."""

    start: int
    stop: int
    what: What
    strong: bool
    lead: str = ""
    notes: tuple[Assumption, ...] = field(default=())
