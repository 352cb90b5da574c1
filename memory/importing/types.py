"""What an export of another assistant holds, as far as it could be read: frozen values, times aware and UTC."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.types import MessageRole

Source = Literal["chatgpt", "claude"]
SOURCE_NAMES: dict[str, str] = {"chatgpt": "ChatGPT", "claude": "Claude"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    """`parent` is the place of the message before in the conversation's messages, always an earlier one."""

    parent: int | None
    role: MessageRole
    content: str
    created_at: datetime
    thought: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    """`messages` holds parents before children; `head` is the place of the last message that was shown.

    `external_id` names it in its export, `digest` its content: equal for equal messages. `left_out` counts what a
    transcript has no place for, by name: ("pictures", 2)."""

    source: Source
    external_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    messages: tuple[ImportedMessage, ...]
    head: int
    digest: str
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def characters(self) -> int:
        return sum(len(one.content) + len(one.thought) for one in self.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Something that should have been a conversation and could not be read. `where` names it: "chats.zip: a.json"."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A conversation without a single message: nothing to keep, and no fault."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`done` of `total` bytes of text, and the file that is being read."""

    done: int
    total: int
    name: str


Read = ImportedConversation | Unread | Skipped | Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an archive may ask of this machine; sizes in bytes. Beyond a limit a part is named and left unread."""

    files: int = 50_000
    directory: int = 32 * 1024 * 1024  # the archive's own list of its files
    total: int = 4 * 1024**3  # text of all parts together, unpacked
    ratio: int = 100  # unpacked to packed; conversations in JSON reach 20
    longest: int = 32 * 1024 * 1024  # one conversation
    faults: int = 1_000  # named one by one; more are only counted
