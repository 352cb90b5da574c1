"""Days by their date: "4 March", "2026-03-04", "on the 5th", "Christmas Eve", "in June"."""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

from dateutil.easter import easter

from assistant.policies.when.pieces import Day, DayChoice, Found, Impossible, Scene, Unread, What
from assistant.policies.when.types import Assumption
from assistant.policies.when.words import (
    END,
    FIXED_HOLIDAYS,
    GAP,
    MONTH,
    MONTH_NAMES,
    MONTHS,
    NOT_A_DAY,
    ORDINAL,
    SMALL,
    WEAK_WORDS,
    WEEKDAY,
    YEAR_WORDS,
    either,
    number,
    year,
)

_STOP: Final = r"(?![\w/]|[-.:]\d)"
_YEAR: Final = rf"(?:{GAP},?{GAP}(?:(?:of|in){GAP})?(?P<year>\d{{4}}(?![:\d])|'\d\d|{YEAR_WORDS}{END}))?"
_ISO: Final = re.compile(rf"(\d{{4}})(?P<sep>[-/. ])(\d{{1,2}}|{MONTH})(?P=sep)(\d{{1,2}})(?![\d/]|-\w|\.\d)")
_NUMERIC: Final = re.compile(rf"(\d{{1,2}})(?P<sep>[-/.])(\d{{1,2}})(?P=sep)(\d{{4}}|\d\d){_STOP}")
_SHORT: Final = re.compile(r"(\d{1,2})(?P<sep>[-/])(\d{1,2})(?![\d/]|[-.]\d|[^\W\d_]|%)")
_WRITTEN: Final = re.compile(rf"(\d{{1,2}})[-/]({MONTH})[-/](\d{{4}}|\d\d){_STOP}")
_MONTH_FIRST: Final = re.compile(
    rf"(?P<month>{MONTH})[. ,/-]{{0,2}}{GAP}(?:the{GAP})?(?P<day>{ORDINAL}|{SMALL}){END}"
    rf"(?!:\d|{GAP}(?:o'?clock|thousand|hundred))(?:{GAP}day)?{_YEAR}"
)
_YEAR_LAST: Final = re.compile(rf"({MONTH})[-/](\d{{1,2}})[-/](\d{{4}}){_STOP}")
_DAY_FIRST: Final = re.compile(
    rf"(?:the{GAP})?(?P<day>{ORDINAL}|{SMALL})(?:{GAP}day)?(?:\.|{GAP})(?:of{GAP})?{GAP}[./,-]?(?P<month>{MONTH}){END}\.?{_YEAR}"
)
_DAY_OF_MONTH: Final = re.compile(
    rf"(?P<the>the{GAP})?(?:(?P<ord>{ORDINAL})(?:{GAP}day)?|(?P<num>\d{{1,2}})){END}(?![.:]\d|{GAP}(?:am|pm|a\.m|p\.m|%|o'?clock))"
    rf"(?:{GAP}of{GAP}(?:the{GAP})?(?P<which>this|next|following|last|current)?{GAP}month)?"
)
_MONTH: Final = re.compile(
    rf"(?:(?P<which>this|next|last|the){GAP})?(?P<mid>mid|early|late)?-?{GAP}(?P<month>{MONTH}){END}{_YEAR}"
)
_HOLIDAY: Final = re.compile(
    rf"(?:(?P<easter>easter(?: sunday)?|good friday|easter monday)|(?P<fixed>{either(FIXED_HOLIDAYS)})){END}{_YEAR}"
)
_AFTER_WEEKDAY: Final = re.compile(rf"\b{WEEKDAY}\.?,?\s{{1,2}}(?:the\s)?$")
_EASTER_OFFSETS: Final = {"easter": 0, "easter sunday": 0, "good friday": -2, "easter monday": 1}
_ON: Final = frozenset(
    {
        "on",
        "by",
        "until",
        "till",
        "through",
        "before",
        "after",
        "from",
        "since",
        "starting",
        "around",
        "for",
        "between",
        "to",
        "due",
        "this",
    }
)
_PRONOUN: Final = re.compile(r"(?:\bi|you|he|she|it|we|they|this|that|who|which|there|one|not)\s+$")


def dated(scene: Scene, at: int, lead: str) -> Found | None:
    """A day by its date at `at`; `lead`: the preposition before it."""
    for rule in (_iso, _numeric, _written, _day_first, _month_first, _holiday, _short, _month, _day_of_month):
        found = rule(scene, at, lead)
        if found is not None:
            return found
    return None


def day_in(scene: Scene, year_number: int | None, month: int, day: int) -> What:
    """That day, or why there is none. Without a year: the next one."""
    name = MONTH_NAMES[month - 1]
    if not 1 <= day <= 31 or day > monthrange(2024, month)[1]:
        longest = monthrange(2024, month)[1]
        return Impossible(
            reason=f"{name} has {longest} days." if month != 2 else "February has 28 days, 29 in a leap year."
        )
    if year_number is not None:
        if not 1 <= year_number <= 9999:
            return Impossible(reason=f"{year_number} is no year.")
        if day > monthrange(year_number, month)[1]:
            return Impossible(reason=f"{name} {year_number} has {monthrange(year_number, month)[1]} days.")
        return Day(choices=(DayChoice(on=date(year_number, month, day)),))
    following = [
        date(number_, month, day)
        for number_ in range(scene.today.year, min(scene.today.year + 10, 9999))
        if day <= monthrange(number_, month)[1] and date(number_, month, day) >= scene.today
    ]
    if not following:
        return Impossible(reason=f"There is no {day} {name} in the years to come.")
    notes = (Assumption(text=f"29 February comes next in {following[0].year}"),) if (month, day) == (2, 29) else ()
    later = following[1] if len(following) > 1 else None
    return Day(choices=(DayChoice(on=following[0], later=later, notes=notes),), month_day=(month, day))


def _iso(scene: Scene, at: int, lead: str) -> Found | None:
    match = _ISO.match(scene.text, at)
    if match is None:
        return None
    month = MONTHS[match[3]] if match[3] in MONTHS else int(match[3])
    if not 1 <= month <= 12:
        return (
            None
            if match["sep"] != "-"
            else Found(stop=match.end(), what=Impossible(reason=f"There is no month {month}."))
        )
    strong = match["sep"] != " " or lead.endswith("on")
    return Found(stop=match.end(), what=day_in(scene, int(match[1]), month, int(match[4])), strong=strong)


def _order(scene: Scene, first: int, second: int) -> tuple[int, int, tuple[Assumption, ...]] | None:
    """(day, month) of two numbers: in the order of the settings, or the only one that is possible."""
    day, month = (first, second) if scene.options.day_first else (second, first)
    if month > 12 >= day >= 1:
        return (
            month,
            day,
            (Assumption(text=f"{first}/{second} read as {month} {MONTH_NAMES[day - 1]}: there is no month {month}"),),
        )
    if not 1 <= month <= 12:
        return None
    notes = (
        (Assumption(text=f"{first}/{second} read as {day} {MONTH_NAMES[month - 1]}"),)
        if first != second and day <= 12
        else ()
    )
    return day, month, notes


def _with_notes(what: What, notes: tuple[Assumption, ...]) -> What:
    if not isinstance(what, Day) or not notes:
        return what
    choices = tuple(
        DayChoice(on=choice.on, later=choice.later, notes=(*notes, *choice.notes), answer=choice.answer)
        for choice in what.choices
    )
    return Day(choices=choices, month_day=what.month_day)


def _numeric(scene: Scene, at: int, lead: str) -> Found | None:
    match = _NUMERIC.match(scene.text, at)
    order = _order(scene, int(match[1]), int(match[3])) if match else None
    if match is None or order is None:
        return None
    day, month, notes = order
    if len(match[4]) == 2 and year(match[4]) > scene.today.year + 10:
        return Found(stop=match.end(), what=Unread())  # 1940 or 2040
    return Found(stop=match.end(), what=_with_notes(day_in(scene, year(match[4]), month, day), notes))


def _written(scene: Scene, at: int, lead: str) -> Found | None:
    match = _WRITTEN.match(scene.text, at)
    if match is not None:
        return Found(stop=match.end(), what=day_in(scene, year(match[3]), MONTHS[match[2]], int(match[1])))
    match = _YEAR_LAST.match(scene.text, at)
    if match is None:
        return None
    return Found(stop=match.end(), what=day_in(scene, int(match[3]), MONTHS[match[1]], int(match[2])))


def _short(scene: Scene, at: int, lead: str) -> Found | None:
    """ "4/3" needs a preposition, the end of the text after it, or another piece beside it; "on 4-3" needs the "on"."""
    match = _SHORT.match(scene.text, at)
    if match is None or match["sep"] == "-" and lead.split()[-1:] != ["on"]:
        return None
    order = _order(scene, int(match[1]), int(match[3]))
    if order is None:
        return None
    day, month, notes = order
    last = lead.split()[-1] if lead else ""
    ends = not scene.text[match.end() : match.end() + 3].strip(" .!?,")
    strong = last in _ON or (ends and not last)
    what = day_in(scene, None, month, day)
    if isinstance(what, Impossible) and not strong:
        return None
    return Found(stop=match.end(), what=_with_notes(what, notes), strong=strong)


def _month_first(scene: Scene, at: int, lead: str) -> Found | None:
    match = _MONTH_FIRST.match(scene.text, at)
    if match is None or _PRONOUN.search(scene.text, max(0, at - 8), at) and match["month"] in ("may", "march"):
        return None
    day = int(number(match["day"]))
    if day == 0 or day > 31 and not match["day"][-1].isalpha():
        return None
    word = match["day"]
    if match["month"] in ("sec", "second") or word in ("a",):
        return None
    strong = match["month"] not in WEAK_WORDS or not word.isdigit() or scene.raw[at].isupper() or bool(lead)
    what = day_in(scene, year(match["year"]) if match["year"] else None, MONTHS[match["month"]], day)
    return Found(stop=match.end(), what=what, strong=strong)


def _day_first(scene: Scene, at: int, lead: str) -> Found | None:
    match = _DAY_FIRST.match(scene.text, at)
    if match is None:
        return None
    day = int(number(match["day"]))
    if not 1 <= day <= 99:
        return None
    small = match["month"] in ("may", "march", "mar", "dec") and not scene.raw[match.start("month")].isupper()
    if small and match["day"].isalpha() and " of " not in match[0]:
        return None  # "the two may come"
    what = day_in(scene, year(match["year"]) if match["year"] else None, MONTHS[match["month"]], day)
    return Found(stop=match.end(), what=what)


def _holiday(scene: Scene, at: int, lead: str) -> Found | None:
    match = _HOLIDAY.match(scene.text, at)
    if match is None:
        return None
    number_ = year(match["year"]) if match["year"] else None
    strong = bool(lead) and lead.split()[-1] in _ON | {"at", "of"}
    if match["fixed"]:
        return Found(stop=match.end(), what=day_in(scene, number_, *FIXED_HOLIDAYS[match["fixed"]]), strong=strong)
    offset = timedelta(days=_EASTER_OFFSETS[match["easter"]])
    years = [number_] if number_ else range(scene.today.year, min(scene.today.year + 3, 4000))
    days = [easter(each) + offset for each in years if 1583 <= each <= 4099]
    days = days if number_ else [day for day in days if day >= scene.today]
    if not days:
        return None
    return Found(
        stop=match.end(), what=Day(choices=(DayChoice(on=days[0], later=days[1] if days[1:] else None),)), strong=strong
    )


def _day_of_month(scene: Scene, at: int, lead: str) -> Found | None:
    """ "the 5th", "on 15": needs a preposition, or nothing but the end after it; "The 5th Wave" is a title."""
    match = _DAY_OF_MONTH.match(scene.text, at)
    if match is None or (
        match["num"] and lead.split()[-1:] in (["at"], ["@"], ["around"], ["about"], ["for"], ["in"], ["to"])
    ):
        return None
    day = int(number(match["ord"] or match["num"]))
    last_lead = lead.split()[-1] if lead else ""
    word = re.match(r"[\s-]{1,3}([^\W\d_]+)", scene.text[match.end() : match.end() + 24])
    if not 1 <= day <= 31 or word and (word[1] in NOT_A_DAY or word[1] in MONTHS):
        return None
    prepositions = (
        "on the",
        "by the",
        "until the",
        "till the",
        "before the",
        "after the",
        "from the",
        "around the",
        "for the",
        "to the",
    )
    the = bool(match["the"]) or last_lead == "the"
    ordinal = bool(match["ord"])
    on = last_lead in ("on", "by") or lead.endswith(prepositions)
    if not ordinal and word and not match["which"] and not _starts_time(word[1]):
        return None
    if not ordinal and not on and not the and not match["which"] and not _after_weekday(scene, at):
        return None
    if ordinal and not (match["ord"][0].isdigit() or the or match["which"]):
        return None
    strong = (
        bool(match["which"])
        or on
        and (ordinal or the or word is None or _starts_time(word[1]))
        or (the and ordinal and word is None)
    )
    if match["which"]:
        return Found(stop=match.end(), what=_in_month(scene, match["which"], day))
    return Found(stop=match.end(), what=coming_day_of_month(scene, day), strong=strong)


def _after_weekday(scene: Scene, at: int) -> bool:
    """ "Friday 23"."""
    return _AFTER_WEEKDAY.search(scene.text[max(0, at - 12) : at]) is not None


def _starts_time(word: str) -> bool:
    return word in {"at", "to", "from", "for", "in", "by", "and", "of", "every", "between", "around", "t", "until"}


def _in_month(scene: Scene, which: str, day: int) -> What:
    first = month_start(scene.today, {"next": 1, "following": 1, "last": -1}.get(which, 0))
    return day_in(scene, first.year, first.month, day)


def coming_day_of_month(scene: Scene, day: int) -> What:
    """The next month that has that day; the one after it as `later`."""
    days = [
        month_start(scene.today, ahead).replace(day=day)
        for ahead in range(5)
        if day <= monthrange(month_start(scene.today, ahead).year, month_start(scene.today, ahead).month)[1]
    ]
    days = [each for each in days if each >= scene.today]
    notes: tuple[Assumption, ...] = ()
    if days[0].month != scene.today.month and day > 28 and (days[0] - scene.today).days > 31:
        notes = (Assumption(text=f"{MONTH_NAMES[scene.today.month - 1]} has no day {day}", doubt="day"),)
    return Day(choices=(DayChoice(on=days[0], later=days[1], notes=notes),), day_of_month=day)


def month_start(today: date, ahead: int) -> date:
    """The first day of the month that is `ahead` months from today's."""
    total = today.year * 12 + today.month - 1 + ahead
    return date(min(max(total // 12, 1), 9998), total % 12 + 1, 1)


def _month(scene: Scene, at: int, lead: str) -> Found | None:
    """A month without a day: read as its first day. A name alone is too little: it needs a preposition or a year."""
    match = _MONTH.match(scene.text, at)
    if match is None or match["which"] == "last" or scene.text[match.end() : match.end() + 2] == "'s":
        return None
    month, word = MONTHS[match["month"]], match["month"]
    number_ = year(match["year"]) if match["year"] else None
    if number_ is None:
        number_ = (
            scene.today.year + (month < scene.today.month) + (match["which"] == "next" and month == scene.today.month)
        )
        if month == scene.today.month and match["which"] != "next":
            number_ += 1 if lead.split()[-1:] == ["in"] and not match["mid"] else 0
    if not 1 <= number_ <= 9998:
        return None
    day = {"mid": 15, "early": 1, "late": 21}.get(match["mid"] or "", 1)
    placed = bool(set(lead.split()) & (_ON | {"in", "of"}))
    strong = bool(match["year"] or match["mid"] or match["which"] in ("this", "next")) or placed
    if word in WEAK_WORDS and not strong:
        return None
    if (
        word == "may"
        and not scene.raw[match.start("month")].isupper()
        and re.match(r"\s+[a-z]", scene.text[match.end() : match.end() + 3])
        and not placed
    ):
        return None
    first = date(number_, month, day)
    note = Assumption(text=f"{match[0].strip()} read as {day} {MONTH_NAMES[month - 1]}", doubt="day")
    choice = DayChoice(on=first, later=date(number_ + 1, month, day), notes=(note,))
    last = date(number_, month, monthrange(number_, month)[1])
    return Found(stop=match.end(), what=Day(choices=(choice,), last=last, bare=not match["year"]), strong=strong)
