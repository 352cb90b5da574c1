"""own.clear: reminders, events, tasks and notes taken away, one or many at once.

Many, or a whole series, wait for a yes with the list of them; what was shown is what goes, and all of it can be brought
back. Of a series only the day that was named goes; reminders that come again are left alone then.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from pydantic import Field

from assistant.errors import ToolError
from assistant.policies.asking.clearing import Clearing, Kind, clearing
from assistant.policies.cleaning import clean_line
from assistant.policies.reminding import deleted, restored
from assistant.policies.when.zones import to_local
from assistant.ports import Clock
from assistant.receipts import ItemActs, named
from assistant.tools.own import OwnTool, asked_for, kept
from assistant.tools.own_things import Name, OwnThings, Thing, days_in, names_in
from assistant.tools.types import (
    NOT_IN_FORM,
    CallContext,
    Choice,
    EffectKey,
    Gap,
    Outcome,
    Precondition,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)
from memory.errors import StoreError
from memory.item_store import ItemStore
from memory.items import Event, Item, ItemChange, ItemEntryId, ItemKind
from memory.reminder_store import ReminderStore
from memory.reminders import OPEN, Change, EntryId, ReminderId

UNDO: Final = "for 30 days with undo"
SHOWN: Final = 30  # lines on a card
MOST_CHOICES: Final = 6
_ITEMS: Final[tuple[ItemKind, ...]] = ("event", "task", "note")
_KINDS: Final[tuple[Kind, ...]] = ("event", "task", "note", "reminder")
_MANY_NOTICES: Final = 5_000
_EVERY_ONE: Final = frozenset({"all", "all of them", "everything", "both", "every one", "each"})


class OwnClearArguments(ToolArguments):
    """As it was said, until it is known what that is: then `exact` names each thing."""

    kinds: str = Field(default="", max_length=60, description="of which kinds", json_schema_extra=NOT_IN_FORM)
    about: str = Field(default="", max_length=300, description="what it is about", json_schema_extra=NOT_IN_FORM)
    day: str = Field(default="", max_length=100, description="of which day", json_schema_extra=NOT_IN_FORM)
    every: bool = Field(default=False, description="all that fit", json_schema_extra=NOT_IN_FORM)
    exact: str = Field(default="", max_length=60_000, description="which one", json_schema_extra=NOT_IN_FORM)


class OwnClear(OwnTool):
    name = ToolName("own.clear")
    summary = "Delete reminders, events, tasks or notes of the user's"
    arguments = OwnClearArguments

    def __init__(self, store: ItemStore, reminders: ReminderStore, clock: Clock) -> None:
        super().__init__(store, clock)
        self._reminders = reminders

    def read(self, text: str, context: CallContext) -> Reading[OwnClearArguments] | None:
        found = clearing(asked_for(text), lambda words: days_in(words, context.now, context.zone) is not None)
        if found is None:
            return None
        arguments = OwnClearArguments(
            kinds=",".join(found.kinds), about=found.about[:300], day=found.day[:100], every=found.every
        )
        return Reading(arguments=arguments, sure=True)

    async def preview(self, arguments: OwnClearArguments, context: CallContext) -> Preview:
        await asyncio.to_thread(to_local, context.now, context.zone)  # a zone's file is read with its first use
        own, names, wanted = OwnThings(self._store, self._reminders, context), names_in(arguments.exact), None
        if names:
            there = [await own.named(name) for name in names]
            things, again = tuple(one for one in there if one is not None), tuple[Thing, ...]()
        else:
            wanted = _wanted(arguments)
            things, again = await own.meant(wanted)
        if not things:
            raise ToolError(_none(wanted, again), _left_alone(again) or await _there(own, wanted))
        if wanted is not None and len(things) > 1 and not wanted.every:
            kind = wanted.kinds[0]
            gap = Gap(argument="exact", question=f"Which {kind}?", choices=_choices(things))
            return Preview(summary=f"Delete a {kind}", gaps=(gap,), undo=UNDO)
        return _preview(arguments, things, again)

    async def run(self, arguments: OwnClearArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        names = names_in(arguments.exact)
        if not names:
            raise ToolError("What is to be deleted is not clear.", "Name it by its words.")
        gone: list[str] = []
        entries: list[str] = []
        for kind in _ITEMS:
            items = [(await self._store.find(kind, one.id), one) for one in names if one.kind == kind]
            if items:
                label = clean_line(f"Deleted: {_together([item for item, _ in items])}", 200)
                after = tuple(_without(item, name) for item, name in items)
                change = ItemChange(operation="delete", items=after, label=label)
                entry = await self._store.apply(change, at=context.now, request=f"{self.name}:{key}:{kind}")
                gone += [f"Deleted: {named(one)}" for one, _ in items]
                entries.append(f"{kind}:{entry.id}")
        for name in (one for one in names if one.kind == "reminder"):
            words, number = await self._delete_reminder(ReminderId(name.id), key, context)
            gone.append(words)
            entries.append(f"reminder:{number}")
        return Outcome(text=f"{'. '.join(gone)}.", undo_token=" ".join(entries), changed=_told(gone))

    async def _delete_reminder(self, id: ReminderId, key: EffectKey, context: CallContext) -> tuple[str, EntryId]:
        one = await self._reminders.reminder(id)
        change = Change(operation="delete", reminder=deleted(one))
        entry = await self._reminders.apply(change, at=context.now, request=f"{self.name}:{key}:{id}")
        return f"Deleted: {clean_line(one.text, 200)}", entry.id

    async def undo(self, token: str, context: CallContext) -> Outcome:
        back: list[str] = []
        refused: StoreError | None = None
        for kind, _, number in (part.partition(":") for part in token.split()):
            try:
                if kind == "reminder":
                    back.append(await self._reminder_back(EntryId(int(number)), context))
                else:
                    receipt = await self._acts_of(cast(ItemKind, kind), context).undo(ItemEntryId(int(number)))
                    back.append(receipt.words)
            except StoreError as error:
                refused = error
        if not back:
            raise ToolError(refused.message if refused else "There is nothing to take back.")
        if refused is not None:
            back.append(f"Not everything came back: {refused.message}")
        return Outcome(text=". ".join(back), changed=_told(back))

    def _acts_of(self, kind: ItemKind, context: CallContext) -> ItemActs:
        match kind:
            case "event":
                return self.calendar(context)
            case "task":
                return self.tasks(context)
            case "note":
                return self.notes(context)

    async def _reminder_back(self, id: EntryId, context: CallContext) -> str:
        entry = await self._reminders.entry(id)
        one = await self._reminders.reminder(entry.reminder_id)
        notices = await self._reminders.notices(one.id, limit=_MANY_NOTICES)
        delivered = frozenset(each.occurrence for each in notices)
        after = await asyncio.to_thread(restored, entry, one, context.now, context.zone, delivered)
        waiting = tuple(id for id, state in entry.notices if state in OPEN)
        change = Change(operation="undo", reminder=after, undoes=entry.id, notices=waiting, notice_state="shown")
        await self._reminders.apply(change, at=context.now)
        return f"Taken back: {clean_line(one.text, 200)}"


def _preview(arguments: OwnClearArguments, things: Sequence[Thing], again: Sequence[Thing]) -> Preview:
    lines = [f"{one.name.kind}: {one.words}" for one in things]
    if len(lines) > SHOWN:
        lines = [*lines[:SHOWN], f"and {len(lines) - SHOWN} more"]
    waits = ""
    if len(things) > 1:
        waits = f"It takes away {len(things)} things at once."
    elif things[0].series:
        waits = "It takes away all that is still to come of it."
    exact = ",".join(str(one.name) for one in things)
    return Preview(
        summary=f"Delete the {lines[0]}" if len(things) == 1 else f"Delete {_counted(things)}",
        lines=(*lines, *([_left_alone(again)] if again else [])),
        preconditions=tuple(Precondition(name=one.title, value=one.state) for one in things),
        undo=UNDO,
        waits=waits,
        exact=OwnClearArguments(exact=exact) if exact != arguments.exact else None,
    )


def _wanted(arguments: OwnClearArguments) -> Clearing:
    """With what the user answered, in place of what was said."""
    kinds = tuple(kind for kind in _KINDS if kind in arguments.kinds.split(","))
    said = arguments.exact.strip()
    every = arguments.every or said.lower().rstrip(".!") in _EVERY_ONE
    about = arguments.about if every or not said else said
    return Clearing(kinds=kinds, about=about, day=arguments.day, every=every)


def _without(item: Item, name: Name) -> Item:
    """Deleted; of a series only the one that is meant."""
    if name.at is not None and isinstance(item, Event):
        return replace(item, excluded=tuple(dict.fromkeys((*item.excluded, name.at))))
    return replace(item, state="deleted")


def _choices(things: Sequence[Thing]) -> tuple[Choice, ...]:
    shown = tuple(Choice(id=str(one.name), label=clean_line(one.words, 160)) for one in things[:MOST_CHOICES])
    if len(things) > MOST_CHOICES:
        return shown
    return (*shown, Choice(id=",".join(str(one.name) for one in things), label=f"all {len(things)} of them"))


def _counted(things: Sequence[Thing]) -> str:
    """ "2 events and 1 reminder"."""
    counts = {kind: sum(one.name.kind == kind for one in things) for kind in _KINDS}
    return " and ".join(f"{many} {kind}{'s' if many > 1 else ''}" for kind, many in counts.items() if many)


def _together(items: Sequence[Item]) -> str:
    return named(items[0]) if len(items) == 1 else f"{len(items)} at once, {named(items[0], 60)} first"


def _told(lines: Sequence[str]) -> tuple[str, ...]:
    if len(lines) <= SHOWN:
        return tuple(lines)
    return (*lines[:SHOWN], f"And {len(lines) - SHOWN} more")


def _none(wanted: Clearing | None, again: Sequence[Thing]) -> str:
    if wanted is None:
        return "None of that is there any more, so nothing was deleted."
    what = " or ".join(f"{kind}s" for kind in wanted.kinds)
    about = f" about “{clean_line(wanted.about, 120)}”" if wanted.about else ""
    day = f" for {clean_line(wanted.day, 60)}" if wanted.day else ""
    once = " that come only once" if again else ""
    return f"There are no {what}{about}{day}{once}, so nothing was deleted."


async def _there(own: OwnThings, wanted: Clearing | None) -> str:
    """What there is of that kind."""
    if wanted is None or not (wanted.about or wanted.day):
        return ""
    things, _ = await own.meant(Clearing(kinds=wanted.kinds, every=True))
    more = f"; and {len(things) - MOST_CHOICES} more" if len(things) > MOST_CHOICES else ""
    return f"There are: {'; '.join(one.words for one in things[:MOST_CHOICES])}{more}." if things else ""


def _left_alone(again: Sequence[Thing]) -> str:
    return f"Left alone, for it comes again: {'; '.join(one.words for one in again[:5])}." if again else ""
