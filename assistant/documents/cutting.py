"""Cuts text into passages that can be cited and embedded: whole paragraphs where they fit, else sentences (pure).

A passage stays within one page and one heading, and is at most MOST long: about the 256 tokens that all-MiniLM-L6-v2
reads. Small neighbours under one heading are put together, so that a list is not torn into its lines.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assistant.documents.types import Block
from assistant.policies.cleaning import boundary, clean
from memory.documents import Passage

MOST: Final = 900  # characters
MOST_PASSAGES: Final = 20_000  # of one file
MOST_HEADING: Final = 200
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？…])[\s)\]\"'”’]*\s+|\n")
_BLANKS: Final = re.compile(r"[ \t\u00a0]+")


def passages_of(blocks: Iterable[Block]) -> tuple[Passage, ...]:
    """At most MOST_PASSAGES, none of them empty."""
    found: list[Passage] = []
    for block in blocks:
        heading = " ".join(clean(block.heading).split())[:MOST_HEADING]
        for text in _filled(_pieces(clean(block.text))):
            found.append(Passage(text=text, page=block.page, heading=heading))
            if len(found) >= MOST_PASSAGES:
                return tuple(found)
    return tuple(found)


def _pieces(text: str) -> Iterator[str]:
    """Paragraphs; one that is too long as its sentences, a sentence that is too long in parts."""
    for paragraph in _PARAGRAPH.split(text):
        whole = _BLANKS.sub(" ", paragraph).strip()
        if len(whole) <= MOST:
            if whole:
                yield whole
            continue
        for sentence in _SENTENCE.split(whole):
            rest = sentence.strip()
            while len(rest) > MOST:
                end = rest.rfind(" ", MOST // 2, MOST)
                end = end if end > 0 else max(boundary(rest, MOST), 1)
                yield rest[:end].strip()
                rest = rest[end:].strip()
            if rest:
                yield rest


def _filled(pieces: Iterable[str]) -> Iterator[str]:
    held = ""
    for piece in pieces:
        if held and len(held) + len(piece) + 1 > MOST:
            yield held
            held = ""
        held = f"{held}\n{piece}" if held else piece
    if held:
        yield held
