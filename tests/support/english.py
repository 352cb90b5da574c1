"""The English table, compiled, and the files of sentences that must and must not be remembered."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assistant.policies.language import Language, compile_language

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "assistant" / "evaluation" / "data"


@cache
def english() -> Language:
    return compile_language(tomllib.loads((ROOT / "assistant" / "languages" / "en.toml").read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Never:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Stated:
    text: str
    sign: str  # "+", "-", "0" a fact, "w" no longer
    about: str
    slot: str


def lines(name: str) -> Iterator[str]:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def never_stored(name: str) -> tuple[Never, ...]:
    pairs = (line.split(" | ", 1) for line in lines(name))
    return tuple(Never(kind, text.replace("\\n", "\n")) for kind, text in pairs)


def stated(name: str) -> tuple[Stated, ...]:
    return tuple(Stated(*(part.strip() for part in line.split("|"))) for line in lines(name))
