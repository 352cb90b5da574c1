"""Days by their place: "tomorrow", "next Friday", "the second Monday of next month", "this weekend", "end of the
month"."""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

from assistant.policies.when.days import month_start
from assistant.policies.when.pieces import Day, DayChoice, Found, Impossible, Scene, Unread, What
from assistant.policies.when.types import Assumption
from assistant.policies.when.words import (
    DAY_PARTS,
    END,
    GAP,
    MONTH,
    MONTH_NAMES,
    MONTHS,
    ORDINAL,
    SMALL,
    WEAK_WORDS,
    WEEKDAY,
    WEEKDAY_NAMES,
    WEEKDAYS,
    number,
)

_NAMED: Final = re.compile(
    rf"(?:(?P<after>(?:the{GAP})?day{GAP}after{GAP}(?:tomorrow|tmrw|tmr)|overmorrow)|(?P<before>(?:the{GAP})?day{GAP}before{GAP}yesterday)"
    rf"|(?P<tomorrow>tomorrow|tomorow|tommorow|tommorrow|tmrw|tmr|(?:the{GAP})?(?:next|following){GAP}day)"
    rf"|(?P<today>today|this{GAP}day)|(?P<past>yesterday|(?:the{GAP})?last{GAP}day(?!{GAP}of)))(?:\b(?!'))"
)
_WEEKDAY: Final = re.compile(
    rf"(?:(?P<which>this{GAP}coming|this{GAP}upcoming|this{GAP}past|this|next|coming|upcoming|following|last|past|previous){GAP})?"
    rf"(?:(?P<of>week){GAP}(?:on{GAP})?)?(?P<day>{WEEKDAY})\.?{END}(?!')"
    rf"(?:,?{GAP}(?:(?P<tail>after{GAP}next|(?:of{GAP}|in{GAP})?(?:the{GAP})?(?:next|this|following|last|coming){GAP}week|week(?!{GAP}\d|end))|in{GAP}(?P<weeks>two|three|2|3){GAP}weeks){END})?"
)
_WEEK_FROM: Final = re.compile(
    rf"(?:(?P<count>a|one|two|three|\d){GAP})weeks?{GAP}(?:from{GAP}|on{GAP})?(?P<day>{WEEKDAY}){END}(?!')"
)
_NTH: Final = re.compile(
    rf"(?:the{GAP})?(?P<nth>{ORDINAL}|last){GAP}(?P<day>{WEEKDAY}|day|weekday){END}{GAP}(?:(?:of|in){GAP})"
    rf"(?:(?:the{GAP})?(?P<which>this|next|following|current)?{GAP}month|(?P<month>{MONTH}){END}(?:{GAP}(?P<year>\d{{4}}))?)"
)
_PERIOD: Final = re.compile(
    rf"(?:the{GAP})?(?P<which>this|next|coming|following|last|past|previous){GAP}(?P<unit>working{GAP}week|week(?:end)?|month|quarter|year){END}"
    rf"(?!'|{GAP}(?:on{GAP})?{WEEKDAY})"
)
_WEEKEND: Final = re.compile(rf"(?:the{GAP})?weekend{END}(?!')")
_WEEK_AFTER: Final = re.compile(rf"(?:the{GAP})?(?P<unit>week|weekend|month){GAP}after{GAP}next{END}")
_EDGE: Final = re.compile(
    rf"(?:the{GAP})?(?P<edge>end|beginning|start|middle|mid){GAP}(?:of{GAP})(?:(?P<the>the|this|next){GAP})?"
    rf"(?:(?P<unit>week|month|quarter|year)|(?P<month>{MONTH})(?:{GAP}(?P<year>\d{{4}}))?){END}|(?P<short>eow|eom|eoy){END}"
)
_WEEK_OF: Final = re.compile(
    rf"(?:the{GAP})?(?:later{GAP}|earlier{GAP}|rest{GAP}of{GAP}|remaining{GAP}of{GAP})(?:in{GAP})?(?:this|the|today|current)(?:{GAP}(?:day|week|month|year))?{END}"
)

_UNIT: Final = r"(?:seconds?|minutes?|hours?|days?|weeks?|weekends?|months?|quarters?|years?|decades?|fortnights?)"
_SEASON: Final = r"(?:spring|summer|autumn|fall|winter)"
_LOOSE: Final = re.compile(
    rf"(?:the{GAP})?(?:next|coming|upcoming){GAP}(?:(?:{SMALL}|few|couple(?:{GAP}of)?){GAP}{_UNIT}|hour|decade|fortnight){END}|(?:this|next){GAP}{_SEASON}{END}"
    rf"|{SMALL}{GAP}(?:next|coming|upcoming){GAP}{_UNIT}{END}|week{GAP}\d{{1,2}}{END}|(?:the{GAP})?(?:{ORDINAL}|last){GAP}week{GAP}(?:of|in){GAP}"
    rf"(?:{MONTH}|\d{{4}}|(?:the|this|next){GAP}(?:month|year)){END}"
    rf"|(?:the{GAP})?(?:end|beginning|start|middle){GAP}of{GAP}(?:the{GAP})?(?:{WEEKDAY}|today|tomorrow|\d{{4}}){END}"
)
_BARE_PERIOD: Final = re.compile(
    rf"(?:the{GAP})?(?:year{GAP})?(?:19|20|21)\d\d{END}(?![-/.:]\d)|(?:the{GAP})?{_SEASON}{END}|q[1-4]{END}"
)


def placed(scene: Scene, at: int, lead: str) -> Found | None:
    """A day by its place at `at`; `lead`: the preposition before it."""
    for rule in (_named, _week_of, _nth, _edge, _week_after, _period, _week_from, _weekday, _weekend):
        found = rule(scene, at, lead)
        if found is not None:
            return found
    return None


def week_start(today: date, first: int) -> date:
    return today - timedelta(days=(today.weekday() - first) % 7)


def _one(on: date, *notes: Assumption, last: date | None = None, told: bool = False) -> Day:
    return Day(choices=(DayChoice(on=on, notes=notes),), last=last, told=told)


def _named(scene: Scene, at: int, lead: str) -> Found | None:
    match = _NAMED.match(scene.text, at)
    if match is None:
        return None
    ahead = {"after": 2, "before": -2, "tomorrow": 1, "today": 0, "past": -1}[match.lastgroup or "today"]
    loose = "day" in match[0].split()
    notes = (Assumption(text=f'"{match[0]}" read as tomorrow', doubt="day"),) if loose and ahead == 1 else ()
    return Found(
        stop=match.end(),
        what=_one(scene.today + timedelta(days=ahead), *notes, told=ahead < 0),
        strong=not (loose and abs(ahead) == 1),
    )


def _week_of(scene: Scene, at: int, lead: str) -> Found | None:
    """Periods that name no day: "later this week", "the next few hours", "week 10", "this summer", "in 2030"."""
    match = _WEEK_OF.match(scene.text, at) or _LOOSE.match(scene.text, at)
    if match is None and set(lead.split()) & {
        "in",
        "by",
        "until",
        "before",
        "after",
        "since",
        "from",
        "during",
        "till",
        "of",
    }:
        match = _BARE_PERIOD.match(scene.text, at)
    return None if match is None else Found(stop=match.end(), what=Unread())


def _weekday(scene: Scene, at: int, lead: str) -> Found | None:
    match = _WEEKDAY.match(scene.text, at)
    if match is None or match["of"] and not match["which"]:
        return None
    day = WEEKDAYS[match["day"]]
    which = " ".join((match["which"] or "").split())
    tail = " ".join((match["tail"] or "").split())
    if match["weeks"]:
        return Found(stop=match.end(), what=_weeks_ahead(scene, day, int(number(match["weeks"])), match[0]))
    if tail.endswith("week") and tail != "week" or match["of"]:
        word = which if match["of"] else tail.split()[-2]
        return Found(stop=match.end(), what=_of_week(scene, day, {"next": 1, "following": 1, "last": -1}.get(word, 0)))
    if not (which or tail or lead) and at and _is_a_name(scene, at, match.end("day")):
        return Found(stop=match.end("day"), what=Unread())
    strong = bool(which or tail) or _may_stand(scene, match.group("day"), at, match.end(), lead)
    return Found(stop=match.end(), what=_which_weekday(scene, day, which, tail), strong=strong)


def _is_a_name(scene: Scene, at: int, stop: int) -> bool:
    """ "watch Friday Night Lights": capitals go on after a weekday in the middle of a sentence."""
    follows = re.match(r"\s([A-Z][a-z]+)\s?([A-Z][a-z]+)?", scene.raw[stop : stop + 40])
    if follows is None or not scene.raw[at].isupper():
        return False
    return follows[2] is not None or follows[1].lower() not in (*DAY_PARTS, *MONTHS)


def _may_stand(scene: Scene, word: str, at: int, stop: int, lead: str) -> bool:
    """Whether a weekday's name means the day: not in "the Sunday Times", not "the sun"."""
    last = lead.split()[-1] if lead else ""
    if word in WEAK_WORDS:
        return last in ("on", "by", "until", "till", "from", "starting", "before", "after", "this", "next")
    follows = re.match(r"\s{1,3}([^\W\d_]+)", scene.text[stop : stop + 20])
    if (
        last == "the"
        and follows
        and follows[1] not in ("at", "to", "morning", "evening", "afternoon", "night", "of", "the")
    ):
        return False
    return not re.search(
        r"(?:black|good|ash|super|bloody|the|palm|shrove|maundy)\s+$", scene.text[max(0, at - 10) : at]
    )


def _coming(scene: Scene, day: int) -> date:
    """The first such weekday after today."""
    return scene.today + timedelta(days=(day - scene.today.weekday() - 1) % 7 + 1)


def _of_week(scene: Scene, day: int, ahead: int) -> Day:
    first = week_start(scene.today, scene.options.week_start) + timedelta(weeks=ahead)
    return _one(first + timedelta(days=(day - first.weekday()) % 7), told=ahead < 0)


def _weeks_ahead(scene: Scene, day: int, weeks: int, said: str) -> Day:
    note = Assumption(text=f"{said.strip()} read as {weeks} weeks after the coming one", doubt="day")
    return _one(_coming(scene, day) + timedelta(weeks=weeks), note)


def _which_weekday(scene: Scene, day: int, which: str, tail: str) -> Day:
    coming = _coming(scene, day)
    if which in ("last", "past", "previous", "this past"):
        return _one(coming - timedelta(weeks=1 if scene.today.weekday() != day else 2), told=True)
    if tail == "after next":
        return _next(scene, day, extra=1)
    if tail == "week":
        return _one(coming + timedelta(weeks=1))
    if which in ("next", "following"):
        return _next(scene, day)
    if which in ("coming", "upcoming", "this coming", "this upcoming"):
        return _one(coming)
    if scene.today.weekday() != day:
        choices: tuple[DayChoice, ...] = (DayChoice(on=coming, later=coming + timedelta(weeks=1)),)
    elif which == "this":
        choices = (DayChoice(on=scene.today),)
    else:
        choices = (DayChoice(on=scene.today, later=coming), DayChoice(on=coming))
    return Day(choices=choices, weekday=day, bare=not which)


def _next(scene: Scene, day: int, extra: int = 0) -> Day:
    """ "next Friday": the coming one, or that of the next calendar week; one choice where both are the same day."""
    coming = _coming(scene, day)
    after = week_start(scene.today, scene.options.week_start) + timedelta(weeks=1)
    after += timedelta(days=(day - after.weekday()) % 7)
    more = timedelta(weeks=extra)
    if coming == after:
        return _one(coming + more)
    name = WEEKDAY_NAMES[day]
    choices = (DayChoice(on=coming + more, answer="coming"), DayChoice(on=after + more, answer="week_after"))
    preferred = tuple(choice for choice in choices if choice.answer == scene.options.next_weekday)
    if not preferred:
        return Day(choices=choices)
    words = "the coming one" if preferred[0].answer == "coming" else "the one of next week"
    note = Assumption(text=f'"next {name}" is {words}, as you said before')
    return Day(choices=(DayChoice(on=preferred[0].on, notes=(note,)),))


def _week_from(scene: Scene, at: int, lead: str) -> Found | None:
    match = _WEEK_FROM.match(scene.text, at)
    if match is None:
        return None
    weeks = 1 if match["count"] in ("a", "one") else int(number(match["count"]))
    return Found(stop=match.end(), what=_one(_coming(scene, WEEKDAYS[match["day"]]) + timedelta(weeks=weeks)))


def nth_weekday(year: int, month: int, nth: int, day: int | None) -> date | None:
    """The nth (-1: last) such weekday (None: day) of a month, or None."""
    length = monthrange(year, month)[1]
    days = [date(year, month, each) for each in range(1, length + 1)]
    fitting = days if day is None else [each for each in days if each.weekday() == day]
    index = nth - 1 if nth > 0 else nth
    return fitting[index] if -len(fitting) <= index < len(fitting) else None


def _nth(scene: Scene, at: int, lead: str) -> Found | None:
    match = _NTH.match(scene.text, at)
    if match is None:
        return None
    nth = -1 if match["nth"] == "last" else int(number(match["nth"]))
    weekday = WEEKDAYS.get(match["day"])
    if match["day"] == "weekday" or not -1 <= nth <= 31 or nth == 0:
        return Found(stop=match.end(), what=Unread())
    return Found(stop=match.end(), what=_nth_day(scene, nth, weekday, match))


def _nth_day(scene: Scene, nth: int, weekday: int | None, match: re.Match[str]) -> What:
    today = scene.today
    if match["month"]:
        year = int(match["year"]) if match["year"] else today.year
        months = [date(min(max(year, 1), 9990), MONTHS[match["month"]], 1)]
        if not match["year"]:
            months.append(months[0].replace(year=year + 1))
    else:
        ahead = {"next": 1, "following": 1}.get(match["which"] or "", 0)
        months = [month_start(today, ahead)]
        if not match["which"]:
            months.append(month_start(today, 1))
    days = [nth_weekday(each.year, each.month, nth, weekday) for each in months]
    found = [day for day in days if day is not None]
    coming = [day for day in found if day >= today]
    if not found:
        name = MONTH_NAMES[months[0].month - 1]
        return Impossible(reason=f"{name} {months[0].year} has no {match['nth']} {match['day']}.")
    chosen = coming or found
    later = chosen[1] if len(chosen) > 1 else None
    return Day(choices=(DayChoice(on=chosen[0], later=later),), nth=(nth, -1 if weekday is None else weekday))


def _first_of(scene: Scene, unit: str, ahead: int) -> tuple[date, date]:
    """First and last day of the period `ahead` of this one."""
    today = scene.today
    if unit == "week":
        first = week_start(today, scene.options.week_start) + timedelta(weeks=ahead)
        return first, first + timedelta(days=6)
    if unit == "weekend":
        first = today - timedelta(days=(today.weekday() - 5) % 7 if today.weekday() >= 5 else today.weekday() - 5)
        return first + timedelta(weeks=ahead), first + timedelta(weeks=ahead, days=1)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    start = month_start(today, 0)
    start = start.replace(month=(start.month - 1) // months * months + 1)
    first, after = month_start(start, ahead * months), month_start(start, (ahead + 1) * months)
    return first, after - timedelta(days=1)


def _period(scene: Scene, at: int, lead: str) -> Found | None:
    match = _PERIOD.match(scene.text, at)
    if match is None:
        return None
    unit = "week" if match["unit"].startswith("working") else match["unit"]
    ahead = {"this": 0, "last": -1, "past": -1, "previous": -1}.get(match["which"], 1)
    if match["which"] in ("coming", "following") and unit == "weekend" and scene.today.weekday() < 5:
        ahead = 0
    first, last = _first_of(scene, unit, ahead)
    if ahead == 0 and unit != "weekend":
        return Found(stop=match.end(), what=Unread())
    if ahead == 1 and unit == "weekend" and match["which"] == "next" and scene.today.weekday() < 5:
        return Found(stop=match.end(), what=_next(scene, 5))
    note = Assumption(
        text=f"{match[0]} read as its {'first day' if unit != 'weekend' else 'Saturday'}",
        doubt="" if unit == "weekend" else "day",
    )
    on = max(first, scene.today) if ahead == 0 else first
    return Found(stop=match.end(), what=_one(on, note, last=last, told=ahead < 0))


def _weekend(scene: Scene, at: int, lead: str) -> Found | None:
    match = _WEEKEND.match(scene.text, at)
    if match is None:
        return None
    first, last = _first_of(scene, "weekend", 0)
    note = Assumption(text="the weekend read as its Saturday" if first >= scene.today else "the weekend read as today")
    return Found(stop=match.end(), what=_one(max(first, scene.today), note, last=last), strong=bool(lead))


def _week_after(scene: Scene, at: int, lead: str) -> Found | None:
    match = _WEEK_AFTER.match(scene.text, at)
    if match is None:
        return None
    first, last = _first_of(scene, match["unit"], 2)
    return Found(
        stop=match.end(), what=_one(first, Assumption(text=f"{match[0]} read as its first day", doubt="day"), last=last)
    )


def _edge(scene: Scene, at: int, lead: str) -> Found | None:
    match = _EDGE.match(scene.text, at)
    if match is None:
        return None
    if match["short"]:
        unit = {"w": "week", "m": "month", "y": "year"}[match["short"][-1]]
        return Found(stop=match.end(), what=_at_edge("end", *_first_of(scene, unit, 0), scene.today, match[0]))
    if match["month"]:
        month = MONTHS[match["month"]]
        year = int(match["year"]) if match["year"] else scene.today.year + (month < scene.today.month)
        if not 1 <= year <= 9998:
            return None
        first = date(year, month, 1)
        return Found(
            stop=match.end(),
            what=_at_edge(match["edge"], first, date(year, month, monthrange(year, month)[1]), scene.today, match[0]),
        )
    first, last = _first_of(scene, match["unit"], 1 if match["the"] == "next" else 0)
    return Found(stop=match.end(), what=_at_edge(match["edge"], first, last, scene.today, match[0]))


def _at_edge(edge: str, first: date, last: date, today: date, said: str) -> Day:
    """The day at the beginning, middle or end of a period. The end of a week is its Friday or its Sunday: doubtful."""
    on = {"end": last, "middle": first + (last - first) // 2, "mid": first + (last - first) // 2}.get(edge, first)
    week = (last - first).days == 6
    if week and edge == "end" and last.weekday() == 6:
        friday = last - timedelta(days=2)
        choices = tuple(DayChoice(on=each) for each in (friday, last) if each >= today)
        return Day(choices=choices, last=last)
    return _one(
        on,
        Assumption(text=f"{said} read as {on.day} {MONTH_NAMES[on.month - 1]}", doubt="" if edge == "end" else "day"),
        last=last,
    )
