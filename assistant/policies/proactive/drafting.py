"""The words of a suggestion: a template, the material a model may use, and the check of what it wrote. Pure.

A draft may say only what the evidence says: every name, number and date in it has to be there. What fails is replaced
by the template, which quotes.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final, Literal

from assistant.policies.cleaning import clean
from assistant.policies.proactive.facts import cut, stems
from assistant.policies.when.describe import day_in_words
from assistant.policies.when.words import MONTH_NAMES, WEEKDAY_NAMES
from assistant.policies.when.zones import to_local
from memory.suggestions import Opportunity, OpportunityKind
from memory.text import folded

Fault = Literal[
    "empty", "too_long", "sentences", "questions", "name", "number", "date", "off_subject", "address", "added"
]
LONGEST: Final = 240
_SENTENCE: Final = re.compile(r"[.!?…]+(?=\s|$)")
_NUMBER: Final = re.compile(r"\d+(?:[.:,]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_NUMBER_WORDS: Final = frozenset(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty", "thirty",
     "hundred", "thousand", "million", "half", "dozen", "twice")
)  # fmt: skip
_RELATIVE: Final = ("today", "tomorrow", "tonight", "yesterday")
_ADDRESS: Final = re.compile(r"https?://|www\.|\S@\S", re.IGNORECASE)
# Words of the carrying kind that say nothing of their own in a note; all others have to be in the evidence.
_CARRIERS: Final = stems(
    "still open yet done due deadline day date today tomorrow tonight yesterday time remind reminder remember forget "
    "note write wrote written say said mention mentioned plan planned mean meant must needed wanted keep kept drop "
    "hold true usual usually happen happened list task"
)
# Words that begin with a capital anywhere without naming somebody.
_PLAIN: Final = frozenset(("I", "I'm", "I'll", "I've", "I'd", "OK"))


def material(one: Opportunity, now: datetime, zone: str) -> str:
    """All that a draft may use, in plain lines."""
    lines = [f"Today is {_spoken_day(now, zone)}."]
    lines += [
        f'On {_spoken_day(each.at, zone)} the user wrote: "{each.quote}"' for each in one.evidence if _said(each.source)
    ]
    lines += [f"The user's {each.source}: {each.quote}" for each in one.evidence if not _said(each.source)]
    lines.append(f"It is about: {one.subject}")
    if one.deadline is not None:
        lines.append(f"Date: {_in_words(last_day(one.deadline, zone))}")
    return "\n".join(lines)


def _said(source: str) -> bool:
    return source == "message"


def last_day(deadline: datetime, zone: str) -> date:
    """The day by which it is due: midnight is the end of the day before."""
    return (to_local(deadline, zone) - timedelta(microseconds=1)).date()


def _spoken_day(at: datetime, zone: str) -> str:
    return _in_words(to_local(at, zone).date())


def _in_words(day: date) -> str:
    return f"{WEEKDAY_NAMES[day.weekday()]} {day.day} {MONTH_NAMES[day.month - 1]}"


def faults(draft: str, one: Opportunity, now: datetime, zone: str) -> tuple[Fault, ...]:
    """What is wrong with a draft; () where it may be shown."""
    text = draft.strip()
    if not text:
        return ("empty",)
    return tuple(_faults(text, one, material(one, now, zone), now, zone))


def _faults(text: str, one: Opportunity, known: str, now: datetime, zone: str) -> Iterator[Fault]:
    if len(text) > LONGEST or "\n" in text:
        yield "too_long"
    if len(_SENTENCE.findall(text)) + (not re.search(r"[.!?…]$", text)) > 2:
        yield "sentences"
    if text.count("?") > 1:
        yield "questions"
    if not stems(text) & stems(one.subject):
        yield "off_subject"
    words, plain = set(_WORD.findall(folded(known))), folded(text)
    if not _days_fit(plain, words, one, now, zone):
        yield "date"
    yield from _made_up(text, plain, known, words)


def _made_up(text: str, plain: str, known: str, words: set[str]) -> Iterator[Fault]:
    """What the material does not have."""
    if _ADDRESS.search(text) and not _ADDRESS.search(known):
        yield "address"
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(known)):
        yield "number"
    if any(word in _NUMBER_WORDS and word not in words for word in _WORD.findall(plain)):
        yield "number"
    if any(name not in words for name in _names(text)):
        yield "name"
    if stems(text) - stems(known) - _CARRIERS or _denies(plain) and not _denies(folded(known)):
        yield "added"


def _denies(plain: str) -> bool:
    return any(word in ("not", "no", "never") or word.endswith(("n't", "n’t")) for word in _WORD.findall(plain))


def _names(text: str) -> Iterator[str]:
    """Capitalised words that do not begin a sentence."""
    begins = {0, *(match.end() for match in re.finditer(r"[.!?…:][\"'”’)]*\s+|[\"“‘(]", text))}
    for match in _WORD.finditer(text):
        word = match[0]
        if word[0].isupper() and word not in _PLAIN and match.start() not in begins:
            yield folded(word.removesuffix("'s").removesuffix("’s"))


def _days_fit(plain: str, known: set[str], one: Opportunity, now: datetime, zone: str) -> bool:
    """Weekdays and months come from the material; "tomorrow" is true or was said, and no other shift is made up."""
    said = set(_WORD.findall(plain))
    named = {name.lower() for name in (*WEEKDAY_NAMES, *MONTH_NAMES) if name != "May"}
    if (said & named) - known:
        return False
    for word in said & set(_RELATIVE):
        if one.deadline is None:
            return False
        away = (last_day(one.deadline, zone) - to_local(now, zone).date()).days
        if {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}[word] != away:
            return False
    return not re.search(r"\b(?:next|this|last|in an?) (?:week|month|year|hour|day|minute)", plain)


# "{subject}" in the user's or a calendar's words, between quotation marks; "{by}" the date behind it, "{said}" the day
# it was said or kept.
_TEMPLATES: Final[dict[OpportunityKind, str]] = {
    "deadline": "On {said} you wrote that this has to be done: {subject}{by}.",
    "open_loop": "You meant to do this: {subject}{by}. Is it still open?",
    "routine": "Usually by now: {subject}. Did it happen today?",
    "follow_up": "How did it go: {subject}?",
    "conflict": "Two things at one time: {subject}{by}.",
    "gap": "There is some free time before the next event. It would fit: {subject}.",
    "stale_memory": "I have kept this since {said}: {subject}. Does it still hold?",
    "unfinished_task": "Still on your list: {subject}. Keep it, or drop it?",
    "ask_ahead": "One question for later: {subject}. When is it due?",
}
_MODEL_WORDS: Final[frozenset[OpportunityKind]] = frozenset(("deadline", "open_loop", "routine", "unfinished_task"))
_LISTED: Final = "This comes due: {subject}{by}."


def template(one: Opportunity, now: datetime, zone: str) -> str:
    """At most two sentences that quote, for every kind. Never fails."""
    first = one.evidence[0]
    pattern = _LISTED if one.kind == "deadline" and first.source != "message" else _TEMPLATES[one.kind]
    by = f" ({_until(one.deadline, now, zone)})" if one.deadline is not None else ""
    said = _near(to_local(first.at, zone).date(), to_local(now, zone).date())
    return pattern.format(subject=_subject(one), by=by, said=said)


def _subject(one: Opportunity) -> str:
    if one.kind == "conflict":
        return " and ".join(_in_quotes(each.quote, 60) for each in one.evidence)
    return _in_quotes(one.subject, 80)


def _in_quotes(words: str, longest: int) -> str:
    """What is quoted cannot end its quotation: its own marks become plain ones."""
    return f"“{re.sub('[“”„«»]', chr(39), cut(clean(words), longest))}”"


def model_may_word(one: Opportunity) -> bool:
    """Not where the question is the point (a memory that is old, a goal without a day), and not where the words it
    rests on may be somebody else's: calendars are imported, and invitations come from others. Those are quoted."""
    return one.kind in _MODEL_WORDS and all(each.source != "event" for each in one.evidence)


def _until(deadline: datetime, now: datetime, zone: str) -> str:
    local, today, day = to_local(deadline, zone), to_local(now, zone).date(), last_day(deadline, zone)
    clock = f" {local:%H:%M}" if day == local.date() else ""
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get((day - today).days) or _near(day, today)
    return f"{near}{clock}"


def _near(day: date, today: date) -> str:
    """A weekday within six days, else a date; the year only where it is another."""
    if abs((day - today).days) < 7:
        return WEEKDAY_NAMES[day.weekday()]
    return day_in_words(day) if day.year != today.year else _in_words(day)
