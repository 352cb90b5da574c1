"""Changes of events, tasks and notes on their way to the process that owns the home: letters in state/items.

They go as changes of reminders do (memory/mailbox.py).
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.data_dir import Home
from memory.errors import ChangeRefused
from memory.items import Event, ItemChange, ItemEntryId, ItemOperation, Note, Task
from memory.letters import MOST_BYTES
from memory.mailbox import ChangeMailbox

_MOST_ITEMS = 10_000


class _Letter(BaseModel):
    """What a file holds; everything in it is checked before it is believed. Items of one kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    operation: ItemOperation
    events: tuple[Event, ...] = Field(default=(), max_length=_MOST_ITEMS)
    tasks: tuple[Task, ...] = Field(default=(), max_length=_MOST_ITEMS)
    notes: tuple[Note, ...] = Field(default=(), max_length=_MOST_ITEMS)
    label: str = Field(default="", max_length=1_000)
    undoes: ItemEntryId | None = None


class ItemMailbox(ChangeMailbox[ItemChange]):
    def __init__(self, home: Home) -> None:
        super().__init__(home, "items")

    def written(self, change: ItemChange) -> bytes:
        """Raises ChangeRefused for more than fits into a letter."""
        letter = _Letter(
            operation=change.operation,
            events=tuple(one for one in change.items if isinstance(one, Event)),
            tasks=tuple(one for one in change.items if isinstance(one, Task)),
            notes=tuple(one for one in change.items if isinstance(one, Note)),
            label=change.label,
            undoes=change.undoes,
        )
        content = letter.model_dump_json().encode()
        if len(content) > MOST_BYTES // 2:  # an encrypted letter is longer
            raise ChangeRefused(
                "That is too much to hand over to the Steward that is running here.",
                "Close it, or do it there: /calendar, /tasks and /notes know the same.",
            )
        return content

    def read(self, content: bytes) -> ItemChange:
        letter = _Letter.model_validate_json(content)
        return ItemChange(
            operation=letter.operation,
            items=(*letter.events, *letter.tasks, *letter.notes),
            label=letter.label,
            undoes=letter.undoes,
        )
