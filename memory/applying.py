"""What a store does with a change before it writes: who may do it, and whether it alters anything. Pure."""

from collections.abc import Iterable
from datetime import datetime

from memory.changes import (
    Add,
    Change,
    Confirm,
    Contest,
    Delta,
    Demote,
    Deny,
    Dispute,
    Edit,
    Expire,
    Merge,
    Operation,
    Pin,
    Promote,
    Refine,
    Reinforce,
    Restore,
    Retract,
    Supersede,
)
from memory.errors import ChangeRefused
from memory.preferences import Actor
from memory.transitions import Items, transition


def outcome_of(change: Change, items: Items, actor: Actor, at: datetime) -> tuple[Delta, ...]:
    """The deltas to write; empty when nothing would change. Raises ChangeRefused."""
    deltas = tuple(delta for delta in transition(change, items, at) if delta.before != delta.after)
    guard(actor, deltas)
    return deltas


def guard(actor: Actor, deltas: Iterable[Delta]) -> None:
    """Only the user ends what is pinned or a hard limit; a model or an import makes nothing active by itself, and
    ends nothing that is. Raises ChangeRefused."""
    if actor == "user":
        return
    for delta in deltas:
        before, after = delta.before, delta.after
        was_active = before is not None and before.preference.status == "active"
        ends = was_active and after is not None and after.preference.status not in ("active", "expired")
        if ends and before is not None and (before.preference.protected or actor in ("model", "import")):
            raise ChangeRefused(f"{delta.id} may only be ended by you.", f"See: steward memory show {delta.id}")
        arrives = before is None and after is not None and after.preference.status == "active"
        if arrives and actor in ("model", "import"):
            raise ChangeRefused("Something not said by you needs your yes first.", "See: steward memory review")


def operation(change: Change) -> Operation | None:
    """The name of a change in the history; None for one that stores nothing."""
    names: dict[type, Operation] = {
        Add: "add",
        Reinforce: "reinforce",
        Refine: "refine",
        Promote: "promote",
        Demote: "demote",
        Supersede: "supersede",
        Retract: "retract",
        Dispute: "dispute",
        Contest: "contest",
        Confirm: "confirm",
        Deny: "deny",
        Edit: "edit",
        Pin: "pin",
        Merge: "merge",
        Expire: "expire",
        Restore: "import",
    }
    return names.get(type(change))
