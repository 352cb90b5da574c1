"""Reminders asked for in a conversation: kept at once by rule, with a receipt as the answer; no model takes part.

The grammar of time is imported with the first such message.
"""

import asyncio
from collections.abc import Awaitable, Callable

from assistant.policies.asks_reminder import asks_for_reminder, names_a_deed
from assistant.ports import Clock
from assistant.reminder_settings import ReminderSettings
from memory.item_store import ItemStore
from memory.reminder_store import ReminderStore
from memory.types import Message

_NOTHING_KEPT = "Nothing is kept in an incognito conversation, so I cannot remind you."


class ChatReminders:
    """Implements assistant.ports.Reminding."""

    def __init__(
        self,
        store: ReminderStore,
        clock: Clock,
        settings: ReminderSettings,
        items: ItemStore | None = None,
        several: Callable[[str], Awaitable[bool]] | None = None,
    ) -> None:
        self._store = store
        self._several = several  # whether a message holds more wishes than this one: then it is left whole
        self._items = items  # None: no event is known that a time could be counted from
        self._clock = clock
        self._settings = settings

    async def take(self, message: Message, *, incognito: bool) -> str | None:
        if message.origin != "typed" or not asks_for_reminder(message.content):
            return None
        if self._several is not None and await self._several(message.content):
            return None
        from assistant.calendar.book import CalendarBook
        from ui.errors import UiError
        from ui.local_zone import local_zone
        from ui.reminder_acts import Question, ReminderActs

        text = message.content.strip().rstrip("?")  # "can you remind me to call mum?"
        here = await asyncio.to_thread(local_zone)
        calendar = None if self._items is None else CalendarBook(self._items, self._clock, here)
        acts = ReminderActs(self._store, self._clock, self._settings, here, calendar=calendar)
        try:
            if not await asyncio.to_thread(acts.names_a_time, text):
                return _NOTHING_KEPT if incognito and names_a_deed(message.content) else None  # else the tool asks when
            if incognito:
                return _NOTHING_KEPT
            read = await acts.read(text)
            if isinstance(read, Question):
                return None  # asked as a decision: an answer in the next message, on the card or from a shell takes it
            receipt = await acts.add(read.reading, read.title, message_id=message.id)
        except UiError as error:
            return f"{error.message} {error.hint}".rstrip()
        return f"{receipt.words}. To take it back: /undo, or `steward reminders delete {receipt.reminder.id}`."
