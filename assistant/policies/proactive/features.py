"""The vector that the time model sees of a moment: 20 numbers, each about 0..1. Pure."""

import math
from datetime import datetime, timedelta
from typing import Final

from assistant.policies.proactive.mask import window_at
from assistant.policies.proactive.situation import Situation, edge_distance, minute_of
from assistant.policies.when.zones import to_local

CENTRES: Final = (7.0, 10.0, 13.0, 16.0, 19.0, 22.0)  # hours of the day, Gaussian of width 1.5 h
NAMES: Final = (
    "bias", "inside", "depth", *(f"around_{hour:.0f}" for hour in CENTRES), "weekend", "start", "return", "read",
    "idle", "session", "busy", "gap", "dosage", "today", "sign",
)  # fmt: skip
SIZE: Final = len(NAMES)
_HOUR: Final = timedelta(hours=1)
_WELCOME: Final = {"useful": 1.0, "acted": 1.0, "not": -1.0, "dismissed": -1.0}


def features(situation: Situation) -> tuple[float, ...]:
    """Of the moment itself."""
    local = situation.local
    return _vector(situation, minute_of(local), local.weekday(), situation.now, _about_now(situation))


def features_at(situation: Situation, at: datetime) -> tuple[float, ...]:
    """Of a later moment, as far as it can be known: nobody knows then what the user will be doing."""
    local = to_local(at, situation.zone)
    return _vector(situation, minute_of(local), local.weekday(), at, (0.0, 0.0, 0.0, 0.0, 0.0, 0.2))


def _about_now(situation: Situation) -> tuple[float, ...]:
    idle, session = 0.0, 0.0
    if situation.last_input_at is not None:
        minutes = max(0.0, (situation.now - situation.last_input_at) / timedelta(minutes=1))
        idle = min(1.0, math.log1p(minutes) / math.log1p(240))
    if situation.session_began_at is not None:
        session = min(1.0, max(0.0, (situation.now - situation.session_began_at) / (3 * _HOUR)))
    kinds = (float(situation.breakpoint == kind) for kind in ("start", "return", "read"))
    return (*kinds, idle, session, situation.busy)


def _vector(
    situation: Situation, minute: int, weekday: int, at: datetime, about: tuple[float, ...]
) -> tuple[float, ...]:
    window = window_at(situation.settings, minute)
    inside = 0.0 if window is None else 1.0
    depth = 0.0 if window is None else min(1.0, edge_distance(minute, window) / 45)
    last = situation.last_spoken_at
    gap = 1.0 if last is None else min(1.0, max(0.0, (at - last) / (12 * _HOUR)))
    answers = (_WELCOME.get(one.answer or "", 0.0) for one in situation.spoken)
    sign = next((answer for answer in answers if answer), 0.0)
    around = (math.exp(-(_apart(minute / 60, centre) ** 2) / (2 * 1.5**2)) for centre in CENTRES)
    *first, idle, session, busy = about
    return (
        1.0,
        inside,
        depth,
        *around,
        float(weekday >= 5),
        *first,
        idle,
        session,
        busy,
        gap,
        min(1.0, situation.dosage / 6),
        min(1.0, len(situation.today) / 5),
        sign,
    )


def _apart(first: float, second: float) -> float:
    """Hours between two hours of the day, the short way round."""
    away = abs(first - second) % 24
    return min(away, 24 - away)
