"""May this call run? The one rule in front of every effect (pure).

Nothing a model, a document or a server says counts here: only the effect class, the user's own answer to a decision
that showed exactly these arguments, or a standing permission of the user's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, assert_never

from assistant.policies.asking.calls import call_hash

if TYPE_CHECKING:
    from assistant.tools.types import Effect
    from memory.decisions import Decision
    from memory.effects import Grant
    from memory.types import SessionId

NO = frozenset({"no", "n", "cancel", "never"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    tool: str
    arguments: str  # canonical JSON
    effect: Effect


def refusal(
    call: Call,
    *,
    decision: Decision | None = None,
    grants: tuple[Grant, ...] = (),
    untrusted: bool = False,
    session_id: SessionId | None = None,
    now: datetime,
) -> str:
    """Why it may not run, as one line; "" when it may. `untrusted`: text that the user did not write is in front of
    the model."""
    if call.effect == "read":
        return ""
    if decision is not None:
        return _decided(call, decision)
    match call.effect:
        case "grave":
            return "Money, health and law always need your own yes."
        case "external":
            if untrusted or not any(covers(grant, call, session_id=session_id, now=now) for grant in grants):
                return "It reaches others or cannot be taken back, so it needs your own yes."
            return ""
        case "soft" | "undoable":
            return "A text you did not write is in front of me, so it needs your own yes." if untrusted else ""
        case _:
            assert_never(call.effect)


def _decided(call: Call, decision: Decision) -> str:
    if decision.state != "answered":
        return f"Decision {decision.id} has no answer to carry out."
    if decision.answer.strip().lower() in NO:
        return f"The answer to decision {decision.id} was no."
    if decision.asked.typed and decision.answer.strip() != decision.asked.typed:
        return f"Decision {decision.id} wants “{decision.asked.typed}” typed in full."
    shown = decision.asked.call
    if shown is None or shown.hash != call_hash(call.tool, call.arguments):
        return f"It is not the call that decision {decision.id} showed."
    return ""


def covers(grant: Grant, call: Call, *, session_id: SessionId | None, now: datetime) -> bool:
    """Narrow: this tool, every fixed argument equal, in its session and time. Never a grave act."""
    if grant.tool != call.tool or call.effect == "grave" or grant.revoked_at is not None:
        return False
    if grant.scope == "session" and grant.session_id != session_id:
        return False
    if grant.expires_at is not None and grant.expires_at <= now:
        return False
    arguments: Mapping[str, Any] = json.loads(call.arguments)
    return all(
        name in arguments and json.dumps(arguments[name], ensure_ascii=False, sort_keys=True) == value
        for name, value in grant.fixed
    )


def fixed_arguments(arguments: str, vary: frozenset[str] = frozenset()) -> tuple[tuple[str, str], ...]:
    """What a grant made from these canonical arguments fixes: all of them but `vary`."""
    found: Mapping[str, Any] = json.loads(arguments)
    return tuple(
        (name, json.dumps(found[name], ensure_ascii=False, sort_keys=True))
        for name in sorted(found)
        if name not in vary
    )
