"""What every store of decisions keeps: one suite for the reference and for the one in SQLite."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.decision_store import DecisionStore
from memory.decisions import (
    FROM_PROFILE,
    Decision,
    DecisionId,
    DecisionOption,
    DecisionState,
    NewDecision,
    OptionAttribute,
    PlannedCall,
)
from memory.decisions_in_memory import InMemoryDecisions
from memory.effects import BeliefLabel, EffectRecord, Grant, GrantId, QuestionPrice
from memory.errors import ChangeRefused, NotFound
from memory.plans import Plan, PlanId, Step
from memory.sqlite_decisions import SqliteDecisions
from tests.support.clock import MONDAY

HOUR = timedelta(hours=1)
SEND = NewDecision(
    kind="confirm",
    effect="external",
    question="Send this mail?",
    why_now="It reaches others.",
    options=(
        DecisionOption(
            key="yes",
            label="Send",
            attributes=(OptionAttribute(name="to", value="ann@example.org"),),
            consequence="Ann gets it.",
            arguments='{"to":"ann@example.org"}',
        ),
        DecisionOption(key="no", label="Do not send", attributes=(OptionAttribute(name="to", value="nobody"),)),
    ),
    call=PlannedCall(
        tool="mail.send", arguments='{"to":"ann@example.org"}', hash="abc", preconditions=(("free", "yes"),)
    ),
    sources=("offer.pdf, page 2",),
    assumptions=("to: Ann, your sister",),
    expires_at=MONDAY + HOUR,
)
EFFECT = EffectRecord(key="k1", tool="tasks.add", arguments="{}", started_at=MONDAY)
GRANT = Grant(id=GrantId(0), tool="mail.send", fixed=(("to", '"ann"'),), scope="always", created_at=MONDAY)


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[DecisionStore]:
    if request.param == "in_memory":
        yield InMemoryDecisions()
        return
    async with await Database.open(home.database) as database:
        yield SqliteDecisions(database)


async def test_what_another_home_decided_takes_the_place_of_what_it_told_before(store: DecisionStore) -> None:
    own = await store.raise_decision(SEND, at=MONDAY)
    told = Decision(
        id=DecisionId(7),
        asked=replace(SEND, call=None, expires_at=None),
        state="done",
        created_at=MONDAY - HOUR,
        answer="yes",
        answered_from=FROM_PROFILE,
        answered_at=MONDAY,
        result="Sent.",
    )
    await store.keep_past([told, replace(told, state="declined", answer="no")])
    assert [one.state for one in await store.decisions(["done", "declined", "open"])] == ["declined", "done", "open"]
    await store.keep_past([told])
    (past,) = await store.decisions(["done", "declined"])
    assert past == replace(told, id=past.id)
    assert past.id > own.id
    await store.keep_past([])
    assert await store.decisions(["done", "declined", "open"]) == (own,)


async def test_a_decision_is_kept_as_it_was_shown(store: DecisionStore) -> None:
    made = await store.raise_decision(SEND, at=MONDAY)
    assert await store.decision(made.id) == made
    assert made.asked == SEND
    assert made.state == "open"
    assert await store.decisions() == (made,)


async def test_only_the_first_answer_counts(store: DecisionStore) -> None:
    made = await store.raise_decision(SEND, at=MONDAY)
    answers = await asyncio.gather(
        *(store.answer(made.id, word, source="chat", at=MONDAY) for word in ("yes", "no", "yes")),
        return_exceptions=True,
    )
    assert sum(isinstance(answer, ChangeRefused) for answer in answers) == 2
    assert (await store.decision(made.id)).state == "answered"
    assert await store.decisions() == ()


@pytest.mark.parametrize("state", ["declined", "withdrawn", "expired", "superseded"])
async def test_what_is_closed_takes_no_answer(store: DecisionStore, state: DecisionState) -> None:
    made = await store.raise_decision(SEND, at=MONDAY)
    assert (await store.close_decision(made.id, state, at=MONDAY)).state == state
    with pytest.raises(ChangeRefused):
        await store.answer(made.id, "yes", source="chat", at=MONDAY)
    with pytest.raises(ChangeRefused):
        await store.close_decision(made.id, "done", at=MONDAY)


async def test_it_is_done_once_and_after_its_answer(store: DecisionStore) -> None:
    made = await store.raise_decision(SEND, at=MONDAY)
    with pytest.raises(ChangeRefused):
        await store.close_decision(made.id, "done", at=MONDAY)
    await store.answer(made.id, "yes", source="command", at=MONDAY)
    done = await store.close_decision(made.id, "done", at=MONDAY + HOUR, result="Sent.", undo_token="u")
    assert (done.answer, done.answered_from, done.result, done.undo_token) == ("yes", "command", "Sent.", "u")
    assert done.answered_at == MONDAY
    with pytest.raises(ChangeRefused):
        await store.close_decision(made.id, "done", at=MONDAY)


async def test_time_over_only_closes(store: DecisionStore) -> None:
    made = await store.raise_decision(SEND, at=MONDAY)
    patient = await store.raise_decision(replace(SEND, expires_at=None), at=MONDAY)
    assert await store.expire(MONDAY) == ()
    (expired,) = await store.expire(MONDAY + HOUR)
    assert (expired.id, expired.state, expired.answer) == (made.id, "expired", "")
    assert [decision.id for decision in await store.decisions()] == [patient.id]


async def test_an_effect_begins_once(store: DecisionStore) -> None:
    assert await store.begin_effect(EFFECT)
    assert not await store.begin_effect(replace(EFFECT, tool="other"))
    done = replace(EFFECT, state="done", changed=("Added “milk”",), undo_token="7", finished_at=MONDAY + HOUR)
    await store.finish_effect(done)
    assert await store.effect("k1") == done
    assert not await store.begin_effect(EFFECT)
    assert await store.effects() == (done,)
    assert await store.effect("k2") is None
    with pytest.raises(NotFound):
        await store.finish_effect(replace(EFFECT, key="k2"))


async def test_the_latest_effect_comes_first(store: DecisionStore) -> None:
    for number, hours in enumerate((2, 1, 3)):
        await store.begin_effect(replace(EFFECT, key=f"k{number}", started_at=MONDAY + hours * HOUR))
    assert [record.key for record in await store.effects(limit=2)] == ["k2", "k0"]


async def test_grants_are_counted_and_revoked(store: DecisionStore) -> None:
    grant = await store.add_grant(GRANT)
    assert await store.grants() == (grant,)
    await store.use_grant(grant.id)
    assert (await store.grants())[0].used == 1
    revoked = await store.revoke_grant(grant.id, at=MONDAY)
    assert revoked.revoked_at == MONDAY
    assert await store.grants() == ()
    assert await store.grants(revoked=True) == (revoked,)
    with pytest.raises(NotFound):
        await store.revoke_grant(GrantId(99), at=MONDAY)


async def test_prices_and_labels_are_kept_and_reset(store: DecisionStore) -> None:
    price = QuestionPrice(kind="tasks.add:due", log_price=0.15, asked=2, needless=1)
    await store.set_price(replace(price, log_price=0.0))
    await store.set_price(price)
    assert await store.prices() == {"tasks.add:due": price}
    labels = [BeliefLabel(model=model, belief=0.5, right=True, at=MONDAY) for model in ("a", "b", "a")]
    for label in labels:
        await store.add_label(label)
    assert len(await store.labels("a")) == 2
    assert await store.forget_prices() == 1
    assert await store.prices() == {}
    assert await store.labels("a") == ()


async def test_a_plan_knows_where_it_is(store: DecisionStore) -> None:
    steps = (
        Step(number=1, request="see the dentist", untrusted=("a pasted text",), claimed_by="run 1"),
        Step(number=2, request="buy a present", kind="find", wish="find a present", after=1, undoable=True),
    )
    plan = await store.add_plan("plan my Saturday", steps, at=MONDAY, ends_at=MONDAY + HOUR)
    assert await store.plans() == (plan,)
    waiting = replace(steps[0], state="waiting", decision_id=DecisionId(3))
    changed = replace(plan, steps=(waiting, steps[1]), state="waiting", ends_at=None)
    moved = await store.change_plan(plan.id, lambda _: changed, at=MONDAY + HOUR)
    assert moved == replace(changed, changed_at=MONDAY + HOUR)
    assert await store.plan(plan.id) == moved
    stopped = await store.change_plan(plan.id, lambda one: replace(one, state="stopped"), at=MONDAY)
    assert stopped is not None
    assert (stopped.state, stopped.steps) == ("stopped", moved.steps)
    assert await store.plans() == ()
    with pytest.raises(NotFound):
        await store.plan(PlanId(99))


async def test_a_change_of_a_plan_sees_what_is_there_and_may_leave_it(store: DecisionStore) -> None:
    plan = await store.add_plan("plan", (Step(number=1, request="one"),), at=MONDAY)
    assert await store.change_plan(plan.id, lambda _: None, at=MONDAY + HOUR) is None
    assert await store.plan(plan.id) == plan

    def claimed(one: Plan) -> Plan | None:
        return None if one.state == "stopped" else replace(one, state="stopped")

    both = await asyncio.gather(*(store.change_plan(plan.id, claimed, at=MONDAY) for _ in range(2)))
    assert [one is None for one in both].count(True) == 1
    with pytest.raises(NotFound):
        await store.change_plan(PlanId(99), claimed, at=MONDAY)


async def test_what_is_not_there_is_said(store: DecisionStore) -> None:
    with pytest.raises(NotFound):
        await store.decision(DecisionId(99))
