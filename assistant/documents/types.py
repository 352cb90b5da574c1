"""What is read from a file and what adding files came to, as frozen values."""

from dataclasses import dataclass
from typing import Literal

from memory.documents import Document, DocumentKind, PassageHit


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of text under one heading of one page, in the order of the file. `page`: from 1, 0 for none."""

    text: str
    page: int = 0
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    blocks: tuple[Block, ...]
    pages: int = 0
    left_out: str = ""  # in words; "" when it was read whole


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    path: str
    kind: DocumentKind
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file or folder that was not taken, and why, in words."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    stage: Literal["reading", "indexing"]
    done: int
    total: int
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddReport:
    """`same`: how many were there already, unchanged. `unindexed`: passages that are found by words only so far."""

    added: tuple[Document, ...]
    changed: tuple[Document, ...]
    same: int
    left_out: tuple[LeftOut, ...]
    unindexed: int = 0


def citation(hit: PassageHit) -> str:
    """ "lease.pdf, page 3", "handbook.md, Holidays › Carry-over"."""
    passage = hit.passage
    page = f", page {passage.page}" if passage.page else ""
    return f"{hit.document.name}{page}{f', {passage.heading}' if passage.heading and not page else ''}"
