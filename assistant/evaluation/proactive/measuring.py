"""From lives to numbers, with intervals over personas: people differ more than seeds do. Pure.

Each number is first taken per persona (all seeds together) and then averaged; the interval is the 95 % percentile
bootstrap over personas. Differences between two policies are paired by persona.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.evaluation.proactive.living import Life, Said

RESAMPLED = 2_000
_FEWER = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Days [first, stop) that are counted."""

    first: int = 0
    stop: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """`by_persona`: None for those where there was nothing to measure."""

    mean: float
    low: float
    high: float
    by_persona: tuple[float | None, ...]


Metric = Callable[[Sequence[Life], Span], float | None]


def _said(lives: Sequence[Life], span: Span) -> list[Said]:
    return [one for life in lives for one in life.said if span.first <= one.day < span.stop]


def _days(lives: Sequence[Life], span: Span) -> int:
    return sum(len(life.wanted[span.first : span.stop]) for life in lives)


def messages(lives: Sequence[Life], span: Span) -> float | None:
    """A day."""
    return len(_said(lives, span)) / max(1, _days(lives, span))


def off_wanted(lives: Sequence[Life], span: Span) -> float | None:
    """Messages a day more or fewer than wanted."""
    wanted = sum(sum(life.wanted[span.first : span.stop]) for life in lives)
    return abs(len(_said(lives, span)) - wanted) / max(1, _days(lives, span))


def precision(lives: Sequence[Life], span: Span) -> float | None:
    said = _said(lives, span)
    return sum(one.timing and one.frequency for one in said) / len(said) if said else None


def coverage(lives: Sequence[Life], span: Span) -> float | None:
    wanted = sum(sum(life.wanted[span.first : span.stop]) for life in lives)
    hits = sum(one.timing and one.frequency for one in _said(lives, span))
    return min(1.0, hits / wanted) if wanted else None


def timing_f1(lives: Sequence[Life], span: Span) -> float | None:
    right, found = precision(lives, span) or 0.0, coverage(lives, span) or 0.0
    return 2 * right * found / (right + found) if right + found else 0.0


def good(lives: Sequence[Life], span: Span) -> float | None:
    """Share of messages that score 3 of 4 or more."""
    said = _said(lives, span)
    return sum(one.score >= 3 for one in said) / len(said) if said else None


def full(lives: Sequence[Life], span: Span) -> float | None:
    said = _said(lives, span)
    return sum(one.score == 4 for one in said) / len(said) if said else None


def said_score(lives: Sequence[Life], span: Span) -> float | None:
    """Mean 0..4 of what was said."""
    said = _said(lives, span)
    return sum(one.score for one in said) / len(said) if said else None


def all_steps(lives: Sequence[Life], span: Span) -> float | None:
    """Mean 0..4 over every step, silence included; alone it rewards silence."""
    said = _said(lives, span)
    silent = [row for life in lives for row in life.silent[span.first : span.stop]]
    steps = len(said) + sum(count for _, count in silent)
    return (sum(one.score for one in said) + sum(total for total, _ in silent)) / steps if steps else None


def ratings(lives: Sequence[Life], span: Span) -> float | None:
    """Given in those days, for one life."""
    return sum(sum(life.ratings[span.first : span.stop]) for life in lives) / max(1, len(lives))


def violations(lives: Sequence[Life], span: Span) -> float | None:
    """Messages outside of waking hours, and days with more messages than stated."""
    asleep = sum(not life.persona.wake <= one.hour < life.persona.sleep for life in lives for one in life.said)
    return float(asleep + sum(life.over_stated for life in lives))


def calibration(groups: Sequence[Sequence[Life]], span: Span) -> tuple[float, int]:
    """Expected calibration error of acceptance in ten bins over everybody's messages, and how many there were."""
    said = (one for lives in groups for one in _said(lives, span))
    pairs = [(one.predicted, one.welcome) for one in said if one.predicted is not None]
    error = 0.0
    for place in range(10):
        found = [pair for pair in pairs if min(9, int(pair[0] * 10)) == place]
        error += abs(sum(predicted - welcome for predicted, welcome in found))
    return error / len(pairs) if pairs else 0.0, len(pairs)


def calibration_interval(groups: Sequence[Sequence[Life]], span: Span) -> tuple[float, float]:
    """95 % of the calibration error, bootstrap over personas."""
    chance = random.Random(1)
    errors = sorted(calibration(chance.choices(groups, k=len(groups)), span)[0] for _ in range(_FEWER))
    return errors[int(0.025 * _FEWER)], errors[int(0.975 * _FEWER)]


def calibration_floor(groups: Sequence[Sequence[Life]], span: Span) -> float:
    """The calibration error that exact predictions would show on so many messages, by chance alone."""
    chance = random.Random(1)
    predicted = [one.predicted for lives in groups for one in _said(lives, span) if one.predicted is not None]
    total = 0.0
    for _ in range(_FEWER):
        gaps = [0.0] * 10
        for each in predicted:
            gaps[min(9, int(each * 10))] += each - (chance.random() < each)
        total += sum(map(abs, gaps))
    return total / _FEWER / len(predicted) if predicted else 0.0


def asked(lives: Sequence[Life], span: Span) -> float | None:
    """Share of lives in which it was asked in those days whether the windows fit."""
    return sum(any(span.first <= day < span.stop for day in life.asked) for life in lives) / max(1, len(lives))


def estimate(groups: Sequence[Sequence[Life]], metric: Metric, span: Span) -> Estimate:
    """`groups`: the lives of one persona each."""
    return _interval(tuple(metric(lives, span) for lives in groups))


def difference(first: Estimate, second: Estimate) -> Estimate:
    """Of two policies over the same personas."""
    pairs = zip(first.by_persona, second.by_persona, strict=True)
    return _interval(tuple(None if a is None or b is None else a - b for a, b in pairs))


def _interval(values: tuple[float | None, ...]) -> Estimate:
    known = [value for value in values if value is not None]
    if not known:
        return Estimate(mean=0.0, low=0.0, high=0.0, by_persona=values)
    chance = random.Random(1)
    means = sorted(sum(chance.choices(known, k=len(known))) / len(known) for _ in range(RESAMPLED))
    return Estimate(
        mean=sum(known) / len(known),
        low=means[int(0.025 * RESAMPLED)],
        high=means[int(0.975 * RESAMPLED)],
        by_persona=values,
    )
