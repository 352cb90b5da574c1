"""Lengths of time: "in half an hour", "two weeks from tomorrow", "an hour before my appointment", "for 20 minutes"."""

import re
from datetime import timedelta
from typing import Final

from assistant.policies.when.pieces import Found, Lasting, Now, Scene, Shift, Span, Times
from assistant.policies.when.words import END, GAP, NUMBER, SPAN_UNIT, SPAN_UNITS, number

_COUNT: Final = rf"(?:a{GAP}|about{GAP}|around{GAP})?(?:couple(?:{GAP}of)?|few|several)|some|an?|the next|{NUMBER}"
_BUSINESS: Final = rf"(?P<business>business|working|work){GAP}days?"
_ONE: Final = re.compile(
    rf"(?:(?P<half>half{GAP}(?:an?{GAP})?|(?:a{GAP})?quarter{GAP}(?:of{GAP})?an?{GAP}|three{GAP}quarters{GAP}of{GAP}an?{GAP}|½{GAP})"
    rf"|(?P<count>{_COUNT})(?P<more>{GAP}and{GAP}a{GAP}half)?-?{GAP})(?:(?P<unit>{SPAN_UNIT})|{_BUSINESS}){END}(?P<tail>{GAP}and{GAP}(?:a{GAP})?(?:half|quarter){END})?"
)
_AND: Final = re.compile(rf"{GAP}(?:,|and)?{GAP}")
_COMPACT: Final = re.compile(r"(\d{1,2})h(\d{1,2})m?(?![\w:])")
_LATER: Final = re.compile(
    rf"{GAP}(?:(?P<now>from{GAP}now|later|hence)|(?P<ago>ago|earlier)|(?P<rel>from|after|before|prior{GAP}to|until){GAP}(?P<the>))"
)
_IN: Final = re.compile(
    rf"(?:in|within|after){GAP}(?:the{GAP}(?:next|coming|upcoming){GAP})?(?:less{GAP}than{GAP}|about{GAP}|around{GAP}|another{GAP}|exactly{GAP})?"
)
_FOR: Final = re.compile(rf"for{GAP}(?:the{GAP}next{GAP}|another{GAP})?(?:about{GAP})?")
_TIMES: Final = re.compile(
    rf"(?:for{GAP})?(?P<count>{NUMBER}){GAP}(?:times|occurrences){END}(?!{GAP}(?:an?|per|every))"
)
_NOW: Final = re.compile(rf"(?:right{GAP}now|now|immediately|asap|straight{GAP}away){END}")
_TIMER: Final = re.compile(rf"(?:set{GAP})?(?:an?{GAP})?timer{GAP}(?:for{GAP}|of{GAP})?")
_DAY_BEFORE: Final = re.compile(rf"the{GAP}(?P<unit>day|week){GAP}(?P<rel>before|after){GAP}(?P<the>)")
_CALENDAR: Final = {
    "day": (0, 1),
    "week": (0, 7),
    "fortnight": (0, 14),
    "weekend": (0, 7),
    "month": (1, 0),
    "quarter": (3, 0),
    "year": (12, 0),
    "decade": (120, 0),
}
_COUNTED: Final = {"second": 1, "minute": 60, "hour": 3600}
_LONGEST: Final = 12 * 200  # months


def measured(text: str, at: int) -> tuple[Span, int] | None:
    """The span at `at` and where it stops. None when there is none or it is too long to mean anything."""
    total, stop = Span(), at
    compact = _COMPACT.match(text, at)
    if compact is not None:
        return Span(lead=timedelta(hours=int(compact[1]), minutes=int(compact[2]))), compact.end()
    for step in range(6):
        start = stop
        if step:
            join = _AND.match(text, stop)
            start = join.end() if join else stop
        match = _ONE.match(text, start)
        part = _span(match) if match else None
        if (
            match is None
            or part is None
            or (step and match["count"] in ("a", "an", "the next", "some") and match["unit"] is None)
        ):
            break
        total, stop = _sum(total, part), match.end()
    if stop == at or total.months > _LONGEST or total.days > 31 * _LONGEST:
        return None
    return total, stop


def _span(match: re.Match[str]) -> Span | None:
    count, vague = _count(match)
    if match["business"]:
        return Span(days=int(count), business=True, vague=vague)
    unit = SPAN_UNITS[match["unit"]]
    attached = (match["count"] or "")[:1].isdigit() and not match[0][match.end("count") - match.start() :][:1].isspace()
    if len(match["unit"]) == 1 and not attached:
        return None
    if unit in _COUNTED:
        return Span(lead=timedelta(seconds=round(count * _COUNTED[unit])), vague=vague)
    months, days = _CALENDAR[unit]
    whole_months, whole_days = count * months, count * days
    if whole_months != int(whole_months):
        return None
    rest = whole_days - int(whole_days)
    return Span(months=int(whole_months), days=int(whole_days), lead=timedelta(hours=24 * rest), vague=vague)


def _count(match: re.Match[str]) -> tuple[float, bool]:
    half, words = match["half"], match["count"] or ""
    if half:
        return (0.75 if half.startswith("three") else 0.25 if "quarter" in half else 0.5), False
    last = words.split()[-1]
    vague = last in ("few", "several", "some")
    value = (
        3.0
        if vague
        else 2.0
        if "couple" in words
        else 1.0
        if last in ("a", "an", "next")
        else number(last if " " not in words else words)
    )
    value += 0.5 if match["more"] else 0.0
    if match["tail"]:
        value += 0.25 if "quarter" in match["tail"] else 0.5
    return value, vague


def _sum(first: Span, second: Span) -> Span:
    return Span(
        months=first.months + second.months,
        days=first.days + second.days,
        lead=first.lead + second.lead,
        business=first.business or second.business,
        vague=first.vague or second.vague,
    )


def shifted(scene: Scene, at: int, lead: str) -> Found | None:
    """ "in 5 minutes", "5 minutes from now", "3 days ago", "an hour before ..."; the anchor of the last is read by
    `scan`."""
    text = scene.text
    prefix = _IN.match(text, at) if not lead or lead.split()[-1] not in ("in", "within") else None
    start = prefix.end() if prefix else at
    inner = measured(text, start)
    if inner is None:
        return None
    span, stop = inner
    later = _LATER.match(text, stop)
    word = prefix[0].split()[0] if prefix else lead.split()[-1] if lead else ""
    if later is not None and later["rel"] is None and re.match(r"\w", text[later.end() : later.end() + 1]) is None:
        return Found(stop=later.end(), what=Shift(span=span, sign=-1 if later["ago"] else 1))
    if word in ("in", "within") and not text.startswith("'", stop):
        return Found(stop=stop, what=Shift(span=span))
    if word == "after" and prefix:
        return Found(stop=stop, what=Shift(span=span), strong=False)
    return None


def relative(scene: Scene, at: int) -> tuple[Span, int, int] | None:
    """ "two days before ": the span, the sign (-1 before), and where the anchor begins."""
    match = _DAY_BEFORE.match(scene.text, at)
    if match is not None:
        days = 7 if match["unit"] == "week" else 1
        return Span(days=days), -1 if match["rel"] == "before" else 1, match.end()
    inner = measured(scene.text, at)
    later = _LATER.match(scene.text, inner[1]) if inner else None
    if inner is None or later is None or later["rel"] is None or later["rel"] == "until":
        return None
    sign = -1 if later["rel"] in ("before",) or later["rel"].startswith("prior") else 1
    return inner[0], sign, later.end()


def lasting(scene: Scene, at: int, lead: str) -> Found | None:
    """ "for 20 minutes": weak, it needs a moment beside it."""
    match = _FOR.match(scene.text, at)
    inner = measured(scene.text, match.end()) if match else None
    return None if inner is None else Found(stop=inner[1], what=Lasting(span=inner[0]), strong=False)


def timer(scene: Scene, at: int, lead: str) -> Found | None:
    """ "timer for 20 minutes"."""
    match = _TIMER.match(scene.text, at)
    inner = measured(scene.text, match.end()) if match else None
    return None if inner is None else Found(stop=inner[1], what=Shift(span=inner[0]))


def counted(scene: Scene, at: int, lead: str) -> Found | None:
    """ "10 times": weak, it needs a recurrence beside it."""
    match = _TIMES.match(scene.text, at)
    count = int(number(match["count"])) if match else 0
    return Found(stop=match.end(), what=Times(count=count), strong=False) if match and 0 < count <= 9999 else None


def at_once(scene: Scene, at: int, lead: str) -> Found | None:
    """ "now": weak in the middle of a sentence."""
    match = _NOW.match(scene.text, at)
    if match is None:
        return None
    strong = match[0] != "now" or not scene.text[match.end() : match.end() + 2].strip(" .!?,")
    return Found(stop=match.end(), what=Now(), strong=strong)


def parse_duration(text: str) -> timedelta | None:
    """ "20 minutes", "1h30", "an hour and a half", "2 days": how long, or None. For answers to "snooze for how
    long?"."""
    bare = re.sub(r"\s+", " ", text[:100].strip().lower())
    for prefix in ("for ", "in "):
        bare = bare.removeprefix(prefix)
    inner = measured(bare, 0)
    if inner is None or bare[inner[1] :].strip(" .!"):
        return None
    return inner[0].length if inner[0].length > timedelta(0) and not inner[0].months else None
