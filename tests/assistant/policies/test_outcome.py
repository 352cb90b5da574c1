"""How a turn ended."""

from typing import get_args

import pytest

from assistant.policies.outcome import Attempt, failure_of, is_retryable, next_attempt, status_of
from memory.types import MessageStatus
from models.types import Failure, FailureKind, Finished, FinishReason


def a_failure(kind: FailureKind) -> Failure:
    return Failure(kind=kind, message="m", hint="h")


@pytest.mark.parametrize(
    ("reason", "text", "status"),
    [
        ("stop", "yes", "complete"),
        ("length", "yes", "complete"),
        ("repeating", "yes yes", "complete"),
        ("stop", " ", "failed"),
        ("cancelled", "", "stopped"),
        ("cancelled", "ye", "stopped"),
        ("worker_died", "", "interrupted"),
        ("worker_died", "ye", "interrupted"),
        ("failed", "ye", "interrupted"),
        ("failed", "", "failed"),
    ],
)
def test_status(reason: FinishReason, text: str, status: MessageStatus) -> None:
    assert status_of(reason, text) == status


@pytest.mark.parametrize("reason", get_args(FinishReason))
@pytest.mark.parametrize("text", ["", "yes"])
def test_what_is_not_complete_and_not_wished_for_has_a_failure(reason: FinishReason, text: str) -> None:
    status, failure = status_of(reason, text), failure_of(Finished(reason=reason), text)
    assert (failure is None) == (status in ("complete", "stopped"))


def test_the_models_own_words_are_kept() -> None:
    failure = a_failure("worker_hung")
    assert failure_of(Finished(reason="worker_died", failure=failure), "ye") is failure


def test_an_empty_answer_is_a_failure_that_may_be_retried() -> None:
    failure = failure_of(Finished(reason="length"), "\n")
    assert failure is not None
    assert failure.kind == "empty_answer"
    assert is_retryable(failure)


def test_a_missing_model_is_not_mended_by_asking_again() -> None:
    assert not is_retryable(a_failure("model_missing"))


FULL = Finished(reason="failed", failure=a_failure("context_full"))


def test_a_prompt_longer_than_counted_is_sent_shorter_once() -> None:
    first = Attempt(margin=16, think=False)
    second = next_attempt(first, FULL, "", 2_048)
    assert second == Attempt(margin=256, think=False)
    assert next_attempt(second, FULL, "", 2_048) is None


def test_thinking_that_ate_the_answer_is_switched_off_once() -> None:
    second = next_attempt(Attempt(margin=16, think=True), Finished(reason="length"), "", 2_048)
    assert second == Attempt(margin=16, think=False)
    assert next_attempt(second, Finished(reason="length"), "", 2_048) is None


@pytest.mark.parametrize("finished", [FULL, Finished(reason="stop"), Finished(reason="cancelled")])
def test_nothing_is_tried_again_once_there_is_text(finished: Finished) -> None:
    assert next_attempt(Attempt(margin=16, think=True), finished, "Well", 2_048) is None


def test_a_cancelled_turn_is_not_tried_again() -> None:
    assert next_attempt(Attempt(margin=16, think=True), Finished(reason="cancelled"), "", 2_048) is None
