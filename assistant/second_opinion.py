"""Asks a library what a phrase means when our own grammar had to assume something: if they disagree, the user is asked.

Our reading is never changed, and what our grammar read without a doubt needs no agreement: the library (dateparser)
drops words
it does not know ("tomorrow at 12" is tomorrow at the present time of day) and is right about half of what people say.
"""

from dataclasses import replace
from datetime import datetime, time
from typing import Final

from assistant.policies.when.outcomes import between
from assistant.policies.when.types import DateOnly, Options, Outcome, Reading, Understood, WallTime
from assistant.policies.when.zones import resolve, to_local

_LONGEST: Final = 80  # characters of a phrase that is worth a second opinion


def with_second_opinion(text: str, outcome: Outcome, options: Options) -> Outcome:
    """`outcome` itself, or an `Ambiguous` of our reading and the library's. May take 0.3 s the first time (it
    imports)."""
    if not isinstance(outcome, Understood) or not isinstance(outcome.reading.value, WallTime | DateOnly):
        return outcome
    ours = outcome.reading
    doubts = {assumption.doubt for assumption in ours.assumptions} - {""}
    phrase = " ".join(text[start:stop] for start, stop in ours.spans)
    if not doubts or len(phrase) > _LONGEST:
        return outcome
    theirs = _theirs(phrase, options)
    if theirs is None or resolve(theirs, ours.zone) <= options.now:
        return outcome
    local = to_local(ours.due, ours.zone)
    if "day" in doubts and theirs.date() != local.date():
        other = _on(theirs, local.time(), ours, options)
        return between((ours, other), outcome.title, options.now, "which_day")
    said_a_time = theirs.time() not in (to_local(options.now, ours.zone).time(), time(0))
    if "time" in doubts and said_a_time and theirs.time().replace(second=0) != local.time().replace(second=0):
        other = _on(local, theirs.time(), ours, options)
        if other.due > options.now:
            return between((ours, other), outcome.title, options.now, "which_time")
    return outcome


def _theirs(phrase: str, options: Options) -> datetime | None:
    """The library's reading as a naive wall time, or None."""
    from dateparser import parse  # 0.3 s: only where a doubt is left

    base = to_local(options.now, options.zone)
    settings = {
        "RELATIVE_BASE": base,
        "PREFER_DATES_FROM": "future",
        "PREFER_DAY_OF_MONTH": "first",
        "DATE_ORDER": "DMY" if options.day_first else "MDY",
        "RETURN_AS_TIMEZONE_AWARE": False,
    }
    try:
        found = parse(phrase, languages=["en"], settings=settings)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # it raises many kinds on odd input; no opinion
    return found.replace(tzinfo=None) if isinstance(found, datetime) else None


def _on(day: datetime, at: time, ours: Reading, options: Options) -> Reading:
    """Our reading with another day or time."""
    local = datetime.combine(day.date(), at)
    value = DateOnly(on=local.date()) if isinstance(ours.value, DateOnly) else WallTime(local=local, zone=ours.zone)
    return replace(ours, value=value, due=resolve(local, ours.zone), assumptions=())
