"""Which event of the calendar "my dentist appointment" means, and what is left to be said about it (pure)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.policies.occurrences import Happening
from memory.text import folded
from memory.words import stem, stems_of

_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
# What people call an event without its title saying so.
_CALLED = frozenset(
    map(
        stem,
        ("appointment", "meeting", "event", "call", "session", "visit", "date", "trip", "party", "class", "lesson"),
    )
)
_NOUNS = frozenset({"appointment", "meeting", "event", "session", "visit", "trip", "party", "class", "lesson"})
_LEADING = re.compile(r"^[\s,;:.-]*(?:(?:to|that|i|about|and|please)\b\s*)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """`rest`: what the phrase says beyond naming the event, such as "call the insurance"; "" for nothing."""

    happening: Happening
    rest: str


def fitting(phrase: str, happenings: Sequence[Happening]) -> tuple[Fit, ...]:
    """The events that fit the phrase best, the soonest first, one occurrence a series. () when none does.

    An event fits by the words of its title that the phrase has; what it is called ("appointment") counts only where
    its own title says so."""
    said = {stem(word) for word in _words(phrase)}
    best: dict[str, tuple[float, Happening]] = {}
    for one in happenings:
        title = stems_of(one.event.title)
        common = title & said
        if not common or (common <= _CALLED and title - _CALLED):
            continue
        score = len(common - _CALLED) + 0.5 * len(common & _CALLED) + len(common) / (10 * len(title))
        key = one.event.uid or one.event.id
        if key not in best:
            best[key] = (score, one)
    top = max((score for score, _ in best.values()), default=0.0)
    return tuple(Fit(happening=one, rest=_rest(phrase, one)) for score, one in best.values() if score >= top - 0.25)


def _rest(phrase: str, one: Happening) -> str:
    """The words behind those that name the event: "call home" of "my dentist appointment call home"."""
    names = stems_of(one.event.title)
    words = list(_WORD.finditer(phrase))
    last = max((at for at, match in enumerate(words) if stem(folded(match.group())) in names), default=len(words) - 1)
    also = _NOUNS | frozenset(_words(one.event.title))
    while last + 1 < len(words) and folded(words[last + 1].group()) in also:
        last += 1
    rest = phrase[words[last].end() :] if words else ""
    return _LEADING.sub("", rest).strip()


def _words(phrase: str) -> list[str]:
    return _WORD.findall(folded(phrase))
