"""Which stored preference applies to a question: our own sets, and a measure of how well a ranking finds it."""

import csv
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memory.preferences import Domain, Polarity, Preference
from memory.slots import slots_of
from tests.support.memories import a_candidate, an_item

DATA = Path(__file__).parents[2] / "assistant" / "evaluation" / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    preference: Preference
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Shares of questions whose preference was among the first one or five, and how many items were shown."""

    at_1: float
    at_5: float
    shown: float


def cases(name: str) -> tuple[Case, ...]:
    """`which_applies` was looked at while exemplars were written; `which_applies_held_out` was not."""
    with (DATA / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return tuple(_case(row, number) for number, row in enumerate(csv.DictReader(file, delimiter="\t"), 1))


def _case(row: dict[str, str], number: int) -> Case:
    slot = next(row_ for row_ in slots_of(cast("Domain", row["domain"])) if row_.cardinality == "multi")
    polarity = cast("Polarity", int(row["polarity"]))
    # No object: ranking has to work with the words alone.
    candidate = a_candidate(row["preference"], slot.name, "", polarity, message=number)
    return Case(preference=an_item(candidate).preference, question=row["question"])


def small_talk() -> tuple[str, ...]:
    """Questions to which nothing about a user applies."""
    return tuple((DATA / "nothing_applies.txt").read_text("utf-8").splitlines())


def measure(
    asked: Sequence[Case],
    others: Sequence[Case],
    stored: int,
    ranked: Callable[[str, Sequence[Preference]], Sequence[Preference]],
    *,
    rounds: int = 10,
    seed: int = 1,
) -> Found:
    """Users with `stored` preferences each, the asked-about ones first, filled up with others."""
    random_ = random.Random(seed)
    hits_1 = hits_5 = shown = questions = 0
    for _ in range(rounds):
        chosen = random_.sample(list(asked), min(stored, len(asked)))
        filler = random_.sample(list(others), stored - len(chosen))
        store = [case.preference for case in (*chosen, *filler)]
        for case in chosen:
            found = ranked(case.question, store)
            hits_1 += case.preference in found[:1]
            hits_5 += case.preference in found[:5]
            shown += len(found)
            questions += 1
    return Found(at_1=hits_1 / questions, at_5=hits_5 / questions, shown=shown / questions)
