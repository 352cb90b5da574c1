"""One simulated user with one policy: ticks of ten minutes while awake, messages, scores, ratings."""

import random
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assistant.evaluation.proactive.personas import Persona
from assistant.evaluation.proactive.world import (
    LIKED,
    OPENS,
    OTHER,
    SENSOR,
    Day,
    World,
    day_of,
    is_busy,
    moment,
    silent_score,
    stated,
)
from memory.suggestions import Answer, Reason, Settings

_SMOOTHED = 6  # readings of the sensor: an hour
_BLOCK = 3  # ticks that a reading holds
OPENS_DIGEST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What a policy may see. `wrote`: the user wrote something just now. `truth` is for the oracle alone."""

    now: datetime
    hour: float
    busy: float
    wrote: bool
    truth: Day


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message and how it was judged: 0 or 1 each. `predicted`: acceptance, where the policy predicts one."""

    day: int
    hour: float
    topic: str
    timing: bool
    frequency: bool
    content: bool
    predicted: float | None = None

    @property
    def score(self) -> int:
        return self.timing + self.frequency + self.content + 1

    @property
    def welcome(self) -> bool:
        return self.timing and self.frequency and self.content


class Policy(Protocol):
    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        """A topic, with the predicted acceptance, or silence."""
        ...

    def inbox(self, at: Moment) -> tuple[str, ...]:
        """Topics of a digest on this day; read without being interrupted."""
        ...

    def rated(self, at: datetime, topic: str, answer: Answer, reason: Reason, *, spoken: bool) -> None: ...

    def asks(self) -> bool:
        """Whether the stated windows still fit."""
        ...

    def restated(self, settings: Settings) -> None:
        """What the user states from now on."""
        ...


class MakesPolicy(Protocol):
    def __call__(self, settings: Settings, persona: Persona, chance: random.Random) -> Policy: ...


@dataclass(slots=True)
class Life:
    """Everything that came of it."""

    persona: Persona
    said: list[Said] = field(default_factory=list)
    wanted: list[int] = field(default_factory=list)  # a day
    ratings: list[int] = field(default_factory=list)  # a day, of messages and digest items
    silent: list[list[int]] = field(default_factory=list)  # a day: (sum of scores, steps)
    quiet_broken: int = 0  # messages while asleep, or more a day than stated
    over_stated: int = 0
    asked: list[int] = field(default_factory=list)  # days on which it was asked whether the windows fit


def live(persona: Persona, world: World, makes: MakesPolicy, seed: int) -> Life:
    """`seed` and the persona decide everything; two policies meet the same days."""
    days, taste = random.Random(f"days {persona.id} {seed}"), random.Random(f"taste {persona.id} {seed}")
    settings = stated(persona, world, random.Random(f"stated {persona.id} {seed}"))
    policy = makes(settings, persona, random.Random(f"policy {persona.id} {seed}"))
    life = Life(persona)
    for number in range(world.days):
        day = day_of(number, persona, world, days)
        life.wanted.append(day.wanted)
        life.ratings.append(0)
        life.silent.append([0, 0])
        sensor = random.Random(f"sensor {persona.id} {seed} {number}")
        settings = _one_day(life, policy, day, world, sensor, taste, settings)
        life.over_stated += day.sent > settings.most_a_day
    return life


def _one_day(
    life: Life, policy: Policy, day: Day, world: World, sensor: random.Random, taste: random.Random, settings: Settings
) -> Settings:
    """What the user states after it."""
    persona, readings = life.persona, deque[bool](maxlen=_SMOOTHED)
    reading = wrote = False
    writing = random.Random(sensor.random()) if world.opens else None
    for tick in range(round((persona.sleep - persona.wake) * 6)):
        hour = persona.wake + tick / 6
        wrote = False
        if tick % _BLOCK == 0:
            truly = is_busy(hour, day, sensor)
            reading = truly == (sensor.random() < SENSOR)
            wrote = writing is not None and not truly and writing.random() < OPENS
        readings.append(reading)
        busy = sum(readings) / len(readings) if world.sensor else 0.0
        now = moment(day.number, hour, world.zone)
        at = Moment(now=now, hour=hour, busy=busy, wrote=wrote, truth=day)
        if tick == 6:
            _read_digest(life, policy, at, world, taste)
        choice = policy.speak(at)
        if choice is None:
            life.silent[-1][0] += silent_score(hour, day, persona)
            life.silent[-1][1] += 1
            continue
        said = _judged(day, hour, persona, *choice, taste)
        life.said.append(said)
        day.sent, day.last = day.sent + 1, hour
        if taste.random() < world.rate:
            life.ratings[-1] += 1
            policy.rated(at.now, said.topic, *_rating(said, world, taste), spoken=True)
            settings = _asked(life, policy, at, world, settings)
    return settings


def _asked(life: Life, policy: Policy, at: Moment, world: World, settings: Settings) -> Settings:
    """The user answers the question about their windows, where there is one."""
    if not policy.asks():
        return settings
    life.asked.append(at.truth.number)
    moved, persona = world.moved(at.truth.number), life.persona
    if not moved or world.replies == "never":
        return settings
    anew = stated(persona, world, random.Random(f"again {persona.id} {at.truth.number}"), moved)
    policy.restated(anew)
    return anew


def _judged(day: Day, hour: float, persona: Persona, topic: str, predicted: float | None, taste: random.Random) -> Said:
    return Said(
        day=day.number,
        hour=hour,
        topic=topic,
        timing=any(start <= hour < stop for start, stop in day.free),
        frequency=day.is_seldom(hour, persona),
        content=taste.random() < (LIKED if topic in persona.liked else OTHER),
        predicted=predicted,
    )


def _rating(said: Said, world: World, taste: random.Random) -> tuple[Answer, Reason]:
    """With the reason that failed first; now and then the opposite of what is meant."""
    good = said.welcome != (taste.random() < world.noise)
    if good:
        return "useful", ""
    if not said.content and not said.timing:
        return "not", taste.choice(("time", "topic"))
    if not said.timing:
        return "not", "time"
    if not said.content:
        return "not", "topic"
    return "not", "often" if not said.frequency else taste.choice(("time", "topic"))


def _read_digest(life: Life, policy: Policy, at: Moment, world: World, taste: random.Random) -> None:
    topics = policy.inbox(at)
    if taste.random() >= OPENS_DIGEST:
        return
    for topic in topics:
        good = taste.random() < (LIKED if topic in life.persona.liked else OTHER)
        if taste.random() < world.rate:
            life.ratings[-1] += 1
            good = good != (taste.random() < world.noise)
            policy.rated(at.now, topic, "useful" if good else "not", "" if good else "topic", spoken=False)
