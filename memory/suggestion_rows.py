"""Values of suggestions as JSON and back. The pairs of functions belong together."""

import json
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from memory.suggestions import (
    Decision,
    Evidence,
    Factors,
    Held,
    Hours,
    Opportunity,
    OpportunityId,
    Posteriors,
    Rule,
    Settings,
    Suggestion,
    TopicPosterior,
)
from memory.text import moment, moment_text


def optional_text(at: datetime | None) -> str | None:
    return None if at is None else moment_text(at)


def optional_moment(text: str | None) -> datetime | None:
    return None if text is None else moment(text)


def _hours(one: Hours | None) -> list[str] | None:
    return None if one is None else [one.start.isoformat("minutes"), one.stop.isoformat("minutes")]


def _hours_from(found: list[str] | None) -> Hours | None:
    return None if found is None else Hours(start=time.fromisoformat(found[0]), stop=time.fromisoformat(found[1]))


def _clock(one: time | None) -> str | None:
    return None if one is None else one.isoformat("minutes")


def _clock_from(found: str | None) -> time | None:
    return None if found is None else time.fromisoformat(found)


def settings_text(one: Settings) -> str:
    return json.dumps(
        {
            "on": one.on,
            "asked": one.asked,
            "windows": [_hours(each) for each in one.windows],
            "quiet": _hours(one.quiet),
            "most_a_day": one.most_a_day,
            "gap": one.gap.total_seconds(),
            "topics": one.topics,
            "muted": one.muted,
            "morning": _clock(one.morning),
            "evening": _clock(one.evening),
        }
    )


def settings_from(text: str) -> Settings:
    found = json.loads(text)
    return Settings(
        on=found["on"],
        asked=found["asked"],
        windows=tuple(hours for each in found["windows"] if (hours := _hours_from(each)) is not None),
        quiet=_hours_from(found["quiet"]),
        most_a_day=found["most_a_day"],
        gap=timedelta(seconds=found["gap"]),
        topics=tuple(found["topics"]),
        muted=tuple(found["muted"]),
        morning=_clock_from(found["morning"]),
        evening=_clock_from(found["evening"]),
    )


def rule_text(one: Rule) -> str:
    return json.dumps(
        {
            "start": _clock(one.start),
            "stop": _clock(one.stop),
            "number": one.number,
            "span": None if one.span is None else one.span.total_seconds(),
            "topic": one.topic,
            "days": one.days,
            "until": optional_text(one.until),
        }
    )


def rule_from(id: int, kind: Any, said: str, at: str, state: Any, text: str) -> Rule:
    found = json.loads(text)
    return Rule(
        id=id,  # type: ignore[arg-type]  # a row's number is a RuleId
        kind=kind,
        said=said,
        at=moment(at),
        state=state,
        start=_clock_from(found["start"]),
        stop=_clock_from(found["stop"]),
        number=found["number"],
        span=None if found["span"] is None else timedelta(seconds=found["span"]),
        topic=found["topic"],
        days=tuple(found["days"]),
        until=optional_moment(found["until"]),
    )


def posteriors_text(one: Posteriors) -> str:
    return json.dumps(
        {
            "mean": one.mean,
            "covariance": one.covariance,
            "topics": [
                [each.topic, each.alpha, each.beta, each.good, each.rated, optional_text(each.last_told)]
                for each in one.topics
            ],
            "rated": one.rated,
            "gap_factor": one.gap_factor,
            "fewer_by": one.fewer_by,
            "fewer_until": optional_text(one.fewer_until),
            "fewer_for_good": one.fewer_for_good,
            "style_complaints": one.style_complaints,
            "tallies": one.tallies,
            "drifted_at": optional_text(one.drifted_at),
            "since": optional_text(one.since),
        }
    )


def posteriors_from(text: str) -> Posteriors:
    found = json.loads(text)
    return Posteriors(
        mean=tuple(found["mean"]),
        covariance=tuple(tuple(row) for row in found["covariance"]),
        topics=tuple(
            TopicPosterior(topic=topic, alpha=alpha, beta=beta, good=good, rated=rated, last_told=optional_moment(told))
            for topic, alpha, beta, good, rated, told in found["topics"]
        ),
        rated=found["rated"],
        gap_factor=found["gap_factor"],
        fewer_by=found["fewer_by"],
        fewer_until=optional_moment(found["fewer_until"]),
        fewer_for_good=found["fewer_for_good"],
        style_complaints=found["style_complaints"],
        tallies=tuple((count, total, good) for count, total, good in found["tallies"]),
        drifted_at=optional_moment(found["drifted_at"]),
        since=optional_moment(found["since"]),
    )


def opportunity_text(one: Opportunity) -> str:
    """What has no column; its evidence has a table."""
    return json.dumps(
        {
            "topic": one.topic,
            "subject": one.subject,
            "value": one.value,
            "need": one.need,
            "deadline": optional_text(one.deadline),
            "effort": one.effort,
            "found_at": moment_text(one.found_at),
        }
    )


OPPORTUNITY = (
    "opportunity.id, opportunity.key, opportunity.kind, opportunity.state, opportunity.opens_at, "
    "opportunity.closes_at, opportunity.snoozed_until, opportunity.body"
)


def opportunity_from(row: tuple[Any, ...], evidence: tuple[Evidence, ...]) -> Opportunity:
    id, key, kind, state, opens_at, closes_at, snoozed_until, body = row
    found: Mapping[str, Any] = json.loads(body)
    return Opportunity(
        id=id,
        key=key,
        kind=kind,
        state=state,
        opens_at=moment(opens_at),
        closes_at=moment(closes_at),
        snoozed_until=optional_moment(snoozed_until),
        topic=found["topic"],
        subject=found["subject"],
        value=found["value"],
        need=found["need"],
        deadline=optional_moment(found["deadline"]),
        effort=found["effort"],
        found_at=moment(found["found_at"]),
        evidence=evidence,
    )


def decision_text(one: Decision) -> str:
    factors = one.factors
    return json.dumps(
        {
            "factors": None
            if factors is None
            else {name: getattr(factors, name) for name in Factors.__slots__ if name != "window"}
            | {"window": _hours(factors.window)},
            "features": one.features,
            "held": [[each.by, each.opportunity_id, each.rule_id, optional_text(each.until)] for each in one.held],
        }
    )


DECISION = (
    "suggestion_decision.id, suggestion_decision.at, suggestion_decision.breakpoint, suggestion_decision.action, "
    "suggestion_decision.opportunity_id, suggestion_decision.body"
)


def decision_from(row: tuple[Any, ...]) -> Decision:
    id, at, breakpoint, action, opportunity_id, body = row
    found = json.loads(body)
    factors = found["factors"]
    if factors is not None:
        known = {name: value for name, value in factors.items() if name != "price"}  # older rows have it
        factors = Factors(**(known | {"window": _hours_from(factors["window"])}))
    return Decision(
        id=id,
        at=moment(at),
        breakpoint=breakpoint,
        action=action,
        opportunity_id=opportunity_id,
        factors=factors,
        features=tuple(found["features"]),
        held=tuple(
            Held(by=by, opportunity_id=opportunity, rule_id=rule, until=optional_moment(until))
            for by, opportunity, rule, until in found["held"]
        ),
    )


SUGGESTION = (
    "suggestion.id, suggestion.opportunity_id, suggestion.decision_id, suggestion.topic, suggestion.channel, "
    "suggestion.claimed_at, suggestion.text, suggestion.made_by, suggestion.state, suggestion.answer, "
    "suggestion.reason, suggestion.answered_at"
)
SUGGESTION_WIDTH = 12


def suggestion_from(row: tuple[Any, ...]) -> Suggestion:
    id, opportunity_id, decision_id, topic, channel, claimed_at, text, made_by, state, answer, reason, answered = row
    return Suggestion(
        id=id,
        opportunity_id=OpportunityId(opportunity_id or ""),
        decision_id=decision_id,
        topic=topic,
        channel=channel,
        claimed_at=moment(claimed_at),
        text=text,
        made_by=made_by,
        state=state,
        answer=answer,
        reason=reason,
        answered_at=optional_moment(answered),
    )
