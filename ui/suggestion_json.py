"""Suggestions, previews, rules and settings as JSON (docs/formats.md)."""

from datetime import datetime, time, timedelta
from typing import Any

from assistant.proactive_types import HoursQuestion, Preview, State, Why
from memory.suggestions import Decision, Evidence, Factors, Held, Hours, Opportunity, Rule, Settings, Told


def told_value(told: Told) -> dict[str, Any]:
    one, suggestion = told.opportunity, told.suggestion
    return {
        "id": suggestion.id,
        "text": suggestion.text,
        "made_by": suggestion.made_by,
        "topic": suggestion.topic,
        "channel": suggestion.channel,
        "state": suggestion.state,
        "came_at": _at(suggestion.claimed_at),
        "answer": suggestion.answer,
        "reason": suggestion.reason or None,
        "answered_at": _at(suggestion.answered_at),
        "about": opportunity_value(one),
    }


def opportunity_value(one: Opportunity) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "topic": one.topic,
        "subject": one.subject,
        "evidence": [evidence_value(each) for each in one.evidence],
        "opens_at": _at(one.opens_at),
        "closes_at": _at(one.closes_at),
        "deadline": _at(one.deadline),
    }


def evidence_value(one: Evidence) -> dict[str, Any]:
    return {"source": one.source, "ref": one.ref, "quote": one.quote, "at": _at(one.at)}


def decision_value(one: Decision) -> dict[str, Any]:
    return {
        "at": _at(one.at),
        "moment": one.breakpoint,
        "action": one.action,
        "about": one.opportunity_id,
        "factors": None if one.factors is None else factors_value(one.factors),
        "held": [held_value(each) for each in one.held],
    }


def factors_value(one: Factors) -> dict[str, Any]:
    numbers = {
        name: round(getattr(one, name), 4)
        for name in (
            "need",
            "acceptance",
            "time_fit",
            "topic_mean",
            "freshness",
            "dosage",
            "threshold",
            "speak",
            "inbox",
            "wait",
            "ask",
        )
    }
    return {
        **numbers,
        "window": _hours(one.window),
        "spoken_today": one.spoken_today,
        "most_today": one.most_today,
        "good": one.good,
        "rated": one.rated,
    }


def held_value(one: Held) -> dict[str, Any]:
    return {"by": one.by, "about": one.opportunity_id, "rule": one.rule_id, "until": _at(one.until)}


def preview_value(one: Preview) -> dict[str, Any]:
    return {
        "at": _at(one.at),
        "would_say": [
            {"text": draft, "about": opportunity_value(each)}
            for each, draft in zip(one.would_say, one.drafts, strict=True)
        ],
        "to_inbox": [opportunity_value(each) for each in one.to_inbox],
        "decision": decision_value(one.decision),
        "considered": [opportunity_value(each) for each in one.considered],
    }


def why_value(one: Why) -> dict[str, Any]:
    return {
        "suggestion": told_value(one.told),
        "decision": decision_value(one.told.decision),
        "hangs_on": one.counterfactual or None,
    }


def rule_value(one: Rule) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "said": one.said,
        "at": _at(one.at),
        "state": one.state,
        "start": _clock(one.start),
        "stop": _clock(one.stop),
        "number": one.number,
        "minutes": _minutes(one.span),
        "topic": one.topic or None,
        "days": list(one.days),
        "until": _at(one.until),
    }


def settings_value(one: Settings) -> dict[str, Any]:
    return {
        "on": one.on,
        "asked": one.asked,
        "windows": [_hours(each) for each in one.windows],
        "quiet": _hours(one.quiet),
        "most_a_day": one.most_a_day,
        "gap_minutes": _minutes(one.gap),
        "topics": list(one.topics),
        "muted": list(one.muted),
        "morning": _clock(one.morning),
        "evening": _clock(one.evening),
    }


def state_value(one: State) -> dict[str, Any]:
    learned = one.posteriors
    return {
        "settings": settings_value(one.settings),
        "rules": [rule_value(each) for each in one.rules],
        "spoken_today": one.spoken_today,
        "most_today": one.most_today,
        "asks": None if one.asks is None else asks_value(one.asks),
        "learned": {
            "rated": learned.rated,
            "gap_factor": round(learned.gap_factor, 3),
            "fewer_until": _at(learned.fewer_until),
            "topics": [
                {"topic": each.topic, "welcome": round(each.mean, 3), "good": each.good, "rated": each.rated}
                for each in sorted(learned.topics, key=lambda each: each.topic)
            ],
            "hours": [round(each, 3) for each in one.hours],
        },
    }


def asks_value(one: HoursQuestion) -> dict[str, Any]:
    return {
        "windows": [_hours(each) for each in one.windows],
        "bad": one.bad,
    }


def _at(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _clock(at: time | None) -> str | None:
    return None if at is None else f"{at:%H:%M}"


def _hours(hours: Hours | None) -> list[str] | None:
    return None if hours is None else [f"{hours.start:%H:%M}", f"{hours.stop:%H:%M}"]


def _minutes(span: timedelta | None) -> int | None:
    return None if span is None else round(span / timedelta(minutes=1))
