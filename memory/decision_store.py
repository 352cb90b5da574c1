"""The contract of the store behind acting: decisions, effects, grants, prices of questions, plans.

Every call is one transaction; what it returned is on disk.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory.decisions import Decision, DecisionId, DecisionState, NewDecision
    from memory.effects import BeliefLabel, EffectRecord, Grant, GrantId, QuestionPrice
    from memory.plans import Plan, PlanId, PlanState, Step
    from memory.types import MessageId, SessionId


class DecisionStore(Protocol):
    """Raises StoreError."""

    # decisions

    async def raise_decision(self, asked: "NewDecision", *, at: datetime) -> "Decision":
        """On disk before anybody sees it."""
        ...

    async def decision(self, id: "DecisionId") -> "Decision":
        """Raises NotFound."""
        ...

    async def decisions(
        self, states: Sequence["DecisionState"] = ("open",), *, limit: int = 200
    ) -> tuple["Decision", ...]:
        """The newest first."""
        ...

    async def answer(self, id: "DecisionId", answer: str, *, source: str, at: datetime) -> "Decision":
        """open -> answered, for the first who says it. Raises NotFound, ChangeRefused when it is not open any more."""
        ...

    async def close_decision(
        self,
        id: "DecisionId",
        state: "DecisionState",
        *,
        at: datetime,
        result: str = "",
        undo_token: str = "",
        superseded_by: "DecisionId | None" = None,
    ) -> "Decision":
        """open -> declined, withdrawn, expired, superseded; answered -> done, failed, superseded.
        Raises NotFound, ChangeRefused for any other step."""
        ...

    async def expire(self, at: datetime) -> tuple["Decision", ...]:
        """Those whose time is over become "expired"; nothing else happens."""
        ...

    async def keep_past(self, past: Sequence["Decision"]) -> None:
        """What another home decided, to be read: in place of what was told of before. `answered_from` is
        memory.decisions.FROM_PROFILE; their ids are not looked at."""
        ...

    # effects

    async def begin_effect(self, record: "EffectRecord") -> bool:
        """False when this key was ever begun: then nothing may be carried out."""
        ...

    async def finish_effect(self, record: "EffectRecord") -> None:
        """Its state, result and undo token. Raises NotFound."""
        ...

    async def effect(self, key: str) -> "EffectRecord | None": ...

    async def effects(self, *, limit: int = 50) -> tuple["EffectRecord", ...]:
        """The latest begun first."""
        ...

    async def effects_of(self, message_id: "MessageId") -> tuple["EffectRecord", ...]: ...

    # grants

    async def add_grant(self, grant: "Grant") -> "Grant":
        """With its id; `grant.id` is not looked at."""
        ...

    async def grants(self, *, revoked: bool = False) -> tuple["Grant", ...]:
        """Those in force whatever their scope, the newest first; with `revoked` the others too."""
        ...

    async def use_grant(self, id: "GrantId") -> None: ...

    async def revoke_grant(self, id: "GrantId", *, at: datetime) -> "Grant":
        """Raises NotFound."""
        ...

    # what questions cost

    async def prices(self) -> Mapping[str, "QuestionPrice"]: ...

    async def set_price(self, price: "QuestionPrice") -> None: ...

    async def forget_prices(self) -> int:
        """Back to the ordinary price for every kind; how many there were."""
        ...

    async def add_label(self, label: "BeliefLabel") -> None: ...

    async def labels(self, model: str, *, limit: int = 500) -> tuple["BeliefLabel", ...]:
        """Of this model, the newest first."""
        ...

    # plans

    async def add_plan(
        self,
        goal: str,
        steps: Sequence["Step"],
        *,
        at: datetime,
        session_id: "SessionId | None" = None,
        message_id: "MessageId | None" = None,
        ends_at: datetime | None = None,
    ) -> "Plan": ...

    async def plan(self, id: "PlanId") -> "Plan":
        """Raises NotFound."""
        ...

    async def plans(
        self, states: Sequence["PlanState"] = ("running", "waiting"), *, limit: int = 50
    ) -> tuple["Plan", ...]:
        """The newest first."""
        ...

    async def change_plan(
        self, id: "PlanId", change: Callable[["Plan"], "Plan | None"], *, at: datetime
    ) -> "Plan | None":
        """The plan as `change` makes it of the row, in one transaction; None, and nothing changed, where `change`
        says None. Only its steps, its state and its end change. Raises NotFound."""
        ...
