"""What a user does with plans, typed as /plans ACT ID: the same in line mode and in the terminal UI."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.policies.cleaning import clean_line
from memory.decision_store import DecisionStore
from memory.plans import EVERY, Plan, PlanId
from ui.deciding import Deciding
from ui.errors import UiError
from ui.plan_words import plan_line, plan_lines, state_words, went_words

ACTS = ("stop", "resume", "undo", "all")
USES = "ID, all, stop ID, resume ID, undo ID"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    lines: tuple[str, ...]
    receipt: bool = False  # something was done, and this is what there is to say of it


async def run_plans(deciding: Deciding, store: DecisionStore, argument: str) -> Said:
    """Without an id it is the newest plan that the act fits. Raises UiError, StoreError."""
    first, _, rest = argument.strip().partition(" ")
    act = first.lower()
    if not act or act == "all":
        return _listed(await store.plans(EVERY if act else ("running", "waiting", "stopped")), everything=bool(act))
    if act not in ACTS:
        return Said(lines=tuple(plan_lines(await _plan(store, first, EVERY))))
    match act:
        case "stop":
            plan = await deciding.stop_plan((await _plan(store, rest, ("running", "waiting"))).id)
            return Said(lines=(stopped_words(plan),), receipt=True)
        case "resume":
            went = await deciding.resume_plan((await _plan(store, rest, ("stopped",))).id)
        case _:
            went = await deciding.undo_plan((await _plan(store, rest, EVERY)).id)
    return Said(lines=tuple(went_words(went).split("\n")), receipt=True)


def stopped_words(plan: Plan) -> str:
    return f"Plan {plan.id} is stopped: {state_words(plan)}. What is done stays. /plans resume {plan.id} goes on."


def _listed(plans: Sequence[Plan], *, everything: bool) -> Said:
    if not plans:
        return Said(lines=("There was no plan yet." if everything else "No plan is going on. /plans all lists all.",))
    return Said(lines=(*map(plan_line, plans), f"/plans takes {USES}."))


async def _plan(store: DecisionStore, which: str, states: Sequence[str]) -> Plan:
    wanted = which.strip().removeprefix("#")
    if wanted.isdecimal() and len(wanted) < 10:
        return await store.plan(PlanId(int(wanted)))
    if wanted:
        raise UiError(f"There is no plan {clean_line(wanted, 40)!r}.", f"/plans takes {USES}.")
    fitting = [plan for plan in await store.plans(EVERY) if plan.state in states]
    if not fitting:
        raise UiError("There is no plan that fits.", "/plans all lists all.")
    return fitting[0]
