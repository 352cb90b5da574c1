"""Where a plan may go: nothing twice, nothing over what it rests on, and it ends."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.stepping import progress
from memory.decisions import Decision, DecisionId, DecisionState, NewDecision
from memory.plans import Plan, PlanId, Step, StepState
from tests.support.clock import MONDAY

ENDS: tuple[StepState, ...] = ("done", "failed", "skipped", "waiting", "unknown")


def a_plan(*afters: int) -> Plan:
    steps = tuple(Step(number=number, request=f"step {number}", after=after) for number, after in enumerate(afters, 1))
    return Plan(id=PlanId(1), goal="g", steps=steps, state="running", created_at=MONDAY, changed_at=MONDAY)


def a_decision(state: DecisionState, *, step: int = 1, argument: str = "", answer: str = "") -> Decision:
    asked = NewDecision(
        kind="clarify", effect="read", question="?", why_now="", options=(), step=step, argument=argument
    )
    return Decision(id=DecisionId(7), asked=asked, state=state, created_at=MONDAY, answer=answer, result="r")


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    many = draw(st.integers(1, 5))
    return a_plan(*(draw(st.integers(0, number)) for number in range(many)))


@given(plans(), st.data())
def test_every_walk_ends_and_no_step_is_begun_twice(plan: Plan, data: st.DataObject) -> None:
    begun: list[int] = []
    while (step := progress.next_step(plan)) is not None:
        assert step.after == 0 or plan.steps[step.after - 1].state == "done"
        claimed = progress.claimed(plan, step.number, "r")
        assert claimed is not None
        assert progress.claimed(claimed, step.number, "other") is None
        begun.append(step.number)
        plan = progress.with_step(claimed, replace(step, state=data.draw(st.sampled_from(ENDS))))
    assert len(begun) == len(set(begun))
    waits = [one for one in plan.steps if one.state in progress.ON_THE_USER]
    assert plan.state == ("waiting" if waits else "done")
    if not waits:
        assert all(one.state in progress.OVER for one in plan.steps)
        assert progress.done_of(plan) == (len(plan.steps), len(plan.steps))


def test_one_that_waits_holds_up_only_what_rests_on_it() -> None:
    plan = a_plan(0, 1, 0)
    plan = progress.with_step(plan, replace(plan.steps[0], state="waiting"))
    following = progress.next_step(plan)
    assert following is not None
    assert following.number == 3
    plan = progress.with_step(plan, replace(following, state="done"))
    assert (progress.next_step(plan), plan.state) == (None, "waiting")
    plan = progress.with_step(plan, replace(plan.steps[0], state="skipped"))
    assert [step.state for step in plan.steps] == ["skipped", "skipped", "done"]
    assert plan.state == "done"


def test_stopped_begins_nothing_and_goes_on_from_there() -> None:
    plan = a_plan(0, 0)
    waiting = progress.with_step(plan, replace(plan.steps[0], state="waiting", decision_id=DecisionId(3)))
    stopped = progress.stopped(waiting)
    assert stopped is not None
    assert (progress.next_step(stopped), progress.claimed(stopped, 1, "r"), progress.stopped(stopped)) == (None,) * 3
    assert stopped.steps[0] == plan.steps[0]
    resumed = progress.resumed(replace(stopped, ends_at=MONDAY), MONDAY)
    assert resumed is not None
    assert (progress.next_step(resumed), resumed.ends_at) == (plan.steps[0], None)
    assert progress.resumed(resumed, MONDAY) is None


def test_a_waiting_step_follows_its_decision() -> None:
    step = Step(number=1, request="r", state="waiting", decision_id=DecisionId(7))
    ends = {
        state: progress.settled(step, a_decision(state)).state for state in ("done", "failed", "declined", "expired")
    }
    assert ends == {"done": "done", "failed": "failed", "declined": "skipped", "expired": "skipped"}
    assert progress.settled(step, a_decision("open")) == step
    assert progress.settled(step, a_decision("answered")) == step


def test_a_proposal_is_done_only_after_a_yes() -> None:
    step = Step(number=2, request="r", state="waiting", decision_id=DecisionId(7))
    assert progress.settled(step, a_decision("done", step=progress.CONSENT)).state == "open"
    for no in ("declined", "withdrawn", "expired"):
        assert progress.settled(step, a_decision(no, step=progress.CONSENT)).state == "skipped"


def test_of_an_unknown_step_only_the_user_knows() -> None:
    step = Step(number=1, request="r", state="unknown", decision_id=DecisionId(7))
    asks = progress.ASKS_WHETHER
    assert progress.settled(step, a_decision("open", argument=asks)) == step
    assert progress.settled(step, a_decision("done", argument=asks, answer="1")).state == "done"
    assert progress.settled(step, a_decision("done", argument=asks, answer="2")).state == "failed"


def test_a_plan_whose_day_is_over() -> None:
    plan = a_plan(0)
    assert not progress.is_over_at(plan, MONDAY)
    assert progress.is_over_at(replace(plan, ends_at=MONDAY), MONDAY)
