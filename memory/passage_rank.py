"""Which passages answer a question: words and meaning weighed together (pure).

Full text finds names, numbers and rare words, vectors find paraphrases. Each side is put on a scale of 0 to 1 and the
two are added with fixed weights (convex combination; Bruch et al. 2023, "An Analysis of Fusion Functions for Hybrid
Retrieval", arXiv 2210.11934). What neither side supports is no answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.documents import PassageId
from memory.words import stem, words_of

WORDS_WEIGHT = 0.2  # 24 questions about our own docs: right first 17 times, with 0.4 12, with 0 19 (docs/documents.md)
LEAST_COSINE = 0.30  # below this a passage is about something else
LEAST_SHARE = 0.5  # of the question's words, where meaning does not speak for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`bm25`: greater is better, 0 where words did not find it."""

    bm25: float = 0.0
    cosine: float | None = None
    share: float = 0.0


def share_of(question: str, text: str) -> float:
    """Which share of the question's words the text has, by their stems."""
    wanted = {stem(word) for word in words_of(question)}
    if not wanted:
        return 0.0
    return len(wanted & {stem(word) for word in words_of(text, most=5_000)}) / len(wanted)


def ranked(found: Mapping[PassageId, Evidence], limit: int) -> tuple[tuple[PassageId, float], ...]:
    """Best first with their scores; those that nothing supports are left out."""
    best = max((one.bm25 for one in found.values()), default=0.0)
    scores: list[tuple[PassageId, float]] = []
    for id, one in found.items():
        if not _supported(one):
            continue
        by_words = one.bm25 / best if best > 0 else 0.0
        by_meaning = max(one.cosine, 0.0) if one.cosine is not None else by_words
        scores.append((id, WORDS_WEIGHT * by_words * one.share**0.5 + (1 - WORDS_WEIGHT) * by_meaning))
    scores.sort(key=lambda pair: (-pair[1], pair[0]))
    return tuple(scores[:limit])


def _supported(one: Evidence) -> bool:
    return one.share >= LEAST_SHARE or (one.cosine is not None and one.cosine >= LEAST_COSINE)
