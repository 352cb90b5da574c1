"""Short ways to make candidates, items and sets of known items; strategies for the properties of memory."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from hypothesis import strategies as st

from memory.changes import Change
from memory.preferences import (
    EVERYWHERE,
    Candidate,
    Evidence,
    Item,
    Polarity,
    PreferenceId,
    Scope,
    Sensitivity,
    Source,
    Stance,
    Status,
    Strength,
)
from memory.reconcile import reconcile
from memory.slots import slot
from memory.transitions import transition
from memory.types import MessageId, SessionId
from tests.support.clock import MONDAY


def said(
    quote: str,
    message: int | None = 1,
    *,
    session: str | None = "s1",
    at: datetime | None = None,
    stance: Stance = "supports",
) -> Evidence:
    """Words of a user message; a later message is a minute later."""
    return Evidence(
        quote=quote,
        at=at or MONDAY + timedelta(minutes=message or 0),
        message_id=None if message is None else MessageId(message),
        session_id=None if session is None or message is None else SessionId(session),
        stop=len(quote),
        stance=stance,
    )


def a_candidate(
    statement: str = "I hate coriander",
    name: str = "food.taste",
    object: str = "coriander",
    polarity: Polarity = 1,
    *,
    message: int | None = 1,
    session: str | None = "s1",
    at: datetime | None = None,
    source: Source = "explicit",
    stance: Stance = "supports",
    strength: Strength = 2,
    scope: Scope = EVERYWHERE,
    condition: str = "",
    sensitivity: Sensitivity = "normal",
    requested: bool = False,
    valid_to: datetime | None = None,
) -> Candidate:
    row = slot(name)
    return Candidate(
        statement=statement,
        kind=row.kind,
        domain=row.domain,
        slot=name,
        object=object,
        polarity=polarity,
        source=source,
        stance=stance,
        strength=strength,
        scope=scope,
        condition=condition,
        sensitivity=sensitivity,
        requested=requested,
        valid_to=valid_to,
        evidence=said(statement, message, session=session, at=at, stance=stance),
    )


def after(items: Iterable[Item], changes: Iterable[Change], at: datetime) -> tuple[Item, ...]:
    """The items once the changes are applied."""
    state = {item.id: item for item in items}
    for change in changes:
        for delta in transition(change, state, at):
            if delta.after is not None:
                state[delta.id] = delta.after
    return tuple(state.values())


def learned(*candidates: Candidate, known: Iterable[Item] = (), at: datetime = MONDAY) -> tuple[Item, ...]:
    """What is known after each candidate was taken in on its own."""
    items = tuple(known)
    for candidate in candidates:
        items = after(items, reconcile(items, [candidate], (), at), at)
    return items


def an_item(candidate: Candidate | None = None, *, at: datetime = MONDAY) -> Item:
    (item,) = learned(candidate or a_candidate(), at=at)
    return item


def by_status(items: Iterable[Item]) -> Mapping[Status, list[str]]:
    """The statements of each status, in order of the statements."""
    found: dict[Status, list[str]] = {}
    for item in items:
        found.setdefault(item.preference.status, []).append(item.preference.statement)
    return {status: sorted(statements) for status, statements in found.items()}


def ids(items: Iterable[Item]) -> set[PreferenceId]:
    return {item.id for item in items}


# A small world, so that candidates meet often.
SMALL_SLOTS = ("reply_style.length", "food.diet", "food.taste", "other.fact")
SMALL_OBJECTS = ("", "coriander", "Corianders", "olives", "short", "long")
SMALL_SCOPES = (EVERYWHERE, Scope(type="project", value="thesis"), Scope(type="domain", value="work"))


@st.composite
def candidates(draw: st.DrawFn, *, spoken: bool | None = None) -> Candidate:
    name = draw(st.sampled_from(SMALL_SLOTS))
    object = draw(st.sampled_from(SMALL_OBJECTS))
    polarity: Polarity = draw(st.sampled_from((-1, 0, 1)))
    sources: tuple[Source, ...] = ("explicit", "corrected", "confirmed", "imported", "inferred")
    if spoken is not None:
        sources = ("explicit", "corrected") if spoken else ("imported", "inferred")
    return a_candidate(
        f"about {object or draw(st.sampled_from(('this', 'that')))} {polarity}",
        name,
        object,
        polarity,
        message=draw(st.integers(1, 40)),
        session=draw(st.sampled_from(("s1", "s2"))),
        source=draw(st.sampled_from(sources)),
        stance=draw(st.sampled_from(("supports", "supports", "supports", "withdraws"))),
        strength=draw(st.sampled_from((1, 2, 3, 4))),
        scope=draw(st.sampled_from(SMALL_SCOPES)),
        condition=draw(st.sampled_from(("", "", "for maths"))),
        sensitivity=draw(st.sampled_from(("normal", "normal", "special"))),
        requested=draw(st.booleans()),
        valid_to=draw(st.sampled_from((None, None, MONDAY + timedelta(hours=2), MONDAY + timedelta(days=9)))),
    )
