"""Reminders counted from an event of the calendar: "the day before my dentist appointment"."""

import asyncio
from datetime import timedelta

from assistant.calendar.book import CalendarBook
from assistant.calendar.words import span_words, titled
from assistant.policies.event_matching import fitting
from assistant.policies.event_time import Relative, relative_to
from assistant.policies.when.types import AboutEvent, Options, Understood
from ui.errors import UiError
from ui.reminder_acts import Question
from ui.reminder_words import reading_words

AHEAD = timedelta(days=400)
MOST = 6


async def counted_from(outcome: AboutEvent, book: CalendarBook, options: Options) -> Understood | Question:
    """The moment, or which of several events is meant. Raises UiError where no event fits, or none in time."""
    coming = await book.between(options.now, options.now + AHEAD)
    fits = await asyncio.to_thread(fitting, outcome.event, coming)
    if not fits:
        raise UiError(
            outcome.question, "The calendar has no such event. Say when it is, or add it: steward calendar add"
        )
    timed: list[tuple[Relative, str]] = []
    for fit in fits[:MOST]:
        relative = relative_to(outcome, fit, options)
        if relative is not None:
            timed.append((relative, f"{titled(fit.happening.event)}, {span_words(fit.happening, book.here)}"))
    if not timed:
        raise UiError("That moment has passed already.", "Say another time.")
    if len(timed) == 1:
        return Understood(reading=timed[0][0].reading, title=timed[0][0].title)
    words = tuple(f"{reading_words(one.reading, options.now)}: counted from {named}" for one, named in timed)
    return Question(
        text="Which event is meant?",
        title=timed[0][0].title,
        readings=tuple(one.reading for one, _ in timed),
        words=words,
    )
