"""What widgets tell the screens, as values: never a widget, never a decision."""

from dataclasses import dataclass
from typing import Literal

from textual.message import Message

from assistant.events import TurnEvent
from memory.types import MessageId
from models.types import ModelStatus

Wish = Literal[
    "copy",
    "copy-code",
    "edit",
    "regenerate",
    "why",
    "branch",
    "previous",
    "next",
    "open",
    "thoughts",
    "links",
    "undo",
    "write",
]


@dataclass
class TurnUpdate(Message):
    event: TurnEvent


@dataclass
class ModelChanged(Message):
    status: ModelStatus


@dataclass
class Sent(Message):
    """The user pressed Enter."""

    text: str
    origin: Literal["typed", "pasted"]


@dataclass
class DraftChanged(Message):
    """The prompt holds something else; `text` with every folded paste in full."""

    text: str


@dataclass
class Wished(Message):
    """The user wants something done with the message that is marked."""

    wish: Wish
    message_id: MessageId


@dataclass
class LinkChosen(Message):
    address: str


@dataclass
class RoomChanged(Message):
    """The conversation got more rows of the screen, or fewer: something beside it grew, shrank, came or went."""


@dataclass
class EarlierWanted(Message):
    """The transcript is near its first loaded message and there are earlier ones."""
