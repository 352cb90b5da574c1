"""A plan on its way: a step is claimed on disk, weighed and carried out as any wish is, and written down before the
next; one that waits for the user holds up only what rests on it (assistant/policies/stepping/progress.py).

Nothing waits in memory. After a crash a step is what its effect's key says: begun and safe to repeat, it is finished
under the same key; begun and not safe, it is unknown, and the user is asked. Nothing new is begun at start-up.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from assistant.acting import Actor, StepCall
from assistant.execution import UNKNOWN
from assistant.policies.cleaning import clean_line
from assistant.policies.stepping import progress
from assistant.ports import Clock
from assistant.reports import Carried, CouldNot, Found, PlanWent, Report, StepTold, TurnedDown, Undone, Waits
from assistant.tools.types import Outcome
from memory.decision_store import DecisionStore
from memory.decisions import Decision, DecisionId, DecisionOption, DecisionState, NewDecision
from memory.effects import EffectRecord
from memory.errors import ChangeRefused
from memory.plans import EVERY, GOING_ON, Plan, PlanId, Step
from memory.types import Message
from models.types import Cancel

NOBODYS = "nothing here can do that, so it stays with you"
_DECISIONS: tuple[DecisionState, ...] = ("open", "answered", "done", "failed", "declined", "withdrawn", "expired")
_MOST_SHOWN = 600  # characters of what was looked up


class Stepper:
    """`run` names this run of the process: what another run was doing is nobody's now. `moved` hears of every change
    of a plan once it is on disk. Raises StoreError."""

    def __init__(
        self,
        actor: Actor,
        store: DecisionStore,
        clock: Clock,
        *,
        run: str,
        moved: Callable[[Plan], None] = lambda plan: None,
    ) -> None:
        self._moved = moved
        self._actor = actor
        self._store = store
        self._clock = clock
        self._run = run

    async def begin(
        self, goal: str, steps: Sequence[Step], message: Message, *, ends_at: datetime | None = None, proposed: bool
    ) -> Plan:
        """On disk. With `proposed` nothing of it is done before the user agrees: its steps are not their words."""
        if proposed:
            steps = [replace(step, state="waiting") if step.state == "open" else step for step in steps]
        plan = await self._store.add_plan(
            goal, steps, at=self._clock.now(), session_id=message.session_id, message_id=message.id, ends_at=ends_at
        )
        return await self._ask_consent(plan) if proposed else plan

    async def go(self, id: PlanId, cancel: Cancel, *, incognito: bool = False) -> AsyncIterator[StepTold]:
        """Each step that can be done now, in order. Cancelled, it stops between two steps."""
        while True:
            plan = await self._store.plan(id)
            step = progress.next_step(plan)
            if step is None:
                await self._change(id, lambda one: progress.with_steps(one, ()))
                return
            now = self._clock.now()
            if cancel.is_set or progress.is_over_at(plan, now):
                await self._change(id, progress.stopped)
                return
            if await self._change(id, partial(progress.claimed, number=step.number, run=self._run)) is None:
                continue
            yield await self._do(plan, step, cancel, incognito=incognito)

    async def _do(self, plan: Plan, step: Step, cancel: Cancel, *, incognito: bool) -> StepTold:
        report = await self._actor.take_step(await self._call(plan, step), cancel, incognito=incognito)
        if report is None and (cancel.is_set or not self._actor.has_model):
            back = replace(step, state="open", claimed_by="")
            await self._change(plan.id, lambda one: progress.stopped(progress.with_step(one, back)))
            needs = CouldNot(message="This step needs a model.", hint=f"/plans resume {plan.id} in the chat goes on.")
            return StepTold(step=back, report=None if cancel.is_set else needs)
        return await self._tell(plan, _after(step, report), report)

    async def _tell(self, plan: Plan, after: Step, report: Report | None) -> StepTold:
        await self._change(plan.id, lambda one: progress.with_step(one, after))
        if after.state == "unknown":
            after = await self._ask_whether(plan, after)
        assert not isinstance(report, PlanWent)
        return StepTold(step=after, report=report)

    async def _call(self, plan: Plan, step: Step) -> StepCall:
        words = step.wish or step.request
        message = None
        if plan.message_id is not None and plan.session_id is not None:
            message = Message(
                id=plan.message_id,
                session_id=plan.session_id,
                parent_id=None,
                role="user",
                content=words,
                created_at=plan.created_at,
            )
        asked = [one for one in await self._decisions_of(plan.id) if one.asked.kind == "clarify"]
        return StepCall(
            task=(plan.id, step.number),
            words=words,
            key=key_of(plan.id, step.number),
            message=message,
            tool=step.tool,
            arguments=step.arguments,
            untrusted=step.untrusted,
            questions_before=len(asked),
            ends_at=plan.ends_at,
        )

    # decisions

    async def settle(self) -> tuple[PlanId, ...]:
        """Steps that waited, by what became of their decisions; the plans that can go on."""
        movable: list[PlanId] = []
        for plan in await self._store.plans(EVERY, limit=200):
            waiting = [step for step in plan.steps if step.state in progress.ON_THE_USER]
            if not waiting:
                continue
            decisions = await self._decisions_of(plan.id)
            changed = [after for step in waiting if (after := _settled(step, decisions)) != step]
            moved = await self._change(plan.id, partial(_with, changed)) if changed else None
            if moved is not None and progress.next_step(moved) is not None:
                movable.append(plan.id)
        return tuple(movable)

    async def answered(self, report: Report, cancel: Cancel | None = None) -> Report:
        """After a decision was answered: what waited for it goes on, and its report is followed by theirs."""
        before = await self._store.plans(EVERY, limit=200)
        told: list[StepTold] = []
        for id in await self.settle():
            told += [one async for one in self.go(id, cancel or Cancel())]
            plan = await self._store.plan(id)
        changed = [one for one in before if one != await self._store.plan(one.id)]
        if not changed:
            return report
        plan = await self._store.plan(changed[0].id)
        first = report if isinstance(report, Carried | Found | Waits | CouldNot | TurnedDown | Undone) else None
        return PlanWent(plan=plan, told=tuple(told), first=first)

    async def _decisions_of(self, id: PlanId) -> tuple[Decision, ...]:
        """The newest first."""
        return tuple(one for one in await self._store.decisions(_DECISIONS, limit=10_000) if one.asked.task_id == id)

    async def _ask_consent(self, plan: Plan) -> Plan:
        options = (
            DecisionOption(
                key="yes", label="Do it, step by step", consequence="What cannot be undone is asked.", undo="undo"
            ),
            DecisionOption(key="no", label="Leave it", consequence="Nothing changes.", undo="undo"),
        )
        listed = "; ".join(f"{step.number} {clean_line(step.request, 80)}" for step in plan.steps)
        asked = NewDecision(
            kind="confirm",
            effect="undoable",
            question=f"Shall I go through these {len(plan.steps)} steps? {listed}",
            why_now="These steps are a proposal and not your words.",
            options=options,
            task_id=plan.id,
            step=progress.CONSENT,
            session_id=plan.session_id,
            message_id=plan.message_id,
            expires_at=plan.ends_at,
        )
        decision = await self._store.raise_decision(asked, at=self._clock.now())
        return await self._waits_for(plan, decision)

    async def _ask_whether(self, plan: Plan, step: Step) -> Step:
        yes, no = progress.HAPPENED_ANSWER, progress.NOT_HAPPENED_ANSWER
        asked = NewDecision(
            kind="clarify",
            effect="read",
            question=f"Step {step.number} of plan {plan.id}, “{clean_line(step.request, 120)}”: did it happen?",
            why_now="It was cut off while it ran, and the tool cannot say. It is not tried again by itself.",
            options=(
                DecisionOption(key=yes, label="It happened", undo="undo"),
                DecisionOption(key=no, label="It did not, leave it", undo="undo"),
            ),
            argument=progress.ASKS_WHETHER,
            task_id=plan.id,
            step=step.number,
            session_id=plan.session_id,
            message_id=plan.message_id,
        )
        decision = await self._store.raise_decision(asked, at=self._clock.now())
        after = replace(step, decision_id=decision.id)
        await self._change(plan.id, lambda one: progress.with_step(one, after))
        return after

    async def _waits_for(self, plan: Plan, decision: Decision) -> Plan:
        steps = [replace(step, decision_id=decision.id) for step in plan.steps if step.state == "waiting"]
        return await self._change(plan.id, partial(_with, steps)) or plan

    # by the user's hand

    async def stop(self, id: PlanId) -> Plan:
        """Nothing more of it is begun; what it asks is withdrawn. Raises NotFound, ChangeRefused."""
        plan = await self._store.plan(id)
        stopped = await self._change(id, progress.stopped)
        if stopped is None:
            raise ChangeRefused(f"Plan {id} is {plan.state} already.", "`steward plans list --all` shows every one.")
        for decision_id in {step.decision_id for step in plan.steps if step.state == "waiting"} - {None}:
            await self._withdraw(DecisionId(decision_id or 0))
        return stopped

    async def _withdraw(self, id: DecisionId) -> None:
        if (await self._store.decision(id)).state == "open":
            await self._store.close_decision(id, "withdrawn", at=self._clock.now(), result="the plan was stopped")

    async def resume(self, id: PlanId, cancel: Cancel | None = None) -> PlanWent:
        """From where it was. Raises NotFound, ChangeRefused."""
        now = self._clock.now()
        if await self._change(id, partial(progress.resumed, at=now)) is None:
            plan = await self._store.plan(id)
            words = "is going on already" if plan.state in GOING_ON else "is done"
            raise ChangeRefused(f"Plan {id} {words}.", "`steward plans show` says where it is.")
        told = [one async for one in self.go(id, cancel or Cancel())]
        return PlanWent(plan=await self._store.plan(id), told=tuple(told))

    async def undo(self, id: PlanId) -> PlanWent:
        """Everything it changed that can be taken back, the last first; what cannot be is said. Raises NotFound."""
        plan = await self._store.plan(id)
        if plan.state in GOING_ON:
            plan = await self.stop(id)
        told: list[StepTold] = []
        for step in reversed(plan.steps):
            if step.state != "done" or not step.effect_key:
                continue
            if not step.undoable:
                said = CouldNot(message=f"“{clean_line(step.request, 120)}” cannot be taken back.")
                told.append(StepTold(step=step, report=said))
                continue
            report = await self._actor.undo(step.effect_key, wrong=False)
            if isinstance(report, Undone):
                step = replace(step, state="undone", result=f"taken back: {step.result}")
                await self._change(id, partial(_with, [step]))
            assert not isinstance(report, PlanWent)
            told.append(StepTold(step=step, report=report))
        words = "" if told else "It changed nothing that could be taken back."
        return PlanWent(plan=await self._store.plan(id), told=tuple(told), words=words)

    async def of_effect(self, key: str) -> Plan | None:
        """The plan that this effect was a step of."""
        return next(
            (
                plan
                for plan in await self._store.plans(EVERY, limit=200)
                if any(s.effect_key == key for s in plan.steps)
            ),
            None,
        )

    # after a crash, and as time passes

    async def recover(self) -> tuple[PlanWent, ...]:
        """At start-up: a step that was cut off is what its key says; its plan stops there, and is told."""
        went: list[PlanWent] = []
        for plan in await self._store.plans(limit=200):
            if any(step.claimed_by == self._run for step in plan.steps):
                continue  # it is going on here
            cut = progress.cut_off(plan, self._run)
            told = [await self._recovered(plan, step) for step in cut]
            await self._adopt(plan)
            if cut or progress.next_step(await self._store.plan(plan.id)) is not None:
                await self._change(
                    plan.id, lambda one: replace(one, state="stopped") if one.state == "running" else None
                )
                went.append(PlanWent(plan=await self._store.plan(plan.id), told=tuple(told), words="cut off"))
        return tuple(went)

    async def _recovered(self, plan: Plan, step: Step) -> StepTold:
        key = key_of(plan.id, step.number)
        record = await self._store.effect(key)
        if record is not None:
            report = await self._finished(record)
            return await self._tell(plan, _after(step, report), report)
        raised = next((one for one in await self._decisions_of(plan.id) if one.asked.step == step.number), None)
        if raised is not None and raised.state in ("open", "answered"):
            return await self._tell(plan, replace(step, state="waiting", decision_id=raised.id), None)
        return await self._tell(plan, replace(step, state="open", claimed_by=""), None)

    async def _finished(self, record: EffectRecord) -> Report:
        """What was begun under this key: as it ended, run again where that is safe, else not known."""
        outcome = Outcome(text=record.summary, changed=record.changed, undo_token=record.undo_token)
        match record.state:
            case "done" | "undone":
                undoable = bool(record.undo_token)
                return Carried(
                    tool=record.tool, summary=record.summary, outcome=outcome, key=record.key, undoable=undoable
                )
            case "failed":
                return CouldNot(message=record.changed[0] if record.changed else "It failed when it was tried.")
            case "started":
                if self._actor.is_repeatable(record.tool):
                    return await self._actor.finish(record)
                unknown = replace(record, state="failed", changed=(UNKNOWN,), finished_at=self._clock.now())
                await self._store.finish_effect(unknown)
                return CouldNot(message=UNKNOWN)

    async def _adopt(self, plan: Plan) -> None:
        """A proposal, or an unknown step, that was cut off before its question was on disk is asked now."""
        plan = await self._store.plan(plan.id)
        if any(step.state == "waiting" and step.decision_id is None for step in plan.steps):
            decision = next(
                (one for one in await self._decisions_of(plan.id) if one.asked.step == progress.CONSENT), None
            )
            await (self._ask_consent(plan) if decision is None else self._waits_for(plan, decision))
        for step in plan.steps:
            if step.state == "unknown" and step.decision_id is None:
                await self._ask_whether(plan, step)

    async def expire(self) -> tuple[Plan, ...]:
        """Plans whose day is over stop; nothing else happens. Those that did."""
        now = self._clock.now()
        await self.settle()
        over = [one for one in await self._store.plans(limit=200) if progress.is_over_at(one, now)]
        return tuple([stopped for one in over if (stopped := await self._change(one.id, progress.stopped)) is not None])

    async def _change(self, id: PlanId, change: Callable[[Plan], Plan | None]) -> Plan | None:
        changed = await self._store.change_plan(id, change, at=self._clock.now())
        if changed is not None:
            self._moved(changed)
        return changed


def key_of(plan: PlanId, number: int) -> str:
    return f"plan-{plan}-{number}"


def _with(changed: Sequence[Step], plan: Plan) -> Plan:
    return progress.with_steps(plan, changed)


def _settled(step: Step, decisions: Sequence[Decision]) -> Step:
    """By its decision, or the one that took its place."""
    found = next((one for one in decisions if one.id == step.decision_id), None)
    if found is None:  # superseded
        found = next((one for one in decisions if one.asked.step == step.number), None)
    return step if found is None else progress.settled(step, found)


def _after(step: Step, report: Report | None) -> Step:
    """The step when it was tried."""
    match report:
        case Carried():
            said = "; ".join(report.outcome.changed) or report.summary
            return replace(step, state="done", result=said, effect_key=report.key, undoable=report.undoable)
        case Found():
            return replace(step, state="done", kind="find", result=report.outcome.text[:_MOST_SHOWN])
        case Waits():
            return replace(step, state="waiting", decision_id=report.decision.id)
        case CouldNot() if report.message == UNKNOWN:
            return replace(step, state="unknown", result=UNKNOWN)
        case CouldNot():
            return replace(step, state="failed", result=f"{report.message} {report.hint}".strip())
        case _:
            return replace(step, state="skipped", kind="user", result=NOBODYS)
