"""The vector that the time model sees of a moment: 13 numbers, each about 0..1. Pure.

It holds what moved an estimate in simulated lives (docs/evaluation.md); that a weekend, a long session or many messages
of late make a moment worse was there once, was worth nothing, and is gone.
"""

import math
from datetime import datetime
from typing import Final

from assistant.policies.proactive.mask import window_at
from assistant.policies.proactive.situation import Situation, edge_distance, minute_of
from assistant.policies.when.zones import to_local

CENTRES: Final = (7.0, 10.0, 13.0, 16.0, 19.0, 22.0)  # hours of the day
NAMES: Final = (
    "bias", "inside", "depth", *(f"around_{hour:.0f}" for hour in CENTRES), "woken", "late", "busy", "usual",
)  # fmt: skip
SIZE: Final = len(NAMES)
_BUSY_LATER: Final = 0.2  # nobody knows what the user will be doing
_AROUND: Final = tuple(  # a Gaussian of 1.5 h about each centre, the short way round the clock; every ten minutes
    tuple(math.exp(-(min(abs(step / 6 - at), 24 - abs(step / 6 - at)) ** 2) / (2 * 1.5**2)) for at in CENTRES)
    for step in range(144)
)


def features(situation: Situation) -> tuple[float, ...]:
    """Of the moment itself."""
    return _vector(situation, minute_of(situation.local), situation.busy)


def features_at(situation: Situation, at: datetime) -> tuple[float, ...]:
    """Of a later moment, as far as it can be known."""
    return _vector(situation, minute_of(to_local(at, situation.zone)), _BUSY_LATER)


def _vector(situation: Situation, minute: int, busy: float) -> tuple[float, ...]:
    """`woken`: an hour after the quiet hours; `late`: three hours before them. `usual`: how far the user is there at
    this time of day more often than at others, where no windows say it better."""
    settings = situation.settings
    window = window_at(settings, minute)
    inside = 0.0 if window is None else 1.0
    depth = 0.0 if window is None else min(1.0, edge_distance(minute, window) / 45)
    woken = late = 0.0
    if settings.quiet is not None:
        woken = _bump((minute - minute_of(settings.quiet.stop)) % 1440, 60, 48)
        late = _bump((minute_of(settings.quiet.start) - minute) % 1440, 180, 90)
    usual = situation.usual[minute // 30] if situation.usual and not settings.windows else 0.0
    return (1.0, inside, depth, *_AROUND[minute // 10], woken, late, busy, usual)


def _bump(minute: int, centre: int, width: int) -> float:
    return math.exp(-((minute - centre) ** 2) / (2 * width**2))
