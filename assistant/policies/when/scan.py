"""Walks through a text once and finds the pieces of time in it."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Final

from assistant.policies.when.clocks import clock, part_of_day
from assistant.policies.when.days import dated
from assistant.policies.when.pieces import (
    Clock,
    Day,
    Found,
    Lasting,
    PartOfDay,
    Piece,
    Place,
    Scene,
    Shift,
    Times,
    Unread,
)
from assistant.policies.when.repeating import repeated
from assistant.policies.when.spans import at_once, counted, lasting, measured, relative, shifted, timer
from assistant.policies.when.weekdays import placed
from assistant.policies.when.words import END, GAP
from assistant.policies.when.zones import SPOKEN_ZONES, zone_exists

Rule = Callable[[Scene, int, str], Found | None]
_RULES: Final[tuple[Rule, ...]] = (
    repeated,
    timer,
    shifted,
    lasting,
    counted,
    at_once,
    placed,
    dated,
    clock,
    part_of_day,
)
_LEAD_WORDS: Final = (
    r"no later than|not later than|later than|earlier than|as early as|as late as|any time|"
    r"sometime|around|about|circa|starting|beginning|between|through|during|before|after|since|except|until|till|from|"
    r"thru|due|for|the|til|on|at|by|in|of|to"
)
_LEAD: Final = re.compile(rf"(?:(?:(?:{_LEAD_WORDS}){END}|[@~]){GAP}){{1,3}}")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*|@|~|½")
_GLUE: Final = re.compile(r"(?:[\s,;()]|-|\bof\b|\band\b|\bat\b|\bthen\b|\bthe\b|\bin\b|\bon\b|\bfor\b|\bt\b|&)*")
_ZONE: Final = re.compile(
    r"(?:utc|gmt)(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?(?!\d)|(?P<name>[a-z_]+(?:/[a-z_+\-0-9]+){1,2})|"
    r"(?P<spoken>new york|[a-z]{2,8})(?:(?P<time>\s{1,3}(?:time|timezone)\b)|(?![\w']))"
)
_EVENT_LEAD: Final = re.compile(r"(?:in|on|by|at)\s{1,3}")
_EVENT_NAME: Final = re.compile(r"[^\W\d_][^,.;!?\n]{0,60}")
MAX_TEXT: Final = 10_000  # characters that are looked at; longer texts are not reminders
MAX_PIECES: Final = 12


def scan(scene: Scene) -> tuple[Piece, ...]:
    """The pieces in order, not overlapping. Each position is tried once by each rule, and rules look a bounded way
    ahead."""
    pieces: list[Piece] = []
    at = 0
    while len(pieces) < MAX_PIECES:
        word = _WORD.search(scene.text, at)
        if word is None:
            break
        piece = _piece(scene, word.start(), pieces[-1] if pieces else None) if _may_start(scene, word.start()) else None
        if piece is not None:
            pieces.append(piece)
        at = piece.stop if piece else word.end()
    if len(pieces) == MAX_PIECES:  # more about time than one reminder says: asked
        pieces.append(Piece(start=at, stop=at, what=Unread(), strong=True))
    return tuple(_standing(scene, pieces))


def _may_start(scene: Scene, at: int) -> bool:
    """Not inside a path, an address or a code: "report-2002-10-09.xlsx", "v2.5", "$10"."""
    before = scene.text[max(0, at - 2) : at]
    if not before or before[-1].isspace():
        return True
    if before[-1].isdigit() and re.match(r"t\d", scene.text[at : at + 2]):
        return True  # 2026-03-04T10:00
    if before[-1] in "(,;:!?\"'|[":
        return not (before[-1] == "'" and before[0].isalnum())
    return before in (" -", ") ", "--", ")-") or before[-1] == "-" and at == 1


def _piece(scene: Scene, at: int, before: Piece | None) -> Piece | None:
    """The longest piece at `at`, with or without small words before it."""
    best: Piece | None = None
    led = _LEAD.match(scene.text, at)
    for start, lead in ((at, ""), (led.end(), " ".join(led.group().split())) if led else (at, "")):
        for rule in _RULES:
            found = rule(scene, start, lead)
            if found is not None and _ends_well(scene, found) and (best is None or found.stop > best.stop):
                best = Piece(start=at, stop=found.stop, what=found.what, strong=found.strong, lead=lead)
    event = _event(scene, at, best)
    if event is not None:
        return event
    zone = _zone(scene, at) if best is None and before is not None else None
    return zone if zone is not None else best


def _ends_well(scene: Scene, found: Found) -> bool:
    """A piece ends at the end of a word, and not before "'s" or inside a code."""
    after = scene.text[found.stop : found.stop + 2]
    last = scene.text[found.stop - 1 : found.stop]
    if not after:
        return True
    if last.isalnum() and (after[0].isalnum() or after[0] == "_"):
        return isinstance(found.what, Day) and after[0] == "t" and after[1:].isdigit()
    if after[0] in "%€$£" or after == "'s":
        return False
    return not (
        after[0] == "-" and after[1:].isalpha() or after[0] in "/." and after[1:].isalnum() and not last.isspace()
    )


def _event(scene: Scene, at: int, best: Piece | None) -> Piece | None:
    """ "two days before ...": the anchor is a day, a time, or an event known by its name only."""
    led = _EVENT_LEAD.match(scene.text, at)
    start = led.end() if led else at
    found = relative(scene, start)
    if found is None:
        return None
    if best is not None and best.stop > found[2] and not isinstance(best.what, Shift | Unread | Day | Lasting):
        return None
    span, sign, anchor = found
    rest = _anchor(scene, anchor)
    if rest is not None:
        day, time, stop = rest
        return Piece(
            start=at, stop=stop, what=Shift(span=span, sign=-1 if sign < 0 else 1, anchor=day, at=time), strong=True
        )
    named = _EVENT_NAME.match(scene.text, anchor)
    if named is None or not named.group().strip():
        return None
    name = scene.raw[anchor : named.end()].strip()
    return Piece(start=at, stop=named.end(), what=Shift(span=span, sign=-1 if sign < 0 else 1, event=name), strong=True)


def _anchor(scene: Scene, at: int) -> tuple[Day | None, Clock | None, int] | None:
    for rule in (placed, dated, clock):
        found = rule(scene, at, "on") if rule is not clock else rule(scene, at, "at")
        if found is not None and _ends_well(scene, found) and (found.strong or rule is clock):
            if isinstance(found.what, Day):
                return found.what, None, found.stop
            if isinstance(found.what, Clock):
                return None, found.what, found.stop
    return None


def _zone(scene: Scene, at: int) -> Piece | None:
    """A zone, only right after another piece (the caller checks that it touches)."""
    match = _ZONE.match(scene.text, at)
    if match is None:
        return None
    if match["sign"]:
        return _offset_zone(scene, match)
    if match["name"]:
        name = scene.raw[at : match.end()]
        known = name if zone_exists(name) else next((z for z in (name.title(), name.upper()) if zone_exists(z)), "")
        return Piece(start=at, stop=match.end(), what=Place(zone=known), strong=False) if known else None
    spoken = SPOKEN_ZONES.get(match["spoken"])
    letters = scene.raw[at : match.end()].isupper()
    if spoken is None or not (
        match["time"] or letters or len(match["spoken"]) == 3 and match["spoken"] not in ("est", "et")
    ):
        return None
    return Piece(
        start=at,
        stop=match.end(),
        what=Place(zone=spoken, note=f"{scene.raw[at : match.end()].strip()} read as {spoken}"),
        strong=False,
    )


def _offset_zone(scene: Scene, match: re.Match[str]) -> Piece | None:
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    if offset > timedelta(hours=15):
        return None
    return Piece(
        start=match.start(),
        stop=match.end(),
        what=Place(zone="UTC", offset=offset if match["sign"] == "+" else -offset),
        strong=False,
    )


def length_said(scene: Scene) -> timedelta | None:
    """The first length in a text without a moment: "run for 20 minutes"."""
    for word in islice(_WORD.finditer(scene.text), 200):
        found = measured(scene.text, word.start())
        if (
            found is not None
            and _ends_well(scene, Found(stop=found[1], what=Lasting(span=found[0])))
            and not found[0].vague
        ):
            return found[0].length
    return None


def touching(scene: Scene, first: Piece, second: Piece) -> bool:
    """Whether only glue ("at", ",", "of the") stands between two pieces."""
    between = scene.text[first.stop : second.start]
    return len(between) <= 16 and _GLUE.fullmatch(between) is not None


def _standing(scene: Scene, pieces: list[Piece]) -> list[Piece]:
    """The pieces that mean time: strong ones, and weak ones that touch what stands."""
    stands = [piece.strong for piece in pieces]
    for _ in range(2):
        for index, piece in enumerate(pieces):
            if stands[index]:
                continue
            near = [
                other
                for other in (index - 1, index + 1)
                if 0 <= other < len(pieces) and _touch(scene, pieces, index, other)
            ]
            stands[index] = any(_holds(piece, pieces[other], strong=stands[other]) for other in near)
    standing = [piece for piece, stand in zip(pieces, stands, strict=True) if stand]
    return [_placed_number(scene, standing, index) for index in range(len(standing))]


def _placed_number(scene: Scene, pieces: list[Piece], index: int) -> Piece:
    """A bare number is an hour after a day or before a part of the day; before a day ("4 on Friday") it is asked."""
    piece = pieces[index]
    if piece.strong or not isinstance(piece.what, Clock) or piece.what.others:
        return piece
    left = index > 0 and touching(scene, pieces[index - 1], piece)
    right = index + 1 < len(pieces) and isinstance(pieces[index + 1].what, PartOfDay)
    return piece if left or right else replace(piece, what=Unread())


def _touch(scene: Scene, pieces: list[Piece], first: int, second: int) -> bool:
    low, high = min(first, second), max(first, second)
    return touching(scene, pieces[low], pieces[high])


def _holds(piece: Piece, other: Piece, *, strong: bool) -> bool:
    """Whether `other` makes the weak `piece` mean time; a bare number beside a time is something else."""
    if isinstance(piece.what, Clock) and isinstance(other.what, Clock):
        return False
    return strong or _weak_pair(piece, other)


def _weak_pair(one: Piece, other: Piece) -> bool:
    """ "sun 6 dec" and "mon 9am" mean time together, "second 5" does not."""
    kinds = {type(one.what), type(other.what)}
    return Day in kinds and bool(kinds & {Clock, PartOfDay} or kinds == {Day}) and not kinds & {Times, Lasting}
