"""Whether stated windows still fit: for one question, never for a change. Pure.

"Bad time" inside a window speaks against the windows, "useful" for them. Their log likelihood ratios are added up and
begin again at 0 whenever they fall below it (Page 1954, CUSUM), so that a good month does not hide a bad week. Which
hours would fit is the user's to say: so few answers seldom tell (docs/evaluation.md).
"""

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from memory.suggestions import Answer, Decision, Reason, Settings, Suggestion

Answered = tuple[datetime, Answer | None, Reason]  # when it was said, and what was answered
DOUBTED: Final = 4.0  # three that came at a bad time, and none since that was useful
_AGAINST: Final = math.log(0.8 / 0.2)
_FOR: Final = math.log(0.75 / 0.15)


def inside_windows(rated: Iterable[tuple[Suggestion, Decision]], settings: Settings) -> tuple[Answered, ...]:
    """Answers to what was said inside one of the windows that are stated now."""
    return tuple(
        (suggestion.claimed_at, suggestion.answer, suggestion.reason)
        for suggestion, decision in rated
        if decision.factors is not None and decision.factors.window in settings.windows
    )


def doubt(answered: Iterable[Answered]) -> float:
    """How much speaks against the windows now, from the answers in their order; 0 where nothing does."""
    total = 0.0
    for _, answer, reason in answered:
        if answer == "not" and reason == "time":
            total += _AGAINST
        elif answer in ("useful", "acted"):
            total = max(0.0, total - _FOR)
    return total
