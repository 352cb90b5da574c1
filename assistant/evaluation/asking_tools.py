"""Tools of the evaluation: they do nothing but note what they were asked to do."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, create_model

from assistant.errors import ToolError
from assistant.evaluation.asking_tasks import Task, ToolSpec
from assistant.policies.asking.grounded import words_of
from assistant.tools.types import (
    CallContext,
    Choice,
    Effect,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    Source,
    ToolArguments,
    ToolName,
)


class NotingTool:
    """Any field that is empty is a gap; of what it can name, where that is known, the fitting things are offered."""

    repeatable = True

    def __init__(self, spec: ToolSpec, known: Mapping[str, Sequence[str]]) -> None:
        self.name = ToolName(spec.name)
        self.summary = spec.summary
        self.effect: Effect = spec.effect
        self.arguments: type[ToolArguments] = arguments_of(spec)
        self._words = re.compile(spec.words, re.IGNORECASE)
        self._known = known
        self.ran: list[dict[str, str | None]] = []

    def read(self, text: str, context: CallContext) -> Reading[Any] | None:
        return Reading(arguments=None, sure=True) if self._words.search(text) else None

    async def preview(self, arguments: Any, context: CallContext) -> Preview:
        values: dict[str, str | None] = arguments.model_dump()
        gaps = tuple(gap for name, value in values.items() if (gap := self._gap(name, value)) is not None)
        said = ", ".join(f"{name}: {value}" for name, value in values.items() if value)
        undo = "any time" if self.effect in ("undoable", "soft") else ""
        lines = tuple(f"{name}: {value}" for name, value in values.items() if value)
        return Preview(
            summary=f"{self.summary} ({said})",
            lines=lines,
            gaps=gaps,
            undo=undo,
            amount=values.get("amount") or "",
        )

    def _gap(self, name: str, value: str | None) -> Gap | None:
        options = self._known.get(name, ())
        if value and (not options or any(words_of(one) == words_of(value) for one in options)):
            return None
        fitting = [one for one in options if value and words_of(value) & words_of(one)] or list(options)
        source = Source(kind="file", label="what there is") if fitting else None
        choices = tuple(Choice(id=one, label=one) for one in fitting)
        return Gap(argument=name, question=f"Which {name}?", choices=choices, found_in=source)

    async def run(self, arguments: Any, key: EffectKey, context: CallContext) -> Outcome:
        self.ran.append(arguments.model_dump())
        return Outcome(
            text="done", changed=(self.summary,), undo_token=key if self.effect in ("undoable", "soft") else ""
        )

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")


class TableTool:
    """Finds the table of a task, whatever is asked."""

    name = ToolName("look")
    summary = "Look at what there is"
    effect: Effect = "read"
    arguments: type[ToolArguments] = ToolArguments
    repeatable = True

    def __init__(self, table: str) -> None:
        self._table = table

    def read(self, text: str, context: CallContext) -> Reading[Any] | None:
        return Reading(arguments=ToolArguments(), sure=True)

    async def preview(self, arguments: Any, context: CallContext) -> Preview:
        return Preview(summary=self.summary)

    async def run(self, arguments: Any, key: EffectKey, context: CallContext) -> Outcome:
        return Outcome(text=self._table.strip(), untrusted=True)

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")


def arguments_of(spec: ToolSpec) -> type[ToolArguments]:
    fields: dict[str, Any] = {
        name: (str | None, Field(default=None, description=description)) for name, description in spec.fields.items()
    }
    return create_model(f"{spec.name.capitalize()}Arguments", __base__=ToolArguments, **fields)


def tools_for(task: Task, specs: Sequence[ToolSpec]) -> list[Any]:
    """All tools are there for every task; what a task knows is known to its own."""
    if task.table:
        return [TableTool(task.table)]
    own = task.tool.name if task.tool is not None else ""
    return [NotingTool(spec, task.known if spec.name == own else {}) for spec in specs]


def same(value: str | None, wanted: str) -> bool:
    """As the user wants it, in whatever small words."""
    return bool(value) and words_of(value or "") == words_of(wanted)
