"""Decisions and effects without a disk: the reference for the store in SQLite, and what --incognito and --demo keep."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count

from memory.decision_rules import check_step, no_decision, no_effect, no_grant, no_plan
from memory.decisions import FROM_PROFILE, Decision, DecisionId, DecisionState, NewDecision
from memory.effects import BeliefLabel, EffectRecord, Grant, GrantId, QuestionPrice
from memory.plans import Plan, PlanId, PlanState, Step
from memory.types import MessageId, SessionId


class InMemoryDecisions:
    """Implements memory.decision_store.DecisionStore."""

    def __init__(self) -> None:
        self._decisions: dict[DecisionId, Decision] = {}
        self._ids = count(1)
        self._effects: dict[str, EffectRecord] = {}
        self._grants: dict[GrantId, Grant] = {}
        self._prices: dict[str, QuestionPrice] = {}
        self._labels: list[BeliefLabel] = []
        self._plans: dict[PlanId, Plan] = {}

    async def raise_decision(self, asked: NewDecision, *, at: datetime) -> Decision:
        made = Decision(id=DecisionId(next(self._ids)), asked=asked, state="open", created_at=at)
        self._decisions[made.id] = made
        return made

    async def decision(self, id: DecisionId) -> Decision:
        if id not in self._decisions:
            raise no_decision(id)
        return self._decisions[id]

    async def decisions(self, states: Sequence[DecisionState] = ("open",), *, limit: int = 200) -> tuple[Decision, ...]:
        found = [decision for decision in self._decisions.values() if decision.state in states]
        return tuple(found[::-1][:limit])

    async def answer(self, id: DecisionId, answer: str, *, source: str, at: datetime) -> Decision:
        before = await self.decision(id)
        check_step(id, before.state, "answered")
        after = replace(before, state="answered", answer=answer, answered_from=source, answered_at=at)
        self._decisions[id] = after
        return after

    async def close_decision(
        self,
        id: DecisionId,
        state: DecisionState,
        *,
        at: datetime,
        result: str = "",
        undo_token: str = "",
        superseded_by: DecisionId | None = None,
    ) -> Decision:
        before = await self.decision(id)
        check_step(id, before.state, state)
        after = replace(
            before,
            state=state,
            result=result,
            undo_token=undo_token,
            superseded_by=superseded_by,
            answered_at=before.answered_at or at,
        )
        self._decisions[id] = after
        return after

    async def keep_past(self, past: Sequence[Decision]) -> None:
        for id in [id for id, one in self._decisions.items() if one.answered_from == FROM_PROFILE]:
            del self._decisions[id]
        for one in past:
            id = DecisionId(next(self._ids))
            self._decisions[id] = replace(one, id=id)

    async def expire(self, at: datetime) -> tuple[Decision, ...]:
        over = [
            decision
            for decision in self._decisions.values()
            if decision.state == "open" and decision.asked.expires_at is not None and decision.asked.expires_at <= at
        ]
        return tuple([await self.close_decision(decision.id, "expired", at=at) for decision in over])

    async def begin_effect(self, record: EffectRecord) -> bool:
        if record.key in self._effects:
            return False
        self._effects[record.key] = record
        return True

    async def finish_effect(self, record: EffectRecord) -> None:
        if record.key not in self._effects:
            raise no_effect(record.key)
        self._effects[record.key] = record

    async def effect(self, key: str) -> EffectRecord | None:
        return self._effects.get(key)

    async def effects(self, *, limit: int = 50) -> tuple[EffectRecord, ...]:
        newest = list(self._effects.values())[::-1]
        return tuple(sorted(newest, key=lambda record: record.started_at, reverse=True)[:limit])

    async def effects_of(self, message_id: MessageId) -> tuple[EffectRecord, ...]:
        return tuple(record for record in self._effects.values() if record.message_id == message_id)

    async def add_grant(self, grant: Grant) -> Grant:
        kept = replace(grant, id=GrantId(len(self._grants) + 1))
        self._grants[kept.id] = kept
        return kept

    async def grants(self, *, revoked: bool = False) -> tuple[Grant, ...]:
        return tuple(grant for grant in reversed(self._grants.values()) if revoked or grant.revoked_at is None)

    async def use_grant(self, id: GrantId) -> None:
        if id in self._grants:
            self._grants[id] = replace(self._grants[id], used=self._grants[id].used + 1)

    async def revoke_grant(self, id: GrantId, *, at: datetime) -> Grant:
        if id not in self._grants:
            raise no_grant(id)
        self._grants[id] = replace(self._grants[id], revoked_at=self._grants[id].revoked_at or at)
        return self._grants[id]

    async def prices(self) -> Mapping[str, QuestionPrice]:
        return dict(self._prices)

    async def set_price(self, price: QuestionPrice) -> None:
        self._prices[price.kind] = price

    async def forget_prices(self) -> int:
        count = len(self._prices)
        self._prices.clear()
        self._labels.clear()
        return count

    async def add_label(self, label: BeliefLabel) -> None:
        self._labels.append(label)

    async def labels(self, model: str, *, limit: int = 500) -> tuple[BeliefLabel, ...]:
        return tuple([label for label in reversed(self._labels) if label.model == model][:limit])

    async def add_plan(
        self,
        goal: str,
        steps: Sequence[Step],
        *,
        at: datetime,
        session_id: SessionId | None = None,
        message_id: MessageId | None = None,
        ends_at: datetime | None = None,
    ) -> Plan:
        made = Plan(
            id=PlanId(len(self._plans) + 1),
            goal=goal,
            steps=tuple(steps),
            state="running",
            created_at=at,
            changed_at=at,
            session_id=session_id,
            message_id=message_id,
            ends_at=ends_at,
        )
        self._plans[made.id] = made
        return made

    async def plan(self, id: PlanId) -> Plan:
        if id not in self._plans:
            raise no_plan(id)
        return self._plans[id]

    async def plans(self, states: Sequence[PlanState] = ("running", "waiting"), *, limit: int = 50) -> tuple[Plan, ...]:
        return tuple([plan for plan in reversed(self._plans.values()) if plan.state in states][:limit])

    async def change_plan(self, id: PlanId, change: Callable[[Plan], Plan | None], *, at: datetime) -> Plan | None:
        before = await self.plan(id)
        after = change(before)
        if after is None:
            return None
        self._plans[id] = replace(before, steps=after.steps, state=after.state, ends_at=after.ends_at, changed_at=at)
        return self._plans[id]
