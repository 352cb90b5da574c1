"""Where the next object of a list begins, guessed from how the one before it begins. Pure: bytes in, places out.

The objects of an export all begin alike: `{"title": "…", "create_time":`. An unescaped quote never stands inside of a
JSON string, so such a beginning behind `},` is one of an object, here or deeper. The parser has the last word: what
reads as JSON up to there ends there.
"""

import re
from dataclasses import dataclass

_SCALAR = rb'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.\w]++)'
_OPENING = re.compile(
    rb'(\{\s*+"[^"\\]{1,80}+"\s*+:)(?:\s*+' + _SCALAR + rb'\s*+,\s*+"([^"\\]{1,80}+)"\s*+:)?+', re.DOTALL
)
_SPACE = b" \t\r\n"
_MOST_SPACE = 256  # bytes between two objects


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """`first` is up to the colon of the first key; `rest`, behind that, up to the second key."""

    first: bytes
    rest: re.Pattern[bytes]


def opening_of(buffer: bytes, at: int) -> Opening | None:
    """How the object at `at` begins; None for one without keys."""
    found = _OPENING.match(buffer, at)
    if found is None:
        return None
    second = b"" if found[2] is None else rb"\s*+" + _SCALAR + rb'\s*+,\s*+"' + re.escape(found[2]) + rb'"\s*+:'
    return Opening(first=found[1], rest=re.compile(second, re.DOTALL))


def next_seam(buffer: bytes, start: int, opening: Opening) -> int | None:
    """Behind the bracket that ends an object, where from `start` on one follows that begins so; None for nowhere."""
    at = start
    while (at := buffer.find(opening.first, at)) >= 0:
        if opening.rest.match(buffer, at + len(opening.first)) is not None:
            before = buffer[max(at - _MOST_SPACE, start) : at].rstrip(_SPACE)
            bracket = before[:-1].rstrip(_SPACE)
            if before.endswith(b",") and bracket.endswith(b"}"):
                return max(at - _MOST_SPACE, start) + len(bracket)
        at += 1
    return None
