"""Reads when and how often a simulated user wants to hear something from their words. Pure; for the evaluation only.

A stand-in for a hand reading: parts of the day become hours, "two to three times a day" the higher number.
"""

import re
from typing import Any, Final

_PARTS: Final = (
    ("early morning", 6.5, 8.5), ("late morning", 10.0, 12.0), ("mid-morning", 9.5, 11.0), ("morning", 7.5, 9.5),
    ("early afternoon", 13.0, 15.0), ("late afternoon", 16.0, 18.0), ("mid-afternoon", 14.0, 16.0),
    ("afternoon", 14.0, 16.5), ("early evening", 17.0, 19.0), ("late evening", 20.5, 22.0), ("evening", 18.0, 20.0),
    ("lunch", 12.0, 13.5), ("midday", 12.0, 13.5), ("noon", 12.0, 13.0), ("breakfast", 7.0, 8.5),
    ("dinner", 18.0, 19.5), ("bed", 20.5, 22.0), ("night", 20.5, 22.0),
)  # fmt: skip
_AVOIDS: Final = re.compile(
    r"\b(?:not|avoid|don't|dislike|never|rather than|except|disrupt|interrupt)\b", re.IGNORECASE
)
_NUMBERS: Final = {"once": 1, "one": 1, "twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_COUNT: Final = r"(\d+|once|twice|one|two|three|four|five|six|seven)"
_RANGE: Final = re.compile(
    rf"{_COUNT}(?:(?: to |-|–| or ){_COUNT})?(?: \w+){{0,2}}? (?:times |suggestions |recommendations )?"
    r"(?:a|per|each|every|throughout the) day|"
    rf"{_COUNT}(?:(?: to |-|–| or ){_COUNT})? (?:times|suggestions|recommendations)",
    re.IGNORECASE,
)
_APART: Final = re.compile(rf"every {_COUNT}(?:(?: to |-|–| or ){_COUNT})? hours?", re.IGNORECASE)


def read_rules(timing: str, frequency: str) -> dict[str, Any]:
    """wake, sleep, windows, max_per_day, min_gap_h; usual ones for what the words do not say."""
    windows: list[tuple[float, float]] = []
    for sentence in re.split(r"(?<=[.!?;])\s+", timing):
        welcome = _AVOIDS.split(sentence)[0].lower()
        for part, start, stop in _PARTS:
            if part in welcome:
                windows.append((start, stop))
                welcome = welcome.replace(part, " ")
    merged = _merged(windows) or [(9.0, 11.0), (17.0, 19.0)]
    most = _most(frequency)
    return {
        "wake": min(7.0, merged[0][0]),
        "sleep": max(22.5, merged[-1][1]),
        "windows": merged,
        "max_per_day": most,
        "min_gap_h": _apart(frequency) or max(2.0, min(4.0, 12.0 / most)),
    }


def _merged(windows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for start, stop in sorted(windows):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], stop))
        else:
            found.append((start, stop))
    return found


def _most(frequency: str) -> int:
    match = _RANGE.search(frequency)
    numbers = [_number(word) for word in match.groups() if word] if match else []
    return max(1, min(6, max(numbers))) if numbers else 3


def _apart(frequency: str) -> float:
    match = _APART.search(frequency)
    return float(_number(match[1])) if match else 0.0


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]
