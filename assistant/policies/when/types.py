"""What a phrase about time can mean, as frozen values.

Three kinds of "when" are never mixed: an `Instant` ("in 5 minutes"), a `WallTime` ("Sunday at 18:00": what the clock
on the
wall shows there, whatever its offset will be by then) and a `DateOnly` ("on Sunday"). A `Recurrence` is a wall time
and a rule.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

NextWeekday = Literal["coming", "week_after"]
Kind = Literal["instant", "wall_time", "date", "recurrence"]
# What a question is about. "next_weekday": its answer is worth remembering, see `Ambiguous.answers`.
About = Literal["next_weekday", "half_of_day", "which_day", "which_time", "unread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultTimes:
    """The time of day that a word stands for. `day`: for a date without any time."""

    day: time = time(9)
    morning: time = time(9)
    noon: time = time(12)
    afternoon: time = time(15)
    evening: time = time(19)
    tonight: time = time(20)
    night: time = time(21)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`now`: aware. `zone`: IANA name of the user's zone. `day_first`: 4/3 is 4 March. `week_start`: 0 Monday to 6
    Sunday.
    `next_weekday`: what "next Friday" means to this user: the coming one, or that of the next calendar week; None:
    ask."""

    now: datetime
    zone: str
    day_first: bool = True
    week_start: int = 0
    next_weekday: NextWeekday | None = None
    times: DefaultTimes = field(default_factory=DefaultTimes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """A point in time: `at` is aware UTC. Does not move when the user travels or clocks change."""

    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WallTime:
    """What the clock shows: `local` is naive, `zone` an IANA name. `zones.resolve` says which instant that is."""

    local: datetime
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DateOnly:
    """A day without a time. A reminder for it is due at `DefaultTimes.day`; `Reading.due` has that applied."""

    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """`start`: the first occurrence. `rule`: RFC 5545 RRULE text without "RRULE:", in local wall time, UNTIL
    included."""

    start: WallTime
    rule: str


Value = Instant | WallTime | DateOnly | Recurrence


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """Something the words did not say, in words for the user. `doubt`: another reading would have been reasonable
    too, of
    the day or of the time of day."""

    text: str
    doubt: Literal["", "day", "time"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to read a phrase. `spans`: (start, stop) in the text of what was consumed, in order. `due`: aware UTC,
    when a
    reminder for it fires (first). `zone`: where `due` is shown. `lasts`: "for 20 minutes", "from 3 to 4pm"."""

    kind: Kind
    value: Value
    due: datetime
    zone: str
    spans: tuple[tuple[int, int], ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    lasts: timedelta | None = None

    @property
    def assumed(self) -> str:
        """All assumptions in one line; "" when nothing was assumed."""
        return "; ".join(assumption.text for assumption in self.assumptions)

    @property
    def doubtful(self) -> bool:
        return any(assumption.doubt != "" for assumption in self.assumptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """`title`: the text without the phrase and without "remind me to"; "" when nothing else was said."""

    reading: Reading
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguous:
    """Must be asked. `readings`: what to choose from; fewer than two when part of the phrase could not be read
    (`unread`):
    then the one there is can be confirmed, or the user says it in other words. `answers`: for "next_weekday" the
    preference
    each reading stands for, in the same order, so that it is asked once; else ()."""

    readings: tuple[Reading, ...]
    question: str
    title: str
    about: About
    unread: str = ""
    answers: tuple[NextWeekday, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """No such moment: "April has 30 days.", "25:00 is no time of day.", or one that has passed (then `reading` has
    it)."""

    reason: str
    title: str
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutEvent:
    """Relative to something whose time is not in the text: "an hour before my dentist appointment". `days` and `lead`
    are
    negative before it. Look `event` up, then `parse.around`; or ask when it is."""

    event: str
    title: str
    days: int
    lead: timedelta
    question: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTime:
    """No moment in the text. `title`: the text without "remind me to". `lasts`: a length alone ("run for 20
    minutes"), which
    stays in the title."""

    title: str
    lasts: timedelta | None = None


Outcome = Understood | Ambiguous | Refused | AboutEvent | NoTime
