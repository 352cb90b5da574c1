"""Scores of ranked answers against the relevant ones. Pure."""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def any_at(ranked: Sequence[T], relevant: Collection[T], k: int) -> float:
    """1.0 when one of the relevant is among the first `k`, else 0.0."""
    return float(any(one in relevant for one in ranked[:k]))


def ndcg_at(ranked: Sequence[T], relevant: Collection[T], k: int) -> float:
    """Normalised discounted cumulative gain with gains 0 and 1 (Jaervelin and Kekaelaeinen 2002), 0..1."""
    if not relevant:
        return 0.0
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(ranked[:k]) if one in relevant)
    best = sum(1 / math.log2(place + 2) for place in range(min(k, len(relevant))))
    return gain / best


def mean(values: Iterable[float]) -> float:
    """0.0 of nothing."""
    known = tuple(values)
    return sum(known) / len(known) if known else 0.0
