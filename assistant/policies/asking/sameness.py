"""Is a wish the one that waits already, in other words? (pure)

The same tool, the same question, and arguments that say the same. Where it is in doubt it is another one: a second
card costs less than a wish that is lost.
"""

import json
import re
from typing import Any, Final

from memory.decisions import Decision, NewDecision
from memory.text import folded
from memory.words import stem, words_of

SHORT: Final = 4  # words that tell; up to there all of them must be the same
ALIKE: Final = 0.6  # of longer texts: of all their words those that both have
_WORD: Final = re.compile(r"[^\W_]+(?:'\w+)?")
_NOT: Final = re.compile(r"^(?:not|no|never|without|cannot|none|nobody|nothing|\w+n't)$")
_TIMES = """
monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight yesterday morning afternoon evening
noon week month
"""
_DAYS: Final = frozenset(_TIMES.split())
_SAME: Final = {"thanks": "thank"}


_ANOTHER: Final = re.compile(r"\b(?:another|a second|one more|an? (?:\w+ )?extra|once more|again)\b", re.IGNORECASE)


def wants_another(text: str) -> bool:
    """Whether the words say that it is one beside the first."""
    return _ANOTHER.search(text) is not None


def waits_already(card: NewDecision, waiting: Decision) -> bool:
    """Of two wishes of a conversation; what belongs to a plan, or rests on other texts or facts, is another one."""
    asked = waiting.asked
    if asked.call is None or card.call is None or waiting.state != "open":
        return False
    if asked.task_id is not None or card.task_id is not None:
        return False
    return (
        asked.kind == card.kind
        and asked.call.tool == card.call.tool
        and asked.argument == card.argument
        and set(card.sources) <= set(asked.sources)
        and asked.call.preconditions == card.call.preconditions
        and say_the_same(json.loads(asked.call.arguments), json.loads(card.call.arguments))
    )


def say_the_same(one: Any, other: Any) -> bool:
    """Arguments as JSON holds them."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(say_the_same(one[key], other[key]) for key in one)
        case list(), list():
            return len(one) == len(other) and all(map(say_the_same, one, other))
        case str(), str():
            return one == other or _texts(one, other)
        case _:
            return type(one) is type(other) and bool(one == other)


def _texts(one: str, other: str) -> bool:
    """What tells two texts apart (numbers, names, days, a "not") must be the same; of the rest most of it."""
    if _telling(one) != _telling(other):
        return False
    mine, theirs = _stems(one), _stems(other)
    if not mine or not theirs:
        return _plain(one) == _plain(other)
    if min(len(mine), len(theirs)) <= SHORT:
        return mine == theirs
    swapped = bool(mine - theirs) and bool(theirs - mine)
    return not swapped and len(mine & theirs) >= ALIKE * len(mine | theirs)


def _telling(text: str) -> frozenset[str]:
    words = _WORD.findall(text.replace("’", "'"))
    found = {word.lower() for word in words if any(sign.isdigit() for sign in word) or word.lower() in _DAYS}
    found |= {"not" for word in words if _NOT.match(word.lower())}
    return frozenset(found)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(_SAME.get(word, word)) for word in words_of(text))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(folded(text)))
