"""The conversation that is on the screen: its messages, how many of them are drawn, and where each stands among its
alternatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.view import Entry

if TYPE_CHECKING:
    from memory.types import Message, MessageId
    from ui.desk import Desk
    from ui.widgets.transcript import Transcript

LOADED = 30  # messages drawn when a conversation is opened, and at a time when the user scrolls up


class Shown:
    def __init__(self, desk: Desk, transcript: Transcript) -> None:
        self._desk = desk
        self._transcript = transcript
        self._first = 0  # of `path`: the first message that is drawn
        self._drawing = False  # earlier messages
        self.path: Sequence[Message] = ()
        self.notes: dict[MessageId, tuple[str, ...]] = {}  # of this run

    async def entry_of(self, message: Message) -> Entry:
        """Raises StoreError."""
        siblings = await self._desk.conversation.transcript.siblings(message.id)
        ids = [sibling.id for sibling in siblings]
        place = ids.index(message.id) + 1 if message.id in ids else 1
        notes = self.notes.get(message.id, ())
        return Entry(message=message, place=place, places=max(len(ids), 1), notes=notes)

    async def read(self) -> None:
        """What the conversation holds now; nothing is drawn. Raises StoreError."""
        self.path = await self._desk.conversation.session.messages()

    async def show(self) -> None:
        """Draw its last messages, scrolled to the end. Raises StoreError."""
        await self.read()
        self._first = max(len(self.path) - LOADED, 0)
        entries = [await self.entry_of(message) for message in self.path[self._first :]]
        await self._transcript.show(entries, earlier=self._first)

    async def show_earlier(self) -> None:
        """Draw some of the messages before; one call at a time does it. Raises StoreError."""
        if not self._first or self._drawing:
            return
        self._drawing = True
        try:
            path, first = self.path, max(self._first - LOADED, 0)
            entries = [await self.entry_of(message) for message in path[first : self._first]]
            if await self._transcript.add_before(entries, earlier=first):
                self._first = first
        finally:
            self._drawing = False

    async def put(self, message: Message) -> None:
        """Draw one message, new or changed. Raises StoreError."""
        await self._transcript.put(await self.entry_of(message))
