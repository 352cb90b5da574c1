"""What the engine is compared with: policies that know less, more, or nothing."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from assistant.evaluation.proactive.living import Moment
from assistant.evaluation.proactive.personas import TOPICS, Persona
from assistant.policies.proactive.mask import held_now
from assistant.policies.proactive.situation import Situation
from memory.suggestions import (
    Answer,
    DecisionId,
    OpportunityId,
    Reason,
    Settings,
    Suggestion,
    SuggestionId,
)


@dataclass(slots=True)
class Plain:
    """No inbox, no learning."""

    settings: Settings
    persona: Persona
    chance: random.Random
    day: int = -1
    today: int = 0

    def inbox(self, at: Moment) -> tuple[str, ...]:
        return ()

    def rated(self, at: datetime, topic: str, answer: Answer, reason: Reason, *, spoken: bool) -> None: ...

    def asks(self) -> bool:
        return False

    def restated(self, settings: Settings) -> None: ...

    def _topic(self) -> str:
        return self.chance.choice(TOPICS)


class AlwaysSilent(Plain):
    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        return None


class AlwaysSpeak(Plain):
    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        return self._topic(), None


class RandomRate(Plain):
    """As many as stated, at random moments."""

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        steps = (self.persona.sleep - self.persona.wake) * 6
        return (self._topic(), None) if self.chance.random() < self.settings.most_a_day / steps else None


class FixedHours(Plain):
    """At nine, one and seven."""

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        hour = at.hour % 24
        return (self._topic(), None) if any(abs(hour - fixed) < 1 / 12 for fixed in (9, 13, 19)) else None


@dataclass(slots=True)
class StatedRules(Plain):
    """The hard mask and nothing else: speaks at the first allowed moment that does not look busy, about anything."""

    spoken: list[Suggestion] = field(default_factory=list)

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        situation = Situation(now=at.now, zone="UTC", settings=self.settings, spoken=tuple(self.spoken[:20]))
        if at.busy > 0.5 or held_now(situation) is not None:
            return None
        topic = self._topic()
        number = SuggestionId(len(self.spoken) + 1)
        self.spoken.insert(0, suggestion(number, topic, at.now))
        return topic, None


@dataclass(slots=True)
class BetaAnchors(Plain):
    """Counts of welcome and unwelcome by two-hour slot and by topic, after the anchors of EOPA (2608.04416);
    no windows, no prior. One draw a day from the counts, so that it does not fall silent for good."""

    slots: dict[int, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.5, 0.5]))
    topics: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [1.0, 1.0]))
    drawn: dict[int, float] = field(default_factory=dict)
    last: datetime | None = None
    told: tuple[int, str] = (0, "")

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        if at.truth.number != self.day:
            self.day, self.today = at.truth.number, 0
            self.drawn = {slot: self.chance.betavariate(*self.slots[slot]) for slot in range(12)}
        slot = int(at.hour % 24) // 2
        most = min(3, self.settings.most_a_day)
        best = sorted(self.drawn, key=lambda each: -self.drawn[each])[:most]
        waits = self.last is not None and at.now - self.last < self.settings.gap
        if self.today >= most or waits or slot not in best or at.busy > 0.5:
            return None
        topic = max(TOPICS, key=lambda each: self.chance.betavariate(*self.topics[each]))
        self.today, self.last, self.told = self.today + 1, at.now, (slot, topic)
        return topic, None

    def rated(self, at: datetime, topic: str, answer: Answer, reason: Reason, *, spoken: bool) -> None:
        good = answer == "useful"
        if good or reason == "time":
            self.slots[self.told[0]][not good] += 1
        if good or reason == "topic":
            self.topics[topic][not good] += 1


class Oracle(Plain):
    """Knows today's free windows and the liked topics."""

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        return (min(self.persona.liked), None) if at.truth.is_welcome(at.hour, self.persona) else None


@dataclass(slots=True)
class Ceiling(StatedRules):
    """Exact windows and topics are known, being busy only by the sensor."""

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        found = StatedRules.speak(self, at)
        return None if found is None else (min(self.persona.liked), None)


def suggestion(id: SuggestionId, topic: str, at: datetime) -> Suggestion:
    thing, decision = OpportunityId(topic), DecisionId(id)
    return Suggestion(id=id, opportunity_id=thing, decision_id=decision, topic=topic, channel="spoken", claimed_at=at)
