"""Documents the user added, their passages, and what a search finds, as frozen values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

DocumentId = NewType("DocumentId", str)
PassageId = NewType("PassageId", int)
DocumentKind = Literal["text", "markdown", "html", "pdf", "docx"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`path`: absolute, unique. `digest`: SHA-256 of the file. `size`: bytes. `pages`: 0 where a file has none.
    `left_out`: what could not be read, in words; "" when it was read whole."""

    id: DocumentId
    path: str
    name: str
    kind: DocumentKind
    digest: str
    size: int
    added_at: datetime
    pages: int = 0
    passages: int = 0
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document that can be cited. `page`: from 1, 0 where there are none. `heading`: the headings above
    it, outermost first, joined by " › "."""

    text: str
    page: int = 0
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageHit:
    """`score`: 0 to 1, comparable within one search. `cosine`: None without vectors. `share`: of the question's words
    that the passage has, 0 to 1."""

    id: PassageId
    document: Document
    passage: Passage
    score: float
    cosine: float | None = None
    share: float = 0.0


def label_of(document: Document, passage: Passage) -> str:
    """What is known of a passage beside its text; searched with it."""
    stem = document.name.rpartition(".")[0] or document.name
    return f"{stem.replace('_', ' ').replace('-', ' ')} › {passage.heading}" if passage.heading else stem
