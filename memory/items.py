"""Events, tasks and notes, and changes of them, as frozen values.

An event's times are what the clock on the wall of `zone` shows, so that they stay where they are through changes of
clocks; a floating one ("" as zone) follows wherever the user is. What came from a file keeps its name in `source`: its
words are data of somebody else.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NewType

ItemId = NewType("ItemId", str)
ItemEntryId = NewType("ItemEntryId", int)
ItemKind = Literal["event", "task", "note"]
ItemState = Literal["active", "deleted"]
ItemOperation = Literal["add", "edit", "done", "delete", "import", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """`starts`, `ends`: naive; an all-day event ends at the midnight after its last day. `rule`: RFC 5545 RRULE text,
    "" for once. `excluded`: occurrences that do not take place. `uid`: of the calendar file it came from; the pair of
    it and `recurrence` is unique. `recurrence`: the occurrence of the series with this uid that this one replaces.
    """

    id: ItemId
    title: str
    starts: datetime
    ends: datetime
    created_at: datetime
    zone: str = ""
    all_day: bool = False
    rule: str = ""
    excluded: tuple[datetime, ...] = ()
    added: tuple[datetime, ...] = ()  # occurrences beside the rule (RDATE)
    uid: str = ""
    recurrence: datetime | None = None
    place: str = ""
    text: str = ""
    cancelled: bool = False
    source: str = ""
    state: ItemState = "active"
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    id: ItemId
    title: str
    created_at: datetime
    due: date | None = None
    project: str = ""
    text: str = ""
    done_at: datetime | None = None
    source: str = ""
    state: ItemState = "active"
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    id: ItemId
    title: str
    text: str
    created_at: datetime
    source: str = ""
    state: ItemState = "active"
    revision: int = 0


Item = Event | Task | Note


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """Items of one kind as they shall be; the `revision` of each is that of the row it replaces (0: a new one).
    `label`: one line for the history, such as "12 events of team.ics"."""

    operation: ItemOperation
    items: tuple[Item, ...]
    label: str = ""
    undoes: ItemEntryId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEntry:
    """One line of the history. `changed`: what each item was (None: it was not there) and became."""

    id: ItemEntryId
    operation: ItemOperation
    kind: ItemKind
    label: str
    at: datetime
    changed: tuple[tuple[Item | None, Item], ...]
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHit:
    """`snippet`: where the words are, matches between U+E000 and U+E001."""

    item: Item
    snippet: str


def kind_of(item: Item) -> ItemKind:
    match item:
        case Event():
            return "event"
        case Task():
            return "task"
        case Note():
            return "note"
