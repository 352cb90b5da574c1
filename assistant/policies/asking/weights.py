"""What the user said matters, as weights of attributes: "the cheapest", "I hate stopovers", "always a window" (pure).

Said now outweighs what is remembered; a remembered wish outweighs what nobody mentioned. Nothing here looks at how
options are ordered or what is said to advertise them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from assistant.policies.asking.grounded import words_of
from assistant.tools.types import Attribute, Choice

SAID: Final = 40.0
REMEMBERED: Final = 20.0
IN_A_QUERY: Final = 16  # words
Better = Literal["low", "high"]

_WISHES: Final[tuple[tuple[str, str, Better], ...]] = (
    # words of the user, words of a column, which end is good
    (r"cheap\w*|inexpensive|affordable|(?:low|lowest|best|good) (?:price|fare|cost|rent)|save money|budget|thrifty",
     r"price|cost|fare|fee|rent|total", "low"),
    (r"fast\w*|quick\w*|short(?:est)? (?:trip|flight|journey|travel\w*|ride|drive)|shortest|save time|soonest there",
     r"duration|travel|minutes|hours|^time$", "low"),
    (r"near\w*|clos(?:e|er|est)\b|short(?:est)? (?:walk|way)|walking distance",
     r"distance|walk|km|miles|metres", "low"),
    (r"direct|non-?stop|without (?:a )?(?:change|stop)\w*|few\w* (?:changes|stops)|stopovers?|layovers?|"
     r"changing (?:trains|planes)", r"stops?|changes|transfers|layovers?", "low"),
    (r"best[- ]rated|top[- ]rated|highest rat\w+|(?:good|best) (?:reviews?|ratings?)|most stars",
     r"rating|stars|score|review", "high"),
    (r"earl(?:y|ier|iest)|in the morning|mornings?", r"depart\w*|leaves|start|arriv\w*", "low"),
    (r"lat(?:e|er|est)\b|in the evening|evenings?", r"depart\w*|leaves|start|arriv\w*", "high"),
    (r"light(?:est|er)?\b|lightweight", r"weight", "low"),
    (r"quiet\w*", r"noise|loud", "low"),
    (r"big(?:ger|gest)?|large\w*|spacious|roomy", r"size|space|area|capacity|m2|sqm", "high"),
    (r"green\w*|climate|lowest emissions?", r"co2|emission", "low"),
    (r"longest battery|battery life", r"battery", "high"),
)  # fmt: skip
_EITHER_WAY: Final = re.compile(
    r"\b(?:don'?t|do not|doesn'?t|does not) (?:mind|care|matter)|\b(?:not|isn'?t) (?:that )?important", re.IGNORECASE
)
_MOST: Final = re.compile(
    r"\b(most|highest|largest|longest|biggest|least|lowest|fewest|smallest|shortest)\s+(\w+)", re.IGNORECASE
)
_LITTLE: Final = frozenset({"least", "lowest", "fewest", "smallest", "shortest"})
_AVERSE: Final = re.compile(
    r"\b(?:hate|avoid|dislike|never|not|no|don'?t|can'?t stand|without|except|anything but)\b", re.IGNORECASE
)
_CHOOSES: Final = re.compile(
    r"\b(?:which|pick|choose|recommend|suggest|compare|decide|best|should i (?:take|book|buy|get|choose|go)|"
    r"(?:cheap|fast|quick|short|near|clos|earli|lat|light|quiet|bigg|larg|green)e?st|find me)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """`options` with the end that is good filled in where the user's words say it; `weights` for `compare`;
    `because`: for each weighed attribute the words it rests on, and whether they were said now."""

    options: tuple[Choice, ...]
    weights: dict[str, float]
    because: dict[str, str]
    now: frozenset[str]


def wants_choice(text: str) -> bool:
    """Whether the message asks that one of several be chosen."""
    return _CHOOSES.search(text) is not None


_RELATED: Final = (
    # columns, words in which people tell what they want of them
    (r"price|cost|fare|fee|rent|total", "cheap cheapest price money budget save"),
    (r"duration|travel|minutes|hours", "fast fastest quick short long"),
    (r"distance|walk|km|miles", "near close closest walk walking far"),
    (r"stops?|changes|transfers|layovers?", "stop stops stopover stopovers layover direct nonstop change changes"),
    (r"rating|stars|score|review", "rated rating reviews stars"),
    (r"depart\w*|leaves|start|arriv\w*", "early late morning mornings evening evenings leave"),
)


def about(options: Sequence[Choice]) -> tuple[str, ...]:
    """Words with which something that was said about such options can be found, in short queries: a search reads the
    first words of a long one only."""
    names = [attribute.name for attribute in options[0].attributes]
    values = [one.value for option in options for one in option.attributes if one.number is None]
    related = [words for columns, words in _RELATED if any(re.search(columns, name, re.IGNORECASE) for name in names)]
    words = list(dict.fromkeys(" ".join((*names, *related, *values[:20])).split()))
    return tuple(" ".join(words[start : start + IN_A_QUERY]) for start in range(0, len(words), IN_A_QUERY))


def weigh(options: Sequence[Choice], message: str, statements: Sequence[str]) -> Weighed:
    """What was said now comes first; of what is remembered, only what is not settled by it."""
    made = Weighed(options=tuple(options), weights={}, because={}, now=frozenset())
    for text, weight in ((message, SAID), *((one, REMEMBERED) for one in statements)):
        for name, better in _named(made.options, text):
            if name not in made.weights:
                made = _with(made, name, better, text, weight)
        for name, value, wanted in _valued(made.options, text):
            if name not in made.weights:
                made = _with_value(made, name, value, wanted, text, weight)
    return made


def _named(options: Sequence[Choice], text: str) -> list[tuple[str, Better]]:
    names = [attribute.name for attribute in options[0].attributes if attribute.number is not None]
    found: dict[str, tuple[int, Better]] = {}
    # who hates stopovers wants few of them, who hates early flights wants late ones
    averse = _AVERSE.search(text) is not None
    for words, columns, better in () if _EITHER_WAY.search(text) else _WISHES:
        fitting = [name for name in names if re.search(columns, name, re.IGNORECASE)][:1]
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            turned: Better = "high" if better == "low" else "low"
            end = turned if averse and "stops" not in columns else better
            for name in fitting:
                found[name] = max(found.get(name, (-1, end)), (match.start(), end))  # the last word counts
    for match in _MOST.finditer(text):
        end = "low" if match[1].lower() in _LITTLE else "high"
        for name in names:
            if words_of(match[2]) & words_of(name):
                found[name] = (match.start(), end)
    return [(name, end) for name, (_, end) in found.items()]


def _valued(options: Sequence[Choice], text: str) -> list[tuple[str, str, bool]]:
    """Values in words that the text names: "window" for a column "seat"; False where it wants none of it."""
    said = words_of(text)
    found: list[tuple[str, str, bool]] = []
    for attribute in options[0].attributes:
        values = {_value(option, attribute.name) for option in options}
        if any(_of(option, attribute.name).number is not None for option in options):
            continue
        named = [value for value in sorted(values) if words_of(value) and words_of(value) <= said]
        if len(named) == 1 and len(values) > 1:
            found.append((attribute.name, named[0], _AVERSE.search(text) is None))
    return found


def _of(option: Choice, name: str) -> Attribute:
    return next(attribute for attribute in option.attributes if attribute.name == name)


def _value(option: Choice, name: str) -> str:
    return next((attribute.value for attribute in option.attributes if attribute.name == name), "")


def _with(made: Weighed, name: str, better: Better, text: str, weight: float) -> Weighed:
    options = tuple(
        replace(
            option,
            attributes=tuple(replace(one, better=better) if one.name == name else one for one in option.attributes),
        )
        for option in made.options
    )
    return _noted(made, options, name, text, weight)


def _with_value(made: Weighed, name: str, value: str, wanted: bool, text: str, weight: float) -> Weighed:
    options = tuple(
        replace(
            option,
            attributes=tuple(
                replace(one, number=float((one.value == value) is wanted), better="high") if one.name == name else one
                for one in option.attributes
            ),
        )
        for option in made.options
    )
    return _noted(made, options, name, text, weight)


def _noted(made: Weighed, options: tuple[Choice, ...], name: str, text: str, weight: float) -> Weighed:
    return Weighed(
        options=options,
        weights={**made.weights, name: weight},
        because={**made.because, name: text},
        now=made.now | {name} if weight == SAID else made.now,
    )
