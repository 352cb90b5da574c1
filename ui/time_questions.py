"""What words say about when, for events and tasks: understood, a question with its readings, or why not."""

from datetime import datetime
from typing import assert_never

from assistant.policies.when.types import AboutEvent, Ambiguous, NoTime, Outcome, Refused, Understood
from ui.errors import UiError
from ui.reminder_acts import Question
from ui.reminder_words import reading_words


def settled(outcome: Outcome, now: datetime, example: str) -> Understood | Question | NoTime:
    """`example`: a sentence that would be understood. Raises UiError where the words name no moment there is."""
    match outcome:
        case Understood() | NoTime():
            return outcome
        case Ambiguous():
            if not outcome.readings:
                unread = f" {outcome.unread!r} could not be read." if outcome.unread else ""
                raise UiError(f"{outcome.question}{unread}", "Say it in other words.")
            return Question(
                text=outcome.question,
                title=outcome.title,
                readings=outcome.readings,
                words=tuple(reading_words(one, now) for one in outcome.readings),
                answers=outcome.answers,
            )
        case Refused():
            raise UiError(outcome.reason, "Say another time.")
        case AboutEvent():
            raise UiError(outcome.question, f"Say the day itself. {example}")
        case _:
            assert_never(outcome)
