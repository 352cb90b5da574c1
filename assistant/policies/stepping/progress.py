"""Where a plan is, and where it may go next (pure). Every change of a plan on disk is one of these.

Steps do not depend on each other unless their words say so ("mail it to Ann"), so one that waits for the user holds up
only what rests on it: the others go on, in their order. (Morae, UIST 2025: critical steps pause, the rest continues.)
What rests on a step that did not happen is not done either.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from memory.decisions import Decision
from memory.plans import GOING_ON, Plan, PlanState, Step, StepState

HAPPENED: frozenset[StepState] = frozenset({"done"})
OVER: frozenset[StepState] = frozenset({"done", "failed", "skipped", "undone"})
ON_THE_USER: frozenset[StepState] = frozenset({"waiting", "unknown"})
CONSENT = 0  # the number that a decision about the whole plan gives as its step
HAPPENED_ANSWER, NOT_HAPPENED_ANSWER = "1", "2"  # to the question whether an unknown step happened
ASKS_WHETHER = "happened"  # the argument of that question


def next_step(plan: Plan) -> Step | None:
    """The first that may be begun now."""
    if plan.state not in GOING_ON:
        return None
    return next((step for step in plan.steps if step.state == "open" and _ready(plan, step)), None)


def _ready(plan: Plan, step: Step) -> bool:
    return step.after == 0 or _step(plan, step.after).state in HAPPENED


def _step(plan: Plan, number: int) -> Step:
    return next(step for step in plan.steps if step.number == number)


def claimed(plan: Plan, number: int, run: str) -> Plan | None:
    """The step taken by this run; None where it is not open any more, or the plan was stopped."""
    step = _step(plan, number)
    if plan.state not in GOING_ON or step.state != "open" or not _ready(plan, step):
        return None
    return with_step(plan, replace(step, state="running", claimed_by=run))


def with_step(plan: Plan, step: Step) -> Plan:
    """With this step in place of the one of its number; what rested on a step that will not happen is passed over."""
    return with_steps(plan, (step,))


def with_steps(plan: Plan, changed: Iterable[Step]) -> Plan:
    by_number = {step.number: step for step in changed}
    steps = [by_number.get(step.number, step) for step in plan.steps]
    states = {step.number: step.state for step in steps}
    for place, step in enumerate(steps):
        rests_on = states.get(step.after)
        if step.state == "open" and rests_on in OVER - HAPPENED:
            steps[place] = replace(step, state="skipped", result=f"step {step.after} was not done")
            states[step.number] = "skipped"
    return replace(plan, steps=tuple(steps), state=_state(plan.state, steps))


def _state(before: PlanState, steps: Iterable[Step]) -> PlanState:
    states = {step.state for step in steps}
    if states <= OVER:
        return "done"
    if before == "stopped":
        return "stopped"
    return "waiting" if not states & {"open", "running"} or not _movable(steps) else "running"


def _movable(steps: Iterable[Step]) -> bool:
    """Whether anything can go on without the user."""
    found = tuple(steps)
    states = {step.number: step.state for step in found}
    return any(
        step.state == "running" or (step.state == "open" and (step.after == 0 or states[step.after] in HAPPENED))
        for step in found
    )


def stopped(plan: Plan) -> Plan | None:
    """Nothing more of it is begun; what waited is open again, to be asked anew. None where it is over or stopped."""
    if plan.state not in GOING_ON:
        return None
    steps = tuple(
        replace(step, state="open", decision_id=None, claimed_by="") if step.state == "waiting" else step
        for step in plan.steps
    )
    return replace(plan, steps=steps, state="stopped")


def resumed(plan: Plan, at: datetime) -> Plan | None:
    """Going on; what failed or was passed over stays so. A plan whose day is over has no end any more: the user wants
    it now. None where it is not stopped."""
    if plan.state != "stopped":
        return None
    ends = plan.ends_at if plan.ends_at is not None and plan.ends_at > at else None
    return replace(plan, state=_state("running", plan.steps), ends_at=ends)


def is_over_at(plan: Plan, at: datetime) -> bool:
    """Whether its day has passed."""
    return plan.ends_at is not None and plan.ends_at <= at


def cut_off(plan: Plan, run: str) -> tuple[Step, ...]:
    """Steps that another run was doing, and nobody does now."""
    return tuple(step for step in plan.steps if step.state == "running" and step.claimed_by != run)


def settled(step: Step, decision: Decision) -> Step:
    """A waiting step, by what became of its decision. The same step while that is still open or being carried out."""
    if decision.asked.step == CONSENT:
        return _agreed(step, decision)
    if decision.asked.argument == ASKS_WHETHER:
        return _told(step, decision)
    match decision.state:
        case "open" | "answered" | "superseded":
            return replace(step, decision_id=decision.id)
        case "done":
            acted = decision.asked.call is not None and decision.result != "looked up"
            return replace(
                step,
                state="done",
                result=decision.result,
                effect_key=f"decision-{decision.id}" if acted else "",
                undoable=bool(decision.undo_token),
            )
        case "failed":
            return replace(step, state="failed", result=decision.result)
        case "declined":
            return replace(step, state="skipped", result="you said no")
        case "withdrawn":
            return replace(step, state="skipped", result="you stopped it")
        case "expired":
            return replace(step, state="skipped", result="its time was over before you answered")


def _agreed(step: Step, decision: Decision) -> Step:
    """By the decision about the whole plan."""
    match decision.state:
        case "done":
            return replace(step, state="open", decision_id=None)
        case "open" | "answered":
            return step
        case _:
            return replace(step, state="skipped", decision_id=None, result="you did not want it")


def _told(step: Step, decision: Decision) -> Step:
    """An unknown step, by what the user says of it. It is never tried again by itself."""
    match decision.state:
        case "open" | "answered":
            return step
        case "done" if decision.answer == HAPPENED_ANSWER:
            return replace(step, state="done", result="you said that it happened")
        case _:
            return replace(step, state="failed", result="it was cut off, and not tried again")


def done_of(plan: Plan) -> tuple[int, int]:
    """How many steps are over, of how many."""
    return sum(step.state in OVER for step in plan.steps), len(plan.steps)
