"""No effect that reaches others runs without the user's own answer to exactly this call."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.calls import call_hash
from assistant.policies.asking.permission import Call, covers, fixed_arguments, refusal
from assistant.tools.types import EFFECTS
from memory.decisions import Decision, DecisionId, DecisionState, NewDecision, PlannedCall
from memory.effects import Grant, GrantId
from memory.types import SessionId
from tests.support.clock import MONDAY

STATES: tuple[DecisionState, ...] = (
    "open", "answered", "done", "failed", "superseded", "declined", "withdrawn", "expired",
)  # fmt: skip
arguments = st.sampled_from(('{"to":"ann"}', '{"to":"bob"}', "{}"))
calls = st.builds(
    Call, tool=st.sampled_from(("mail.send", "bank.pay")), arguments=arguments, effect=st.sampled_from(EFFECTS)
)


def decided(tool: str, arguments: str, state: DecisionState, answer: str, typed: str = "") -> Decision:
    planned = PlannedCall(tool=tool, arguments=arguments, hash=call_hash(tool, arguments))
    asked = NewDecision(
        kind="confirm", effect="external", question="?", why_now="", options=(), call=planned, typed=typed
    )
    return Decision(id=DecisionId(1), asked=asked, state=state, created_at=MONDAY, answer=answer)


decisions = st.builds(
    decided,
    st.sampled_from(("mail.send", "bank.pay")),
    arguments,
    st.sampled_from(STATES),
    st.sampled_from(("yes", "no", "", "EUR 5")),
    st.sampled_from(("", "EUR 5")),
)
grants = st.builds(
    Grant,
    id=st.just(GrantId(1)),
    tool=st.sampled_from(("mail.send", "bank.pay")),
    fixed=arguments.map(fixed_arguments),
    scope=st.sampled_from(("session", "until", "always")),
    created_at=st.just(MONDAY),
    session_id=st.sampled_from((None, SessionId("s1"), SessionId("s2"))),
    expires_at=st.sampled_from((None, MONDAY - timedelta(hours=1), MONDAY + timedelta(hours=1))),
    revoked_at=st.sampled_from((None, MONDAY)),
)


@given(calls, st.none() | decisions, st.lists(grants, max_size=3).map(tuple), st.booleans())
def test_what_reaches_others_runs_only_on_an_answer_to_this_call_or_a_narrow_grant(
    call: Call, decision: Decision | None, granted: tuple[Grant, ...], untrusted: bool
) -> None:
    reason = refusal(
        call, decision=decision, grants=granted, untrusted=untrusted, session_id=SessionId("s1"), now=MONDAY
    )
    if reason or call.effect not in ("external", "grave"):
        return
    if decision is not None:
        assert decision.state == "answered"
        assert decision.answer not in ("no",)
        assert decision.asked.call is not None
        assert decision.asked.call.hash == call_hash(call.tool, call.arguments)
        assert decision.asked.typed in ("", decision.answer)
    else:
        assert call.effect == "external"
        assert not untrusted
        assert any(covers(grant, call, session_id=SessionId("s1"), now=MONDAY) for grant in granted)


@given(calls, grants)
def test_a_grant_covers_only_its_tool_arguments_session_and_time(call: Call, grant: Grant) -> None:
    if covers(grant, call, session_id=SessionId("s1"), now=MONDAY):
        assert grant.tool == call.tool
        assert call.effect != "grave"
        assert grant.revoked_at is None
        assert set(grant.fixed) <= set(fixed_arguments(call.arguments))
        assert grant.scope != "session" or grant.session_id == "s1"
        assert grant.expires_at is None or grant.expires_at > MONDAY


def test_a_grant_may_leave_an_argument_free() -> None:
    grant = Grant(
        id=GrantId(1),
        tool="mail.send",
        fixed=fixed_arguments('{"text":"hi","to":"ann"}', frozenset({"text"})),
        scope="always",
        created_at=MONDAY,
    )
    call = Call(tool="mail.send", arguments='{"text":"other","to":"ann"}', effect="external")
    assert covers(grant, call, session_id=None, now=MONDAY)
    assert not covers(grant, replace(call, arguments='{"text":"hi","to":"bob"}'), session_id=None, now=MONDAY)


@given(calls)
def test_text_of_others_stops_every_effect_without_an_answer(call: Call) -> None:
    allowed = not refusal(call, untrusted=True, now=MONDAY)
    assert allowed == (call.effect == "read")
