"""docs/events.md says what the events are: compared with the dataclasses and with what `ask --json` prints."""

import dataclasses
import re
from pathlib import Path
from types import UnionType
from typing import get_args

from assistant.events import LeftOut, TurnEnded, TurnEvent, TurnStage
from memory.types import MessageId, SessionId
from models.types import Failure, FailureKind, FinishReason
from ui.headless import event_as_json

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "events.md"


def tables() -> dict[str, list[list[str]]]:
    """The field names of every table, by the heading above it."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in DOCUMENT.read_text(encoding="utf-8").split("\n"):
        if line.startswith("### "):
            heading = line[4:]
            found[heading] = []
        elif line == "| field | |":
            found[heading].append([])
        elif (name := re.match(r"\| `(\w+)` \|", line)) and found.get(heading):
            found[heading][-1].append(name[1])
    return found


def names_of(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


def snake(kind: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def test_every_event_is_documented_with_its_fields() -> None:
    documented = tables()
    assert isinstance(TurnEvent, UnionType)
    kinds: tuple[type, ...] = get_args(TurnEvent)
    assert sorted(documented) == sorted(snake(kind) for kind in kinds)
    for kind in kinds:
        if kind is not TurnEnded:
            assert documented[snake(kind)][0] == names_of(kind), kind


def test_the_last_line_is_documented_as_it_is_printed() -> None:
    ended = TurnEnded(
        text="Hi.",
        finish_reason="stop",
        session_id=SessionId("s"),
        user_message_id=MessageId(1),
        reply_message_id=MessageId(2),
    )
    assert ["type", *tables()["turn_ended"][0]] == list(event_as_json(ended))


def test_nested_objects_are_documented() -> None:
    assert tables()["context_planned"][1] == names_of(LeftOut)
    assert tables()["turn_failed"][1] == names_of(Failure)


def test_closed_sets_are_documented_whole() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for value in (*get_args(FailureKind), *get_args(FinishReason), *get_args(TurnStage)):
        assert f"`{value}`" in text, value
