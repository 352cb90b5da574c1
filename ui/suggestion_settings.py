"""What the user states about suggestions, read from words: "9-12, 15-18", "3", "2 hours", "work, health", "off". Pure.

Raises UiError that says what was expected."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import time, timedelta
from typing import Final

from assistant.policies.cleaning import clean_line
from assistant.policies.proactive.mask import HARD_CAP
from assistant.policies.proactive.topics import named_topic
from memory.suggestions import Hours, Settings
from ui.errors import UiError

NAMES: Final = ("on", "windows", "quiet", "most", "gap", "topics", "mute", "morning", "evening")
LABELS: Final = {
    "on": "Steward may speak first",
    "windows": "Good hours",
    "quiet": "Quiet hours",
    "most": "At most",
    "gap": "Between two",
    "topics": "Welcome topics",
    "mute": "Muted topics",
    "morning": "Morning digest",
    "evening": "Evening digest",
}
HINTS: Final = {
    "on": "on or off",
    "windows": '"9-12, 15-18", or "any" for any time outside the quiet hours',
    "quiet": '"22-8", or "none"',
    "most": f"a number from 1 to {HARD_CAP}",
    "gap": '"3 hours", "90 minutes"',
    "topics": '"work, health, travel", or "any"',
    "mute": '"fitness, money", or "none"',
    "morning": 'a time such as "9:00", or "off"',
    "evening": 'a time such as "18:30", or "off"',
}
PARTS_OF_DAY: Final = (
    ("Mornings, 9 to 12", "9-12"),
    ("Midday, 12 to 14", "12-14"),
    ("Afternoons, 14 to 18", "14-18"),
    ("Evenings, 18 to 21", "18-21"),
)
_NONE: Final = ("", "none", "no", "off", "any", "all", "never", "-")
_MOST_HOURS: Final = 6
_CLOCK: Final = re.compile(r"(\d{1,2})(?:[:.h](\d\d))?\s*(am|pm)?", re.IGNORECASE)


def changed(settings: Settings, name: str, text: str) -> Settings:
    """With the setting `name` (of NAMES) as the words say. Raises UiError."""
    words = clean_line(text, 300).strip().lower()
    change = _CHANGES.get(name)
    if change is None:
        raise UiError(f"There is no setting {clean_line(name, 40)!r}.", f"Settings: {', '.join(NAMES)}.")
    return change(settings, words)


def _bad(name: str, words: str) -> UiError:
    return UiError(f"{name}: {words!r} could not be read.", f"It takes {HINTS[name]}.")


def _on(settings: Settings, words: str) -> Settings:
    if words not in ("on", "yes", "y", "off", "no", "n"):
        raise _bad("on", words)
    return replace(settings, on=words in ("on", "yes", "y"), asked=True)


def _windows(settings: Settings, words: str) -> Settings:
    if words in _NONE:
        return replace(settings, windows=())
    found = tuple(_hours("windows", part) for part in re.split(r"\s*(?:,|;|\band\b)\s*", words) if part.strip())
    if not 0 < len(found) <= _MOST_HOURS:
        raise _bad("windows", words)
    return replace(settings, windows=tuple(sorted(found, key=lambda one: one.start)))


def _quiet(settings: Settings, words: str) -> Settings:
    return replace(settings, quiet=None if words in _NONE else _hours("quiet", words))


def _most(settings: Settings, words: str) -> Settings:
    match = re.fullmatch(r"(\d+)(?: a day)?", words)
    if match is None or not 1 <= int(match[1]) <= HARD_CAP:
        raise _bad("most", words)
    return replace(settings, most_a_day=int(match[1]))


def _gap(settings: Settings, words: str) -> Settings:
    match = re.fullmatch(r"(\d{1,3})\s*(?:(h|hours?)|(m|min|minutes?))?", words)
    if match is None or not int(match[1]):
        raise _bad("gap", words)
    span = timedelta(minutes=int(match[1])) if match[3] else timedelta(hours=int(match[1]))
    if span > timedelta(hours=24):
        raise _bad("gap", words)
    return replace(settings, gap=span)


def _topics(settings: Settings, words: str) -> Settings:
    found = _named("topics", words)
    return replace(settings, topics=found, muted=tuple(one for one in settings.muted if one not in found))


def _mute(settings: Settings, words: str) -> Settings:
    found = _named("mute", words)
    return replace(settings, muted=found, topics=tuple(one for one in settings.topics if one not in found))


def _named(name: str, words: str) -> tuple[str, ...]:
    if words in _NONE:
        return ()
    found: list[str] = []
    for part in re.split(r"\s*(?:,|;|\band\b)\s*", words):
        topic = named_topic(part)
        if not topic:
            raise UiError(f"{name}: no topic is known as {part!r}.", f"It takes {HINTS[name]}.")
        if topic not in found:
            found.append(topic)
    return tuple(found)


def _morning(settings: Settings, words: str) -> Settings:
    return replace(settings, morning=None if words in _NONE else _clock("morning", words))


def _evening(settings: Settings, words: str) -> Settings:
    return replace(settings, evening=None if words in _NONE else _clock("evening", words))


def _hours(name: str, words: str) -> Hours:
    first, dash, last = re.sub(r"\s+(?:to|until|till)\s+|\s*[-–]\s*", "-", words.strip()).partition("-")
    if not dash:
        raise _bad(name, words)
    start, stop = _clock(name, first), _clock(name, last)
    if start == stop:
        raise _bad(name, words)
    return Hours(start=start, stop=stop)


def _clock(name: str, words: str) -> time:
    match = _CLOCK.fullmatch(words.strip())
    if match is None:
        raise _bad(name, words)
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if half and not 1 <= hour <= 12:
        raise _bad(name, words)
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    hour = 0 if hour == 24 and not minute else hour
    if hour > 23 or minute > 59:
        raise _bad(name, words)
    return time(hour, minute)


_CHANGES: Final[dict[str, Callable[[Settings, str], Settings]]] = {
    "on": _on,
    "windows": _windows,
    "quiet": _quiet,
    "most": _most,
    "gap": _gap,
    "topics": _topics,
    "mute": _mute,
    "morning": _morning,
    "evening": _evening,
}
