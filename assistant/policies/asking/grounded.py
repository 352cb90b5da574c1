"""Is an argument the user's, or the model's invention? (pure)

A small model fills every slot it is shown. A value counts as said when its words stand in the message, as assumed when
they stand in a remembered statement, and else as missing, whatever the model wrote.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_EMPTY = frozenset({"a", "an", "the", "to", "of", "at", "in", "on", "for", "and", "or", "my", "me", "i", "with", "is"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Said: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invented: ...


Grounds = Said | Remembered | Invented


def grounds(value: str, message: str, statements: Sequence[str]) -> Grounds:
    """Every content word and number of the value must stand in one text."""
    wanted = words_of(value)
    if wanted and wanted <= words_of(message):
        return Said()
    for statement in statements:
        if wanted and wanted <= words_of(statement):
            return Remembered(statement=statement)
    if wanted and wanted <= words_of(message) | frozenset().union(*(words_of(one) for one in statements)):
        partly = next(one for one in statements if wanted & words_of(one))
        return Remembered(statement=partly)
    return Invented()


def words_of(text: str) -> frozenset[str]:
    """Content words, folded, without plural s; "7pm" is "7" and "pm"."""
    parts = (part for word in _WORD.findall(text.casefold()) for part in re.findall(r"\d+|\D+", word))
    return frozenset(part.rstrip("s") if len(part) > 3 else part for part in parts if part not in _EMPTY)
