"""What the tools for the user's own things share: how a change is previewed, kept once a key, and taken back."""

import re
from collections.abc import Sequence
from typing import Any, Final

from assistant.calendar.book import CalendarBook
from assistant.errors import ToolError
from assistant.note_book import NoteBook
from assistant.policies.cleaning import clean_line
from assistant.ports import Clock
from assistant.receipts import ItemActs, ItemReceipt
from assistant.task_list import TaskList
from assistant.tools.types import CallContext, Choice, Effect, Outcome, Source, ToolName
from memory.errors import StoreError
from memory.item_store import ItemStore
from memory.items import Item, ItemEntryId

UNDO: Final = "any time with undo"
MOST_CHOICES: Final = 6
_POLITE: Final = re.compile(
    r"^(?:(?:hey|ok|okay|steward)[, ]+)*(?:please[, ]+|(?:can|could|would|will) you (?:please )?)?", re.IGNORECASE
)
_END: Final = re.compile(r"[\s?!.]*(?:,? please)?[\s?!.]*$", re.IGNORECASE)


class OwnTool:
    """Base of the tools over events, tasks and notes. A change writes its key in its own transaction, so that running
    it again gives the same outcome."""

    name: ToolName
    summary: str
    effect: Effect = "undoable"
    repeatable = True

    def __init__(self, store: ItemStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def calendar(self, context: CallContext) -> CalendarBook:
        return CalendarBook(self._store, _Moment(context), context.zone)

    def tasks(self, context: CallContext) -> TaskList:
        return TaskList(self._store, _Moment(context), context.zone)

    def notes(self, context: CallContext) -> NoteBook:
        return NoteBook(self._store, _Moment(context), context.zone)

    def acts(self, context: CallContext) -> ItemActs:
        raise NotImplementedError

    async def undo(self, token: str, context: CallContext) -> Outcome:
        if not token.isdecimal():
            raise ToolError("There is nothing to take back.")
        try:
            receipt = await self.acts(context).undo(ItemEntryId(int(token)))
        except StoreError as error:
            raise ToolError(error.message, error.hint) from error
        return Outcome(text=receipt.words, changed=(receipt.words,))


class _Moment:
    """The moment of one call, as a clock."""

    def __init__(self, context: CallContext) -> None:
        self._at = context.now

    def now(self) -> Any:
        return self._at


def carried_out(receipt: ItemReceipt) -> Outcome:
    text = " ".join([f"{receipt.words}.", *receipt.notes])
    return Outcome(text=text, undo_token=str(receipt.entry), changed=(receipt.words,))


def kept(context: CallContext) -> None:
    """Raises ToolError where nothing may be kept."""
    if context.incognito:
        raise ToolError("Nothing is kept in an incognito conversation.", "Begin one that is kept.")


def asked_for(text: str) -> str:
    """The words without what is only polite."""
    return _END.sub("", _POLITE.sub("", " ".join(text.split()), count=1))


def choices(items: Sequence[Item], words: Sequence[str]) -> tuple[Choice, ...]:
    return tuple(Choice(id=item.id, label=clean_line(said, 160)) for item, said in zip(items, words, strict=True))[
        :MOST_CHOICES
    ]


def source_of(item: Item, kind: Any) -> Source:
    return Source(kind=kind, label=clean_line(item.title, 100), reference=item.id)
