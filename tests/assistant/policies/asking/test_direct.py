"""What answers a question when it is said right after it, and what stays a message."""

from datetime import timedelta

import pytest

from assistant.policies.asking.direct import answer_in, answers_directly, just_asked
from assistant.policies.when.types import Options
from memory.decisions import Decision, DecisionId, DecisionOption, NewDecision, PlannedCall
from memory.types import SessionId
from tests.support.clock import MONDAY
from tests.support.decisions import a_payment

OPTIONS = Options(now=MONDAY, zone="Europe/Berlin")


def a_gap(*labels: str, argument: str = "when", effect: str = "undoable") -> Decision:
    options = tuple(DecisionOption(key=str(n), label=label) for n, label in enumerate(labels, start=1))
    asked = NewDecision(
        kind="clarify",
        effect=effect,
        question="When is the dentist?",
        why_now="It cannot be done without this.",
        options=options,
        call=PlannedCall(tool="calendar.add", arguments="{}", hash="0"),
        session_id=SessionId("here"),
        allow_other=True,
        argument=argument,
    )
    return Decision(id=DecisionId(1), asked=asked, state="open", created_at=MONDAY)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Friday at 10am", "Friday at 10am"),
        ("tomorrow at 9", "tomorrow at 9"),
        ("10", "10"),
        ("at 10:30.", "at 10:30"),
        ("on Friday at 10am for an hour", "on Friday at 10am for an hour"),
        ("Oh, it's on Friday at 10, please", "on Friday at 10"),
        ("Friday, thanks!", "Friday"),
    ],
)
def test_a_time_alone_answers_when(said: str, answer: str) -> None:
    assert answers_directly(a_gap(), said, OPTIONS)
    assert answer_in(said) == answer


@pytest.mark.parametrize(
    "said",
    [
        "",
        "hmm",
        "banana",
        "What is on Friday?",
        "Friday would be awful",
        "remind me tomorrow",
        "no",
        "on Friday\nat 10",
        "I have to go at 10",
        "thanks",
        "what can I cook tonight",
    ],
)
def test_anything_else_is_a_message(said: str) -> None:
    assert not answers_directly(a_gap(), said, OPTIONS)


def test_an_option_answers_by_its_number_or_its_words() -> None:
    which = a_gap("dentist, Friday", "dentist, Thursday", argument="event")
    assert answers_directly(which, "2", OPTIONS)
    assert answers_directly(which, "dentist, Thursday", OPTIONS)
    assert not answers_directly(which, "3", OPTIONS)
    assert not answers_directly(which, "tomorrow", OPTIONS), "it was not asked when"


@pytest.mark.parametrize("effect", ["external", "grave", "final"])
def test_what_cannot_be_taken_back_is_not_answered_so(effect: str) -> None:
    assert not answers_directly(a_gap(effect=effect), "Friday at 10am", OPTIONS)


def test_a_confirmation_is_not_answered_so() -> None:
    confirm = Decision(id=DecisionId(1), asked=a_payment(), state="open", created_at=MONDAY)
    assert not any(answers_directly(confirm, said, OPTIONS) for said in ("yes", "1", "tomorrow"))


def test_only_what_the_last_answer_asked_counts() -> None:
    earlier = a_gap()
    assert just_asked([earlier], SessionId("here"), MONDAY) is earlier
    assert just_asked([earlier], SessionId("here"), MONDAY + timedelta(seconds=1)) is None, "something was said since"
    assert just_asked([earlier], SessionId("there"), MONDAY) is None
    assert just_asked([earlier], SessionId("here"), None) is None
