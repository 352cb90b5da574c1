"""Does the right memory, or the right turn, come back for a question? Drives what the chat uses, without a model."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assistant.evaluation.fixtures import Applies
from assistant.evaluation.reading import Talk
from assistant.evaluation.results import Measure, Suite
from assistant.evaluation.scoring import any_at, mean, ndcg_at
from assistant.evaluation.turn_search import TurnSearch
from memory.preferences import Candidate, Evidence, Polarity
from memory.slots import slots_of

if TYPE_CHECKING:
    from assistant.evaluation.turn_search import Embed

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BARS = {40: 0.95, 100: 0.86}

Recalled = Callable[[str], Awaitable[Sequence[str]]]  # a question, and the statements that come back, best first
Filled = Callable[[Sequence[Candidate]], AbstractAsyncContextManager[Recalled]]  # a user who has said these


async def retrieving(
    asked: Sequence[Applies],
    others: Sequence[Applies],
    small_talk: Sequence[str],
    filled: Filled,
    *,
    name: str,
    sizes: Sequence[int] = (40, 100),
    users: int = 4,
    seed: int = 11,
) -> Suite:
    """Users with so many memories each; those asked about first, filled up with others. The same for the same seed."""
    measures: list[Measure] = []
    misses: list[str] = []
    for size in sizes:
        chance = random.Random(seed)
        ranks: list[tuple[Sequence[str], str]] = []
        shown: list[int] = []
        for _ in range(users):
            store, chosen = _user(asked, others, size, chance)
            async with filled([_candidate(one, number) for number, one in enumerate(store, start=1)]) as recall:
                ranks += [(await recall(one.question), one.preference) for one in chosen]
                shown += [len(await recall(text)) for text in small_talk]
        measures += _measures(len(store), ranks, shown, BARS.get(size))
        misses += [f"{size} stored: {wanted}" for found, wanted in ranks if wanted not in found[:5]][:20]
    return Suite(
        name=name,
        about="which stored memory applies to a question, and whether small talk brings nothing",
        measures=tuple(measures),
        misses=tuple(dict.fromkeys(misses)),
    )


def _user(
    asked: Sequence[Applies], others: Sequence[Applies], size: int, chance: random.Random
) -> tuple[list[Applies], list[Applies]]:
    chosen = chance.sample(list(asked), min(size, len(asked)))
    filler = chance.sample(list(others), min(size - len(chosen), len(others)))
    return [*chosen, *filler], chosen


def _measures(
    size: int, ranks: Sequence[tuple[Sequence[str], str]], shown: Sequence[int], bar: float | None
) -> tuple[Measure, ...]:
    of = len(ranks)
    found = (
        Measure(name=f"any@1, {size} stored", value=mean(any_at(ids, (wanted,), 1) for ids, wanted in ranks), of=of),
        Measure(
            name=f"any@5, {size} stored", value=mean(any_at(ids, (wanted,), 5) for ids, wanted in ranks), of=of, bar=bar
        ),
        Measure(name=f"NDCG@5, {size} stored", value=mean(ndcg_at(ids, (wanted,), 5) for ids, wanted in ranks), of=of),
    )
    if not shown:
        return found
    nothing = mean(float(number == 0) for number in shown)
    return (*found, Measure(name=f"small talk brings nothing, {size} stored", value=nothing, of=len(shown)))


def _candidate(one: Applies, number: int) -> Candidate:
    """Without an object: ranking has to work with the words alone. A slot that takes any number of wishes."""
    row = next(row for row in slots_of(one.domain) if row.cardinality == "multi")
    polarity: Polarity = one.polarity
    return Candidate(
        statement=one.preference[:300],
        kind=row.kind,
        domain=one.domain,
        slot=row.name,
        source="explicit",
        evidence=Evidence(quote=one.preference[:300], at=AT, stop=min(len(one.preference), 300)),
        polarity=polarity,
        extractor=f"evaluation {number}",
    )


def searching(talks: Sequence[Talk], embed: "Embed | None") -> Suite:
    """LoCoMo: is one of the turns, or of the sessions, that answer a question among the first?"""
    turns: list[tuple[list[str], frozenset[str]]] = []
    sessions: list[tuple[list[str], frozenset[str]]] = []
    for talk in talks:
        search = TurnSearch([turn.text for turn in talk.turns], [turn.session for turn in talk.turns], embed)
        session_of = {turn.id: f"S{turn.session}" for turn in talk.turns}
        for asked in talk.asked:
            found = [talk.turns[at].id for at in search.ranked(asked.question)]
            turns.append((found[:10], asked.evidence))
            in_order = list(dict.fromkeys(session_of[id] for id in found))
            sessions.append((in_order[:10], frozenset(session_of[id] for id in asked.evidence)))
    of = len(turns)
    return Suite(
        name="locomo",
        about=f"evidence turns and sessions, {'words and meaning' if embed else 'words alone'}",
        measures=(
            Measure(name="session any@10", value=mean(any_at(*one, 10) for one in sessions), of=of, bar=0.96),
            Measure(name="session NDCG@5", value=mean(ndcg_at(*one, 5) for one in sessions), of=of, bar=0.79),
            Measure(name="turn any@1", value=mean(any_at(*one, 1) for one in turns), of=of),
            Measure(name="turn any@10", value=mean(any_at(*one, 10) for one in turns), of=of, bar=0.75),
            Measure(name="turn NDCG@10", value=mean(ndcg_at(*one, 10) for one in turns), of=of),
        ),
    )
