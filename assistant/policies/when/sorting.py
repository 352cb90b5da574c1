"""Sorts the pieces of a text by the part they play, before they are put together."""

from dataclasses import dataclass, replace
from typing import Final

from assistant.policies.when.pieces import (
    Clock,
    Day,
    Impossible,
    Lasting,
    Now,
    PartOfDay,
    Piece,
    Place,
    Repeat,
    Shift,
    Times,
    Unread,
)

_UNTIL: Final = frozenset({"until", "till", "til", "through", "thru", "to"})
_START: Final = frozenset({"from", "starting", "beginning"})
_LIMITS: Final = frozenset(
    {
        "before",
        "after",
        "since",
        "except",
        "between",
        "no later than",
        "not later than",
        "later than",
        "earlier than",
        "as early as",
        "as late as",
        "during",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """The pieces by role. `limits`: those that only bound a time ("before 5"), which is never a moment by itself."""

    used: tuple[Piece, ...]
    days: tuple[Piece, ...] = ()
    clocks: tuple[Piece, ...] = ()
    parts: tuple[Piece, ...] = ()
    shifts: tuple[Piece, ...] = ()
    repeats: tuple[Piece, ...] = ()
    until: Piece | None = None
    start: Piece | None = None
    lasting: Piece | None = None
    times: Piece | None = None
    place: Piece | None = None
    now: Piece | None = None
    impossible: Piece | None = None
    unread: tuple[Piece, ...] = ()


def in_the_past(piece: Piece) -> bool:
    """ "yesterday", "2 weeks ago": told, not planned."""
    what = piece.what
    if isinstance(what, Day):
        return what.told
    if isinstance(what, PartOfDay):
        return what.days is not None and what.days < 0
    return isinstance(what, Shift) and what.sign < 0 and what.anchor is None and what.at is None and not what.event


def planned(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Without what is told about the past, when something is planned too: "ask about last week tomorrow"."""
    future = [not in_the_past(piece) for piece in pieces]
    days = [isinstance(piece.what, Day | Shift | PartOfDay | Repeat) for piece in pieces]
    if not any(ahead and day for ahead, day in zip(future, days, strict=True)) or all(future):
        return pieces
    return tuple(piece for piece, ahead in zip(pieces, future, strict=True) if ahead)


def sort(pieces: tuple[Piece, ...]) -> Sorted:
    """Every piece in its role; what has no role, or a role that is taken, is unread."""
    chosen = planned(pieces)
    repeating = any(isinstance(piece.what, Repeat) for piece in chosen)
    roles: dict[str, list[Piece]] = {}
    for piece in chosen:
        roles.setdefault(_role(piece, repeating=repeating), []).append(piece)

    def many(name: str) -> tuple[Piece, ...]:
        return tuple(roles.get(name, ()))

    def one(name: str) -> Piece | None:
        return roles[name][0] if name in roles else None

    places = many("place")
    if len(places) == 2 and isinstance(places[0].what, Place) and places[0].what.offset is not None:
        roles["place"] = [_one_place(*places)]
    surplus = [piece for name in ("until", "start", "lasting", "times", "place", "now") for piece in many(name)[1:]]
    return Sorted(
        used=chosen,
        days=many("days"),
        clocks=many("clocks"),
        parts=many("parts"),
        shifts=many("shifts"),
        repeats=many("repeats"),
        until=one("until"),
        start=one("start"),
        lasting=one("lasting"),
        times=one("times"),
        place=one("place"),
        now=one("now"),
        impossible=one("impossible"),
        unread=(*many("unread"), *surplus),
    )


def limited(piece: Piece) -> bool:
    """Whether the words before it make it a bound: "before Friday", "after 5"."""
    words = f" {piece.lead} "
    if isinstance(piece.what, Clock) and piece.what.lasts is not None:
        words = words.replace(" between ", " ")
    return isinstance(piece.what, Day | Clock | PartOfDay) and any(
        f" {limit} " in words for limit in (*_LIMITS, *_UNTIL)
    )


def _one_place(first: Piece, second: Piece) -> Piece:
    """ "UTC+01:00 Europe/Berlin": a zone and its offset at that moment are one place."""
    assert isinstance(first.what, Place)
    assert isinstance(second.what, Place)
    return replace(second, what=replace(second.what, offset=first.what.offset))


_ROLES: Final[dict[type, str]] = {
    Impossible: "impossible", Day: "days", Clock: "clocks", PartOfDay: "parts", Shift: "shifts", Repeat: "repeats",
    Lasting: "lasting", Times: "times", Place: "place", Now: "now", Unread: "unread",
}  # fmt: skip


def _role(piece: Piece, *, repeating: bool) -> str:
    words = set(piece.lead.split())
    if repeating and isinstance(piece.what, Day) and words & (_UNTIL | _START):
        return "until" if words & _UNTIL else "start"
    return _ROLES[type(piece.what)]
