"""Which two statements are one: sixty pairs, and keys of things."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from memory.changes import (
    Add,
    Reinforce,
    Supersede,
)
from memory.keys import object_key
from memory.preferences import Candidate, Polarity
from tests.support.memories import a_candidate, an_item, said
from tests.support.reconciling import decide

PAIRS_FILE = Path(__file__).parents[2] / "assistant" / "evaluation" / "data" / "pairs.tsv"


# --- the pairs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    relation: str
    first: Candidate
    second: Candidate


def pairs() -> Iterator[Pair]:
    with PAIRS_FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield Pair(
                relation=row["relation"],
                first=_candidate(row, "first", 1),
                second=_candidate(row, "second", 2),
            )


def _candidate(row: dict[str, str], which: str, message: int) -> Candidate:
    polarity = cast("Polarity", int(row[f"{which}_polarity"]))
    return a_candidate(row[which], row["slot"], row[f"{which}_object"], polarity, message=message)


PAIRS = tuple(pairs())


def test_there_are_sixty_pairs() -> None:
    assert len(PAIRS) == 60


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first.statement} / {pair.second.statement}")
def test_no_pair_is_merged_wrongly(pair: Pair, turned: bool) -> None:
    first, second = (pair.second, pair.first) if turned else (pair.first, pair.second)
    first, second = (replace(one, evidence=said(one.statement, n)) for n, one in enumerate((first, second), 1))
    change = decide(second, an_item(first))
    expected = {"paraphrase": Reinforce, "opposite": Supersede, "different": Add}[pair.relation]
    assert type(change) is expected


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first.statement} / {pair.second.statement}")
def test_a_model_that_sees_no_object_merges_nothing(pair: Pair) -> None:
    """A bad extractor leaves the object empty: then only the same words are the same thing."""
    first, second = (replace(one, object="", slot="other.fact", source="inferred") for one in (pair.first, pair.second))
    assert isinstance(decide(second, an_item(first)), Add)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Olives", "olive"), ("the  Olive", "olive."), ("berries", "berry"), ("Cilantro", "coriander"), ("ｖｉｍ", "vim")],
)
def test_one_thing_has_one_key(one: str, other: str) -> None:
    assert object_key(one) == object_key(other)


@pytest.mark.parametrize(("one", "other"), [("bus", "bu"), ("glass", "glas"), ("C", "C++"), ("C#", "C"), ("a", "")])
def test_two_things_have_two_keys(one: str, other: str) -> None:
    assert object_key(one) != object_key(other)


def test_plural_is_folded_in_english_only() -> None:
    assert object_key("Ananas", "de") != object_key("Anana", "de")
