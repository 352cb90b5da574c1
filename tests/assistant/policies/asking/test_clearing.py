"""Wishes to have one's own things taken away: what is meant, and what only sounds like it."""

import re

import pytest

from assistant.policies.asking.clearing import Clearing, Kind, clearing

_DAYS = re.compile(r"(?:on |for )?(?:today|tomorrow|next week|(?:mon|tues|fri)day)", re.IGNORECASE)


def read(text: str) -> Clearing | None:
    return clearing(text, lambda words: _DAYS.fullmatch(words.strip()) is not None)


@pytest.mark.parametrize(
    ("text", "kind", "about", "day"),
    [
        ("delete my reminders", "reminder", "", ""),
        ("cancel all my alarms", "reminder", "", ""),
        ("get rid of all my reminders", "reminder", "", ""),
        ("turn off all my reminders", "reminder", "", ""),
        ("clear my list", "task", "", ""),
        ("empty my to-do list", "task", "", ""),
        ("remove all my tasks", "task", "", ""),
        ("delete every task on my list", "task", "", ""),
        ("delete everything on my list", "task", "", ""),
        ("wipe my calendar for tomorrow", "event", "", "tomorrow"),
        ("drop all my appointments tomorrow", "event", "", "tomorrow"),
        ("wipe everything from my calendar", "event", "", ""),
        ("clear my calendar on Monday", "event", "", "Monday"),
        ("delete all notes", "note", "", ""),
        ("delete all my notes about the move", "note", "move", ""),
        ("cancel my reminders about the car on Friday", "reminder", "car", "Friday"),
    ],
)
def test_all_of_a_kind(text: str, kind: Kind, about: str, day: str) -> None:
    assert read(text) == Clearing(kinds=(kind,), about=about, day=day, every=True)


@pytest.mark.parametrize(
    ("text", "kind", "about"),
    [
        ("delete the reminder about the bins", "reminder", "bins"),
        ("cancel my reminder to call mum", "reminder", "call mum"),
        ("remove the task buy milk", "task", "buy milk"),
        ("take buy milk off my list", "task", "buy milk"),
        ("delete my note about the boiler", "note", "boiler"),
        ("cancel my dentist appointment", "event", "dentist"),
        ("cancel the lunch with Tom", "event", "lunch Tom"),
        ("call off our book club dinner", "event", "book club dinner"),
    ],
)
def test_one_by_its_words(text: str, kind: Kind, about: str) -> None:
    assert read(text) == Clearing(kinds=(kind,), about=about)


def test_everything_on_a_day_is_what_takes_place_then() -> None:
    assert read("cancel everything on Friday") == Clearing(kinds=("event", "reminder"), day="Friday", every=True)


@pytest.mark.parametrize(
    "text",
    [
        "how do I delete my reminders on an iPhone?",
        "clear my head with a joke",
        "cancel my gym membership letter, draft it",
        "delete all files in a folder with bash",
        "write a function that removes all tasks",
        "clear my list in Python",
        "remove the note of sarcasm from this sentence",
        "drop everything and tell me a joke",
        "cancel everything that is common in 12/18",
        "empty lists are falsy",
        "remove the dentist from my calendar",  # calendar.delete
        "my reminders are too loud",
        "delete it",
        "delete the session notes of the class",
        "cancel my gym membership",
    ],
)
def test_anything_else_is_left(text: str) -> None:
    assert read(text) is None
