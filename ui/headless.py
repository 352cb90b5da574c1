"""A turn on stdout: as plain text, or as one JSON object a line. Documented in docs/events.md."""

import contextlib
import dataclasses
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, TextIO

from assistant.events import (
    DecisionRaised,
    PlanMoved,
    Recalled,
    Remembered,
    ReplyDelta,
    StageChanged,
    TurnEnded,
    TurnEvent,
    TurnFailed,
)
from assistant.policies.cleaning import clean
from models.types import Failure
from ui.decision_json import decision_value
from ui.memory_receipts import remembered_lines
from ui.plan_words import plan_value
from ui.redaction import without_secrets

Show = Callable[[TurnEvent], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    ended: TurnEnded
    failed: TurnFailed | None
    waits: bool = False  # for the user's decision


async def walk(events: AsyncIterator[TurnEvent], show: Show) -> Outcome:
    """Show every event of a turn. When `show` raises, the turn is ended first: stopped, with what came kept."""
    failed: TurnFailed | None = None
    ended: TurnEnded | None = None
    waits = False
    async with _left(events):
        async for event in events:
            match event:
                case TurnFailed():
                    failed = event
                case TurnEnded():
                    ended = event
                case DecisionRaised():
                    waits = True
                case _:
                    pass
            show(event)
    if ended is None:
        raise RuntimeError("the turn ended without TurnEnded")
    return Outcome(ended=ended, failed=failed, waits=waits)


def as_text(out: TextIO, note: Callable[[str], None], tell: Callable[[str], None] = lambda line: None) -> Show:
    """The answer as it comes, and nothing else; `note` gets a line when there is something to wait for, `tell` what
    was remembered. An answer that is checked, and so may be replaced, is written when it is whole."""
    noted: set[str] = set()
    last = "\n"
    held = False

    def show(event: TurnEvent) -> None:
        nonlocal last, held
        match event:
            case ReplyDelta() if not held:
                last = event.text[-1:] or last
                write(out, event.text)
            case StageChanged(stage="loading") if "loading" not in noted:
                noted.add("loading")
                note("loading the model")
            case Recalled():
                held = event.checked
            case Remembered():
                for line in remembered_lines(event):
                    tell(line)
            case TurnEnded():
                whole = event.text if held else ""
                last = whole[-1:] or last
                write(out, whole if last == "\n" else whole + "\n")
            case _:
                pass

    return show


def as_lines(out: TextIO) -> Show:
    """One JSON object a line, flushed."""

    def show(event: TurnEvent) -> None:
        write(out, json.dumps(event_as_json(event)) + "\n")

    return show


def event_as_json(event: TurnEvent) -> dict[str, Any]:
    """The event's fields under its name in snake case; `turn_ended` with its usage flat."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    if isinstance(event, DecisionRaised):
        return {"type": name, "decision": decision_value(event.decision), "instead_of": event.instead_of}
    if isinstance(event, PlanMoved):
        return {"type": name, "plan": plan_value(event.plan)}
    if isinstance(event, TurnFailed):
        event = dataclasses.replace(event, failure=_without_secrets(event.failure))
    if not isinstance(event, TurnEnded):
        return {"type": name, **dataclasses.asdict(event)}
    usage = event.usage
    return {
        "type": name,
        "text": event.text,
        "finish_reason": event.finish_reason,
        "tokens_in": usage.tokens_in,
        "tokens_cached": usage.tokens_cached,
        "tokens_out": usage.tokens_out,
        "tokens_per_second": round(usage.tokens_per_second, 3),
        "time_to_first_token": round(usage.seconds_to_first_token, 4),
        "seconds_generating": round(usage.seconds_generating, 4),
        "context_used": usage.context_used,
        "context_total": usage.context_total,
        "session_id": event.session_id,
        "user_message_id": event.user_message_id,
        "reply_message_id": event.reply_message_id,
    }


def _without_secrets(failure: Failure) -> Failure:
    message, hint = without_secrets(failure.message), without_secrets(failure.hint)
    return dataclasses.replace(failure, message=message, hint=hint)


def write(out: TextIO, text: str) -> None:
    """Cleaned and flushed; what the terminal's encoding lacks becomes a question mark."""
    text = clean(text)
    try:
        out.write(text)
    except UnicodeEncodeError:
        encoding = out.encoding or "ascii"
        out.write(text.encode(encoding, "replace").decode(encoding))
    out.flush()


@contextlib.asynccontextmanager
async def _left(events: AsyncIterator[TurnEvent]) -> AsyncIterator[None]:
    try:
        yield
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
