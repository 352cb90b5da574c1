"""Recurrences: "every other Tuesday", "first Monday of each month", "daily", "on weekdays", "twice a day"."""

import re
from dataclasses import replace
from typing import Final

from assistant.policies.when.pieces import Found, Frequency, Impossible, PartOfDay, Repeat, Scene, Unread
from assistant.policies.when.types import Assumption
from assistant.policies.when.words import (
    DAY_PARTS,
    END,
    GAP,
    MONTH,
    MONTHS,
    NUMBER,
    ORDINAL,
    SMALL,
    SPAN_UNIT,
    SPAN_UNITS,
    WEAK_WORDS,
    WEEKDAY,
    WEEKDAYS,
    either,
    number,
)

_DAY_LIST: Final = rf"{WEEKDAY}s?(?:(?:{GAP},{GAP}(?:and{GAP})?|{GAP}(?:and|&){GAP}|/){WEEKDAY}s?){{0,6}}"
_EVERY: Final = rf"(?:every(?:{GAP}single)?|each){GAP}"
_EVERY_DAYS: Final = re.compile(
    rf"{_EVERY}(?:(?P<nth>other|second|third|fourth|{ORDINAL}|last){GAP})?(?P<days>{_DAY_LIST}){END}(?!')"
    rf"(?P<month>{GAP}(?:of|in){GAP}(?:the|every|each|a){GAP}month{END})?(?:{GAP}(?P<part>{either(DAY_PARTS)}){END})?"
)
_EVERY_WORKDAY: Final = re.compile(
    rf"(?:{_EVERY}(?:weekday|work{GAP}day|working{GAP}day|business{GAP}day)|(?:on{GAP}|all{GAP})?(?:weekdays|workdays|working{GAP}days)){END}"
)
_EVERY_UNIT: Final = re.compile(
    rf"{_EVERY}(?:(?P<count>other|second|third|fourth|couple{GAP}of|few|half(?:{GAP}an)?|{NUMBER}){GAP}-?)?(?P<unit>{SPAN_UNIT}){END}(?!')"
)
_EVERY_PART: Final = re.compile(rf"(?:{_EVERY}(?P<other>other{GAP})?)(?P<part>{either(DAY_PARTS)}){END}")
_PARTS: Final = re.compile(rf"(?:on|in){GAP}(?:the{GAP})?(?P<part>mornings|afternoons|evenings|nights){END}")
_EVERY_DATE: Final = re.compile(
    rf"{_EVERY}(?:(?P<month>{MONTH}){GAP}(?:the{GAP})?(?P<day>{ORDINAL}|{SMALL})|(?P<day2>{ORDINAL}|{SMALL})(?:{GAP}of)?{GAP}(?P<month2>{MONTH})){END}"
)
_EVERY_MONTH_DAY: Final = re.compile(
    rf"(?:{_EVERY}|(?:the{GAP}))(?P<day>{ORDINAL}|last)(?:{GAP}day)?(?P<of>{GAP}(?:of|in){GAP}(?:every|each|the|a){GAP}month)?{END}(?!')"
)
_NTH_OF_EACH: Final = re.compile(
    rf"(?:the{GAP})?(?P<nth>{ORDINAL}|last)(?:{GAP}(?:and|&){GAP}(?P<and>{ORDINAL}|last))?(?:{GAP}(?P<day>{WEEKDAY}|day|weekday)s?)?{GAP}"
    rf"(?:(?:of|in){GAP})?(?:every|each){GAP}month{END}"
)
_MONTHLY_NTH: Final = re.compile(
    rf"(?:monthly|{_EVERY}(?:(?P<count>other|{NUMBER}){GAP})?months?){GAP}on{GAP}(?:the{GAP})?"
    rf"(?P<nth>{ORDINAL}|last){GAP}(?P<day>{WEEKDAY}){END}"
)
_WEEK_RANGE: Final = re.compile(rf"(?:{_EVERY})?(?P<first>{WEEKDAY}){GAP}-{GAP}(?P<last>{WEEKDAY}){END}")
_ADVERBS: Final[dict[str, tuple[Frequency, int]]] = {
    "daily": ("DAILY", 1), "everyday": ("DAILY", 1), "nightly": ("DAILY", 1), "hourly": ("HOURLY", 1),
    "weekly": ("WEEKLY", 1),
    "fortnightly": ("WEEKLY", 2), "monthly": ("MONTHLY", 1), "quarterly": ("MONTHLY", 3), "yearly": ("YEARLY", 1),
    "annually": ("YEARLY", 1), "annual": ("YEARLY", 1), "semi-annually": ("MONTHLY", 6), "semiannually": ("MONTHLY", 6),
}  # fmt: skip
_ADVERB: Final = re.compile(rf"(?:{either(_ADVERBS)}|bi-?weekly|bi-?monthly){END}")
_ADJECTIVE: Final = re.compile(
    rf"{GAP}(?!(?:at|on|in|by|from|for|to|until|till|starting|beginning|and|every|each|after|before|around|except|the|my|{WEEKDAY}s?|morning|evening|{MONTH}){END})[^\W\d_]+"
)
_A_DAY: Final = re.compile(
    rf"(?:(?P<once>once|one)|(?P<twice>twice)|(?P<count>{NUMBER}){GAP}times){GAP}(?:an?|per|every|each){GAP}(?P<unit>day|week|month|year|hour){END}"
)
_PLURAL: Final = re.compile(
    rf"(?P<days>{WEEKDAY}s(?:(?:{GAP},{GAP}(?:and{GAP})?|{GAP}(?:and|&){GAP}){WEEKDAY}s){{0,6}}){END}(?!')|(?P<weekends>weekends){END}"
)
_DAY_PLURAL_PART: Final = re.compile(rf"(?P<day>{WEEKDAY}){GAP}(?P<part>mornings|afternoons|evenings|nights){END}")
_ANY: Final = re.compile(rf"(?:any|some){GAP}(?:weekend|weekday|day|morning|evening|year|month|week|{WEEKDAY}){END}")
_WORKDAYS: Final = (0, 1, 2, 3, 4)
_COUNTED: Final[dict[str, tuple[Frequency, int]]] = {
    "second": ("SECONDLY", 1), "minute": ("MINUTELY", 1), "hour": ("HOURLY", 1), "day": ("DAILY", 1),
    "week": ("WEEKLY", 1),
    "fortnight": ("WEEKLY", 2), "month": ("MONTHLY", 1), "quarter": ("MONTHLY", 3), "year": ("YEARLY", 1),
    "decade": ("YEARLY", 10),
}  # fmt: skip


def repeated(scene: Scene, at: int, lead: str) -> Found | None:
    """How often, at `at`; `lead`: the preposition before it."""
    rules = (
        _monthly_nth, _week_range, _nth_of_each, _every_date, _every_days,
        _every_workday, _every_part, _every_month_day, _every_unit,
        _a_day, _adverb, _day_parts, _plural, _any,
    )  # fmt: skip
    for rule in rules:
        found = rule(scene, at, lead)
        if found is not None:
            return found
    return None


def _week_days(text: str) -> tuple[int, ...]:
    return tuple(
        sorted(
            {
                WEEKDAYS[word.removesuffix("s") if word not in WEEKDAYS else word]
                for word in re.findall(r"[a-z]+", text)
                if word != "and"
            }
        )
    )


def month_day_rule(day: int) -> tuple[int, ...]:
    """BYMONTHDAY for a day of the month; with BYSETPOS=-1 the 29th to 31st become the last day of shorter months."""
    return tuple(range(28, day + 1)) if day > 28 else (day,)


def _monthly_nth(scene: Scene, at: int, lead: str) -> Found | None:
    """ "every month on the first Monday", "monthly on the last Friday"."""
    match = _MONTHLY_NTH.match(scene.text, at)
    if match is None:
        return None
    nth = -1 if match["nth"] == "last" else int(number(match["nth"]))
    interval = int(_interval(match["count"]))
    if not (nth == -1 or 1 <= nth <= 5) or not 1 <= interval <= 99:
        return Found(stop=match.end(), what=Unread())
    days = (WEEKDAYS[match["day"]],)
    return Found(stop=match.end(), what=Repeat(frequency="MONTHLY", interval=interval, days=days, nth=(nth,)))


def _week_range(scene: Scene, at: int, lead: str) -> Found | None:
    """ "Mon-Fri"."""
    match = _WEEK_RANGE.match(scene.text, at)
    if match is None:
        return None
    first, last = WEEKDAYS[match["first"]], WEEKDAYS[match["last"]]
    days = tuple(sorted((first + step) % 7 for step in range((last - first) % 7 + 1)))
    return Found(stop=match.end(), what=Repeat(frequency="WEEKLY", days=days))


def _every_days(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EVERY_DAYS.match(scene.text, at)
    if match is None:
        return None
    days = _week_days(match["days"])
    part = PartOfDay(name=DAY_PARTS[match["part"]]) if match["part"] else None
    nth = match["nth"]
    if match["month"] or nth == "last" or nth in ("first", "1st"):
        which = -1 if nth == "last" else int(number(nth)) if nth and nth != "other" else 0
        if not 1 <= which <= 5 and which != -1:
            return Found(stop=match.end(), what=Unread())
        return Found(stop=match.end(), what=Repeat(frequency="MONTHLY", days=days, nth=(which,), part=part))
    interval = 1 if not nth else 2 if nth == "other" else int(number(nth))
    weekly = Repeat(frequency="WEEKLY", interval=interval, days=days, part=part)
    if nth in (None, "other"):
        return Found(stop=match.end(), what=weekly)
    monthly = Repeat(frequency="MONTHLY", days=days, nth=(interval,), part=part)
    return Found(stop=match.end(), what=replace(weekly, others=(monthly,)) if interval <= 5 else weekly)


def _every_workday(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EVERY_WORKDAY.match(scene.text, at)
    return None if match is None else Found(stop=match.end(), what=Repeat(frequency="WEEKLY", days=_WORKDAYS))


def _every_unit(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EVERY_UNIT.match(scene.text, at)
    if match is None:
        return None
    word = match["count"]
    unit = SPAN_UNITS[match["unit"]]
    if word and word.startswith("half"):
        return Found(stop=match.end(), what=Repeat(frequency="MINUTELY", interval=30)) if unit == "hour" else None
    count = _interval(word)
    if count != int(count):
        minutes = count * {"hour": 60, "minute": 1}.get(unit, 0)
        whole = minutes == int(minutes) and minutes > 0
        return Found(stop=match.end(), what=Repeat(frequency="MINUTELY", interval=int(minutes)) if whole else Unread())
    if not 1 <= count <= 999:
        return Found(stop=match.end(), what=Impossible(reason=f"{match[0].strip()}: that is never."))
    notes = (
        (Assumption(text=f"{match[0].strip()} read as every {int(count)}", doubt="time"),) if word in ("few",) else ()
    )
    if unit == "weekend":
        return Found(
            stop=match.end(),
            what=Repeat(
                frequency="WEEKLY",
                interval=int(count),
                days=(5,),
                notes=(Assumption(text="the weekend read as its Saturday"),),
            ),
        )
    if unit == "second" and count < 60:
        return Found(
            stop=match.end(), what=Impossible(reason=f"{match[0].strip()} is too often; once a minute is the most.")
        )
    frequency, times = _COUNTED[unit]
    return Found(stop=match.end(), what=Repeat(frequency=frequency, interval=int(count) * times, notes=notes))


def _interval(word: str | None) -> float:
    if not word:
        return 1
    bare = " ".join(word.split())
    return {"other": 2.0, "couple of": 2.0, "few": 3.0}.get(bare) or number(bare)


def _every_part(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EVERY_PART.match(scene.text, at) or _PARTS.match(scene.text, at)
    if match is None:
        return None
    interval = 2 if "other" in match[0] else 1
    return Found(
        stop=match.end(),
        what=Repeat(frequency="DAILY", interval=interval, part=PartOfDay(name=DAY_PARTS[match["part"]])),
    )


def _every_date(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EVERY_DATE.match(scene.text, at)
    if match is None:
        return None
    month, day = MONTHS[match["month"] or match["month2"]], int(number(match["day"] or match["day2"]))
    longest = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    if not 1 <= day <= longest:
        return Found(
            stop=match.end(),
            what=Impossible(reason=f"{(match['month'] or match['month2']).capitalize()} has {longest} days."),
        )
    return Found(
        stop=match.end(),
        what=Repeat(frequency="YEARLY", month=month, month_days=(28, 29) if day == 29 and month == 2 else (day,)),
    )


def _every_month_day(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EVERY_MONTH_DAY.match(scene.text, at)
    if match is None or match[0].startswith("the") and not (match["of"] and re.search(r"every|each", match["of"])):
        return None
    if match["day"] == "last":
        return Found(stop=match.end(), what=Repeat(frequency="MONTHLY", month_days=(-1,)))
    day = int(number(match["day"]))
    if not 1 <= day <= 31 or (match["day"] in ("second", "third", "fourth", "fifth") and not match["of"]):
        return None
    return Found(stop=match.end(), what=Repeat(frequency="MONTHLY", month_days=month_day_rule(day)))


def _nth_of_each(scene: Scene, at: int, lead: str) -> Found | None:
    match = _NTH_OF_EACH.match(scene.text, at)
    if match is None:
        return None
    values = [-1 if word == "last" else int(number(word)) for word in (match["nth"], match["and"]) if word]
    if match["day"] in WEEKDAYS:
        if any(value > 5 for value in values):
            return Found(stop=match.end(), what=Impossible(reason="A month has at most five of each weekday."))
        return Found(
            stop=match.end(), what=Repeat(frequency="MONTHLY", days=(WEEKDAYS[match["day"]],), nth=tuple(values))
        )
    if match["day"] == "weekday" and len(values) == 1:
        return Found(stop=match.end(), what=Repeat(frequency="MONTHLY", days=_WORKDAYS, nth=tuple(values)))
    if any(value > 31 for value in values):
        return Found(stop=match.end(), what=Impossible(reason="A month has at most 31 days."))
    if len(values) == 1:
        days = month_day_rule(values[0]) if values[0] > 0 else (-1,)
        return Found(stop=match.end(), what=Repeat(frequency="MONTHLY", month_days=days))
    return Found(
        stop=match.end(), what=Repeat(frequency="MONTHLY", month_days=tuple(values)) if max(values) <= 28 else Unread()
    )


def _a_day(scene: Scene, at: int, lead: str) -> Found | None:
    match = _A_DAY.match(scene.text, at)
    if match is None:
        return None
    count = 1 if match["once"] else 2 if match["twice"] else int(number(match["count"]))
    frequency, interval = _COUNTED[match["unit"]]
    if count == 1:
        return Found(
            stop=match.end(), what=Repeat(frequency=frequency, interval=interval), strong=match["once"] != "one" or True
        )
    if match["unit"] != "day" or count > 3 or count < 1:
        return Found(stop=match.end(), what=Unread())
    return Found(stop=match.end(), what=Repeat(frequency="DAILY", times=count))


def _adverb(scene: Scene, at: int, lead: str) -> Found | None:
    match = _ADVERB.match(scene.text, at)
    if match is None:
        return None
    word = match[0].replace("bi-", "bi")
    if _ADJECTIVE.match(scene.text, match.end()):
        return Found(stop=match.end(), what=Unread())  # "the weekly report": the report, or every week?
    if word.startswith("bi"):
        return Found(stop=match.end(), what=Unread())  # every two weeks, or twice a week
    frequency, interval = _ADVERBS[match[0]]
    part = PartOfDay(name="night") if word == "nightly" else None
    return Found(stop=match.end(), what=Repeat(frequency=frequency, interval=interval, part=part))


def _day_parts(scene: Scene, at: int, lead: str) -> Found | None:
    match = _DAY_PLURAL_PART.match(scene.text, at)
    if match is None:
        return None
    part = PartOfDay(name=DAY_PARTS[match["part"]])
    return Found(stop=match.end(), what=Repeat(frequency="WEEKLY", days=(WEEKDAYS[match["day"]],), part=part))


def _plural(scene: Scene, at: int, lead: str) -> Found | None:
    """ "on Mondays": names in full stand alone."""
    match = _PLURAL.match(scene.text, at)
    if match is None:
        return None
    if match["weekends"]:
        return Found(
            stop=match.end(),
            what=Repeat(frequency="WEEKLY", days=(5,), notes=(Assumption(text="the weekend read as its Saturday"),)),
            strong=bool(lead),
        )
    days = _week_days(match["days"])
    short = any(word.removesuffix("s") in WEAK_WORDS for word in re.findall(r"[a-z]+", match["days"]))
    singular = all(word in WEEKDAYS for word in re.findall(r"[a-z]+", match["days"]))  # "tues", "weds"
    return (
        None
        if singular
        else Found(stop=match.end(), what=Repeat(frequency="WEEKLY", days=days), strong=bool(lead) or not short)
    )


def _any(scene: Scene, at: int, lead: str) -> Found | None:
    match = _ANY.match(scene.text, at)
    return None if match is None else Found(stop=match.end(), what=Unread())
