"""The things in a list that somebody says: "see the dentist and buy a present", "dentist, present for Ann; gym" (pure).

An "and" after a deed parts only where another deed begins: "buy bread and butter" is one thing.
"""

import re
from typing import Final, Literal

Sort = Literal[
    "appointment",  # takes place at a time
    "errand",  # to be done some time
    "unclear",
]

_DEEDS: Final = (
    "attend|bake|borrow|bring|brush|buy|call|cancel|change|check|choose|clean|clear|collect|cook|copy|cut|decide|"
    "deliver|do|drive|drop|email|e-mail|empty|exercise|feed|fetch|file|fill|find|finish|fix|fly|fold|get|give|go|grab|"
    "have|help|iron|join|learn|look|mail|make|meet|mend|mow|order|organi[sz]e|pack|paint|pay|phone|pick|plan|plant|"
    "play|post|practi[sc]e|prepare|print|put|read|renew|repair|reply|research|return|ring|run|see|sell|send|shop|sign|"
    "sort|start|study|swim|take|talk|text|tidy|train|try|update|vacuum|visit|wait|walk|wash|watch|water|work|wrap|write"
)
_DEED: Final = re.compile(rf"^(?:(?:also|then|maybe|please)\s+)*(?:to\s+)?(?:{_DEEDS})\b", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"^(?:(?:so|and|also|but|because|since|as|then|please|well)[,\s]+)*"
    r"(?:(?:i|we)(?:'ve| have)?\s+(?:also\s+)?(?:need|have|want|must|should|ought|got|gotta|plan|would like|'d like|"
    r"will|am going|are going)(?:\s+to)?|(?:i|we)(?:'d like|'ve got|'ll|'m going)(?:\s+to)?|there(?:'s| is| are)|"
    r"including|with|things?(?: to do)?(?: are| is)?|to-?dos?|tasks?(?: are)?|it(?:'s| is))(?:\s*:)?\s+",
    re.IGNORECASE,
)
_CUTS: Final = re.compile(r"\s*(?:;|\n+|(?<=[^\d])[.!?]+(?=\s|$)|,\s+(?:and\s+|then\s+|and then\s+)?)\s*|\s+then\s+")
_AND: Final = re.compile(r"\s+(?:and|&|plus|as well as)\s+(?:then\s+|also\s+)?", re.IGNORECASE)
_BULLET: Final = re.compile(r"^\s*(?:[-*•–—+]|\(?\d{1,2}[.)]|\[ ?\])\s+")
_GOES_ON: Final = re.compile(
    r"^(?:at|on|in|for|from|by|with|before|after|near|around|about|because|so|which|who|that|if|until|of|to)\b|"
    r"^\d{1,2}(?::\d\d)?\s*(?:am|pm)?$",
    re.IGNORECASE,
)
_APPOINTMENT: Final = re.compile(
    r"\b(?:appointments?|meeting|dentist|doctor|gp|physio\w*|therap(?:y|ist)|hairdresser|haircut|barber|optician|vet|"
    r"interview|lesson|class|lecture|exam|rehearsal|concert|theatre|cinema|movie|film|opera|match|game|party|wedding|"
    r"funeral|christening|birthday|ceremony|reservation|flight|train|check-?up|massage|viewing|service|mass|"
    r"conference|webinar|seminar|workshop|call with|date with|visit from|brunch|lunch|dinner|breakfast|"
    r"drinks|coffee with|tea with|choir)\b",
    re.IGNORECASE,
)
_SEES: Final = re.compile(
    r"^(?:to\s+)?(?:see|visit|meet(?: up)?(?: with)?|attend|go (?:to|see)|be at|have|get to|catch|"
    r"(?:an? )?appointment (?:with|at))\s+(?P<what>.+)$",
    re.IGNORECASE,
)  # fmt: skip
_SENTENCE: Final = re.compile(
    r"^(?:i|we|he|she|they|you|my \w+ (?:is|needs|wants|has|comes|arrives))\b|"
    r"\b(?:must|should|has to|have to|needs? to) be\b|\bneeds? \w+ing\b",
    re.IGNORECASE,
)
_PREPARES: Final = re.compile(
    r"^(?:to\s+)?(?:book|buy|bake|call|phone|ring|email|prepare|pack|get|pick|make|find|pay|write|send|order|cook|"
    r"cancel|reply|organi[sz]e|print|clean|wrap|bring|take|choose|order|collect)\b",
    re.IGNORECASE,
)


def items_of(text: str) -> tuple[str, ...]:
    """Each thing as it was said, without what only leads to it."""
    found: list[str] = []
    for line in text.splitlines():
        for part in _CUTS.split(_BULLET.sub("", line)):
            item = without_lead(part)
            if not item:
                continue
            if found and _GOES_ON.match(item):
                found[-1] = f"{found[-1]}, {item}"
            else:
                found += _parted(item)
    return tuple(found)


def without_lead(text: str) -> str:
    said = _BULLET.sub("", text).strip(" \t,;:.!?-–—")
    while (lead := _LEAD.match(said)) is not None and lead.end() < len(said):
        said = said[lead.end() :].strip(" ,;:")
    return re.sub(r"^to\s+(?=\w)", "", said, flags=re.IGNORECASE)


def _parted(item: str) -> list[str]:
    """At each "and" that stands between two things."""
    parts: list[str] = []
    rest = item
    position = 0
    while (cut := _AND.search(rest, position)) is not None:
        left, right = rest[: cut.start()], without_lead(rest[cut.end() :])
        if left and right and not _GOES_ON.match(right) and (_DEED.match(right) or not _DEED.match(left)):
            parts.append(left.strip(" ,"))
            rest, position = right, 0
        else:
            position = cut.end()
    return [part for part in (*parts, rest.strip(" ,")) if part]


def is_deed(text: str) -> bool:
    """Whether it begins with what somebody does."""
    return _DEED.match(text) is not None


def is_plain(item: str) -> bool:
    """Short, and no sentence with somebody who does it or something done to it: rules part such things rightly."""
    return len(item.split()) <= 12 and not _SENTENCE.search(item)


def sort_of(item: str) -> Sort:
    """By its words alone; a time of day is the caller's to know."""
    if _PREPARES.match(item):
        return "errand"
    if _APPOINTMENT.search(item):
        return "appointment"
    return "errand" if _DEED.match(item) and not _SEES.match(item) else "unclear"


def event_words(item: str) -> str:
    """What takes place: "see the dentist" is "the dentist"."""
    found = _SEES.match(item)
    return found["what"].strip() if found else item
