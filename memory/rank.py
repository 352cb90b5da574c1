"""Which items matter for a question, and why. Pure: a weighted sum of a few parts, each of which can be shown.

A closed table of weights, fixed in advance; equal-weight rank fusion is worse than its better leg on preferences as on
conversations, because the legs are of unequal use (docs/memory-format.md has the measurements). "Nothing applies" is a
legal answer: an item below the threshold is never shown, and the threshold rises for small talk and general knowledge.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.keys import subject_key
from memory.preferences import Domain, Preference, PreferenceId, Scope, ScopeType
from memory.selection import in_scope
from memory.slots import slot
from memory.upkeep import confidence_at
from memory.words import stems_of

MOST_ITEMS = 6

PartName = Literal["meaning", "domain", "words", "scope", "strength", "confidence", "recency", "condition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each part, scaled to 0..1, adds. The first four say whether an item is relevant at all."""

    meaning: float
    domain: float
    words: float
    scope: float = 0.10
    strength: float = 0.08
    confidence: float = 0.07
    recency: float = 0.05
    condition_unmet: float = -0.30
    threshold: float  # relevance an item needs
    threshold_small_talk: float  # added to it, times the share of "other" in the route


WITH_VECTORS = Weights(meaning=0.55, domain=0.30, words=0.15, threshold=0.11, threshold_small_talk=1.00)
WORDS_ONLY = Weights(meaning=0.0, domain=0.45, words=0.55, threshold=0.08, threshold_small_talk=0.40)

BM25_HALF = 4.0  # bm25 at which the words part is half its weight
RECENT_HALF_LIFE = timedelta(days=90)
ROUTED = 0.20  # share from which a domain counts as what the question is about
NARROWNESS: dict[ScopeType, int] = {"session": 5, "project": 4, "person": 3, "domain": 2, "until": 1, "global": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Nominee:
    """An item that full text or the vectors came up with. `cosine` -1..1, None without a vector; `bm25` from 0."""

    preference: Preference
    cosine: float | None = None
    bm25: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, as far as ranking needs to know. `route` gives each domain its share; empty: unknown."""

    text: str
    route: Mapping[Domain, float]
    at: datetime
    scopes: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: PartName
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """An item that may matter for a question. `score` is the sum of `parts`, clipped to 0..1; `reason` in words."""

    preference: Preference
    score: float
    reason: str
    parts: tuple[Part, ...] = ()


def rank(nominees: Iterable[Nominee], question: Question, *, limit: int = MOST_ITEMS) -> tuple[Recollection, ...]:
    """The items that apply, best first, `limit` at most; of two that disagree only the narrower.

    An item whose vector is not there yet is weighed by its words and domain.
    """
    asked = stems_of(question.text)
    routed = tuple(domain for domain, share in question.route.items() if share >= ROUTED)
    scopes = (*question.scopes, *(Scope(type="domain", value=domain) for domain in routed))
    scored: list[Recollection] = []
    for nominee in nominees:
        preference = nominee.preference
        if not preference.holds_at(question.at) or not in_scope(preference, scopes):
            continue
        weights = WORDS_ONLY if nominee.cosine is None else WITH_VECTORS
        parts = _parts(nominee, question, asked, routed, weights)
        if _relevance(parts) >= weights.threshold + weights.threshold_small_talk * question.route.get("other", 0.0):
            scored.append(_recollection(preference, parts, question))
    scored.sort(key=lambda one: (-one.score, one.preference.id))
    return tuple(_narrowest(scored))[:limit]


def _parts(
    nominee: Nominee, question: Question, asked: frozenset[str], routed: Collection[str], weights: Weights
) -> tuple[Part, ...]:
    preference = nominee.preference
    scoped = preference.scope.type not in ("global", "until")
    age = max(question.at - (preference.last_reinforced_at or preference.recorded_at), timedelta())
    unmet = bool(preference.condition) and not _met(preference.condition, asked, routed)
    values: tuple[tuple[PartName, float], ...] = (
        ("meaning", weights.meaning * max(nominee.cosine or 0.0, 0.0)),
        ("domain", weights.domain * question.route.get(preference.domain, 0.0)),
        ("words", weights.words * nominee.bm25 / (nominee.bm25 + BM25_HALF) if nominee.bm25 > 0 else 0.0),
        ("scope", weights.scope if scoped else 0.0),
        ("strength", weights.strength * preference.strength / 4),
        ("confidence", weights.confidence * confidence_at(preference, question.at)),
        ("recency", weights.recency * float(0.5 ** (age / RECENT_HALF_LIFE))),
        ("condition", weights.condition_unmet if unmet else 0.0),
    )
    return tuple(Part(name=name, value=value) for name, value in values if value)


def _met(condition: str, asked: frozenset[str], routed: Collection[str]) -> bool:
    """A word of the condition is asked about, or the domain it names is."""
    wanted = stems_of(condition)
    return bool(wanted & asked) or any(wanted & stems_of(domain.replace("_", " ")) for domain in routed)


def _relevance(parts: Sequence[Part]) -> float:
    return sum(part.value for part in parts if part.name in ("meaning", "domain", "words", "scope", "condition"))


def _recollection(preference: Preference, parts: tuple[Part, ...], question: Question) -> Recollection:
    score = min(max(sum(part.value for part in parts), 0.0), 1.0)
    return Recollection(preference=preference, score=score, reason=_reason(preference, parts, question), parts=parts)


def _reason(preference: Preference, parts: Sequence[Part], question: Question) -> str:
    """The strongest cause, then what else speaks for it."""
    value = {part.name: part.value for part in parts}
    shared = sorted(stems_of(f"{preference.statement} {preference.object}") & stems_of(question.text))
    causes: dict[PartName, str] = {
        "meaning": "close in meaning",
        "domain": f"you are asking about {preference.domain.replace('_', ' ')}",
        "words": f"shares the word “{shared[0]}”" if shared else "shares words",
        "scope": f"holds in {preference.scope.value}" if preference.scope.value else "holds here",
    }
    found = sorted((name for name in causes if value.get(name, 0.0) > 0.02), key=lambda name: -value[name])
    return "; ".join(causes[name] for name in found) or "may matter here"


def _narrowest(scored: Sequence[Recollection]) -> Iterable[Recollection]:
    """Of items about the same thing only the most particular: with a condition, in the narrowest scope."""
    best: dict[tuple[str, str], Recollection] = {}
    for one in scored:
        key = _same_thing(one.preference)
        if key not in best or _narrowness(one.preference) > _narrowness(best[key].preference):
            best[key] = one
    kept: set[PreferenceId] = {one.preference.id for one in best.values()}
    return (one for one in scored if one.preference.id in kept)


def _same_thing(preference: Preference) -> tuple[str, str]:
    """A wanted value of a single-valued slot excludes the other values; anything else only the same subject."""
    if slot(preference.slot).cardinality == "single" and preference.polarity >= 0:
        return (preference.slot, "")
    return (preference.slot, subject_key(preference))


def _narrowness(preference: Preference) -> tuple[int, bool]:
    return (NARROWNESS[preference.scope.type], bool(preference.condition))
