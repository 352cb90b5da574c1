"""Which step a decision may take, and what is said about one it may not: the same for every store."""

from memory.decisions import DecisionId, DecisionState
from memory.effects import GrantId
from memory.errors import ChangeRefused, NotFound
from memory.plans import PlanId

STEPS: dict[DecisionState, frozenset[DecisionState]] = {
    "open": frozenset({"answered", "declined", "withdrawn", "expired", "superseded"}),
    "answered": frozenset({"done", "failed", "superseded"}),
}
_SAYS: dict[DecisionState, str] = {
    "open": "is still open",
    "answered": "was answered already",
    "done": "was carried out already",
    "failed": "was tried already and failed",
    "superseded": "was replaced by a newer one",
    "declined": "was declined",
    "withdrawn": "was withdrawn",
    "expired": "has expired",
}


def check_step(id: DecisionId, now: DecisionState, wanted: DecisionState) -> None:
    """Raises ChangeRefused."""
    if wanted in STEPS.get(now, frozenset()):
        return
    hint = "`steward decisions list` shows what waits. To have it done now, ask for it again."
    raise ChangeRefused(f"Decision {id} {_SAYS[now]}.", hint)


def no_decision(id: DecisionId) -> NotFound:
    return NotFound(f"There is no decision {id}.", "`steward decisions list --all` shows every one.")


def no_effect(key: str) -> NotFound:
    return NotFound(f"Nothing was carried out under {key}.")


def no_grant(id: GrantId) -> NotFound:
    return NotFound(f"There is no permission {id}.", "`steward tools grants` lists them.")


def no_plan(id: PlanId) -> NotFound:
    return NotFound(f"There is no plan {id}.")
