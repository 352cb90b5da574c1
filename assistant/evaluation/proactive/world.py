"""A day of a simulated user: when messages are welcome today, what their sensor shows, how they judge.

Rule users after ProPerSim's rubric, which judges timing, frequency, content and tone with 0 or 1 each; tone is always
granted here. Windows move a little from day to day, and one in five is not free after all; a sensor of being busy is
right 85 % of the time, anew every half hour. Whoever is free writes something in 15 % of half hours, in a window as
elsewhere; who is busy writes nothing.
"""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Literal

from assistant.evaluation.proactive.personas import Persona
from assistant.policies.when.zones import resolve
from memory.suggestions import Hours, Settings

START = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday; clocks change on its 27th day in Europe
HOUR = timedelta(hours=1)
JITTER = 0.25  # hours, standard deviation
BUSY = 0.2
SENSOR = 0.85
LIKED, OTHER = 0.85, 0.2
OPENS = 0.15  # of half hours in which a user is free: they write something
EDGE = 0.4  # hours by which a stated edge is off, at most
MISSED = 0.1  # windows nobody thought of stating


Replies = Literal["hours", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The settings of a simulation that belong to the user, not to the policy. `shift`: hours by which the windows move
    at day `shift_on`. `opens`: what the user writes shows when they are there. `zone`: hours are those of its clocks.
    `replies`: asked whether stated windows still fit, the user says that they do, or states them anew ("hours"); or
    they never answer."""

    days: int = 28
    rate: float = 0.2
    noise: float = 0.1
    states_windows: bool = True
    exact: bool = False
    states_topics: bool = False
    sensor: bool = True
    opens: bool = True
    zone: str = "UTC"
    shift: float = 0.0
    shift_on: int = 14
    replies: Replies = "hours"

    def moved(self, day: int) -> float:
        return self.shift if day >= self.shift_on else 0.0


@dataclass(slots=True)
class Day:
    """`free`: today's true windows, in hours from midnight. `wanted`: how many messages would be welcome."""

    number: int
    free: tuple[tuple[float, float], ...]
    busy: tuple[tuple[float, float], ...]
    wanted: int
    sent: int = 0
    last: float | None = None  # hour of the last message

    def is_welcome(self, hour: float, persona: Persona) -> bool:
        return any(start <= hour < stop for start, stop in self.free) and self.is_seldom(hour, persona)

    def is_seldom(self, hour: float, persona: Persona) -> bool:
        """Whether one more is not too many now. Ten minutes early are forgiven."""
        return self.sent < persona.most and (self.last is None or hour - self.last >= persona.gap - 1 / 6)

    def missed(self, hour: float) -> int:
        """Free windows that have passed today without any message in them or since."""
        return sum(stop <= hour and (self.last is None or self.last < start) for start, stop in self.free)


def day_of(number: int, persona: Persona, world: World, chance: random.Random) -> Day:
    moved = world.moved(number)
    free, busy = list[tuple[float, float]](), list[tuple[float, float]]()
    for start, stop in persona.windows:
        off = chance.gauss(0, JITTER) + moved
        (busy if chance.random() < BUSY else free).append((start + off, stop + off))
    return Day(number=number, free=tuple(free), busy=tuple(busy), wanted=_wanted(free, persona))


def _wanted(free: list[tuple[float, float]], persona: Persona) -> int:
    count, last = 0, -99.0
    for start, stop in sorted(free):
        at = max(start, last + persona.gap)
        while at < stop and count < persona.most:
            count, last = count + 1, at
            at = last + persona.gap
    return count


def is_busy(hour: float, day: Day, chance: random.Random) -> bool:
    """Outside of the windows a user is busy half of the time."""
    if any(start <= hour < stop for start, stop in day.free):
        return False
    if any(start <= hour < stop for start, stop in day.busy):
        return True
    return chance.random() < 0.5


def silent_score(hour: float, day: Day, persona: Persona) -> int:
    """0..4 for saying nothing: timing is lost where a message would be welcome, frequency where two windows passed."""
    return 4 - day.is_welcome(hour, persona) - (day.missed(hour) >= 2)


def stated(persona: Persona, world: World, chance: random.Random, moved: float = 0.0) -> Settings:
    """What the user says about themselves at set-up: not quite exact, and not quite everything. `moved`: hours by which
    their windows have moved since."""
    windows = []
    for start, stop in persona.windows:
        start, stop = start + moved, stop + moved
        if world.exact:
            windows.append((start, stop))
        elif chance.random() >= MISSED:
            edges = (start + chance.uniform(-EDGE, EDGE), stop + chance.uniform(-EDGE, EDGE))
            windows.append((edges[0], max(edges[0] + 0.5, edges[1])))
    windows = windows or [(persona.windows[0][0] + moved, persona.windows[0][1] + moved)]
    return Settings(
        on=True,
        asked=True,
        windows=tuple(Hours(start=_clock(start), stop=_clock(stop)) for start, stop in windows)
        if world.states_windows
        else (),
        quiet=Hours(start=_clock(persona.sleep), stop=_clock(persona.wake)),
        most_a_day=persona.most if world.states_windows else min(3, persona.most),
        gap=timedelta(hours=persona.gap) if world.states_windows else timedelta(hours=3),
        topics=tuple(sorted(persona.liked)) if world.states_topics else (),
        morning=None,
    )


def _clock(hour: float) -> time:
    minutes = round(hour * 60) % 1440
    return time(minutes // 60, minutes % 60)


def moment(day: int, hour: float, zone: str = "UTC") -> datetime:
    """The instant at which the clocks of `zone` show that hour of that day."""
    return resolve(START.replace(tzinfo=None) + timedelta(days=day) + hour * HOUR, zone)
