"""Whether to speak now, and about what: arithmetic over what the mask lets through. Pure, no model.

Speaking is worth need * acceptance * value - (1 - acceptance) * cost; that is Horvitz's rule (1999), and
tau = C / (C + need * V) is PRISM's threshold (2602.01532) where dosage is 0. Silence is worth nothing. It is said only
where it also beats the inbox and waiting, which are passive.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Literal, NamedTuple

from assistant.policies.proactive.features import features, features_at
from assistant.policies.proactive.learning import is_calibrated, predict, topic_of
from assistant.policies.proactive.mask import (
    held_now,
    hours_held,
    most_today,
    muted_topics,
    opportunity_held,
    window_at,
)
from assistant.policies.proactive.situation import Situation, minute_of
from assistant.policies.when.zones import to_local
from memory.suggestions import Action, Decision, Factors, Held, HeldBy, Opportunity, Posteriors, TopicPosterior

QUESTION_COST = {"": 0.3, "low": 0.1, "medium": 0.3, "high": 1.0}  # after PPP's scale of effort (2511.02208)
_SLOT = timedelta(minutes=30)
_MOST_HELD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """Fixed numbers of the decision; ablations change them. `cost`: of an unwelcome message. `threshold`: used until
    enough was rated and it is calibrated. `unstated`, `unstated_cost`: the same where no windows are stated: with the
    usual cost nothing would ever be said there, and nothing learned. `passive`: what an item in
    the inbox is worth beside one that is said."""

    cost: float = 0.25
    threshold: float = 0.25
    unstated: float = 0.1
    unstated_cost: float = 0.1
    patience: float = 0.9
    passive: float = 0.2
    staleness: float = 0.2
    waits: bool = True
    time: Literal["learned", "prior", "none"] = "learned"
    topics: bool = True


SHIPPED = Knobs()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`decision` is about the moment: speak, or why not. `inbox`: what goes there instead, each with its own row."""

    decision: Decision
    inbox: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """What all opportunities share. `slots`: allowed later moments today; `best`: the best fit up to each of them."""

    x: tuple[float, ...]
    fit: float
    slots: tuple[datetime, ...]
    best: tuple[float, ...]
    cost: float
    fixed: float | None  # the threshold; None: dynamic
    topics: dict[str, tuple[TopicPosterior, float, float]] = field(default_factory=dict)  # with mean and freshness


class _Score(NamedTuple):
    """The numbers of one opportunity; `Factors` names them."""

    acceptance: float
    threshold: float
    speak: float
    inbox: float
    wait: float
    ask: float


def decide(situation: Situation, opportunities: Sequence[Opportunity], knobs: Knobs = SHIPPED) -> Verdict:
    """At most one to say. What is held back is named with its rule, the most valuable first, twenty at most."""
    moment_held = held_now(situation)
    if moment_held is not None:
        return Verdict(decision=_silent(situation, (moment_held,)))
    muted = muted_topics(situation)
    held: list[Held] = []
    able: list[Opportunity] = []
    for one in opportunities:
        reason = opportunity_held(one, situation, muted)
        if reason is None:
            able.append(one)
        else:
            held.append(reason)
    if not able:
        return Verdict(decision=_silent(situation, tuple(held[:_MOST_HELD])))
    return _chosen(situation, able, held, knobs)


def _chosen(situation: Situation, able: Sequence[Opportunity], held: list[Held], knobs: Knobs) -> Verdict:
    moment = _moment(situation, knobs)
    scored = [(_score(one, situation, moment, knobs), one) for one in able]
    scored.sort(key=lambda pair: (-pair[0].speak, pair[1].closes_at, pair[1].id))
    first = next((pair for pair in scored if _against(*pair) is None), None)
    reasons: list[Held] = []
    inbox: list[Decision] = []
    for score, one in scored:
        if first is not None and one is first[1]:
            continue
        by = _against(score, one) or "another_first"
        if len(reasons) < _MOST_HELD:
            reasons.append(Held(by=by, opportunity_id=one.id))
        if by == "better_in_inbox" and one.state == "open" and len(inbox) < _MOST_HELD:
            action: Action = "ask" if one.kind == "ask_ahead" else "inbox"
            inbox.append(_decision(situation, moment, score, one, action, ()))
    everything = (*reasons, *held)[:_MOST_HELD]
    waits = any(reason.by == "better_later" for reason in reasons)
    verdict: Action = "speak" if first is not None else "wait" if waits else "silent"
    score, one = first or scored[0]
    decision = replace(_decision(situation, moment, score, one, verdict, everything), features=moment.x)
    return Verdict(decision=decision, inbox=tuple(inbox))


def _decision(
    situation: Situation, moment: _Moment, score: _Score, one: Opportunity, action: Action, held: tuple[Held, ...]
) -> Decision:
    return Decision(
        at=situation.now,
        breakpoint=situation.breakpoint,
        action=action,
        opportunity_id=one.id,
        factors=_factors(situation, moment, score, one),
        held=held,
    )


def _against(score: _Score, one: Opportunity) -> HeldBy | None:
    """Why it is not said now, although it may be."""
    if one.kind == "ask_ahead":
        return "better_in_inbox" if score.ask > 0 else "not_worth_it"
    if score.wait > max(score.speak, score.inbox, 0.0):
        return "better_later"
    if score.inbox > max(0.0, score.speak):
        return "better_in_inbox"
    if score.acceptance < score.threshold:
        return "below_threshold"
    return None if score.speak > 0 else "not_worth_it"


def _silent(situation: Situation, held: tuple[Held, ...]) -> Decision:
    return Decision(at=situation.now, breakpoint=situation.breakpoint, action="silent", held=held)


def _moment(situation: Situation, knobs: Knobs) -> _Moment:
    x = features(situation)
    stated = bool(situation.settings.windows)
    slots = _later_slots(situation) if knobs.waits else ()
    fits = tuple(_fit(situation, features_at(situation, at), knobs) for at in slots)
    return _Moment(
        x=x,
        fit=_fit(situation, x, knobs),
        slots=slots,
        best=tuple(accumulate(fits, max)),
        cost=cost_of(situation.dosage, knobs if stated else replace(knobs, cost=knobs.unstated_cost)),
        fixed=None if is_calibrated(situation.learned) else knobs.threshold if stated else knobs.unstated,
    )


def _fit(situation: Situation, x: tuple[float, ...], knobs: Knobs) -> float:
    match knobs.time:
        case "none":
            return 0.8 if not situation.busy >= 0.5 else 0.3
        case "prior":
            return predict(Posteriors(), x)
        case "learned":
            return predict(situation.learned, x)


def _later_slots(situation: Situation) -> tuple[datetime, ...]:
    """Moments of the rest of the day, half an hour apart, that the hours allow."""
    slots, at = [], situation.now + _SLOT
    while at < situation.day_ends:
        local = to_local(at, situation.zone)
        if hours_held(situation, minute_of(local), local.weekday()) is None:
            slots.append(at)
        at += _SLOT
    return tuple(slots)


def _topic(
    one: Opportunity, situation: Situation, moment: _Moment, knobs: Knobs
) -> tuple[TopicPosterior, float, float]:
    """The posterior of its topic, the mean that counts, and how fresh it is: once a topic."""
    found = moment.topics.get(one.topic)
    if found is None:
        topic = topic_of(situation.learned, one.topic, situation.settings)
        mean = topic.mean if knobs.topics else topic_of(Posteriors(), one.topic, situation.settings).mean
        found = moment.topics[one.topic] = (topic, mean, freshness(situation, one.topic, knobs.staleness))
    return found


def _score(one: Opportunity, situation: Situation, moment: _Moment, knobs: Knobs) -> _Score:
    _, mean, fresh = _topic(one, situation, moment, knobs)
    worth, cost = one.need * one.value * fresh, moment.cost
    acceptance = moment.fit * mean
    later = bisect_right(moment.slots, one.closes_at)
    best = moment.best[later - 1] if later else 0.0
    wait = (best * mean * (worth + cost) - cost) * knobs.patience if later else 0.0
    return _Score(
        acceptance=acceptance,
        threshold=cost / (cost + worth) if moment.fixed is None else moment.fixed,
        speak=acceptance * (worth + cost) - cost,
        inbox=knobs.passive * worth * mean - 0.05,
        wait=wait,
        ask=one.need * mean * one.value * 0.5 - QUESTION_COST[one.effort] if one.kind == "ask_ahead" else 0.0,
    )


def _factors(situation: Situation, moment: _Moment, score: _Score, one: Opportunity) -> Factors:
    topic, mean, fresh = moment.topics[one.topic]
    return Factors(
        need=one.need,
        time_fit=moment.fit,
        topic_mean=mean,
        freshness=fresh,
        dosage=situation.dosage,
        window=window_at(situation.settings, minute_of(situation.local)),
        spoken_today=len(situation.today),
        most_today=most_today(situation),
        good=topic.good,
        rated=topic.rated,
        **score._asdict(),
    )


def cost_of(dosage: float, knobs: Knobs = SHIPPED) -> float:
    """Of an unwelcome message: more when there were many of late. Two in 48 h are what users ask for."""
    return knobs.cost * (1 + 0.125 * max(0.0, dosage - 2))


def freshness(situation: Situation, topic: str, staleness: float = SHIPPED.staleness) -> float:
    """1 - s * 2^(-d/15) with d days since the topic was last raised (after Yancey and Settles 2020)."""
    last = next((one.claimed_at for one in situation.spoken if one.topic == topic), None)
    if last is None:
        return 1.0
    return 1 - staleness * math.pow(2.0, -max(0.0, (situation.now - last) / timedelta(days=1)) / 15)
