"""From words to the time of an event, and from an event to the moment a reminder before it is due (pure)."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from assistant.policies.event_matching import Fit
from assistant.policies.when.describe import moment_in_words
from assistant.policies.when.parse import around, parse
from assistant.policies.when.types import (
    AboutEvent,
    Assumption,
    DateOnly,
    Options,
    Outcome,
    Reading,
    Refused,
    Understood,
    WallTime,
)
from assistant.policies.when.zones import to_local

MOST_DAYS: Final = 370


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """A reminder counted from an event: when, and what it says."""

    reading: Reading
    title: str


def event_time(text: str, options: Options) -> Outcome:
    """As `parse`, with two things that events have and reminders have not: days from one to another, and the past."""
    outcome = parse(text, options)
    span = _day_span(text, options)
    if span is not None:
        return span
    if isinstance(outcome, Refused) and outcome.reading is not None:
        return Understood(reading=outcome.reading, title=outcome.title)
    return outcome


def _day_span(text: str, options: Options) -> Understood | None:
    """ "holiday from 3 May to 10 May": whole days, the last one included."""
    match = re.search(r"\bfrom\s+(.+?)\s+(?:to|until|till|through)\s+(.+)$", text, re.IGNORECASE)
    if match is None:
        return None
    first, last = parse(match[1], options), parse(match[2], options)
    if not isinstance(first, Understood) or not isinstance(last, Understood):
        return None
    begins, ends = first.reading.value, last.reading.value
    if not isinstance(begins, DateOnly) or not isinstance(ends, DateOnly) or first.title or last.title:
        return None
    days = (ends.on - begins.on).days + 1
    if not 1 <= days <= MOST_DAYS:
        return None
    title = text[: match.start()].strip(" ,;:-")
    return Understood(reading=replace(first.reading, lasts=timedelta(days=days)), title=title)


def relative_to(outcome: AboutEvent, fit: Fit, options: Options) -> Relative | None:
    """None where that moment has passed."""
    one = fit.happening
    due = around(outcome.days, outcome.lead, one.starts, options)
    if due <= options.now:
        return None
    name = f"“{one.event.title}”" if one.event.source else one.event.title
    note = Assumption(text=f"counted from {name}, {_start(one.starts, one.event.all_day, options)}")
    local = to_local(due, options.zone)
    reading = Reading(
        kind="wall_time",
        value=WallTime(local=local, zone=options.zone),
        due=due,
        zone=options.zone,
        spans=outcome.spans,
        assumptions=(note,),
    )
    says = outcome.title if outcome.title not in ("", "me", outcome.event) else ""  # "steward remind me an hour ..."
    title = says or fit.rest or one.event.title
    return Relative(reading=reading, title=title)


def _start(at: datetime, all_day: bool, options: Options) -> str:
    words = moment_in_words(at, options.zone)
    return words.replace(" 00:00", "", 1) if all_day else words
