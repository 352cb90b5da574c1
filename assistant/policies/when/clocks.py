"""Times of day: "6pm", "half past seven", "at noon", "from 3 to 4pm", "8 in the evening", "tonight"."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Final, Literal

from assistant.policies.when.pieces import Clock, Found, Impossible, PartOfDay, Scene, Unread
from assistant.policies.when.types import Assumption
from assistant.policies.when.words import DAY_PARTS, END, GAP, SHADED_PARTS, SMALL, UNITS, WEEKDAY, either, number

_AT: Final = frozenset(
    {"at", "@", "around", "about", "by", "circa", "~", "till", "until", "for", "from", "between", "before", "after"}
)
_HALF: Final = rf"(?:{GAP}(?P<half>ampm|a\.m\.|p\.m\.|a\.m|p\.m|[ap] ?m){END}|(?P<short>[ap]){END})"
_MINUTE_WORD: Final = (
    rf"(?:oh[ -]{either(UNITS[1:10])}|{either(('five', *UNITS[10:]))}"
    rf"|(?:twenty|thirty|forty|fifty)(?:[ -]{either(UNITS[1:10])})?)"
)
_COLON: Final = re.compile(
    rf"t?(\d{{1,2}})(?::|h)(\d{{2}})(?::(\d{{2}}))?(?:[.]\d+)?(?![\d:])(?:(?:{GAP}h(?:ours|rs)?{END})|{_HALF})?"
)
_DOTTED: Final = re.compile(rf"(\d{{1,2}})\.(\d{{2}})(?![\d.]*\d)(?:{GAP}o'?clock{END})?{_HALF}?")
_COMPACT: Final = re.compile(rf"(\d{{1,2}})(\d{{2}})(?!\d)(?:{GAP}(hours|hrs|h){END}|{_HALF})?")
_SPOKEN: Final = re.compile(
    rf"(?P<hour>{SMALL})(?:[ -](?P<minute>{_MINUTE_WORD})(?:{GAP}minutes{END})?)?(?P<ish>-?ish)?"
    rf"(?P<clock>{GAP}o'?clock{END})?{_HALF}?"
)
_RELATIVE: Final = re.compile(
    rf"(?:(?P<word>half|(?:a )?quarter|three quarters)"
    rf"|(?P<count>{SMALL})(?P<min>{GAP}(?:minutes|minute|mins|min))?){GAP}"
    rf"(?P<side>past|after|to|before|till){GAP}(?P<hour>{SMALL})(?:{GAP}o'?clock{END})?{_HALF}?"
)
_HALF_HOUR: Final = re.compile(rf"half[ -](?P<hour>{SMALL}){END}{_HALF}?")
_NOON: Final = re.compile(
    rf"(?:12(?:[:.]00)?{GAP})?(?P<word>noon|midday|mid[- ]day|midnight|mid[- ]night)(?:-?ish)?{END}"
)
_JOIN: Final = re.compile(rf"{GAP}(?:-|to|until|till|through|and){GAP}")
_END_OF_DAY: Final = re.compile(rf"(?:end of (?:the )?day|eod|close of business|cob){END}")
_PART: Final = re.compile(
    rf"(?:(?P<when>this|next|last|all){GAP})?(?:(?P<shade>early|late|later|mid|earlier)(?:-|{GAP}(?:in{GAP}(?:the{GAP})?)?)?)?"
    rf"(?:(?P<this>this){GAP})?(?P<part>{either(DAY_PARTS)}){END}"
)
_AFTER_DAY: Final = re.compile(rf"(?:{WEEKDAY}|today|tomorrow|tmrw)[,\s]{{1,3}}$")
_OWNED: Final = re.compile(r"(?<!day)(?<!tomorrow)(?:s['’]|['’]s) $")  # "parents' evening" is an event
_ALARM: Final = re.compile(r"\b(?:alarm|reminder|remind me|wake-?up)\s+for\s+$")
_PLAIN: Final = re.compile(
    r"\s{1,3}(?!(?:at|on|in|for|to|of|and|from|until|till|by|before|after|the|every|around|between)\b)[^\W\d_]"
)
_AM_PM_ALONE: Final = re.compile(rf"(?P<half>am|pm|a\.m\.|p\.m\.){END}")
_NOT_HOURS: Final = re.compile(r"\s*(?:%|°|degrees?|percent|euros?|dollars?|pounds?|[$€£]|km|miles?|kg|people|times|x)")

Half = Literal["am", "pm", ""]


def clock(scene: Scene, at: int, lead: str) -> Found | None:
    """A time or a range of times at `at`; `lead` is the preposition before it."""
    first = _atom(scene, at, lead)
    if first is None or not isinstance(first.what, Clock):
        return first
    join = _JOIN.match(scene.text, first.stop)
    if join is None:
        return first
    ranged = lead.split()[-1:] in (["from"], ["between"]) or "-" in join.group()
    second = _atom(scene, join.end(), "to")
    if second is None or not isinstance(second.what, Clock) or _followed_by_unit(scene, second.stop):
        return first
    if not (ranged or not first.what.open or not second.what.open or first.what.spelled):
        return first
    if "-" in join.group() and not second.what.open and not second.what.spelled and second.stop - join.end() < 3:
        return None
    if "and" in join.group() and not lead.endswith("between"):
        return first
    strong = first.strong or second.strong or ranged and lead != ""
    return Found(stop=second.stop, what=_ranged(first.what, second.what), strong=strong)


def _ranged(first: Clock, second: Clock) -> Clock:
    """The start, with the length up to the end. An open start takes the half of the day that makes the range
    forward."""
    start = first
    if first.open and not second.open and first.hour != 12:
        afternoon = second.hour >= 12 and first.hour + 12 < second.hour + (second.minute > first.minute)
        start = replace(first, hour=first.hour + 12 * afternoon, open=False)
    minutes = (second.hour * 60 + second.minute) - (start.hour * 60 + start.minute)
    if minutes <= 0:
        minutes += 12 * 60 if second.open or start.open else 24 * 60
    return replace(start, lasts=timedelta(minutes=minutes % (24 * 60)))


def _atom(scene: Scene, at: int, lead: str) -> Found | None:
    last = lead.split()[-1] if lead else ""
    for rule in (_noon, _end_of_day, _colon, _relative, _half_hour, _dotted, _compact, _spoken):
        found = rule(scene, at, last)
        if found is not None:
            return found
    return None


def _noon(scene: Scene, at: int, lead: str) -> Found | None:
    match = _NOON.match(scene.text, at)
    if match is None:
        return None
    night = "night" in match["word"]
    return Found(stop=match.end(), what=Clock(hour=0 if night else 12, midnight=night))


def _end_of_day(scene: Scene, at: int, lead: str) -> Found | None:
    match = _END_OF_DAY.match(scene.text, at)
    if match is None:
        return None
    return Found(stop=match.end(), what=Clock(hour=18, others=(Clock(hour=23, minute=59),)))


def _colon(scene: Scene, at: int, lead: str) -> Found | None:
    match = _COLON.match(scene.text, at)
    if match is None or (match[0][0] == "t" and not scene.text[at - 1 : at].isdigit()):
        return None
    if _ratio(scene, match.end(), lead):
        return None
    return _said(match, int(match[1]), int(match[2]), int(match[3] or 0), written=match[1])


def _ratio(scene: Scene, stop: int, lead: str) -> bool:
    """A "1:1 meeting" has one digit after the colon and never comes here; "16:10 screen" does."""
    return (
        lead not in _AT and re.match(r"\s*(?:aspect|ratio|score|scale|odds)", scene.text[stop : stop + 12]) is not None
    )


def _dotted(scene: Scene, at: int, lead: str) -> Found | None:
    match = _DOTTED.match(scene.text, at)
    if match is None or _NOT_HOURS.match(scene.text, match.end()):
        return None
    if not (match["half"] or match["short"] or lead in ("at", "@", "around", "from", "between") or "clock" in match[0]):
        return None
    if int(match[2]) > 59 or int(match[1]) > 24:
        return None
    return _said(match, int(match[1]), int(match[2]), 0, written=match[1])


def _compact(scene: Scene, at: int, lead: str) -> Found | None:
    match = _COMPACT.match(scene.text, at)
    if match is None or len(match[1] + match[2]) < 3:
        return None
    marked = bool(match["half"] or match[3])
    zero = match[1][0] == "0" and lead in ("from", "between")
    if not marked and not ((lead in ("at", "@") or zero) and len(match[1]) == 2):
        return None
    if int(match[1]) > 24 or int(match[2]) > 59:
        return None
    if match["half"] is None:
        return Found(stop=match.end(), what=Clock(hour=int(match[1]) % 24, minute=int(match[2])))
    return _said(match, int(match[1]), int(match[2]), 0, written=match[1])


def _relative(scene: Scene, at: int, lead: str) -> Found | None:
    match = _RELATIVE.match(scene.text, at)
    if match is None or _followed_by_unit(scene, match.end()):
        return None
    word = match["word"]
    minutes = {"half": 30, "three quarters": 45}.get(word, 15) if word else int(number(match["count"]))
    hour = int(number(match["hour"]))
    if minutes > 59 or hour > 24 or (word == "half" and match["side"] not in ("past", "after")):
        return None
    if not word and not match["min"] and match["side"] in ("to", "before", "till", "after"):
        return None if match["side"] != "to" or lead in ("from", "between") else _five_to_seven(match, minutes, hour)
    said = _said(match, hour, 0, 0, written="")
    if not isinstance(said.what, Clock):
        return said
    sign = 1 if match["side"] in ("past", "after") else -1
    return replace(said, what=_moved(said.what, sign * minutes))


def _five_to_seven(match: re.Match[str], minutes: int, hour: int) -> Found | None:
    """ "five to seven" is 6:55, or from five to seven: asked."""
    if minutes not in (5, 10, 20, 25) or hour > 12:
        return None
    said = _said(match, hour, 0, 0, written="")
    if not isinstance(said.what, Clock) or minutes > 12:
        return (
            said
            if minutes <= 12 or not isinstance(said.what, Clock)
            else replace(said, what=_moved(said.what, -minutes))
        )
    start = replace(said.what, hour=minutes + 12 * (said.what.hour > 12), lasts=timedelta(hours=(hour - minutes) % 12))
    return replace(said, what=replace(_moved(said.what, -minutes), others=(start,)), strong=lead_is_free(match))


def lead_is_free(match: re.Match[str]) -> bool:
    """Whether "N to M" stands on its own as a time: only when a half of the day was said."""
    return bool(match["half"])


def _half_hour(scene: Scene, at: int, lead: str) -> Found | None:
    match = _HALF_HOUR.match(scene.text, at)
    if (
        match is None
        or not 1 <= number(match["hour"]) <= 12
        or lead not in _AT
        or _followed_by_unit(scene, match.end())
    ):
        return None
    said = _said(match, int(number(match["hour"])), 30, 0, written="")
    if not isinstance(said.what, Clock):
        return said
    hour = int(number(match["hour"]))
    note = Assumption(text=f"half {hour} read as half past {hour}", doubt="time")
    return replace(said, what=replace(said.what, notes=(note,)))


def _spoken(scene: Scene, at: int, lead: str) -> Found | None:
    """An hour alone: "8pm", "eight forty", "8 o'clock", "at 8". Without any of these marks it is weak."""
    match = _SPOKEN.match(scene.text, at)
    if match is None or scene.text[match.end() : match.end() + 1].isalnum() or _followed_by_unit(scene, match.end()):
        return None
    if re.match(r"[.:/]\d|-\d", scene.text[match.end() : match.end() + 2]) and not (match["half"] or match["short"]):
        return None if not re.match(r"-\d", scene.text[match.end() : match.end() + 2]) else _open(match, lead)
    minute_text = (match["minute"] or "").removeprefix("oh").strip(" -")
    minute = int(number(minute_text)) if minute_text else 0
    marked = bool(match["half"] or match["short"] or match["clock"])
    hour = int(number(match["hour"]))
    if not marked and (
        hour > (24 if lead in ("at", "@", "around", "from", "between", "to") else 12)
        or not match["hour"].isdigit()
        and hour > 12
        and not match["minute"]
    ):
        return Found(stop=match.end(), what=Unread(), strong=False) if hour <= 31 else None
    if match["short"] and not match["hour"].isdigit():
        return None
    if not marked and lead == "for" and not minute and not _ALARM.search(scene.text, max(0, at - 20), at):
        return None  # "a table for 4"
    said = _said(match, hour, minute, 0, written=match["hour"] if match["hour"].isdigit() else "")
    at_lead = lead in ("at", "@", "around", "about", "by", "circa", "~") or (lead == "for")
    plain = _plain_word_follows(scene, match.end())
    strong = marked or bool(match["ish"]) or at_lead and not (plain and _names_a_place(scene, match.end()))
    return replace(said, strong=strong)


def _open(match: re.Match[str], lead: str) -> Found | None:
    """The first number of "11-4"."""
    hour = int(number(match["hour"]))
    return Found(stop=match.end(), what=Clock(hour=hour, open=hour <= 12), strong=False) if hour <= 24 else None


def _plain_word_follows(scene: Scene, stop: int) -> bool:
    return _PLAIN.match(scene.text, stop) is not None


def _names_a_place(scene: Scene, stop: int) -> bool:
    """ "at 10 Downing Street": a capital follows."""
    match = re.match(r"\s{1,3}([^\W\d_]{2,20})", scene.raw[stop : stop + 24])
    if match is None or not match[1][0].isupper():
        return False
    word = match[1].lower()
    return not re.match(
        either(("mon", "tue", "wed", "thu", "fri", "sat", "sun", "on", "to", "in", "every", "pm", "am", "tom")), word
    ) and not (re.match(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|p|a|[a-z]{2,4}t$", word))


def _followed_by_unit(scene: Scene, stop: int) -> bool:
    return _NOT_HOURS.match(scene.text, stop) is not None or (
        re.match(
            r"[ -]?(?:second|sec|min|hour|hr|day|week|month|year|night|other|of them|apples)",
            scene.text[stop : stop + 10],
        )
        is not None
    )


def _said(match: re.Match[str], hour: int, minute: int, second: int, *, written: str) -> Found:
    """The clock that was said, checked: "25:00" and "13am" are no times."""
    half = ((match["half"] or match["short"]) or "").replace(".", "").replace(" ", "")
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and minute):
        return Found(stop=match.end(), what=Impossible(reason=f"{match[0].strip()} is no time of day."))
    if half in ("a", "am", "p", "pm"):
        if hour > 12 and half[0] == "a" or hour == 0 and half[0] == "p":
            return Found(stop=match.end(), what=Impossible(reason=f"{match[0].strip()} is no time of day."))
        hour = hour if hour > 12 else hour % 12 + 12 * (half[0] == "p")
        return Found(stop=match.end(), what=Clock(hour=hour, minute=minute, second=second))
    known = hour > 12 or hour == 0 or written.startswith("0") or second > 0
    spelled = len(written) == 2 and (minute > 0 or ":" in match[0])
    return Found(
        stop=match.end(),
        what=Clock(hour=hour % 24, minute=minute, second=second, open=not known, spelled=spelled, midnight=hour == 24),
    )


def _moved(said: Clock, minutes: int) -> Clock:
    """`minutes` later; an open clock stays on its dial."""
    total = said.hour * 60 + said.minute + minutes
    hour, minute = divmod(total, 60)
    if said.open:
        return replace(said, hour=(hour - 1) % 12 + 1, minute=minute)
    return replace(said, hour=hour % 24, minute=minute)


def part_of_day(scene: Scene, at: int, lead: str) -> Found | None:
    """ "in the morning", "late afternoon", "this evening", "tonight"; weak when nothing says that a time is meant."""
    match = _PART.match(scene.text, at)
    if match is None:
        return _half_alone(scene, at)
    name = DAY_PARTS[match["part"]]
    shade = match["shade"]
    hours = SHADED_PARTS.get((shade, name)) if shade else None
    when = match["when"] or match["this"] or ("this" if lead.endswith("this") else None)
    owned = not (when or shade or name == "tonight") and _OWNED.search(scene.text, max(0, at - 12), at)
    if when == "all" or owned:
        return None
    days = {"this": 0, "next": 1, "last": -1}.get(when or "")
    if name == "tonight":
        days = 0
    plural = match["part"].endswith("s") and match["part"] != "this"
    placed = lead.split()[-1:] in (
        ["the"],
        ["in"],
        ["at"],
        ["on"],
        ["by"],
        ["around"],
        ["early"],
        ["during"],
        ["before"],
        ["after"],
    )
    compound = re.match(r"-?time", scene.text[match.end() : match.end() + 5]) is not None
    own = (
        days is not None or bool(shade) or "-" in match["part"] or "lunch" in match["part"] or "dinner" in match["part"]
    )
    noun = _plain_word_follows(scene, match.end()) and not lead.startswith(("in", "on")) and days is None
    if noun and not own and not _AFTER_DAY.search(scene.text, max(0, at - 12), at):
        return None  # "two morning sessions"
    strong = not compound and (placed or own) and not noun
    return Found(
        stop=match.end(), what=PartOfDay(name=name, at=hours, days=days), strong=strong and not (plural and not placed)
    )


def _half_alone(scene: Scene, at: int) -> Found | None:
    """ "tuesday PM": a part of the day; "I am" is not."""
    match = _AM_PM_ALONE.match(scene.text, at)
    if match is None or match["half"] == "am" and scene.raw[at : at + 2] == "am":
        return None
    return Found(
        stop=match.end(), what=PartOfDay(name="morning" if match["half"][0] == "a" else "afternoon"), strong=False
    )
