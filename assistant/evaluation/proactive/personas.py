"""The simulated users: 32 of our own, or those of ProPerSim (arXiv 2509.21730) with a reading of their words.

A persona says when messages are welcome, how many a day and how far apart; three of six topics are liked. Hours may run
past 24: the small hours of the next day.
"""

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assistant.errors import DataUnreadable
from assistant.evaluation.proactive.words import read_rules

TOPICS = ("fitness", "food", "work", "learning", "people", "home")


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """`windows`, `wake`, `sleep`: hours of the day. `gap`: hours."""

    id: int
    wake: float
    sleep: float
    windows: tuple[tuple[float, float], ...]
    most: int
    gap: float
    liked: frozenset[str]


def own_personas() -> tuple[Persona, ...]:
    """Read from the installed package."""
    text = (files("assistant.evaluation") / "data" / "proactive_personas.json").read_text(encoding="utf-8")
    return tuple(
        Persona(
            id=each["id"],
            wake=each["wake"],
            sleep=each["sleep"],
            windows=tuple((start, stop) for start, stop in each["windows"]),
            most=each["most"],
            gap=each["gap_h"],
            liked=frozenset(each["liked"]),
        )
        for each in json.loads(text)
    )


def read_personas(path: Path) -> tuple[Persona, ...]:
    """ProPerSim's personas: a file, or a folder with `personas*.json` and perhaps `rules*.json` beside it (wake, sleep,
    windows, max_per_day, min_gap_h by id). Without rules the words of `criteria` are read. What they like is drawn from
    their number: their words name tastes, not our topics. Raises DataUnreadable."""
    folder = path if path.is_dir() else path.parent
    words = sorted(folder.glob("personas*.json")) if path.is_dir() else [path]
    rules: dict[str, Any] = {}
    for each in sorted(folder.glob("rules*.json")):
        rules |= _json(each)
    found: dict[str, Any] = {}
    for each in words:
        found |= _json(each)
    if not found:
        raise DataUnreadable(f"There are no personas in {path}.", "Give the folder with personas_*.json of ProPerSim.")
    people = []
    for name, persona in sorted(found.items(), key=lambda pair: int(pair[0])):
        stated = rules.get(name) or read_rules(_criteria(persona, "Timing"), _criteria(persona, "Frequency"))
        people.append(_persona(int(name), stated))
    return tuple(people)


def _criteria(persona: Any, name: str) -> str:
    criteria = persona.get("criteria") if isinstance(persona, dict) else None
    return str(criteria.get(name, "")) if isinstance(criteria, dict) else ""


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, ValueError) as error:
        raise DataUnreadable(f"{path} cannot be read: {error}.", "Is it a file of ProPerSim?") from None
    if not isinstance(found, dict) or not all(re.fullmatch(r"\d+", name) for name in found):
        raise DataUnreadable(f"{path} is not a file of ProPerSim.", 'It holds one object: {"2": {...}, ...}.')
    return found


def _persona(id: int, stated: Mapping[str, Any]) -> Persona:
    try:
        return Persona(
            id=id,
            wake=float(stated["wake"]),
            sleep=float(stated["sleep"]),
            windows=tuple((float(start), float(stop)) for start, stop in stated["windows"]),
            most=int(stated["max_per_day"]),
            gap=float(stated["min_gap_h"]),
            liked=frozenset(random.Random(id).sample(TOPICS, 3)),
        )
    except (KeyError, TypeError, ValueError):
        raise DataUnreadable(
            f"The rules of persona {id} cannot be read.", "They need wake, sleep, windows, max_per_day and min_gap_h."
        ) from None
