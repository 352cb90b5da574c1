"""What goes into a digest: few things, the most useful first, one question at most. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from assistant.policies.proactive.decide import freshness
from assistant.policies.proactive.learning import topic_of
from assistant.policies.proactive.mask import muted_topics, opportunity_held
from assistant.policies.proactive.situation import Situation, minute_of
from assistant.policies.when.zones import to_local
from memory.suggestions import Opportunity

MOST: Final = 5
_LASTS: Final = timedelta(hours=4)  # a digest that nobody could be given in that time is left out


def due_digest(situation: Situation, given: str) -> Literal["morning", "evening"] | None:
    """Which digest its time has come for. `given`: what was given last, as `digest_mark` writes it."""
    settings = situation.settings
    if not settings.on:
        return None
    minute, lasts = minute_of(situation.local), int(_LASTS / timedelta(minutes=1))
    for which, at in (("evening", settings.evening), ("morning", settings.morning)):
        if at is not None and minute_of(at) <= minute < minute_of(at) + lasts:
            chosen: Literal["morning", "evening"] = "evening" if which == "evening" else "morning"
            return None if given == digest_mark(chosen, situation.now, situation.zone) else chosen
    return None


def digest_mark(which: str, now: datetime, zone: str) -> str:
    return f"{which} {to_local(now, zone).date()}"


def choose_for_digest(
    situation: Situation, opportunities: Sequence[Opportunity], most: int = MOST
) -> tuple[Opportunity, ...]:
    """By need, value and how welcome the topic is; what closes today first among equals. Mutes hold here as well."""
    muted = muted_topics(situation)
    able = [one for one in opportunities if opportunity_held(one, situation, muted) is None]
    able.sort(key=lambda one: (-worth(situation, one), one.closes_at, one.id))
    chosen: list[Opportunity] = []
    asked = False
    for one in able:
        if one.kind == "ask_ahead" and asked:
            continue
        asked = asked or one.kind == "ask_ahead"
        chosen.append(one)
        if len(chosen) == most:
            break
    return tuple(chosen)


def worth(situation: Situation, one: Opportunity) -> float:
    """Of reading it, where the moment costs nothing."""
    topic = topic_of(situation.learned, one.topic, situation.settings)
    soon = 1.2 if one.closes_at <= situation.day_ends else 1.0
    return one.need * one.value * topic.mean * freshness(situation, one.topic) * soon
