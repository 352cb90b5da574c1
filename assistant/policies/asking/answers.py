"""What the user's words answer to a decision (pure). What is not an answer is said not to be one."""

import re
from dataclasses import dataclass

from assistant.policies.asking.places import place_in
from memory.decisions import Decision, DecisionOption

_YES = re.compile(r"^(y|yes|do it|go ahead|ok|okay|confirm)[.!]?$", re.IGNORECASE)
_NO = re.compile(r"^(n|no|don'?t|do not|cancel|stop|never mind)[.!]?$", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:option\s+)?(\d{1,2})(?:\s+of\s+\d{1,2})?[.)]?$", re.IGNORECASE)
_DECIDE = re.compile(
    r"^(?:u|(?:you|u) (?:decide|choose|pick)|your (?:choice|call)|up to you|whatever you (?:think|like|want)|"
    r"as you (?:like|think)|surprise me)[.!]?$",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"^(?:(?:i )?(?:don'?t|do not) (?:know|care|mind)|(?:i'?m )?not sure|no idea|dunno|any(?:thing|where|one|time)?|"
    r"whatever|either(?: one)?|something(?: (?:nice|suitable|good|else|like that))?|somewhere(?: (?:nice|good|close))?|"
    r"sometime|some day|(?:it )?(?:doesn'?t|does not) matter|maybe|perhaps|hm+|what\?|which\?|\?+)[.!]?$",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"[,.;-]\s*(?:(?:oh|ah|uh),? )?"
    r"(?:no|wait|no wait|sorry|actually|i mean|or rather|rather|make (?:it|that))[,.:;]?\s+"
    r"(?:(?:wait|sorry|actually|i mean|rather|make (?:it|that))[,.:;]?\s+)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    option: DecisionOption


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """The user's own words in place of an option."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class YouDecide: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAnAnswer:
    """`say`: what would be one."""

    say: str


Answer = Chosen | Own | Declined | YouDecide | NotAnAnswer

LIGHT = ("read", "undoable", "soft")  # effects of what may be answered in passing
TIMES = ("when", "due")  # arguments that hold a time in the user's words


def takes_in_passing(decision: Decision) -> str:
    """What answers it when said right after it, without its number: "time", "number", or "" for nothing."""
    asked = decision.asked
    if asked.kind not in ("clarify", "choose") or asked.typed or asked.fields or asked.effect not in LIGHT:
        return ""
    if asked.allow_other and asked.argument in TIMES:
        return "time"
    return "number" if asked.options else ""


def read_answer(decision: Decision, text: str) -> Answer:
    """A key, its number, the label in full, yes and no; other words only where the decision allows them."""
    asked, said = decision.asked, _corrected(text.strip())
    if _NO.match(said) and "no" not in [option.key for option in asked.options]:
        return Declined()
    if asked.typed and said not in ("", "no", "n"):
        if said == asked.typed:
            return Chosen(option=asked.options[0])
        if not _NO.match(said):
            return NotAnAnswer(say=f"To do it, type {asked.typed} in full; no declines it.")
    if (option := _named(asked.options, said)) is not None:
        return Declined() if option.key == "no" else Chosen(option=option)
    if (option := _at_its_place(asked.options, said, own_words=asked.allow_other)) is not None:
        return Declined() if option.key == "no" else Chosen(option=option)
    if asked.you_decide and (_DECIDE.match(said) or _VAGUE.match(said)):
        return YouDecide()
    if _DECIDE.match(said) or _VAGUE.match(said):
        return NotAnAnswer(say=f"That leaves it open, and I have nothing to go by. {_would_be(decision)}")
    if asked.allow_other and said:
        return Own(text=said)
    return NotAnAnswer(say=_would_be(decision))


def said_plainly(text: str) -> str:
    """What an answer says in the end: "8, no wait, 9" is "9"; "" for one that says nothing."""
    said = _corrected(text.strip())
    return "" if _DECIDE.match(said) or _VAGUE.match(said) else said


def fills_of(arguments: str, text: str) -> dict[str, str]:
    """The user's own words for each argument asked about, which stand with commas between them: as many parts as there
    are arguments, in their order; what says nothing fills nothing."""
    names = arguments.split(",")
    parts = (
        [part.strip() for part in re.split(r"[,;]\s+|\n", text, maxsplit=len(names) - 1)] if len(names) > 1 else [text]
    )
    return {name: part for name, part in zip(names, parts, strict=False) if said_plainly(part)}


def _corrected(said: str) -> str:
    """Of someone who corrects themselves, the last word."""
    return _CORRECTED.split(said)[-1].strip() or said


def _named(options: tuple[DecisionOption, ...], said: str) -> DecisionOption | None:
    keys = {option.key: option for option in options}
    if said.lower() in keys:
        return keys[said.lower()]
    if _YES.match(said) and "yes" in keys:
        return keys["yes"]
    if _NO.match(said) and "no" in keys:
        return keys["no"]
    if (number := _NUMBER.match(said)) and number[1] in keys:
        return keys[number[1]]
    return next((option for option in options if option.label.casefold() == said.casefold()), None)


def _at_its_place(options: tuple[DecisionOption, ...], said: str, *, own_words: bool) -> DecisionOption | None:
    """ "The second one", "option two"; "b" and "the second" only where no other words are an answer: they may be a day.
    What is answered with yes and no is answered with these words alone."""
    place = place_in(said, len(options))
    numbered = all(option.key.isdecimal() for option in options)
    if place is None or not numbered or not 1 <= place[0] <= len(options):
        return None
    return None if own_words and place[1] != "named place" else options[place[0] - 1]


def _would_be(decision: Decision) -> str:
    keys = ", ".join(option.key for option in decision.asked.options)
    return f"Answer with one of: {keys}." if keys else "Answer in your own words."
