"""Reads when something is meant, from the words people use in reminders."""

import re
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Final

from assistant.policies.when.describe import describe
from assistant.policies.when.outcomes import about_event, ask, refuse_past, spans_of
from assistant.policies.when.pieces import Clock, Day, Lasting, PartOfDay, Piece, Place, Repeat, Scene, Times, Unread
from assistant.policies.when.recurring import Said, build
from assistant.policies.when.scan import MAX_TEXT, length_said, scan
from assistant.policies.when.single import readings_of
from assistant.policies.when.sorting import Sorted, limited, sort
from assistant.policies.when.titles import without
from assistant.policies.when.types import (
    AboutEvent,
    Assumption,
    NoTime,
    Options,
    Outcome,
    Reading,
    Refused,
    Understood,
    WallTime,
)
from assistant.policies.when.zones import resolve, to_local

_SAME_LENGTH: Final = str.maketrans(
    {"’": "'", "‘": "'", "–": "-", "—": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "}
)
# What still looks like a time in a title after the phrase was taken out: then the phrase was longer than what was read.
_LEFT_OVER: Final = re.compile(
    r"\b(?:at|@|until|till|every|each|except|before|after|between)\s+(?:the\s+)?\d{1,2}\b(?!\w)|\b\d{1,2}:\d\d\b|\b\d{1,2}\s?(?:am|pm)\b"
    r"|\b(?:every|each) (?:other |second )?(?:day|week|month|year|hour|mon|tues|wednes|thurs|fri|satur|sun)"
    r"|\b(?:tomorrow|tonight|yesterday)\b(?!')|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b(?!')"
    r"|\b(?:or|and|except|but not|not)$|^(?:or|except|but not)\b"
)


_BEFORE: Final = re.compile(
    r"(?:\b(?:first|second|third|fourth|fifth|last|\d{1,2}(?:st|nd|rd|th)|weeks?|months?|quarter|year|end|beginning|middle|start|not|than)"
    r"|(?<=\d)\s?-)\s*(?:of\s*)?$"
)
_AFTER: Final = re.compile(
    r"\s*(?:,?\d|[-/]\s?\d|of (?:\d|the|next|last|this)|(?:one |two |three )?(?:hundred|thousand)|h \d|to \d|since"
    r"|before\b|after\b"
    r"|(?:or|and) (?:later|earlier|after|before)"
    r"|or (?=\w)|except|not\b|weeks?\b|mornings?\b|afternoons?\b|evenings?\b|nights?\b|at all\b)"
)


def parse(text: str, options: Options) -> Outcome:
    """What `text` says about when. Never raises, linear in the length of `text`; looks forward from `options.now`."""
    scene = _scene(text, options, options.zone)
    pieces = scan(scene)
    if not pieces:
        return NoTime(title=without(text, ()), lasts=length_said(scene))
    found = sort(pieces)
    zone = options.zone
    if found.place is not None and isinstance(found.place.what, Place):
        zone = found.place.what.zone
        scene = _scene(text, options, zone)
        if found.place.what.offset is not None:
            scene = replace(scene, now=options.now.astimezone(UTC).replace(tzinfo=None) + found.place.what.offset)
        found = sort(scan(scene))
    return _put_together(text, scene, found, zone)


def _scene(text: str, options: Options, zone: str) -> Scene:
    raw = text[:MAX_TEXT]
    lower = "".join(low if len(low := character.lower()) == 1 else character for character in raw).translate(
        _SAME_LENGTH
    )
    return Scene(raw=raw, text=lower, now=to_local(options.now, zone), options=options)


def _title(text: str, found: Sorted) -> str:
    """The text without what was read; words that could not be read stay."""
    return without(text, [(piece.start, piece.stop) for piece in found.used if not isinstance(piece.what, Unread)])


def _put_together(text: str, scene: Scene, found: Sorted, zone: str) -> Outcome:
    title = _title(text, found)
    if found.impossible is not None:
        return Refused(reason=getattr(found.impossible.what, "reason", ""), title=title)
    if found.repeats:
        return _recurring(scene, found, zone, title)
    if not (found.days or found.clocks or found.parts or found.shifts or found.now or found.unread):
        return NoTime(title=without(text, ()))
    event = about_event(scene, found, title)
    if event is not None:
        return _event_with_time(event, scene.options) or event
    readings = readings_of(scene, found, zone, scene.raw)
    return _settled(scene, found, readings, title)


def _event_with_time(event: AboutEvent, options: Options) -> Outcome | None:
    """ "an hour before the meeting at 5pm tomorrow": the event's own time is in its words."""
    inner = parse(event.event, options)
    if not isinstance(inner, Understood) or not isinstance(inner.reading.value, WallTime):
        return None
    value = inner.reading.value
    local = value.local + timedelta(days=event.days) + event.lead
    due = resolve(local, value.zone)
    note = Assumption(text=f"counted from {describe(inner.reading, options.now)}")
    reading = replace(
        inner.reading, value=WallTime(local=local, zone=value.zone), due=due, spans=event.spans, lasts=None,
        assumptions=(*inner.reading.assumptions, note),
    )  # fmt: skip
    title = event.title if event.title != event.event else inner.title
    if due <= options.now:
        return refuse_past(reading, title, options.now.astimezone(UTC))
    return Understood(reading=reading, title=title)


def _settled(scene: Scene, found: Sorted, readings: tuple[Reading, ...] | None, title: str) -> Outcome:
    """One reading with nothing left over is understood; everything else is asked or refused."""
    if readings is None:
        return ask(scene, found, (), title, unread=_said(scene, found))
    now = scene.options.now.astimezone(UTC)
    ahead = tuple(
        reading for reading in readings if reading.due > now or reading.kind == "instant" and reading.due == now
    )
    if not ahead:
        return (
            refuse_past(readings[0], title, now)
            if readings
            else ask(scene, found, (), title, unread=_said(scene, found))
        )
    distinct = _distinct(ahead)
    unread = _unread(scene, found, title)
    if len(distinct) == 1 and not unread:
        return Understood(reading=distinct[0], title=title)
    return ask(scene, found, distinct, title, unread=unread)


def _distinct(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    kept: dict[object, Reading] = {}
    for reading in readings:
        kept.setdefault(reading.value, reading)
    return tuple(kept.values())


def _said(scene: Scene, found: Sorted) -> str:
    return scene.raw[found.used[0].start : found.used[-1].stop].strip() if found.used else ""


def _unread(scene: Scene, found: Sorted, title: str) -> str:
    """Words about time that no reading covers."""
    if found.unread:
        return scene.raw[found.unread[0].start : found.unread[0].stop].strip()
    bound = next((piece for piece in found.used if piece is not found.until and limited(piece)), None)
    if bound is not None:
        return bound.lead
    beside = _beside(scene, found)
    if beside:
        return beside
    left = _LEFT_OVER.search(title.lower())
    return title[left.start() : left.end()] if left else ""


def _beside(scene: Scene, found: Sorted) -> str:
    """Words that touch what was read and belong to it: "the third week of" July, tomorrow "2-4"."""
    edges = [0, *(piece.stop for piece in found.used)]
    for index, piece in enumerate(found.used):
        before = _BEFORE.search(scene.text, max(edges[index], piece.start - 24), piece.start)
        following = found.used[index + 1].start if index + 1 < len(found.used) else len(scene.text)
        after = _AFTER.match(scene.text, piece.stop, min(following, piece.stop + 24))
        for match in (before, after):
            if match is not None:
                return scene.raw[match.start() : match.end()].strip()
    return ""


def _recurring(scene: Scene, found: Sorted, zone: str, title: str) -> Outcome:
    repeat = _one_repeat(found.repeats)
    part = found.parts[0].what if found.parts else None
    clocks = tuple(piece.what for piece in found.clocks if isinstance(piece.what, Clock))
    too_many = len(found.days) > 1 or len(found.parts) > 1 or found.shifts or found.now
    if repeat is None or too_many:
        return ask(scene, found, (), title, unread=_said(scene, found))
    until, start, span, count = found.until, found.start, found.lasting, found.times
    said = Said(
        clocks=clocks,
        part=part if isinstance(part, PartOfDay) else None,
        on=_day(found.days[0] if found.days else None),
        start=_day(start),
        until=_day(until),
        until_exclusive=_exclusive(until),
        span=span.what.span if span is not None and isinstance(span.what, Lasting) else None,
        count=count.what.count if count is not None and isinstance(count.what, Times) else None,
    )
    built = build(scene, repeat, said, zone, scene.raw)
    if built == "never":
        return Refused(reason="That would never happen: it ends before it begins.", title=title)
    if isinstance(built, str):
        return ask(scene, found, (), title, unread=_said(scene, found))
    readings = tuple(
        Reading(
            kind="recurrence", value=each.recurrence, due=each.due, zone=zone,
            spans=spans_of(found), assumptions=each.notes, lasts=each.lasts,
        )
        for each in built
    )  # fmt: skip
    return _settled(scene, found, readings, title)


def _day(piece: Piece | None) -> Day | None:
    return piece.what if piece is not None and isinstance(piece.what, Day) else None


def _exclusive(until: Piece | None) -> bool:
    """ "until March" ends before March, "through March" with it, "until 5 May" on that day."""
    day = _day(until)
    return (
        until is not None
        and day is not None
        and day.last is not None
        and day.bare
        and not {"through", "thru"} & set(until.lead.split())
    )


def _one_repeat(pieces: tuple[Piece, ...]) -> Repeat | None:
    """ "weekly on Mondays" and "daily, every morning" say one thing twice; two different rules are unread."""
    repeats = [piece.what for piece in pieces if isinstance(piece.what, Repeat)]
    if len(repeats) == 1:
        return repeats[0]
    if len(repeats) != 2:
        return None
    bare = [each for each in repeats if not (each.days or each.month_days or each.part)]
    full = [each for each in repeats if each.days or each.month_days or each.part]
    if len(bare) != 1 or len(full) != 1:
        return None
    if bare[0].frequency == full[0].frequency:
        return replace(full[0], interval=max(bare[0].interval, full[0].interval))
    return None


def around(days: int, lead: timedelta, anchor: datetime, options: Options) -> datetime:
    """The instant (aware UTC) `days` and `lead` from an event at the aware `anchor`: for `AboutEvent`. Whole days
    keep the
    wall time; a result without hours is at `DefaultTimes.day` when the event has no time of its own (midnight)."""
    local = to_local(anchor, options.zone) + timedelta(days=days)
    if local.time() == time(0) and not lead:
        local = datetime.combine(local.date(), options.times.day)
    return resolve(local, options.zone) + lead
