"""Plans in words for every front end, and as JSON (docs/formats.md). A state is a mark and a word, never a colour
alone. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assistant.policies.cleaning import clean, clean_line
from assistant.policies.stepping.progress import OVER, done_of, next_step
from assistant.reports import Carried, CouldNot, Found, Undone, Waits
from ui.acting_words import assumption_words, report_words, waits_words

if TYPE_CHECKING:
    from assistant.reports import PlanWent, StepTold
    from memory.plans import Plan, PlanState, Step, StepState

MARKS: dict[StepState, tuple[str, str]] = {
    "open": ("[ ]", "to come"),
    "running": ("[>]", "going on"),
    "waiting": ("[?]", "waits for you"),
    "done": ("[x]", "done"),
    "failed": ("[!]", "failed"),
    "skipped": ("[-]", "not done"),
    "unknown": ("[?]", "not known whether it happened"),
    "undone": ("[<]", "taken back"),
}
STATES: dict[PlanState, str] = {
    "running": "going on",
    "waiting": "waits for you",
    "stopped": "stopped",
    "done": "over",
}
MOST_FOUND = 600  # characters of what was looked up


def state_words(plan: Plan) -> str:
    """ "2 of 4, waits for you"."""
    over, of = done_of(plan)
    return f"{over} of {of}, {STATES[plan.state]}"


def plan_line(plan: Plan) -> str:
    """One line for a list."""
    return f"{plan.id}  {clean_line(plan.goal, 90)}  ({state_words(plan)})"


def plan_lines(plan: Plan, *, keys: bool = False) -> Iterator[str]:
    """Whole: every step with its state, and what can be done; by the `keys` of its page, else by commands."""
    yield f"Plan {plan.id}: {clean_line(plan.goal, 200)}"
    yield f"State: {state_words(plan)}"
    for step in plan.steps:
        mark, word = MARKS[step.state]
        word = "stays with you" if step.kind == "user" and step.state == "skipped" else word
        yield f"{mark} {step.number} of {len(plan.steps)}: {clean_line(step.request, 160)} ({word})"
        if step.state == "waiting" and step.decision_id is not None:
            yield "      F11 answers it" if keys else f"      /decide {step.decision_id} answers it"
        elif step.result and step.state not in ("open", "running", "waiting"):
            yield f"      {clean_line(step.result, 200)}"
    yield next_words(plan, keys=keys)


def next_words(plan: Plan, *, keys: bool = False) -> str:
    stop, resume, undo = ("s", "g", "u") if keys else (f"/plans {act} {plan.id}" for act in ("stop", "resume", "undo"))
    match plan.state:
        case "stopped":
            return f"{resume} goes on; {undo} takes back what it changed."
        case "done":
            can = any(step.state == "done" and step.undoable for step in plan.steps)
            return f"{undo} takes all of it back." if can else "There is nothing to take back."
        case _:
            return f"{stop} stops it; what is done stays."


def going_words(plan: Plan) -> str:
    """Where a plan that goes on is: "2 of 4: buy a present"."""
    at = next((step for step in plan.steps if step.state == "running"), None) or next_step(plan)
    return (
        clean_line(plan.goal, 160) if at is None else f"{at.number} of {len(plan.steps)}: {clean_line(at.request, 160)}"
    )


def begun_words(plan: Plan) -> str:
    steps = len([step for step in plan.steps if step.state != "skipped"])
    return f"Plan {plan.id}, {steps} {'step' if steps == 1 else 'steps'}:"


def told_words(told: StepTold, plan: Plan, *, plain: bool) -> str:
    """What became of a step. `plain`: without its place, as if it were the only wish."""
    step, report = told.step, told.report
    lead = "" if plain else f"{step.number} of {len(plan.steps)} "
    match report:
        case Carried():
            changed = [clean_line(one, 300) for one in report.outcome.changed] or [clean_line(report.summary, 300)]
            lines = [f"{lead}{'Done' if plain else 'done'}{'.' if plain else ':'} {'. '.join(changed)}."]
            return "\n".join([*lines, *(f"Assumed {assumption_words(one)}." for one in report.assumptions)])
        case Found():
            found = clean(report.outcome.text)
            cut = f"{found[:MOST_FOUND]} …" if len(found) > MOST_FOUND else found
            return f"{lead}{clean_line(step.request, 120)}:\n{cut}"
        case Waits():
            return f"{lead}{'waits for you. ' if not plain else ''}{waits_words(report)}"
        case CouldNot() if step.state == "unknown":
            asks = f" /decide {step.decision_id} says whether it did." if step.decision_id is not None else ""
            return f"{lead}“{clean_line(step.request, 120)}”: {clean_line(report.message, 200)}{asks}"
        case CouldNot():
            said = f"{clean_line(report.message, 300)} {clean_line(report.hint, 200)}".rstrip()
            return f"{lead}not done, “{clean_line(step.request, 120)}”: {said}"
        case Undone():
            return f"Taken back: {clean_line(report.summary, 200)}."
        case _:
            return _by_row(step, lead)


def _by_row(step: Step, lead: str) -> str:
    _, word = MARKS[step.state]
    why = f": {clean_line(step.result, 200)}" if step.result else ""
    return f"{lead}“{clean_line(step.request, 120)}” {word}{why}."


def ended_words(plan: Plan, *, plain: bool) -> str:
    """What there is to know when nothing goes on by itself."""
    undoable = sum(step.state == "done" and step.undoable for step in plan.steps)
    undo = "" if not undoable else "/undo takes it back." if undoable == 1 else "/undo takes all of it back."
    if plain and plan.state == "done":
        return undo
    match plan.state:
        case "stopped":
            return f"Stopped: {state_words(plan)}. /plans resume {plan.id} goes on. {undo}".rstrip()
        case "done":
            return f"Plan {plan.id} is over: {_count(plan)}. {undo}".rstrip()
        case _:
            if plain:
                return undo
            return f"Plan {plan.id} waits for you: {_count(plan)}. /plans {plan.id} shows it. {undo}".rstrip()


def _count(plan: Plan) -> str:
    counts: dict[str, int] = {}
    for step in plan.steps:
        word = "stays with you" if step.kind == "user" and step.state in OVER else MARKS[step.state][1]
        counts[word] = counts.get(word, 0) + 1
    return ", ".join(f"{many} {word}" for word, many in counts.items())


def went_words(went: PlanWent) -> str:
    """A plan that went on, after what set it going."""
    parts = [report_words(went.first)] if went.first is not None else []
    parts += [told_words(one, went.plan, plain=False) for one in went.told]
    taken_back = any(isinstance(one.report, Undone) for one in went.told)
    if went.words and went.words != "cut off":
        parts.append(went.words)
    elif not taken_back:
        parts.append(ended_words(went.plan, plain=False))
    return "\n".join(part for part in parts if part)


def cut_off_words(went: PlanWent) -> str:
    """One line at start-up."""
    plan = went.plan
    unknown = [step for step in plan.steps if step.state == "unknown"]
    asks = (
        f" Of step {unknown[0].number} it is not known whether it happened: /decide {unknown[0].decision_id}."
        if unknown
        else ""
    )
    return f"Plan {plan.id} was cut off: {state_words(plan)}.{asks} /plans resume {plan.id} goes on."


def over_words(plan: Plan) -> str:
    return f"Plan {plan.id} has stopped, its day is over: {_count(plan)}. Nothing else was done."


def plan_value(plan: Plan) -> dict[str, Any]:
    return {
        "id": plan.id,
        "goal": plan.goal,
        "state": plan.state,
        "steps": [
            {
                "number": step.number,
                "request": step.request,
                "kind": step.kind,
                "state": step.state,
                "result": step.result,
                "tool": step.tool or None,
                "after": step.after or None,
                "decision_id": step.decision_id,
                "effect": step.effect_key or None,
                "undoable": step.undoable,
            }
            for step in plan.steps
        ],
        "session_id": plan.session_id,
        "message_id": plan.message_id,
        "created_at": plan.created_at.isoformat(),
        "changed_at": plan.changed_at.isoformat(),
        "ends_at": plan.ends_at.isoformat() if plan.ends_at else None,
    }
