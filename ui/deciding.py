"""Decisions in the process that owns the home: answered, finished after a crash, taken back; one at a time, so that
nothing is begun twice.

Everything that may carry something out on an answer goes through here: the card, line mode, a command, and what other
processes hand over (ui/decision_mail.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from assistant.reports import Carried, CouldNot, Undone, Waits
from ui.plan_words import cut_off_words, over_words

if TYPE_CHECKING:
    from assistant.acting import Actor
    from assistant.policies.asking.learning import Reaction
    from assistant.ports import ChatModel
    from assistant.reports import PlanWent, Report
    from assistant.stepping import Stepper
    from assistant.tools.mcp.asked_back import AskedBack
    from memory.decisions import Decision, DecisionId
    from memory.effects import QuestionPrice
    from memory.plans import Plan, PlanId
    from ui.wiring import Services


class Deciding:
    """`services` and `model` are asked for each act: a conversation and a model may be exchanged meanwhile.

    Every method raises StoreError."""

    def __init__(self, services: Callable[[], Services], model: Callable[[], ChatModel]) -> None:
        self._services = services
        self._model = model
        self._one_at_a_time = asyncio.Lock()

    @property
    def services(self) -> Services:
        """Those of the conversation that is open."""
        return self._services()

    async def begin(self) -> tuple[str, ...]:
        """At start-up: what was answered and cut off is finished, what is over expires; what there is to say of it."""
        gone = await self._asked_back.close_left_over() if self._asked_back is not None else ()
        async with self._one_at_a_time:
            actor = await self._actor()
            reports = await actor.recover()
            stepper = await self._stepper(actor)
            await stepper.settle()
            went = await stepper.recover()
        lines = [gone_words(decision) for decision in gone]
        lines += [line for report in reports if (line := recovered_words(report))]
        lines += [cut_off_words(one) for one in went]
        return (*lines, *await self.expire())

    async def expire(self) -> tuple[str, ...]:
        services = self._services()
        over = await services.decisions.expire(services.clock.now())
        lines = (expired_words(over),) if over else ()
        if not await services.decisions.plans(limit=1):
            return lines
        async with self._one_at_a_time:
            ended = await (await self._stepper(await self._actor())).expire()
        return (*lines, *(over_words(plan) for plan in ended))

    async def answer(self, id: DecisionId, text: str, *, source: str) -> Report:
        """What answers a server's question is not waited behind the call that it belongs to. Raises NotFound,
        ChangeRefused."""
        if self.belongs_to_a_call(id):
            assert self._asked_back is not None
            return await self._asked_back.answer(id, text, source=source)
        async with self._one_at_a_time:
            actor = await self._actor()
            report = await (await self._stepper(actor)).answered(await actor.answer(id, text, source=source))
        from ui.answer_learning import with_habit_noted

        return await with_habit_noted(report, self._services())

    def belongs_to_a_call(self, id: DecisionId) -> bool:
        """Whether a server that is being called waits for this answer."""
        return self._asked_back is not None and self._asked_back.waits(id)

    @property
    def _asked_back(self) -> AskedBack | None:
        return self._services().asked_back

    async def withdraw(self, id: DecisionId) -> Decision:
        """Nothing of it happens. Raises NotFound, ChangeRefused."""
        services = self._services()
        if self.belongs_to_a_call(id):
            assert self._asked_back is not None
            return await self._asked_back.withdraw(id)
        async with self._one_at_a_time:
            closed = await services.decisions.close_decision(
                id, "withdrawn", at=services.clock.now(), result="withdrawn"
            )
            await (await self._stepper(await self._actor())).settle()
            return closed

    async def undo(self, key: str = "") -> Report:
        """The deed with this key, else the latest that can be taken back."""
        async with self._one_at_a_time:
            return await (await self._actor()).undo(key)

    # plans

    async def stop_plan(self, id: PlanId) -> Plan:
        """Nothing more of it is begun. Raises NotFound, ChangeRefused."""
        return await (await self._stepper(await self._actor())).stop(id)

    async def resume_plan(self, id: PlanId) -> PlanWent:
        """Raises NotFound, ChangeRefused."""
        async with self._one_at_a_time:
            return await (await self._stepper(await self._actor())).resume(id)

    async def undo_plan(self, id: PlanId) -> PlanWent:
        """Raises NotFound."""
        async with self._one_at_a_time:
            return await (await self._stepper(await self._actor())).undo(id)

    async def plan_of(self, key: str) -> Plan | None:
        """The plan that this deed was a step of."""
        return await (await self._stepper(await self._actor())).of_effect(key)

    async def _stepper(self, actor: Actor) -> Stepper:
        from ui.acting_wiring import stepper_of

        return await asyncio.to_thread(stepper_of, self._services(), actor)

    async def react(self, kind: str, reaction: Reaction) -> QuestionPrice:
        return await (await self._actor()).react(kind, reaction)

    async def waiting(self) -> tuple[Decision, ...]:
        """The oldest first."""
        return (await self._services().decisions.decisions())[::-1]

    async def _actor(self) -> Actor:
        from ui.acting_wiring import actor_of

        return await asyncio.to_thread(actor_of, self._services(), self._model())


def recovered_words(report: Report) -> str:
    """One line on what became of an answer that was cut off; "" when there is nothing to say."""
    match report:
        case Carried():
            return f"Finished what you had answered: {clean_line(report.summary, 200)}."
        case Waits() if report.instead_of is not None:
            return f"What decision {report.instead_of} rested on has changed; decision {report.decision.id} asks again."
        case Waits():
            return f"Decision {report.decision.id} waits for you."
        case CouldNot():
            which = f"Decision {report.decision}: " if report.decision is not None else ""
            return f"{which}{clean_line(report.message, 200)} {clean_line(report.hint, 200)}".rstrip()
        case Undone():
            return f"Taken back: {clean_line(report.summary, 200)}."
        case _:
            return ""


def gone_words(decision: Decision) -> str:
    return f"Decision {decision.id} is over: {clean_line(decision.result, 200)}"


def expired_words(over: tuple[Decision, ...]) -> str:
    if len(over) == 1:
        return f"Decision {over[0].id} has expired; nothing was done: {clean_line(over[0].asked.question, 120)}"
    ids = ", ".join(str(one.id) for one in over)
    return f"Decisions {ids} have expired; nothing was done."
