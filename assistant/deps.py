"""What a conversation needs, handed in by the composition root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from importlib.resources import files
from tomllib import loads
from typing import TYPE_CHECKING, Any

from assistant.learning_switch import LearningSwitch
from assistant.policies.language import compile_language

if TYPE_CHECKING:
    from assistant.policies.compose import LocalTime
    from assistant.policies.language import Language
    from assistant.ports import Acting, ChatModel, Clock, LearningQueue, PreferenceStore, Recall, Reminding, Transcript
    from assistant.reading_calls import ActingPrompts
    from assistant.settings import AssistantSettings


def system_local_time(at: datetime) -> datetime:
    return at.astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuestion:
    """A closed question about a sentence, asked by example: pairs of a sentence and its label."""

    system: str
    examples: tuple[tuple[str, str], ...]
    controls: tuple[tuple[str, str], ...] = ()  # answers that are known, to see whether a model understands it at all


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningPrompts:
    """Questions about one sentence of the user's."""

    lasting: ShownQuestion
    direction: ShownQuestion
    topic: ShownQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The texts of assistant/prompts."""

    system: str
    learning: LearningPrompts | None = None  # None: nothing is learned in the background
    acting: ActingPrompts | None = None  # None: read when someone acts

    @classmethod
    def load(cls) -> Prompts:
        """Read from the installed package."""
        return cls(
            system=_prompt("system.txt"),
            learning=_learning(loads(_prompt("learning.toml"))),
        )


def _learning(table: Mapping[str, Any]) -> LearningPrompts:
    return LearningPrompts(
        lasting=_shown(table["lasting"]), direction=_shown(table["direction"]), topic=_shown(table["topic"])
    )


def _shown(row: Mapping[str, Any]) -> ShownQuestion:
    examples, controls = (
        tuple((text, label) for text, label in row.get(name, ())) for name in ("examples", "controls")
    )
    return ShownQuestion(system=row["system"], examples=examples, controls=controls)


def _prompt(name: str) -> str:
    return (files("assistant") / "prompts" / name).read_text(encoding="utf-8")


def load_language(code: str = "en") -> Language:
    """The table of a language, from the installed package. Blocks for some milliseconds. Raises ValueError."""
    return compile_language(loads((files("assistant") / "languages" / f"{code}.toml").read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Deps:
    transcript: Transcript
    model: ChatModel
    clock: Clock
    settings: AssistantSettings
    prompts: Prompts
    local_time: LocalTime = system_local_time  # for the date beside a message that speaks of time
    preferences: PreferenceStore | None = None  # None: nothing is remembered or recalled
    language: Language | None = None  # how the user is read; needed with `preferences`
    learning: LearningQueue | None = None  # None: nothing is learned in the background
    switch: LearningSwitch = field(default_factory=LearningSwitch)  # what may be learned at all
    ranking: Recall | None = None  # None: by words and domains
    reminding: Reminding | None = None  # None: the model is asked, whatever is said
    acting: Acting | None = None  # None: nothing is ever done or looked up
    reraise_bugs: bool = False  # tests: an unknown exception is raised again after the turn has ended
