"""A message that asks for a plan: what it is for, and the things in it (pure).

"Plan my Saturday, I need to see the dentist and buy a present." "I have to see the dentist and buy a present. Plan my
Saturday, please." "Make a plan: a birthday party for Ann." A request for words ("plan a trip to Rome") is none of
these: the model answers it.
"""

import re
from dataclasses import dataclass
from typing import Final

from assistant.policies.stepping.items import items_of

MOST_STEPS: Final = 12
LONGEST: Final = 1_500  # characters

_POLITE: Final = (
    r"(?:(?:please|hey|hi|ok|okay|steward|now|so)[,!]?\s+|(?:can|could|would|will) you (?:please )?|let'?s |"
    r"(?:i|we) (?:want|need)(?: you)? to |(?:i|we)'d like(?: you)? to |help me (?:to )?)*"
)
_SPAN: Final = (
    r"(?:(?:my|our|the|this|next|coming)\s+)*(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:\s+(?:morning|afternoon|evening))?"
    r"|tomorrow(?:\s+(?:morning|afternoon|evening))?|today|tonight|this (?:morning|afternoon|evening)"
    r"|(?:(?:my|our|the|this|next|coming)\s+)+(?:day|week|weekend|morning|afternoon|evening)(?:\s+off)?"
    r"|the day after tomorrow"
)
_PLANS: Final = r"(?:plan(?: out)?|organi[sz]e|arrange|sort out|structure|schedule)"
_BEFORE_ITEMS: Final = re.compile(
    rf"^{_POLITE}{_PLANS}\s+(?P<span>{_SPAN})(?:\s+for (?:me|us))?\s*"
    r"(?:[,.;:!?\n]|\s[-–—]+\s|\b(?=with |including |because |since |so that |to )|$)\s*(?P<items>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_AFTER_ITEMS: Final = re.compile(
    rf"^(?P<items>.+?)[.,;!\n]\s*(?:so\s+)?{_POLITE}{_PLANS}\s+(?P<span>{_SPAN})(?:\s+for (?:me|us))?"
    r"(?:[,]?\s+please)?\s*[.!?]*$",
    re.IGNORECASE | re.DOTALL,
)
_MADE: Final = re.compile(
    rf"^{_POLITE}make (?:me )?a plan\s*:\s*(?P<goal>.+)$|^/?plan\s*:\s*(?P<short>.+)$", re.IGNORECASE | re.DOTALL
)
_BROKEN: Final = re.compile(
    rf"^{_POLITE}(?:break|split)\s+(?:(?:down|up)\s+)?(?P<goal>.+?)\s+(?:(?:down|up)\s+)?into\s+(?:\w+\s+)?(?:steps|tasks|to-?dos)\b",
    re.IGNORECASE | re.DOTALL,
)
_OWN: Final = re.compile(r"^(?:(?:my|our|the)\s+)+", re.IGNORECASE)
_NAMES_DAY: Final = re.compile(r"day\b|\btomorrow\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """`day`: words that name one, "" for none or several days. `items`: what the rules make of the rest; () when the
    user named only a goal."""

    goal: str
    day: str = ""
    items: tuple[str, ...] = ()
    said: str = ""  # the words the items were read from


def plan_request(text: str) -> PlanRequest | None:
    """None for every other message."""
    said = text.strip().replace("\u2019", "'")
    if len(said) > LONGEST:
        return None
    for pattern in (_BEFORE_ITEMS, _AFTER_ITEMS):
        if (found := pattern.match(said)) is not None:
            items = items_of(found["items"])[:MOST_STEPS]
            if not items:
                return None
            return PlanRequest(goal=said, day=_day(found["span"]), items=items, said=found["items"])
    if (found := _MADE.match(said) or _BROKEN.match(said)) is None:
        return None
    goal = (found["goal"] or (found["short"] if "short" in found.re.groupindex else "") or "").strip()
    nested = plan_request(goal)
    if nested is not None:
        return nested
    items = items_of(goal)
    return PlanRequest(goal=goal, items=items if len(items) > 1 else (), said=goal)


def _day(span: str) -> str:
    words = _OWN.sub("", " ".join(span.split()))
    return (
        ""
        if re.fullmatch(r"(?:(?:this|next|coming)\s+)*(?:day|week|weekend)(?: off)?", words, re.IGNORECASE)
        else (words if _NAMES_DAY.search(words) else "")
    )
