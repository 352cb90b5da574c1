"""Which of several choices somebody means who says its place: "2", "the second one", "option two", "b" (pure)."""

import re
from typing import Literal

Manner = Literal["number", "place", "named place", "letter"]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WHAT = r"(?:option|choice|answer|number|no\.?|nr\.?)"
_POLITE = re.compile(
    r"^(?:(?:please|ok(?:ay)?|i(?:'ll| will| would|'d)?(?: like)?(?: to)? (?:take|choose|want|pick)|take|choose|pick)"
    r"[, ]+)+"
    r"|[, ]+(?:please|thanks|thank you)(?=[.! ]*$)|[.!]+$",
    re.IGNORECASE,
)
_DIGITS = re.compile(rf"^(#|{_WHAT} *)?(\d{{1,3}})(?: of \d{{1,3}})?[.)]?$", re.IGNORECASE)
_SPELT = re.compile(rf"^{_WHAT} ({'|'.join(_NUMBERS)})$", re.IGNORECASE)
_PLACE = re.compile(rf"^(?:the )?(\d{{1,2}}(?:st|nd|rd|th)|last|{'|'.join(_ORDINALS)})( one| {_WHAT})?$", re.IGNORECASE)
_LETTER = re.compile(rf"^(?:{_WHAT} )?([a-z])[.)]?$", re.IGNORECASE)


def without_politeness(said: str) -> str:
    """ "I'll take the second, please." is "the second"."""
    before, words = "", " ".join(said.split())
    while words != before:
        before, words = words, _POLITE.sub("", words).strip()
    return words


def place_in(said: str, many: int) -> tuple[int, Manner] | None:
    """The place from 1, and how it was said; it may lie outside 1 to `many`. None: no place is said."""
    words = without_politeness(said)
    if match := _DIGITS.match(words):
        return int(match[2]), "number"
    if match := _SPELT.match(words):
        return _NUMBERS.index(match[1].lower()) + 1, "named place"
    if words.lower() in _NUMBERS:
        return _NUMBERS.index(words.lower()) + 1, "number"
    if match := _PLACE.match(words):
        manner: Manner = "named place" if match[2] else "place"
        return _ordinal(match[1].lower(), many), manner
    if (match := _LETTER.match(words)) and ord(match[1].lower()) - ord("a") < many:
        return ord(match[1].lower()) - ord("a") + 1, "letter"
    return None


def _ordinal(word: str, many: int) -> int:
    if word == "last":
        return many
    return int(word[:-2]) if word[0].isdigit() else _ORDINALS.index(word) + 1
