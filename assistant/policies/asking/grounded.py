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


_REFERS = re.compile(
    r"^(?:it|this|that|these|those|them|him|her|he|she|they|there|here|one|some(?:where|thing|body|one|time)?\b.*|"
    r"any(?:where|thing|body|one|time)?\b.*|(?:a|one of (?:my|the|our)) [\w ]+|the (?:same|usual|other|right)\b.*|"
    r"(?:early|late|later|soon|more|less|better|differently|as usual|always|again|what is left)|"
    r"null|none|unknown|n/?a)$",
    re.IGNORECASE,
)
_PART_OF_DAY = re.compile(r"^(?:in the |the )?(?:morning|afternoon|evening|night|day)$", re.IGNORECASE)
_IS = re.compile(
    r"^(?:my |our |the |i call )?(?P<one>.+?) (?:is|are|means|always goes? to|goes? to|go to) "
    r"(?:at |in |on |called |always )?(?P<other>.+?)[.!]?$",
    re.IGNORECASE,
)


def is_vague(value: str, *, about: str = "") -> bool:
    """Words that name nothing: "somewhere nice", "it", "a friend", "the usual place"; where it is `about` what time
    something is, also a mere part of the day."""
    said = value.strip()
    return _REFERS.match(said) is not None or ("what time" in about and _PART_OF_DAY.match(said) is not None)


def resolved(value: str, statements: Sequence[str]) -> tuple[str, str] | None:
    """What the user once said this is, and the statement: "my sister" is "Ann" by "my sister is Ann"."""
    wanted = words_of(value)
    for statement in statements:
        if (found := _IS.match(statement.strip())) is None or not wanted:
            continue
        if words_of(found["one"]) == wanted:
            return found["other"], statement
        if words_of(found["other"]) == wanted and not re.match(r"(?:a|an|at|in|on|always|the)\b", found["other"]):
            return found["one"], statement
    return None


_PARTS = (
    # what an argument is about, and how such a thing is written
    (r"\btime\b|\bwhen\b|\bhour\b", r"\b(?:\d{1,2}:\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]m|noon|midnight|(?<=at )\d{1,2})\b"),
    (r"\bday\b|\bdate\b", r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{4}-\d\d-\d\d\b"),
    (
        r"\bamount\b|how much|\bprice\b",
        r"(?:[$€£] ?\d+(?:[.,]\d\d)?|\b(?:EUR|USD|GBP) ?\d+(?:[.,]\d\d)?|\b\d+(?:[.,]\d\d)? "
        r"?(?:euros?|dollars?|pounds?|EUR|USD|GBP)\b)",
    ),
)


def part_of(statement: str, about: str) -> str:
    """The one time, day or amount in the statement, if that is what the argument is about; "" for none or several."""
    for topic, written in _PARTS:
        if re.search(topic, about, re.IGNORECASE):
            found = [match[0] for match in re.finditer(written, statement, re.IGNORECASE)]
            if len(found) == 1:
                return found[0]
    return ""


def words_of(text: str) -> frozenset[str]:
    """Content words, folded, without plural s; "7pm" is "7" and "pm"."""
    parts = (part for word in _WORD.findall(text.casefold()) for part in re.findall(r"\d+|\D+", word))
    return frozenset(part.rstrip("s") if len(part) > 3 else part for part in parts if part not in _EMPTY)
