"""Our own cases, shipped with the package: sentences to store and not to store, pairs, questions and preferences.

Written by us; docs/evaluation.md says which were looked at while rules were tuned.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, cast

from memory.preferences import DOMAINS, Domain, Polarity

Relation = Literal["paraphrase", "opposite", "different"]
Sign = Literal["+", "-", "0", "w"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """A message that must store nothing, and why."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A plain statement. `sign`: wanted, avoided, a fact, no longer; `slot` "" where several would be right."""

    text: str
    sign: Sign
    about: str
    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """A sentence without a pattern. `sign`: wanted, avoided, a fact about the user, nothing."""

    text: str
    sign: Literal["+", "-", "0", "n"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    statement: str
    object: str
    polarity: Polarity


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two statements about one slot, and what they are to each other."""

    relation: Relation
    slot: str
    first: Side
    second: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Applies:
    """A preference, and a question it applies to."""

    domain: Domain
    polarity: Polarity
    preference: str
    question: str


def never_stored(name: str) -> tuple[Never, ...]:
    parts = (line.split(" | ", 1) for line in _lines(name))
    return tuple(Never(kind=kind, text=text.replace("\\n", "\n")) for kind, text in parts)


def stated(name: str) -> tuple[Stated, ...]:
    rows = ([part.strip() for part in line.split("|")] for line in _lines(name))
    return tuple(Stated(text=text, sign=cast("Sign", sign), about=about, slot=slot) for text, sign, about, slot in rows)


def noticed(name: str) -> tuple[Noticed, ...]:
    rows = (line.rsplit(" | ", 1) for line in _lines(name))
    return tuple(Noticed(text=text, sign=cast("Literal['+', '-', '0', 'n']", sign)) for text, sign in rows)


def pairs(name: str = "pairs.tsv") -> tuple[Pair, ...]:
    return tuple(
        Pair(
            relation=cast("Relation", row["relation"]),
            slot=row["slot"],
            first=_side(row, "first"),
            second=_side(row, "second"),
        )
        for row in _table(name)
    )


def _side(row: dict[str, str], which: str) -> Side:
    polarity = cast("Polarity", int(row[f"{which}_polarity"]))
    return Side(statement=row[which], object=row[f"{which}_object"], polarity=polarity)


def which_applies(name: str) -> tuple[Applies, ...]:
    return tuple(
        Applies(
            domain=next(domain for domain in DOMAINS if domain == row["domain"]),
            polarity=cast("Polarity", int(row["polarity"])),
            preference=row["preference"],
            question=row["question"],
        )
        for row in _table(name)
    )


def small_talk(name: str = "nothing_applies.txt") -> tuple[str, ...]:
    """Questions to which nothing about a user applies."""
    return tuple(_lines(name))


def _table(name: str) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(_text(name)), delimiter="\t")


def _lines(name: str) -> Iterator[str]:
    return (line for line in _text(name).splitlines() if line and not line.startswith("#"))


def _text(name: str) -> str:
    return (files("assistant") / "evaluation" / "data" / name).read_text(encoding="utf-8")
