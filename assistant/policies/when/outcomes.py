"""What is answered when a text is not simply understood: questions and refusals, in words."""

from datetime import datetime, timedelta
from typing import Final

from assistant.policies.when.describe import describe
from assistant.policies.when.pieces import Day, DayChoice, Scene, Shift
from assistant.policies.when.sorting import Sorted
from assistant.policies.when.types import About, AboutEvent, Ambiguous, Reading, Refused
from assistant.policies.when.zones import to_local

_QUESTIONS: Final[dict[About, str]] = {
    "next_weekday": "Which one do you mean: {choices}?",
    "half_of_day": "Morning or evening: {choices}?",
    "which_day": "Which day do you mean: {choices}?",
    "which_time": "Which time do you mean: {choices}?",
    "unread": "I could not read all of “{unread}”. Say the time in other words{confirm}.",
}
_BEFORE_LIST: Final[dict[About, str]] = {
    "next_weekday": "Which one do you mean?",
    "half_of_day": "Morning or evening?",
    "which_day": "Which day do you mean?",
    "which_time": "Which time do you mean?",
    "unread": "I could not read all of “{unread}”. Say the time in other words, or take what was read:",
}
_CONFIRM: Final = ", or confirm: {choices}"
_MOST: Final = 4  # readings offered


def before_list(asked: Ambiguous) -> str:
    """The question where its readings are listed below it: nobody has to hear them twice."""
    return _BEFORE_LIST[asked.about].format(unread=asked.unread)


def spans_of(found: Sorted) -> tuple[tuple[int, int], ...]:
    return tuple((piece.start, piece.stop) for piece in found.used)


def between(readings: tuple[Reading, Reading], title: str, now: datetime, about: About) -> Ambiguous:
    """The choice between two readings."""
    choices = " or ".join(describe(reading, now) for reading in readings)
    return Ambiguous(readings=readings, question=_QUESTIONS[about].format(choices=choices), title=title, about=about)


def ask(scene: Scene, found: Sorted, readings: tuple[Reading, ...], title: str, *, unread: str = "") -> Ambiguous:
    """The question that the readings leave open."""
    offered = readings[:_MOST]
    choices = " or ".join(describe(reading, scene.options.now) for reading in offered)
    about: About = "unread" if unread or len(offered) < 2 else _about(found, offered)
    confirm = _CONFIRM.format(choices=choices) if offered else ""
    question = _QUESTIONS[about].format(choices=choices, unread=unread, confirm=confirm)
    answers = tuple(choice.answer for choice in _answers(found) if choice.answer) if about == "next_weekday" else ()
    return Ambiguous(
        readings=offered,
        question=question,
        title=title,
        about=about,
        unread=unread,
        answers=answers if len(answers) == len(offered) else (),
    )


def _answers(found: Sorted) -> tuple[DayChoice, ...]:
    days = [piece.what for piece in found.days if isinstance(piece.what, Day)]
    return days[0].choices if len(days) == 1 else ()


def _about(found: Sorted, readings: tuple[Reading, ...]) -> About:
    if any(choice.answer for choice in _answers(found)):
        return "next_weekday"
    local = [to_local(reading.due, reading.zone) for reading in readings]
    if len({each.date() for each in local}) > 1:
        return "which_day"
    hours = {each.hour % 12 for each in local}
    return "half_of_day" if len(hours) == 1 and len(local) == 2 else "which_time"


def refuse_past(reading: Reading, title: str, now: datetime) -> Refused:
    return Refused(reason=f"That moment has passed: {describe(reading, now)}.", title=title, reading=reading)


def about_event(scene: Scene, found: Sorted, title: str) -> AboutEvent | None:
    """ "an hour before my appointment": the time of the event is not in the text."""
    shift = next((piece.what for piece in found.shifts if isinstance(piece.what, Shift) and piece.what.event), None)
    if shift is None or len(found.used) != 1:
        return None
    if shift.span.months:
        days, lead = 30 * shift.span.months, shift.span.lead
    else:
        days, lead = shift.span.days, shift.span.lead
    return AboutEvent(
        event=shift.event,
        title=title or shift.event,
        days=shift.sign * days,
        lead=shift.sign * lead if lead else timedelta(0),
        question=f"When is “{shift.event}”?",
        spans=spans_of(found),
    )
