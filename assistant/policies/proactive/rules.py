"""Rules in plain words: "not before ten", "max two a day", "stop about fitness". Pure.

What is read is only proposed: the user confirms it. A sentence that names no rule gives a reason instead.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Final, Literal

from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options, Understood
from assistant.policies.when.zones import resolve, to_local
from memory.suggestions import Rule

Missing = Literal["no_rule", "no_time", "no_number", "no_topic"]

_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        (
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "twenty-one",
            "twenty-two", "twenty-three",
        )
    )
} | {"once": 1, "twice": 2, "thrice": 3, "a": 1, "an": 1, "no": 0}  # fmt: skip
_PARTS: Final = {
    "morning": (time(6), time(12)),
    "forenoon": (time(8), time(12)),
    "afternoon": (time(12), time(18)),
    "evening": (time(18), time(22)),
    "night": (time(21), time(7)),
    "lunch": (time(12), time(14)),
    "lunchtime": (time(12), time(14)),
    "breakfast": (time(6), time(9)),
    "dinner": (time(18), time(20)),
    "work": (time(9), time(17)),
    "working hours": (time(9), time(17)),
    "office hours": (time(9), time(17)),
}
_DAYS: Final = {
    name: (number,)
    for number, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
} | {"weekend": (5, 6), "weekday": (0, 1, 2, 3, 4), "workday": (0, 1, 2, 3, 4), "work day": (0, 1, 2, 3, 4)}

_NUMBER: Final = r"(?P<number>\d{1,2}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")\b"
_CLOCK: Final = (
    r"(?:half past \w+|quarter (?:past|to) \w+|\d{1,2}(?:[:.]\d\d)?(?: ?o'?clock)? ?(?:a\.?m\.?|p\.?m\.?)?"
    r"|(?:twenty-(?:one|two|three)|[a-z]+teen|[a-z]+)(?: ?o'?clock)?(?: ?(?:a\.?m\.?|p\.?m\.?))?)"
)
_NOT: Final = (
    r"(?:not|never|nothing|no (?:suggestions?|messages?|tips?|nudges?)|don't|do not|stop|please don't)"
    r"(?: (?:say|suggest|tell|write|speak|talk|disturb|bother|interrupt|message|ping|nudge)(?: anything| me| to me)*)*"
)
_BEFORE: Final = re.compile(
    rf"\b{_NOT} (?:before|until|till|earlier than) (?P<at>{_CLOCK})|\bonly (?:after|from) (?P<at2>{_CLOCK})"
)
_AFTER: Final = re.compile(
    rf"\b{_NOT} (?:after|past|later than|from) (?P<at>{_CLOCK})|\bonly (?:before|until|till) (?P<at2>{_CLOCK})"
)
_BETWEEN: Final = re.compile(
    rf"\b(?P<sense>{_NOT}|only|just)(?: \w+)?? (?:between|from) (?P<start>{_CLOCK}) (?:and|to|until|till"
    rf"|-) (?P<stop>{_CLOCK})"
)
_PART: Final = re.compile(
    r"\b(?:(?P<sense>not|never|nothing|only|just|don't|do not|no (?:suggestions?|messages?))[\w ]*?"
    r" (?:in|at|during|over|while i am at|when i am at|when i'm at|on) (?:the |my )?(?P<part>" + ""
    r"|".join(_PARTS) + r")s?"
    r"|(?P<part2>" + "|".join(_PARTS) + r")s? only|only (?P<part3>" + "|".join(_PARTS) + r")s?|no (?P<part4>"
    + "|".join(_PARTS) + r")s)\b"
)  # fmt: skip
_A_DAY: Final = re.compile(
    rf"(?:max(?:imum|imal)?(?: of)?|at most|no more than|not more than|up to|only|just|never more than"
    rf"|limit (?:it |yourself )?to)"
    rf" {_NUMBER}(?: (?:suggestions?|messages?|times?|things?|tips?|nudges?|of them))?(?: (?:a|per|each"
    rf"|every|in a) day| daily|/day)?"
)
_IS_ENOUGH: Final = re.compile(
    rf"{_NUMBER}(?: (?:suggestions?|messages?|times?|tips?))?(?: (?:a|per|each) day| daily)(?: (?:is"
    rf"|are) (?:enough|plenty|fine|the limit))?"
)
_GAP: Final = re.compile(
    rf"(?:(?:at least|minimum|leave|wait|keep)[\w ]*? )?(?P<half>half an hour"
    rf"|{_NUMBER}(?: and a half)? (?P<unit>hours?|minutes?|h|min))"
    r"[\w ]*? (?:between|apart|in between|before the next)"
)
_TOPIC: Final = re.compile(
    r"(?:\b(?:stop|no more|nothing|not|never|don't|do not|enough|quit|leave out|skip|mute|no)\b[\w' ]*?"
    r"(?:about|on|regarding|with|mention(?:ing)?|suggest(?:ing)?|bring(?:ing)? up) (?:the |my |any )?"
    r"|\b(?:mute|no more|enough) (?:of )?(?:the |my )?)(?P<topic>[a-z][\w' -]{1,40}?)"
    r"(?: (?:stuff|things|tips|suggestions|topics?|messages|please|anymore|any more|again|for now))*[.! ]*$"
)
_DAY: Final = re.compile(
    r"\b(?P<sense>not|never|nothing|no [a-z]+|don't [a-z ]+|only|just)\b[\w' ]*? (?:on |at |over )(?:the |a )?(?P<day>"
    + "|".join(_DAYS)
    + r")s?\b|\b(?P<day2>weekday|workday|weekend)s only\b|\bno (?P<day3>weekend)s?\b"
)
_ON_DAYS: Final = re.compile(
    r"\b(?:on|at|over) (?:the |a )?(?P<day>" + "|".join(_DAYS) + r")s?\b|\b(?P<day2>weekday|weekend)s\b"
)
_OFF: Final = re.compile(
    r"\b(?:leave me alone|be quiet|stay quiet|quiet|silence|not now|stop (?:talking|suggesting|it"
    r"|all suggestions|everything)"
    r"|no (?:more )?(?:suggestions?|messages?)|don't (?:disturb|bother|interrupt) me|do not disturb"
    r"|nothing|shut up|pause)\b"
)
_FOR_TODAY: Final = re.compile(r"\b(?:today|for today|for the rest of the day)\b")


def read_rule(text: str, now: datetime, zone: str, topic_of: Callable[[str], str]) -> Rule | Missing:
    """The rule a sentence states. `topic_of` names the topic that words are about ("" where they name none)."""
    said = " ".join(text.split())[:300]
    plain = said.lower().replace("’", "'").strip(" .!")
    for reader in (_between, _part, _before, _after, _gap, _days, _a_day):
        found = reader(plain, said, now)
        if isinstance(found, Rule):
            return _limited(found, plain, now, zone)
        if found is not None:
            return found
    off = _off(plain, said, now, zone)
    if off is not None:
        return off
    topic = _TOPIC.search(plain)
    if topic is None:
        return "no_rule"
    named = topic_of(topic["topic"])
    return Rule(kind="mute_topic", said=said, at=now, topic=named) if named else "no_topic"


def _limited(rule: Rule, plain: str, now: datetime, zone: str) -> Rule:
    """ "today" ends with the day; "on weekends" holds on those days only."""
    if rule.kind != "day_off" and (match := _ON_DAYS.search(plain)):
        rule = replace(rule, days=_DAYS[match["day"] or match["day2"]])
    if _FOR_TODAY.search(plain):
        tomorrow = to_local(now, zone).date() + timedelta(days=1)
        rule = replace(rule, until=resolve(datetime.combine(tomorrow, time(0)), zone))
    return rule


def _between(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _BETWEEN.search(plain)
    if match is None:
        return None
    start, stop = clock(match["start"], "am"), clock(match["stop"], "am")
    if start is None or stop is None:
        return "no_time"
    if not re.search(r"[ap]\.?m", match["start"]) and start.hour < 6:  # "between 2 and 4"
        start = start.replace(hour=start.hour + 12)
    if stop <= start and stop.hour < 12:  # "9 to 5"; "22 to 7" stays over midnight
        later = stop.replace(hour=stop.hour + 12)
        stop = later if later > start else stop
    only = match["sense"] in ("only", "just")
    return Rule(kind="only_between" if only else "not_between", said=said, at=now, start=start, stop=stop)


def _part(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _PART.search(plain)
    if match is None:
        return None
    part = match["part"] or match["part2"] or match["part3"] or match["part4"]
    start, stop = _PARTS[part]
    only = match["sense"] in ("only", "just") or bool(match["part2"] or match["part3"])
    return Rule(kind="only_between" if only else "not_between", said=said, at=now, start=start, stop=stop)


def _before(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _BEFORE.search(plain)
    if match is None or (at := clock(match["at"] or match["at2"], "am")) is None:
        return None
    return Rule(kind="not_before", said=said, at=now, start=at)


def _after(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _AFTER.search(plain)
    if match is None or (at := clock(match["at"] or match["at2"], "pm")) is None:
        return None
    return Rule(kind="not_after", said=said, at=now, start=at)


def _gap(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _GAP.search(plain)
    if match is None:
        return None
    if match["half"].startswith("half"):
        return Rule(kind="gap", said=said, at=now, span=timedelta(minutes=30))
    number, hours = _number(match["number"]), match["unit"].startswith("h")
    span = timedelta(hours=number) if hours else timedelta(minutes=number)
    if "and a half" in match["half"]:
        span += timedelta(minutes=30) if hours else timedelta(seconds=30)
    return Rule(kind="gap", said=said, at=now, span=span) if span else "no_number"


def _days(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _DAY.search(plain)
    if match is None:
        return None
    named = _DAYS[match["day"] or match["day2"] or match["day3"]]
    only = match["sense"] in ("only", "just") or bool(match["day2"])
    days = tuple(day for day in range(7) if day not in named) if only else named
    return Rule(kind="day_off", said=said, at=now, days=days)


def _a_day(plain: str, said: str, now: datetime) -> Rule | Missing | None:
    match = _A_DAY.search(plain) or _IS_ENOUGH.search(plain)
    if match is None:
        return None
    return Rule(kind="most_a_day", said=said, at=now, number=_number(match["number"]))


def _off(plain: str, said: str, now: datetime, zone: str) -> Rule | None:
    """ "leave me alone until Monday", "quiet today"; without an end it stays until it is undone."""
    match = _OFF.search(plain)
    if match is None or re.search(r"\b(?:about|regarding)\b", plain):
        return None
    rest = re.sub(r"\b(?:until|till|for)\b", "", plain[match.end() :]).strip()
    rule = _limited(Rule(kind="off", said=said, at=now), plain, now, zone)
    if not rest or rule.until is not None:
        return rule
    span = re.match(rf"(?:the next )?{_NUMBER} (?P<unit>hours?|days?|weeks?)", rest)
    if span is not None:
        unit = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}[span["unit"][0]]
        return replace(rule, until=now + _number(span["number"]) * unit)
    outcome = parse(rest, Options(now=now, zone=zone, next_weekday="coming"))
    if isinstance(outcome, Understood):
        value = outcome.reading.value
        day = getattr(value, "on", None)
        until = resolve(datetime.combine(day, time(0)), zone) if day else outcome.reading.due
        return replace(rule, until=until)
    return None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def clock(text: str, half: Literal["am", "pm"]) -> time | None:
    """A time of day in words or digits. `half`: which half of the day an hour of 1 to 11 means without am or pm."""
    words = text.strip().replace("o'clock", "").replace("oclock", "").strip()
    if words in ("noon", "midday", "lunch"):
        return time(12)
    if words == "midnight":
        return time(0)
    past = re.fullmatch(r"(?:(half|quarter) past|(quarter) to) (\w+)", words)
    if past is not None:
        hour = _hour(past[3])
        if hour is None:
            return None
        minutes = hour * 60 + (30 if past[1] == "half" else 15 if past[1] else -15)
        return _in_half(minutes, half, said="")
    match = re.fullmatch(r"(\d{1,2}|[a-z-]+?)(?:[:.](\d\d))? ?(a\.?m\.?|p\.?m\.?)?", words)
    if match is None or (hour := _hour(match[1])) is None:
        return None
    minute = int(match[2] or 0)
    if minute > 59:
        return None
    return _in_half(hour * 60 + minute, half, said=(match[3] or "").replace(".", "") or (":" if match[2] else ""))


def _hour(word: str) -> int | None:
    value = int(word) if word.isdigit() else _NUMBERS.get(word)
    return value if value is not None and 0 <= value <= 24 and word not in ("a", "an", "no") else None


def _in_half(minutes: int, half: Literal["am", "pm"], said: str) -> time:
    hour, minute = divmod(minutes % 1440, 60)
    if said == "pm" and hour < 12 or said == "" and half == "pm" and 1 <= hour < 12:
        hour += 12
    if said == "am" and hour == 12:
        hour = 0
    return time(hour, minute)
