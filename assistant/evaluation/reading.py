"""Public benchmarks, read from files the user gives: JSON in, frozen cases out. Nothing is fetched.

LoCoMo (Maharana et al. 2024), PrefEval (Zhao et al. 2025), MemoryCode (Rakotonirina et al. 2025) and the user
profiles of MultiSessionCollab (Mehri et al. 2026), in the shapes of their public repositories.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError

from assistant.errors import DataUnreadable
from assistant.evaluation.fixtures import Applies
from assistant.evaluation.merging import Chain, Step
from memory.preferences import Domain

Format = Literal["locomo", "prefeval", "memorycode", "multisessioncollab"]
FORMATS: tuple[Format, ...] = get_args(Format)

T = TypeVar("T")

# Topics of PrefEval as our domains.
TOPICS: Mapping[str, Domain] = {
    "education_learning_styles": "learning",
    "education_resources": "learning",
    "entertain_games": "games",
    "entertain_music_book": "music",
    "entertain_shows": "screen",
    "entertain_sports": "sports",
    "lifestyle_beauty": "beauty",
    "lifestyle_dietary": "food",
    "lifestyle_fit": "fitness",
    "lifestyle_health": "health",
    "pet_ownership": "pets",
    "professional_work_location_style": "work",
    "shop_fashion": "fashion",
    "shop_home": "home",
    "shop_motors": "vehicles",
    "shop_technology": "technology",
    "travel_activities": "travel",
    "travel_hotel": "lodging",
    "travel_restaurant": "food",
    "travel_transportation": "transport",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said in a conversation of LoCoMo; `id` such as "D3:11", `session` its number."""

    id: str
    session: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    question: str
    evidence: frozenset[str]  # ids of turns
    category: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    turns: tuple[Turn, ...]
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A simulated user of MultiSessionCollab: who they are, and how they want answers, in sentences."""

    persona: str
    preferences: tuple[str, ...]


class _Question(BaseModel):
    question: str
    evidence: list[str] = []
    category: int = 0


class _Sample(BaseModel):
    qa: list[_Question]
    conversation: dict[str, Any]


class _Said(BaseModel):
    speaker: str
    dia_id: str
    text: str = ""
    blip_caption: str = ""


class _Preference(BaseModel):
    preference: str
    question: str


class _Session(BaseModel):
    history_regex: list[Any] | None = None
    cumulative_regex: list[Any] | None = None  # the name in the first release


class _Dialogue(BaseModel):
    sessions: list[_Session]


class _Profile(BaseModel):
    persona: str = ""
    preferences: list[str]


def read_locomo(path: Path) -> tuple[Talk, ...]:
    """locomo10.json, or the folder it is in. Questions without evidence in the conversation are left out."""
    samples = _read(path / "locomo10.json" if path.is_dir() else path, TypeAdapter(list[_Sample]))
    return tuple(_talk(sample) for sample in samples)


def _talk(sample: _Sample) -> Talk:
    turns: list[Turn] = []
    for name, said in sample.conversation.items():
        number = name.removeprefix("session_")
        if number.isdecimal() and isinstance(said, list):
            turns += [_turn(_Said.model_validate(one), int(number)) for one in said]
    known = {turn.id for turn in turns}
    asked = (
        Asked(question=one.question, evidence=frozenset(_ids(one.evidence)) & known, category=one.category)
        for one in sample.qa
    )
    turns.sort(key=lambda turn: turn.session)
    return Talk(turns=tuple(turns), asked=tuple(one for one in asked if one.evidence))


def _turn(said: _Said, session: int) -> Turn:
    caption = f" [{said.blip_caption}]" if said.blip_caption else ""
    return Turn(id=said.dia_id, session=session, text=f"{said.speaker}: {said.text}{caption}")


def _ids(evidence: list[str]) -> Iterator[str]:
    """Some entries name several turns in one text."""
    for entry in evidence:
        yield from entry.replace(";", " ").replace(",", " ").split()


def read_prefeval(path: Path) -> tuple[Applies, ...]:
    """The folder explicit_preference, or one of its files."""
    found: list[Applies] = []
    for file in sorted(path.glob("*.json")) if path.is_dir() else (path,):
        domain = TOPICS.get(file.stem, "other")
        found += [
            Applies(domain=domain, polarity=0, preference=one.preference, question=one.question)
            for one in _read(file, TypeAdapter(list[_Preference]))
        ]
    return _some(tuple(found), path)


def read_memorycode(path: Path) -> tuple[Chain, ...]:
    """The folder of dialogues, or one of them. The sets after each session tell what was added and what ended."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return _some(tuple(_chain(file.stem, _read(file, TypeAdapter(_Dialogue))) for file in files), path)


def _chain(name: str, dialogue: _Dialogue) -> Chain:
    now: frozenset[str] = frozenset()
    steps: list[Step] = []
    after: list[frozenset[tuple[str, str, int]]] = []
    for session in dialogue.sessions:
        listed = session.history_regex if session.history_regex is not None else session.cumulative_regex or []
        then = frozenset(json.dumps(one) for one in listed)
        for gone in sorted(now - then):
            steps.append(Step(slot=_CODE, object=gone, say="over"))
            now -= {gone}
            after.append(_set(now))
        for new in sorted(then - now):
            steps.append(Step(slot=_CODE, object=new))
            now |= {new}
            after.append(_set(now))
    return Chain(name=name, steps=tuple(steps), after=tuple(after))


_CODE = "programming.style"


def _set(objects: frozenset[str]) -> frozenset[tuple[str, str, int]]:
    return frozenset((_CODE, one, 1) for one in objects)


def read_profiles(path: Path) -> tuple[Profile, ...]:
    """user_profiles.json of MultiSessionCollab, or the folder it is in."""
    file = path / "user_profiles.json" if path.is_dir() else path
    profiles = _read(file, TypeAdapter(list[_Profile]))
    return tuple(Profile(persona=one.persona, preferences=tuple(one.preferences)) for one in profiles)


def _read(path: Path, shape: TypeAdapter[T]) -> T:
    try:
        return shape.validate_json(path.read_bytes())
    except OSError as error:
        raise DataUnreadable(f"{path} cannot be read: {error.strerror}.", "Give the file or its folder.") from error
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "the beginning"
        raise DataUnreadable(
            f"{path} does not have the shape of this benchmark: {error.errors()[0]['msg']} at {where}.",
            f"Check --format; known are {', '.join(FORMATS)}.",
        ) from error


def _some(found: tuple[T, ...], path: Path) -> tuple[T, ...]:
    if not found:
        raise DataUnreadable(f"There is nothing to measure in {path}.", "Give the file or its folder.")
    return found
