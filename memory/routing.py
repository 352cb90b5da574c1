"""Which domains a question is about: by meaning where there is an embedder, else by words.

The score of a domain is the mean cosine to the three nearest of its exemplars; a softmax turns scores into shares that
sum to 1. Routing before ranking does more for "which preference applies" than anything else (docs/memory-format.md).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memory.domain_exemplars import EXEMPLARS
from memory.preferences import Domain
from memory.words import stem, stems_of, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAREST = 3
TEMPERATURE = 0.05
WORD_TEMPERATURE = 0.5
DOMAINS: tuple[Domain, ...] = tuple(EXEMPLARS)
PHRASES: tuple[str, ...] = tuple(phrase for phrases in EXEMPLARS.values() for phrase in phrases)
NOWHERE: Mapping[Domain, float] = {"other": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Router:
    """`vectors` are those of PHRASES, in their order, each of length 1: shape (len(PHRASES), dimensions)."""

    vectors: "NDArray[np.float32]"

    def route(self, question: "NDArray[np.float32]") -> Mapping[Domain, float]:
        """Shares by meaning. `question` has length 1, or is all zeros for a text without words: then "other"."""
        if not question.any():
            return NOWHERE
        cosines = self.vectors @ question
        scores, start = [], 0
        for domain in DOMAINS:
            stop = start + len(EXEMPLARS[domain])
            nearest = sorted((float(value) for value in cosines[start:stop]), reverse=True)[:NEAREST]
            scores.append(sum(nearest) / len(nearest))
            start = stop
        return _shares(scores, TEMPERATURE)


def route_by_words(text: str) -> Mapping[Domain, float]:
    """Shares by the words of the exemplars, rarer ones counting more; empty when none of them is known."""
    asked = {stem(word) for word in words_of(text)}
    spread = _spread()
    known = asked & spread.keys()
    if not known:
        return {}
    scores = [
        sum(math.log(1 + len(DOMAINS) / spread[word]) for word in known & vocabulary) for vocabulary in _vocabularies()
    ]
    return _shares(scores, WORD_TEMPERATURE)


def _shares(scores: list[float], temperature: float) -> Mapping[Domain, float]:
    top = max(scores)
    powers = [math.exp((score - top) / temperature) for score in scores]
    total = sum(powers)
    return {domain: power / total for domain, power in zip(DOMAINS, powers, strict=True)}


@cache
def _vocabularies() -> tuple[frozenset[str], ...]:
    return tuple(stems_of(" ".join((domain, *EXEMPLARS[domain]))) for domain in DOMAINS)


@cache
def _spread() -> Mapping[str, int]:
    """In how many domains a word occurs."""
    counts: dict[str, int] = {}
    for vocabulary in _vocabularies():
        for word in vocabulary:
            counts[word] = counts.get(word, 0) + 1
    return counts
