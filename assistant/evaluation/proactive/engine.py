"""The engine's own policies as a policy of the simulation: the same mask, the same decision, the same learning."""

import random
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from assistant.evaluation.proactive.living import Moment
from assistant.evaluation.proactive.personas import TOPICS, Persona
from assistant.policies.proactive.decide import SHIPPED, Knobs, decide
from assistant.policies.proactive.digest import choose_for_digest
from assistant.policies.proactive.fitting import DOUBTED, Answered, doubt
from assistant.policies.proactive.habits import usual_hours
from assistant.policies.proactive.learning import faded, learn
from assistant.policies.proactive.situation import Situation
from memory.suggestions import (
    Answer,
    Decision,
    DecisionId,
    Evidence,
    Opportunity,
    OpportunityId,
    Posteriors,
    Reason,
    Rule,
    Settings,
    Suggestion,
    SuggestionId,
)

DIGEST_ITEMS = 2
KEPT = 40  # messages of late
DAY = timedelta(days=1)
LOOKED_BACK = timedelta(days=28)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an ablation takes away."""

    knobs: Knobs = SHIPPED
    chips: bool = True  # reasons are given
    digest: bool = True
    learns: bool = True
    habits: bool = True  # when the user is there
    asks: bool = True  # once, whether stated windows still fit
    rules: tuple[Rule, ...] = ()


@dataclass(slots=True)
class EnginePolicy:
    """`zone`: of the user."""

    settings: Settings
    persona: Persona
    chance: random.Random
    parts: Parts = Parts()
    zone: str = "UTC"
    learned: Posteriors = Posteriors()
    spoken: list[Suggestion] = field(default_factory=list)
    usual: tuple[float, ...] = ()
    today: int = -1
    last: Decision | None = None
    moments: list[datetime] = field(default_factory=list)  # when the user wrote or answered
    answered: list[Answered] = field(default_factory=list)  # about the windows stated now
    asked: bool = False

    def situation(self, at: Moment) -> Situation:
        if at.truth.number != self.today:
            self.today = at.truth.number
            self.learned = faded(self.learned, at.now)
            late = [one for one in self.moments if one >= at.now - LOOKED_BACK]
            self.usual = usual_hours(late, self.zone, self.settings) if self.parts.habits else ()
        return Situation(
            now=at.now,
            zone=self.zone,
            settings=self.settings,
            rules=self.parts.rules,
            learned=self.learned,
            spoken=tuple(self.spoken[:KEPT]),
            busy=at.busy,
            usual=self.usual,
        )

    def speak(self, at: Moment) -> tuple[str, float | None] | None:
        if at.wrote:
            self.moments.append(at.now)
        decision = decide(self.situation(at), opportunities(at.now), self.parts.knobs).decision
        if decision.action != "speak" or decision.factors is None:
            return None
        self.last = decision
        topic = str(decision.opportunity_id)
        number = len(self.spoken) + 1
        self.spoken.insert(
            0,
            Suggestion(
                id=SuggestionId(number),
                opportunity_id=OpportunityId(topic),
                decision_id=DecisionId(number),
                topic=topic,
                channel="spoken",
                claimed_at=at.now,
            ),
        )
        return topic, decision.factors.acceptance

    def inbox(self, at: Moment) -> tuple[str, ...]:
        if not self.parts.digest:
            return ()
        return tuple(one.topic for one in choose_for_digest(self.situation(at), opportunities(at.now), DIGEST_ITEMS))

    def asks(self) -> bool:
        if self.asked or not self.parts.asks or not self.settings.windows or doubt(self.answered) < DOUBTED:
            return False
        self.asked = True
        return True

    def restated(self, settings: Settings) -> None:
        self.settings, self.answered, self.asked = settings, [], False

    def rated(self, at: datetime, topic: str, answer: Answer, reason: Reason, *, spoken: bool) -> None:
        reason = reason if self.parts.chips else ""
        if spoken:
            self.answered.append((at, answer, reason))
            self.moments.append(at)
            self.spoken[0] = replace(self.spoken[0], answer=answer, reason=reason, answered_at=at)
        if not self.parts.learns:
            return
        decision = self.last if spoken else None
        self.learned = learn(
            self.learned,
            answer=answer,
            reason=reason,
            topic=topic,
            settings=self.settings,
            at=at,
            x=decision.features if decision else (),
            factors=decision.factors if decision else None,
        )


def opportunities(now: datetime) -> tuple[Opportunity, ...]:
    """One of each topic at any time: content is never what is missing."""
    return tuple(
        Opportunity(
            id=OpportunityId(topic),
            kind="deadline",
            topic=topic,
            subject=topic,
            value=2.4,
            need=0.8,
            key=topic,
            evidence=(Evidence(source="message", ref="1", quote=topic, at=now),),
            opens_at=now - DAY,
            closes_at=now + DAY,
            found_at=now - DAY,
            state="inbox",
        )
        for topic in TOPICS
    )
