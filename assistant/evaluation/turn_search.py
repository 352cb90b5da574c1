"""Finding the turn of a long conversation that answers a question: words and meaning, fused by fixed weights.

BM25 (Robertson and Zaragoza 2009) over each turn and over a window of one turn to either side, and cosines of the same;
scaled to 0..1 for each question and summed. The weights were fixed before any run; see docs/evaluation.md.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.text import folded
from memory.words import STOP_WORDS, WORD, stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Embed = Callable[[Sequence[str]], Vectors]

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each part, scaled to 0..1 within a question, adds."""

    words: float = 0.35
    words_near: float = 0.35
    meaning: float = 0.15
    meaning_near: float = 0.15


HYBRID = Weights()
WORDS_ONLY = Weights(words=0.5, words_near=0.5, meaning=0.0, meaning_near=0.0)


class Bm25:
    """Over a fixed set of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(_terms(text)) for text in texts]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / max(len(texts), 1) or 1.0
        spread = Counter(term for counts in self._counts for term in counts)
        total = len(texts)
        self._idf = {term: math.log(1 + (total - number + 0.5) / (number + 0.5)) for term, number in spread.items()}

    def scores(self, question: str) -> list[float]:
        terms = [term for term in set(_terms(question)) if term in self._idf]
        return [self._score(terms, at) for at in range(len(self._counts))]

    def _score(self, terms: Iterable[str], at: int) -> float:
        counts, length = self._counts[at], self._lengths[at]
        total = 0.0
        for term in terms:
            number = counts.get(term, 0)
            if number:
                scale = number + K1 * (1 - B + B * length / self._mean)
                total += self._idf[term] * number * (K1 + 1) / scale
        return total


class TurnSearch:
    """`embed` None: by words alone. Blocks while it embeds the turns."""

    def __init__(self, texts: Sequence[str], sessions: Sequence[int], embed: "Embed | None") -> None:
        self._texts = tuple(texts)
        near = [_near(texts, sessions, at) for at in range(len(texts))]
        self._words, self._words_near = Bm25(texts), Bm25(near)
        self._embed = embed
        self._vectors = None if embed is None else (embed(list(texts)), embed(near))

    def ranked(self, question: str) -> list[int]:
        """Places of turns, best first."""
        weights = WORDS_ONLY if self._vectors is None else HYBRID
        alone, near = _scaled(self._words.scores(question)), _scaled(self._words_near.scores(question))
        totals = [weights.words * one + weights.words_near * two for one, two in zip(alone, near, strict=True)]
        if self._vectors is not None and self._embed is not None:
            asked = self._embed([question])[0]
            for weight, vectors in zip((weights.meaning, weights.meaning_near), self._vectors, strict=True):
                cosines = _scaled([float(value) for value in vectors @ asked])
                totals = [total + weight * value for total, value in zip(totals, cosines, strict=True)]
        return sorted(range(len(totals)), key=lambda at: (-totals[at], at))


def _near(texts: Sequence[str], sessions: Sequence[int], at: int) -> str:
    """The turn with its neighbours of the same session."""
    around = range(max(at - 1, 0), min(at + 2, len(texts)))
    return "\n".join(texts[other] for other in around if sessions[other] == sessions[at])


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _terms(text: str) -> list[str]:
    return [stem(word) for word in WORD.findall(folded(text)) if word not in STOP_WORDS]
