"""Gathers what the detectors look at, from the stores there are. Reads only."""

from datetime import datetime, timedelta
from typing import Protocol

from assistant.policies.occurrences import happenings, naive_span
from assistant.policies.proactive.facts import MOST_READ, Facts, Meeting, Said
from assistant.policies.when.types import Options
from assistant.ports import PreferenceStore
from memory.item_store import ItemReader
from memory.preferences import Filter
from memory.reminder_store import ReminderStore
from memory.typed_messages import TypedMessages
from memory.types import Message, MessageId

_HEARD_FOR = timedelta(days=2)
_AHEAD = timedelta(days=8)
_MOST = 500
_USUAL_FOR = timedelta(days=28)
_MOST_MOMENTS = 2_000  # messages of any kind
_LOOK_BACK = 400  # messages of any kind, for what was heard of late


class Lookout(Protocol):
    """Where the engine's facts come from. Raises StoreError."""

    async def newest(self) -> MessageId:
        """Tells whether anything was said since; cheap."""
        ...

    async def moments(self, now: datetime) -> tuple[datetime, ...]:
        """When the user wrote something, in the last four weeks."""
        ...

    async def facts(self, now: datetime, zone: str, after: MessageId) -> tuple[Facts, MessageId]:
        """What is so at `now`, with the typed messages after that one; and up to which message it looked."""
        ...


class StoreLookout:
    """Implements Lookout. `options`: how the user reads dates; None where the usual way does."""

    def __init__(
        self,
        typed: TypedMessages,
        *,
        reminders: ReminderStore | None = None,
        preferences: PreferenceStore | None = None,
        items: ItemReader | None = None,
        options: Options | None = None,
    ) -> None:
        self._typed = typed
        self._reminders = reminders
        self._preferences = preferences
        self._items = items
        self._options = options

    async def newest(self) -> MessageId:
        return await self._typed.newest()

    async def moments(self, now: datetime) -> tuple[datetime, ...]:
        newest = await self._typed.newest()
        late = await self._typed.after(MessageId(max(0, newest - _MOST_MOMENTS)), limit=_MOST_MOMENTS)
        return tuple(one.created_at for one in late if now - _USUAL_FOR <= one.created_at <= now)

    async def facts(self, now: datetime, zone: str, after: MessageId) -> tuple[Facts, MessageId]:
        newest = await self._typed.newest()
        said = await self._typed.after(after, limit=_MOST)
        late = await self._typed.after(MessageId(max(0, newest - _LOOK_BACK)), limit=_LOOK_BACK)
        reached = said[-1].id if len(said) == _MOST else newest
        facts = Facts(
            now=now,
            zone=zone,
            said=tuple(_said(one) for one in said),
            heard=tuple(_said(one) for one in late if one.created_at >= now - _HEARD_FOR),
            reminders=() if self._reminders is None else await self._reminders.list(limit=_MOST),
            open_notices=() if self._reminders is None else await self._reminders.open_notices(limit=_MOST),
            preferences=()
            if self._preferences is None
            else await self._preferences.list(Filter(statuses=("active",)), limit=MOST_READ),
            meetings=await self._meetings(now, zone),
            tasks=() if self._items is None else await self._items.tasks(limit=MOST_READ),
            options=self._options,
        )
        return facts, reached

    async def _meetings(self, now: datetime, zone: str) -> tuple[Meeting, ...]:
        if self._items is None:
            return ()
        first, last = now - _HEARD_FOR, now + _AHEAD
        events = await self._items.events(*naive_span(first, last))
        return tuple(
            Meeting(id=one.event.id, title=one.event.title, start=one.starts, stop=one.ends, all_day=one.event.all_day)
            for one in happenings(events, first, last, zone)
        )


def _said(message: Message) -> Said:
    return Said(id=str(message.id), text=message.content, at=message.created_at)
