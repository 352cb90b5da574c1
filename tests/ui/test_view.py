"""`reduce` is pure: any split of the same answer gives the same view, and every turn ends idle."""

from hypothesis import given
from hypothesis import strategies as st

from assistant.events import (
    ContextPlanned,
    LeftOut,
    ReplyDelta,
    StageChanged,
    ThoughtDelta,
    TurnEnded,
    TurnEvent,
    TurnFailed,
    TurnStarted,
)
from memory.types import MessageId, SessionId
from models.types import Failure, FinishReason, Usage
from ui.view import View, begin, reduce, stop

STARTED = TurnStarted(session_id=SessionId("s"), user_message_id=MessageId(1), reply_message_id=MessageId(2))
PLANNED = ContextPlanned(tokens_planned=10, tokens_reserved=20, context_total=100, messages_included=1)


def ended(text: str, reason: FinishReason = "stop") -> TurnEnded:
    return TurnEnded(
        text=text,
        finish_reason=reason,
        usage=Usage(tokens_in=3, tokens_out=4, context_used=7, context_total=100),
        session_id=SessionId("s"),
        user_message_id=MessageId(1),
        reply_message_id=MessageId(2),
    )


def after(*events: TurnEvent, view: View | None = None) -> View:
    view = begin(view or View())
    for event in events:
        view = reduce(view, event)
    return view


def cut(text: str, places: list[int]) -> list[str]:
    edges = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[start:end] for start, end in zip(edges, edges[1:], strict=False)]


@given(st.text(max_size=80), st.lists(st.integers(0, 1_000)), st.lists(st.integers(0, 1_000)))
def test_how_the_answer_was_cut_makes_no_difference(text: str, one: list[int], other: list[int]) -> None:
    views = [
        after(STARTED, PLANNED, *(ReplyDelta(text=part) for part in cut(text, places)), ended(text))
        for places in (one, other)
    ]
    assert views[0] == views[1]
    assert views[0].text == text


@given(
    st.lists(
        st.sampled_from(
            [
                PLANNED,
                StageChanged(stage="reading", done=3, total=9),
                ReplyDelta(text="a"),
                ThoughtDelta(text="b"),
                TurnFailed(failure=Failure(kind="bug", message="m", hint="h")),
            ]
        )
    )
)
def test_every_turn_ends_idle(events: list[TurnEvent]) -> None:
    assert not after(STARTED, *events, ended("a")).busy


def test_what_happens_now_is_the_latest_stage() -> None:
    view = after(STARTED)
    assert view.activity == "loading"
    view = reduce(view, StageChanged(stage="reading", done=120, total=480))
    assert (view.activity, view.done, view.total) == ("reading", 120, 480)
    assert reduce(view, ThoughtDelta(text="hm")).activity == "thinking"
    assert reduce(view, ReplyDelta(text="Yes")).activity == "writing"


def test_a_stopped_turn_says_so_until_it_ends() -> None:
    view = stop(after(STARTED, ReplyDelta(text="one ")))
    assert view.activity == "stopping"
    view = reduce(reduce(view, ReplyDelta(text="two")), StageChanged(stage="writing"))
    assert view.activity == "stopping"
    assert view.text == "one two"
    assert reduce(view, ended("one two", "cancelled")).activity == "idle"


def test_stopping_nothing_changes_nothing() -> None:
    assert stop(View()) == View()


def test_the_context_of_the_last_turn_stays_while_the_next_begins() -> None:
    left = LeftOut(what="3 earlier messages", reason="no room", tokens=9)
    planned = ContextPlanned(
        tokens_planned=1, tokens_reserved=1, context_total=9, messages_included=1, left_out=(left,)
    )
    view = after(STARTED, planned, ended("x"))
    following = begin(view)
    assert following.context == planned
    assert following.usage == view.usage
    assert following.text == ""
    assert following.failure is None


def test_a_message_that_was_not_stored_is_known_by_its_missing_id() -> None:
    failure = Failure(kind="not_saved", message="m", hint="h")
    lost = TurnEnded(text="", finish_reason="failed", session_id=None, user_message_id=None, reply_message_id=None)
    view = after(TurnFailed(failure=failure), lost)
    assert view.failure == failure
    assert view.user_message_id is None
