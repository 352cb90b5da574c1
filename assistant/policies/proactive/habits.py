"""When a user is usually there: a profile of the day, smoothed round the clock, from moments they wrote or answered at.
Pure.

A Gaussian kernel of one hour goes over counts of half hours, and a little of the mean goes to every half hour, so that
few moments say little. Weekdays and weekends share one profile: with moments of four weeks, two would be two halves.
"""

import math
from collections.abc import Iterable
from datetime import date, datetime
from typing import Final

from assistant.policies.proactive.situation import is_within
from assistant.policies.when.zones import to_local
from memory.suggestions import Settings

SLOTS: Final = 48
_SHRINK: Final = 0.5  # moments a half hour
_MOST: Final = 1.0
_RAW: Final = tuple(math.exp(-((min(step, SLOTS - step) / 2) ** 2) / 2) for step in range(SLOTS))
_KERNEL: Final = tuple(value / sum(_RAW) for value in _RAW)


def usual_hours(moments: Iterable[datetime], zone: str, settings: Settings) -> tuple[float, ...]:
    """For each half hour of the day the logarithm of how much more often the user is there than on average outside of
    the quiet hours, -1..1; () where nothing is known. Several moments of one half hour count once."""
    counts = [0.0] * SLOTS
    for _, slot in half_hours(moments, zone):
        counts[slot] += 1
    total = sum(counts)
    if not total:
        return ()
    awake = sum(settings.quiet is None or not is_within(slot * 30, settings.quiet) for slot in range(SLOTS))
    mean = total / max(1, awake)
    smooth = (sum(counts[(slot + away) % SLOTS] * _KERNEL[away] for away in range(SLOTS)) for slot in range(SLOTS))
    return tuple(max(-_MOST, min(_MOST, math.log((value + _SHRINK) / (mean + _SHRINK)))) for value in smooth)


def half_hours(moments: Iterable[datetime], zone: str) -> frozenset[tuple[date, int]]:
    """Days and half hours (0..47) in which there was any of the moments."""
    local = (to_local(at, zone) for at in moments)
    return frozenset((at.date(), at.hour * 2 + at.minute // 30) for at in local)
