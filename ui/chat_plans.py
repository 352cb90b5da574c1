"""A plan in a conversation: each step is told when it is over, then how the whole stands."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from assistant.events import PlanMoved, ReplyDelta, TurnEvent
from assistant.policies.cleaning import clean_line
from assistant.reports import Report
from assistant.step_drafts import Draft, Drafter
from assistant.stepping import Stepper
from memory.decision_store import DecisionStore
from memory.plans import Plan
from memory.types import Message
from models.types import Cancel
from ui.plan_words import begun_words, ended_words, plan_lines, told_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    drafter: Drafter
    stepper: Stepper
    store: DecisionStore

    async def walk(self, draft: Draft, message: Message, cancel: Cancel) -> AsyncGenerator[TurnEvent, None]:
        """What is said of it, as it goes."""
        plan = await self.stepper.begin(
            draft.goal, draft.steps, message, ends_at=draft.ends_at, proposed=draft.proposed
        )
        yield PlanMoved(plan=plan)
        if draft.proposed:
            for event in await self._proposed(plan):
                yield event
            return
        if not draft.plain:
            yield ReplyDelta(text=begun_words(plan))
        first = draft.plain
        async for told in self.stepper.go(plan.id, cancel):
            plan = await self.store.plan(plan.id)
            for event in _events(told.report):
                yield event
            yield PlanMoved(plan=plan)
            yield ReplyDelta(text=f"{'' if first else chr(10)}{told_words(told, plan, plain=draft.plain)}")
            first = False
        plan = await self.store.plan(plan.id)
        words = [ended_words(plan, plain=draft.plain)]
        words += [f"Heard, and not done anything about: “{clean_line(one, 200)}”" for one in draft.asides]
        words += [""] if draft.rest else []
        yield ReplyDelta(text="".join(f"\n{one}" for one in words if one or draft.rest))
        yield PlanMoved(plan=plan)

    async def _proposed(self, plan: Plan) -> list[TurnEvent]:
        from assistant.events import DecisionRaised

        waits = next((step.decision_id for step in plan.steps if step.decision_id is not None), None)
        lines = list(plan_lines(plan))[:-1]
        if waits is None:
            return [ReplyDelta(text="\n".join(lines))]
        decision = await self.store.decision(waits)
        text = "\n".join([line for line in lines if "/decide" not in line])
        return [
            DecisionRaised(decision=decision),
            ReplyDelta(text=f"{text}\n\nNothing is done yet. /decide {waits} yes"),
        ]


def _events(report: Report | None) -> tuple[TurnEvent, ...]:
    from ui.chat_acting import taken

    return () if report is None else taken(report).events
