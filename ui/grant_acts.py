"""A standing permission made from a decision that waits: this tool, with these arguments, for a time.

It is for later calls and answers nothing by itself. Grave acts never have one. `steward tools grants` lists them and
takes them back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from assistant.policies.asking.permission import fixed_arguments
from assistant.policies.cleaning import clean_line
from memory.effects import Grant, GrantId

if TYPE_CHECKING:
    from memory.decision_store import DecisionStore
    from memory.decisions import Decision

DAYS = 7
_MOST_VARIANTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantOffer:
    """`also`: what else it will allow, each in a line. `name` is stable: "", or the argument that may vary."""

    name: str
    words: str
    also: tuple[str, ...]
    fixed: tuple[tuple[str, str], ...]
    tool: str


def grant_offers(decision: Decision) -> tuple[GrantOffer, ...]:
    """The narrowest first; () where a permission is not possible: only for acts that reach others, never grave ones."""
    call = decision.asked.call
    if call is None or decision.asked.effect != "external" or decision.asked.kind != "confirm":
        return ()
    arguments: Mapping[str, Any] = json.loads(call.arguments)
    said = [name for name, value in arguments.items() if value is not None]
    exact = GrantOffer(
        name="",
        words=f"Exactly this: {_call_words(call.tool, arguments)}",
        also=("the same call again, word for word, without asking",),
        fixed=fixed_arguments(call.arguments),
        tool=call.tool,
    )
    if len(said) < 2:
        return (exact,)
    return (exact, *(_varied(call.tool, call.arguments, arguments, name) for name in said[:_MOST_VARIANTS]))


def _varied(tool: str, text: str, arguments: Mapping[str, Any], name: str) -> GrantOffer:
    rest = {other: value for other, value in arguments.items() if other != name}
    return GrantOffer(
        name=name,
        words=f"The same with any {clean_line(name, 40)}: {_call_words(tool, rest)}",
        also=(
            f"{_call_words(tool, rest)} with whatever {clean_line(name, 40)} the model writes",
            f"also {clean_line(name, 40)}: “anything else”, or none",
            "also several times a day, without asking",
        ),
        fixed=fixed_arguments(text, frozenset({name})),
        tool=tool,
    )


def _call_words(tool: str, arguments: Mapping[str, Any]) -> str:
    said = [
        f"{clean_line(name, 40)} {clean_line(json.dumps(value, ensure_ascii=False), 80)}"
        for name, value in arguments.items()
        if value is not None
    ]
    return f"{clean_line(tool, 60)} ({', '.join(said)})" if said else clean_line(tool, 60)


async def allow(
    store: DecisionStore, offer: GrantOffer, decision: Decision, *, at: datetime, days: int = DAYS
) -> Grant:
    """On disk. Raises StoreError."""
    grant = Grant(
        id=GrantId(0),
        tool=offer.tool,
        fixed=offer.fixed,
        scope="until",
        created_at=at,
        expires_at=at + timedelta(days=days),
        created_from=decision.id,
    )
    return await store.add_grant(grant)


def allowed_words(grant: Grant) -> str:
    until = f"{grant.expires_at:%d %B %Y}" if grant.expires_at is not None else "it is revoked"
    return f"Allowed until {until}. Take it back: steward tools grants revoke {grant.id}. This one still waits for you."
