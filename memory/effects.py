"""What was carried out, once a key, and what may be carried out without asking."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from memory.decisions import DecisionId
from memory.types import MessageId, SessionId

GrantId = NewType("GrantId", int)
EffectState = Literal[
    "started",  # begun, and not known to have ended: after a crash it is never begun again by itself
    "done",
    "failed",
    "undone",
]
GrantScope = Literal["session", "until", "always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRecord:
    """One execution of a call. `key` is unique for ever: what was started is never started again."""

    key: str
    tool: str
    arguments: str  # canonical JSON
    started_at: datetime
    state: EffectState = "started"
    summary: str = ""  # one line in plain words
    undo_token: str = ""
    changed: tuple[str, ...] = ()
    decision_id: DecisionId | None = None
    message_id: MessageId | None = None  # the user's message it came from
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A standing permission: this tool, with arguments that equal `fixed`; every other argument may vary.
    Never for grave acts (assistant/policies/asking/grants.py)."""

    id: GrantId
    tool: str
    fixed: tuple[tuple[str, str], ...]  # argument, its exact value as canonical JSON; by argument
    scope: GrantScope
    created_at: datetime
    session_id: SessionId | None = None  # for scope "session"
    expires_at: datetime | None = None  # for scope "until"
    created_from: DecisionId | None = None
    used: int = 0
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPrice:
    """What a kind of question costs this user, as the natural logarithm of a factor; 0 is the ordinary price."""

    kind: str
    log_price: float
    asked: int = 0
    needless: int = 0
    useful: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefLabel:
    """Whether a belief of this model turned out right."""

    model: str
    belief: float
    right: bool
    at: datetime
