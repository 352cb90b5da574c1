"""What is kept: sessions and messages, as frozen values. Times are aware UTC datetimes.

A session's messages form a tree: `parent_id` is the message before, siblings are alternatives
(an edited prompt, a regenerated answer). `head_id` of the session is the leaf that is shown;
the conversation is the path from the root to it. Rows are append-only except for the text and
status of an answer that is still being written.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", int)

MessageRole = Literal["user", "assistant"]
Origin = Literal["typed", "pasted", "file", "tool", "recalled", "generated", "imported"]
MessageStatus = Literal[
    "complete",
    "writing",  # an answer in progress; found at start-up it becomes "interrupted"
    "stopped",  # the user stopped it: partial text kept
    "interrupted",  # the model or the program died: partial text kept
    "failed",  # no text came at all
]
SessionMode = Literal["normal", "no_learn", "incognito"]


BY_RULE = "rule"  # finish_reason of an answer that Steward gave without a model: a receipt, a decision, a sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    id: SessionId
    title: str  # "" until one is made
    created_at: datetime
    updated_at: datetime
    mode: SessionMode = "normal"
    head_id: MessageId | None = None
    message_count: int = 0
    imported_from: str = ""  # "chatgpt" or "claude", "" for what was said here


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    id: MessageId
    session_id: SessionId
    parent_id: MessageId | None
    role: MessageRole
    content: str
    created_at: datetime
    origin: Origin = "typed"
    status: MessageStatus = "complete"
    thought: str = ""  # folded reasoning; never sent back to a model
    model: str = ""
    finish_reason: str = ""  # a models.types.FinishReason, or BY_RULE
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A full-text hit; `snippet` marks the match with the characters U+E000 and U+E001."""

    session: Session
    message: Message
    snippet: str
