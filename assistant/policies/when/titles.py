"""What is left of a text when its time is taken out: the title, whole."""

import re
from collections.abc import Sequence
from typing import Final

_REQUEST: Final = re.compile(
    r"^(?:(?:please|hey|ok|okay|hi|can you|could you|would you|will you|and|then)[ ,]{1,3})*"
    r"(?:remind me|set (?:me )?(?:a |an )?(?:reminder|alarm)|(?:add|create|make) (?:a |an )?reminder"
    r"|don't let me forget|reminder|wake me(?: up)?(?=\W*$))"
    r"(?: please)?(?:[ ,:]{1,3}(?:to(?! (?:the|my|a)\b)|that|about|of|for))?(?:[ ,:]{1,3}|$)",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"^(?:(?:to|that|and|,|;|:|-|–|—|at|on|about)(?=[\s,;:]|$)[\s,;:]*)+", re.IGNORECASE)
_TRAILING: Final = re.compile(
    r"[\s,;:(–—-]+$|(?:\s+(?:at|on|by|in|for|to|and|from|until|please)[\s,;:.!?]*)$", re.IGNORECASE
)
_SPACES: Final = re.compile(r"[^\S\n]+")
_EMPTY: Final = re.compile(r"\(\s{0,3}\)|\[\s{0,3}\]")


def without(raw: str, spans: Sequence[tuple[int, int]]) -> str:
    """`raw` without the given spans and without "remind me to"; its other words in their order, none lost."""
    kept: list[str] = []
    at = 0
    for start, stop in spans:
        kept.append(raw[at:start])
        at = stop
    kept.append(raw[at:])
    request_cut = [_REQUEST.sub("", kept[0].strip(), count=1), *kept[1:]]
    began = len(spans) > 0 and not request_cut[0].strip()
    joined = _joined(request_cut)
    if began:
        joined = _LEADING.sub("", joined)
        joined = _REQUEST.sub("", joined, count=1)
        joined = _LEADING.sub("", joined)
    if spans:
        joined = _TRAILING.sub("", joined.strip(" .,;:")).strip()
    return joined.strip()


def _joined(parts: Sequence[str]) -> str:
    text = ""
    for part in parts:
        piece = part.strip()
        if text and piece:
            text += "" if piece[0] in ",.;:!?)" else " "
        text += piece
    return _SPACES.sub(" ", _EMPTY.sub(" ", text)).strip()
