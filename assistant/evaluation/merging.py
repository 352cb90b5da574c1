"""Are two statements about one thing told apart, and does a chain of changes end in what holds now? Pure.

Update chains follow MemoryCode (Rakotonirina et al. 2025): instructions are added, changed and withdrawn over many
sessions; after each one the set of what is in force has to be exactly right, and no model judges it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from assistant.evaluation.fixtures import Pair, Side
from assistant.evaluation.results import Measure, Suite
from memory.changes import Add, Change, Reinforce, Supersede
from memory.preferences import Candidate, Evidence, Item, Polarity, PreferenceId
from memory.reconcile import reconcile
from memory.slots import slot
from memory.transitions import transition
from memory.types import MessageId, SessionId

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
EXPECTED: dict[str, type[Change]] = {"paraphrase": Reinforce, "opposite": Supersede, "different": Add}
CHAIN_BAR = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing said in a chain. `say` a wanted or avoided object in a slot, or that it is over."""

    slot: str
    object: str
    polarity: Polarity = 1
    say: Literal["holds", "over"] = "holds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """`after[i]` is what is in force after step i: (slot, object, polarity)."""

    name: str
    steps: tuple[Step, ...]
    after: tuple[frozenset[tuple[str, str, int]], ...]


def merging(pairs: Sequence[Pair]) -> Suite:
    wrong: list[str] = []
    for pair in pairs:
        for first, second in ((pair.first, pair.second), (pair.second, pair.first)):
            known = _taken((), _candidate(pair.slot, first, 1), START)
            (change,) = reconcile(known, [_candidate(pair.slot, second, 2)], (), START + timedelta(hours=1))
            if type(change) is not EXPECTED[pair.relation]:
                wrong.append(f"{pair.relation}: {first.statement} / {second.statement}: {type(change).__name__}")
    return Suite(
        name="pairs",
        about="paraphrases are one, opposites replace each other, different things stand side by side, both ways round",
        measures=(Measure(name="wrong merges", value=float(len(wrong)), of=2 * len(pairs), bar=0.0, better="less"),),
        misses=tuple(wrong),
    )


def updating(chains: Sequence[Chain], *, name: str = "updates") -> Suite:
    right, steps, wrong = 0, 0, list[str]()
    for chain in chains:
        known: tuple[Item, ...] = ()
        for number, (step, wanted) in enumerate(zip(chain.steps, chain.after, strict=True), start=1):
            at = START + timedelta(days=number)
            known = _taken(known, _said(step, number), at)
            steps += 1
            if _in_force(known) == wanted:
                right += 1
            else:
                wrong.append(f"{chain.name}, step {number}: {sorted(_in_force(known) ^ wanted)}")
    return Suite(
        name=name,
        about="after every change the set in force is exactly right",
        measures=(Measure(name="exact sets", value=right / max(steps, 1), of=steps, bar=CHAIN_BAR),),
        misses=tuple(wrong),
    )


def _candidate(name: str, side: Side, number: int) -> Candidate:
    return _made(name, side.statement, side.object, side.polarity, number, over=False)


def _said(step: Step, number: int) -> Candidate:
    word = "no longer" if step.say == "over" else {1: "please", 0: "now", -1: "never"}[step.polarity]
    return _made(
        step.slot, f"{word} {step.object} ({step.slot})", step.object, step.polarity, number, over=step.say == "over"
    )


def _made(name: str, statement: str, thing: str, polarity: Polarity, number: int, *, over: bool) -> Candidate:
    row = slot(name)
    evidence = Evidence(
        quote=statement,
        at=START + timedelta(days=number),
        message_id=MessageId(number),
        session_id=SessionId(f"s{number}"),
        stop=len(statement),
        stance="withdraws" if over else "supports",
    )
    return Candidate(
        statement=statement,
        kind=row.kind,
        domain=row.domain,
        slot=name,
        source="explicit",
        evidence=evidence,
        object=thing,
        polarity=polarity,
        stance="withdraws" if over else "supports",
    )


def _taken(known: Iterable[Item], candidate: Candidate, at: datetime) -> tuple[Item, ...]:
    """What is known after the candidate was taken in."""
    state: dict[PreferenceId, Item] = {item.id: item for item in known}
    for change in reconcile(state.values(), [candidate], (), at):
        for delta in transition(change, state, at):
            if delta.after is not None:
                state[delta.id] = delta.after
    return tuple(state.values())


def _in_force(known: Iterable[Item]) -> frozenset[tuple[str, str, int]]:
    active = (item.preference for item in known if item.preference.status == "active")
    return frozenset((one.slot, one.object, one.polarity) for one in active)
