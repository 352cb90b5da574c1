"""What is said right after a question and is nothing but an answer to it: a time alone, or one of its options (pure).

Any other sentence is a message, and the question stays. What reaches others, is grave or cannot be taken back is never
answered so: it wants its card, or its number.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from assistant.policies.asking.answers import Chosen, read_answer, takes_in_passing
from assistant.policies.asks_reminder import asks_for_reminder
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Ambiguous, Options, Understood
from memory.decisions import Decision
from memory.types import SessionId

_MOST: Final = 80  # characters; an answer that is only a time is short
_HOUR: Final = re.compile(r"(?:at\s+)?\d{1,2}(?:[:.]\d\d)?", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"^(?:(?:oh|ah|um|hm+|well|ok|okay|yes),?\s+)?(?:(?:it(?:'s| is)|that(?:'s| is)|let'?s say|make it|say)\s+)?",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(r",?\s+(?:please|then|thanks|thank you)$", re.IGNORECASE)


def just_asked(waiting: Sequence[Decision], session_id: SessionId, since: datetime | None) -> Decision | None:
    """The question that the last answer in this conversation raised. `since`: when the message before was said."""
    if since is None:
        return None
    here = [one for one in waiting if one.asked.session_id == session_id and one.created_at >= since]
    return max(here, key=lambda one: one.id, default=None)


def answer_in(text: str) -> str:
    """What of it is the answer: "oh, Friday at ten, please" is "Friday at ten"."""
    return _TAIL.sub("", _LEAD.sub("", text.strip().rstrip(".!")))


def answers_directly(decision: Decision, text: str, options: Options) -> bool:
    asked, said, takes = decision.asked, text.strip().rstrip(".!"), takes_in_passing(decision)
    if not takes:
        return False
    if not said or len(said) > _MOST or "\n" in said:
        return False
    if isinstance(read_answer(decision, said), Chosen):
        return True
    if asks_for_reminder(said) and not (asked.call is not None and asked.call.tool == "reminders.add"):
        return False  # "remind me tomorrow" is a wish of its own
    return takes == "time" and is_only_a_time(said, options)


def is_only_a_time(text: str, options: Options) -> bool:
    """Whether nothing is left of it beside a moment that can be read; an hour alone is one."""
    text = answer_in(text)
    if _HOUR.fullmatch(text):
        return True
    match parse(text, options):
        case Understood(title="") | Ambiguous(title=""):
            return True
        case _:
            return False
