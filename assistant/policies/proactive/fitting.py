"""Whether stated windows still fit, and which would: for one question, never for a change. Pure.

"Bad time" inside a window speaks against the windows, "useful" for them. Their log likelihood ratios are added up and
begin again at 0 whenever they fall below it (Page 1954, CUSUM), so that a good month does not hide a bad week. What is
proposed is the stated windows moved by whole half hours: few answers can tell one number, not six edges. The number is
the likeliest one by the answers and by when the user was there; where none is much likelier than staying, nothing is
proposed and the user is asked for hours.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta
from typing import Final

from assistant.policies.proactive.habits import half_hours
from assistant.policies.proactive.situation import is_within, minute_of
from assistant.policies.when.zones import to_local
from memory.suggestions import Answer, Decision, Hours, Reason, Settings, Suggestion

Answered = tuple[datetime, Answer | None, Reason]  # when it was said, and what was answered
DOUBTED: Final = 4.0  # three that came at a bad time, and none since that was useful
LOOKED_BACK: Final = timedelta(days=14)
_AGAINST: Final = math.log(0.8 / 0.2)
_FOR: Final = math.log(0.75 / 0.15)
_INSIDE_RATE: Final = math.log(1.6)  # how much more often somebody is there in a window than elsewhere
_FARTHEST: Final = 12  # half hours
_LIKELIER: Final = math.log(3)


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


def better_windows(
    settings: Settings, answered: Sequence[Answered], moments: Iterable[datetime], now: datetime, zone: str
) -> tuple[Hours, ...]:
    """The stated windows moved to where they fit better; () where nothing says where. `moments`: when the user wrote or
    answered. They never reach into the quiet hours."""
    since = now - LOOKED_BACK
    late = [one for one in answered if one[0] >= since]
    slots = [slot for _, slot in half_hours((at for at in moments if at >= since), zone)]
    scores = {by: _score(moved, late, slots, zone) for by in _SHIFTS if (moved := _moved(settings, by))}
    if not scores or 0 not in scores:
        return ()
    best = max(scores, key=lambda by: (scores[by], -abs(by)))
    return _moved(settings, best) if best and scores[best] - scores[0] >= _LIKELIER else ()


_SHIFTS: Final = tuple(range(-_FARTHEST, _FARTHEST + 1))


def _moved(settings: Settings, by: int) -> tuple[Hours, ...]:
    """() where one of them would touch the quiet hours."""
    found = tuple(Hours(start=_later(one.start, by), stop=_later(one.stop, by)) for one in settings.windows)
    quiet = settings.quiet
    if quiet is not None and by:
        for one in found:
            minutes = range(0, (minute_of(one.stop) - minute_of(one.start)) % 1440, 30)
            if any(is_within((minute_of(one.start) + minute) % 1440, quiet) for minute in minutes):
                return ()
    return found


def _later(at: time, by: int) -> time:
    minutes = (minute_of(at) + 30 * by) % 1440
    return time(minutes // 60, minutes % 60)


def _score(windows: tuple[Hours, ...], answered: Sequence[Answered], slots: Sequence[int], zone: str) -> float:
    """Log likelihood, up to what is the same for all."""
    total = 0.0
    for at, answer, reason in answered:
        inside = _is_in(minute_of(to_local(at, zone)), windows)
        if answer == "not" and reason == "time":
            total += math.log(0.2 if inside else 0.8)
        elif answer in ("useful", "acted"):
            total += math.log(0.75 if inside else 0.15)
    long = sum((minute_of(one.stop) - minute_of(one.start)) % 1440 for one in windows) / 1440
    within = sum(_is_in(slot * 30 + 15, windows) for slot in slots)
    return total + within * _INSIDE_RATE - len(slots) * math.log(1 - long + long * math.exp(_INSIDE_RATE))


def _is_in(minute: int, windows: tuple[Hours, ...]) -> bool:
    return any(is_within(minute, one) for one in windows)
