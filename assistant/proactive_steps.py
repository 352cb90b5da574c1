"""Small steps of the proactive engine, without state."""

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.policies.proactive.learning import learn
from assistant.policies.proactive.situation import Situation
from assistant.proactive_types import Spoken
from memory.suggestions import Decision, Opportunity, OpportunityId, Posteriors, Rule, Settings, Suggestion, Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was read at one version of the store."""

    version: int
    settings: Settings
    rules: tuple[Rule, ...]
    learned: Posteriors
    opportunities: tuple[Opportunity, ...]


def spoken_from(told: Told) -> Spoken:
    return Spoken(suggestion=told.suggestion, opportunity=told.opportunity, decision=told.decision, again=told.again)


def named_in(decisions: Iterable[Decision]) -> tuple[OpportunityId, ...]:
    return tuple(one.opportunity_id for one in decisions if one.opportunity_id is not None)


def for_the_digest(situation: Situation, one: Opportunity) -> Decision:
    return Decision(at=situation.now, breakpoint=situation.breakpoint, action="inbox", opportunity_id=one.id)


def learned_from(before: Posteriors, answered: Suggestion, decision: Decision, settings: Settings) -> Posteriors:
    if answered.answer is None or answered.answered_at is None:
        return before
    return learn(
        before,
        answer=answered.answer,
        reason=answered.reason,
        topic=answered.topic,
        x=decision.features if answered.channel == "spoken" else (),
        factors=decision.factors,
        settings=settings,
        at=answered.answered_at,
    )


def is_same_rule(first: Rule, second: Rule) -> bool:
    def parts(rule: Rule) -> tuple[object, ...]:
        return (rule.kind, rule.start, rule.stop, rule.number, rule.span, rule.topic, rule.days)

    return parts(first) == parts(second) and second.until is None
