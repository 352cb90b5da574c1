"""Wishes to have things of the user's own taken away: "delete my reminders", "clear my list", "cancel everything on
Friday" (pure).

Read by rule and whole: what is to go is named, never guessed. English; other languages go on as they are.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["reminder", "event", "task", "note"]
DAY: Final = r"today|tonight|tomorrow|(?:this|next|coming|on)\b.*|\w+day\b.*|\d.*"

LONGEST: Final = 20  # words
_VERB: Final = re.compile(
    r"^(?:just |go ahead and |i (?:want|need|would like|'d like) (?:you )?to )?"
    r"(?P<verb>delete|remove|clear|cancel|erase|wipe|empty|drop|discard|scrap|purge|bin|trash|kill|dismiss|take|cross"
    r"|strike|get rid of|throw (?:away|out)|turn off|switch off|call off)(?: (?:out|up|clean))? ",
    re.IGNORECASE,
)
_NOUN: Final = (
    r"(?P<reminder>reminders?|alarms?|alerts?|notifications?)"
    r"|(?P<task>(?:open |done |finished )?(?:tasks?|to-?dos?|todo items?|chores?|errands?)(?![ -]list))"
    r"|(?P<event>events?|appointments?|meetings?|calendar entries|bookings?)"
    r"|(?P<note>notes?)"
)
_QUANTITY: Final = (
    r"(?P<all>all(?: of)?|every(?: single)?|each(?: of)?|any|both|everything (?:in|on|from)"
    r"|(?:the |my |our )?(?:whole|entire|complete))"
)
_NAMED: Final = re.compile(
    rf"^(?:{_QUANTITY} )?(?P<det>(?:my|our|the|that|this|these|those)(?: other| old| open| remaining| next| last)? )?"
    rf"(?P<pre>(?:(?!all\b|every\b|on\b|in\b|for\b)[\w'’-]+ ){{0,3}}?)(?:{_NOUN})\b(?P<tail>.*)$",
    re.IGNORECASE,
)
_BOOK: Final = (  # where things are kept, and so all of it
    r"(?:(?:my|our) (?:whole |entire )?(?P<list>list)"
    r"|(?:(?:my|our|the) )?(?:whole |entire )?"
    r"(?P<tasks>(?:to-?do|todo|task|chore)s?[ -]?list|list of (?:tasks|to-?dos))"
    r"|(?:my|our|the) (?:whole |entire )?(?P<calendar>calendar|schedule|agenda|diary)"
    r"|(?:my|our|the) (?:whole |entire )?(?P<notebook>notebook))"
)
_WHOLE: Final = re.compile(rf"^(?:(?:everything|all) (?:in|on|from|off) )?{_BOOK}\b(?P<tail>.*)$", re.IGNORECASE)
_OFF: Final = re.compile(rf"^(?P<what>.+?) (?:from|off|out of|in|on) {_BOOK}(?P<tail>)$", re.IGNORECASE)
_EVERYTHING: Final = re.compile(
    r"^(?:everything|all)(?: that)?(?: (?:i|we)(?:'ve| have)(?: got)?| is| there is)?(?: planned| scheduled)? "
    rf"(?:for |on )?(?P<day>{DAY})$",
    re.IGNORECASE,
)
_GATHERING: Final = re.compile(
    r"^(?:my|our|the|that|this|tomorrow's|today's) (?P<what>(?:[\w'-]+ ){0,3}?(?:lunch|dinner|breakfast|brunch|drinks|"
    r"party|rehearsal|practice|training|lesson|class|session|interview|exam|check-?up|viewing|concert|trip|visit|call|"
    r"date|picnic|barbecue|reunion|get-together)\b)(?P<tail>.*)$",
    re.IGNORECASE,
)
_CANCELS: Final = ("cancel", "call off", "drop", "scrap")
_ALL: Final = re.compile(r"^(?:everything|all(?: of it)?)$", re.IGNORECASE)
_TAIL: Final = re.compile(
    r"^[ :,]*(?:(?:that (?:says?|reads?|is about|are about)|to|about|regarding|on|for|with|called|named|titled|saying"
    r"|concerning|from|at|i have|i've got|we have|there (?:is|are))\b ?)*(?P<rest>.*)$",
    re.IGNORECASE,
)
_FOREIGN: Final = re.compile(  # not what Steward keeps
    r"\b(?:python|bash|java(?:script)?|sql|excel|array|database|table|folder|directory|file|files|code|script|iphone"
    r"|android|phone|windows|mac|outlook|google|gmail|teams|slack|css|html|react|string|dict|variable|elements?"
    r"|listeners?|handlers?|git|docker|browser|text|paragraph|essay|sentence|column|row|sheet|function|regex)\b",
    re.IGNORECASE,
)
_PLURAL: Final = re.compile(r"(?:s|entries)$", re.IGNORECASE)
_OF_QUALITY: Final = re.compile(r"^ of\b", re.IGNORECASE)  # "the note of sarcasm"
_DAY_AT_END: Final = re.compile(rf"(?:^|\b(?:on|for|from|of|at) )(?P<day>{DAY})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearing:
    """`about`: words that what is to go must have; "" for any. `day`: in words; "" for any. `every`: all that fit are
    meant; else it is one of them."""

    kinds: tuple[Kind, ...]
    about: str = ""
    day: str = ""
    every: bool = False


def clearing(text: str, is_day: Callable[[str], bool] = lambda words: bool(words)) -> Clearing | None:
    """None for every other message. `text`: without what is only polite. `is_day`: whether words are nothing but a
    day, or some days."""
    said = " ".join(text.replace("’", "'").split()).rstrip(" ?!.")
    verb = _VERB.match(said)
    if verb is None or len(said.split()) > LONGEST or "\n" in text.strip() or "`" in text:
        return None
    what = said[verb.end() :]
    if _FOREIGN.search(what) or re.search(r"[.;!?] |, (?:and|then)\b", what):
        return None
    for read in (_of_a_day, _off_a_book, _of_a_book, _of_a_kind, _of_a_gathering):
        if (found := read(what, verb["verb"].lower(), is_day)) is not None:
            return found
    return None


def _of_a_day(what: str, verb: str, is_day: Callable[[str], bool]) -> Clearing | None:
    match = _EVERYTHING.match(what)
    if match is None or not is_day(match["day"]):
        return None
    return Clearing(kinds=("event", "reminder"), day=match["day"], every=True)


def _off_a_book(what: str, verb: str, is_day: Callable[[str], bool]) -> Clearing | None:
    match = _OFF.match(what)
    if match is None:
        return None
    kind = _kind_of_book(match)
    if _ALL.match(match["what"]):
        return Clearing(kinds=(kind,), every=True)
    named = _NAMED.match(match["what"])
    if named is not None and _kind(named) in (kind, "event"):
        return _one_or_all(named, is_day)
    if kind == "event" and verb in ("delete", "remove", "cancel", "take"):
        return None  # calendar.delete reads it
    return Clearing(kinds=(kind,), about=_bare(match["what"]))


def _of_a_book(what: str, verb: str, is_day: Callable[[str], bool]) -> Clearing | None:
    match = _WHOLE.match(what)
    if match is None or verb in ("cancel", "take", "cross", "strike"):
        return None
    about, day = _split(match["tail"], is_day)
    return None if about else Clearing(kinds=(_kind_of_book(match),), day=day, every=True)


def _of_a_kind(what: str, verb: str, is_day: Callable[[str], bool]) -> Clearing | None:
    match = _NAMED.match(what)
    if match is None or _OF_QUALITY.match(match["tail"]) or verb in ("take", "cross", "strike"):
        return None
    named = bool(match["all"] or match["det"])
    if match["pre"].strip() and not named and verb not in ("cancel", "delete", "remove"):
        return None
    noun = match[_kind(match)]
    if not named and not _PLURAL.search(noun) and verb != "cancel":
        return None
    bare = re.match(r" (?!that\b|to\b|about\b|on\b|for\b|with\b|called\b|from\b|at\b|i\b|we\b)\w", match["tail"])
    if bare and _kind(match) in ("note", "event") and not is_day(match["tail"].strip()):
        return None
    return _one_or_all(match, is_day)


def _of_a_gathering(what: str, verb: str, is_day: Callable[[str], bool]) -> Clearing | None:
    """ "Cancel the lunch with Tom": called by what it is."""
    match = _GATHERING.match(what)
    if match is None or verb not in _CANCELS:
        return None
    about, day = _split(match["tail"], is_day)
    return Clearing(kinds=("event",), about=f"{match['what']} {about}".strip(), day=day)


def _one_or_all(match: re.Match[str], is_day: Callable[[str], bool]) -> Clearing:
    about, day = _split(match["tail"], is_day)
    kind = _kind(match)
    pre = _bare(match["pre"])
    if pre and is_day(pre):
        day, pre = day or pre, ""
    about = " ".join(part for part in (pre, about) if part)
    every = bool(match["all"]) or _PLURAL.search(match[kind]) is not None
    return Clearing(kinds=(kind,), about=about, day=day, every=every)


def _split(tail: str, is_day: Callable[[str], bool]) -> tuple[str, str]:
    """What it is about, and the day."""
    match = _TAIL.match(tail)
    rest = match["rest"].strip(" \"'“”,:") if match is not None else ""
    if not rest:
        return "", ""
    if is_day(rest):
        return "", rest
    ended = _DAY_AT_END.search(rest)
    if ended is not None and is_day(ended["day"]):
        return _bare(rest[: ended.start()]), ended["day"]
    return _bare(rest), ""


def _kind(match: re.Match[str]) -> Kind:
    kinds: tuple[Kind, ...] = ("reminder", "task", "event", "note")
    return next(kind for kind in kinds if match[kind])


def _kind_of_book(match: re.Match[str]) -> Kind:
    if match["calendar"]:
        return "event"
    return "note" if match["notebook"] else "task"


def _bare(words: str) -> str:
    said = re.sub(r"^(?:(?:my|our|the|a|an|that|this) )+", "", words.strip(" \"'“”,:"), flags=re.IGNORECASE)
    return re.sub(r"^(?:task|to-?do|reminder|note)s? (?:to |about )?", "", said, flags=re.IGNORECASE)
