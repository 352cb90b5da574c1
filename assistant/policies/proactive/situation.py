"""What a decision is made from: the moment, what the user stated, what was learned, what was said of late. Pure."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property

from assistant.policies.when.zones import resolve, to_local
from memory.suggestions import Breakpoint, Hours, Posteriors, Rule, Settings, Suggestion

DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)  # no slots: cached properties need a dict
class Situation:
    """`spoken`: what interrupted in the last weeks, newest first. `busy`: 0..1, how much the user seems occupied.
    `usual`: when the user is usually there (habits.py); () where that is not known."""

    now: datetime
    zone: str
    settings: Settings
    rules: tuple[Rule, ...] = ()
    learned: Posteriors = Posteriors()
    spoken: tuple[Suggestion, ...] = ()
    breakpoint: Breakpoint = "clock"
    typing: bool = False
    generating: bool = False
    busy: float = 0.0
    last_input_at: datetime | None = None
    session_began_at: datetime | None = None
    usual: tuple[float, ...] = ()

    @cached_property
    def local(self) -> datetime:
        """Naive: what the clock on the wall shows."""
        return to_local(self.now, self.zone)

    @cached_property
    def day_began(self) -> datetime:
        return resolve(datetime.combine(self.local.date(), time(0)), self.zone)

    @cached_property
    def day_ends(self) -> datetime:
        return resolve(datetime.combine(self.local.date() + DAY, time(0)), self.zone)

    @cached_property
    def today(self) -> tuple[Suggestion, ...]:
        return tuple(one for one in self.spoken if one.claimed_at >= self.day_began)

    @cached_property
    def rules_now(self) -> tuple[Rule, ...]:
        active = (rule for rule in self.rules if rule.state == "active")
        return tuple(rule for rule in active if rule.until is None or rule.until > self.now)

    @cached_property
    def dosage(self) -> float:
        """Messages of late, each halved every 48 h (HeartSteps counts decisions; here hours, because ticks differ)."""
        hours = ((self.now - one.claimed_at) / timedelta(hours=1) for one in self.spoken)
        return sum(math.pow(2.0, -max(0.0, passed) / 48) for passed in hours)

    @property
    def last_spoken_at(self) -> datetime | None:
        return self.spoken[0].claimed_at if self.spoken else None


def minute_of(at: datetime | time) -> int:
    return at.hour * 60 + at.minute


def is_within(minute: int, hours: Hours) -> bool:
    """Whether a minute of the day lies in [start, stop), over midnight where stop <= start."""
    start, stop = minute_of(hours.start), minute_of(hours.stop)
    return start <= minute < stop if start < stop else minute >= start or minute < stop


def edge_distance(minute: int, hours: Hours) -> int:
    """Minutes to the nearer edge of the hours, for a minute within them."""
    start, stop = minute_of(hours.start), minute_of(hours.stop)
    length = (stop - start) % 1440 or 1440
    into = (minute - start) % 1440
    return min(into, length - into)


def next_change(situation: Situation, at: time) -> datetime:
    """The next moment at which the clock on the wall shows `at`, aware UTC."""
    day = situation.local.date()
    moment = resolve(datetime.combine(day, at), situation.zone)
    if moment <= situation.now:
        moment = resolve(datetime.combine(day + DAY, at), situation.zone)
    return moment.astimezone(UTC)
