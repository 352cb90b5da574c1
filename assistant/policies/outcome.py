"""How a turn ended: what is stored, what is said, and whether one more attempt is worth it."""

from dataclasses import dataclass, replace
from typing import assert_never

from memory.types import MessageStatus
from models.types import Failure, FailureKind, Finished, FinishReason

_RETRYABLE: frozenset[FailureKind] = frozenset(
    {"worker_died", "worker_hung", "unreachable", "empty_answer", "not_saved", "bug"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    margin: int  # tokens left free for what the template adds
    think: bool


def next_attempt(made: Attempt, finished: Finished, text: str, window: int) -> Attempt | None:
    """One more attempt when a rule can mend it: a prompt that was longer than counted (a server counts its own way)
    is sent shorter; thinking that used up the whole answer is switched off. Never twice for one reason."""
    if text.strip():
        return None
    mended: Attempt | None = None
    if finished.failure is not None and finished.failure.kind == "context_full":
        mended = replace(made, margin=max(made.margin, window // 8))
    elif finished.reason in ("stop", "length") and made.think:
        mended = replace(made, think=False)
    return None if mended == made else mended


def status_of(reason: FinishReason, text: str) -> MessageStatus:
    """What the stored answer is marked as."""
    match reason:
        case "stop" | "length" | "repeating":
            return "complete" if text.strip() else "failed"
        case "cancelled":
            return "stopped"
        case "worker_died":
            return "interrupted"
        case "failed":
            return "interrupted" if text.strip() else "failed"
        case _:
            assert_never(reason)


def failure_of(finished: Finished, text: str) -> Failure | None:
    """What to tell the user, if anything went wrong."""
    if finished.failure is not None:
        return finished.failure
    if finished.reason in ("worker_died", "failed"):
        return Failure(
            kind="worker_died",
            message="The model stopped working while it answered.",
            hint="Ask again: it is restarted.",
        )
    if finished.reason in ("stop", "length", "repeating") and not text.strip():
        return Failure(
            kind="empty_answer", message="The model gave an empty answer.", hint="Ask again, or put it another way."
        )
    return None


def is_retryable(failure: Failure) -> bool:
    """Whether asking again, unchanged, may help."""
    return failure.kind in _RETRYABLE
