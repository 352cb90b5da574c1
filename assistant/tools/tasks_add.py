"""tasks.add: something to be done, with its day if one was said."""

import re
from datetime import date
from typing import Final

from pydantic import Field

from assistant.errors import ToolError
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Ambiguous, Options, Refused, Understood
from assistant.policies.when.zones import to_local
from assistant.receipts import ItemActs
from assistant.task_list import split_project, task_words
from assistant.tools.own import UNDO, OwnTool, asked_for, carried_out, kept
from assistant.tools.types import (
    CallContext,
    Choice,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)
from memory.items import ItemId, Task

_ASKED: Final = re.compile(
    r"^(?:add|create|make|new|write down)\s+(?:(?:an?|another)\s+)?(?:new\s+)?(?:task|to-?do)(?:\s+(?:"
    r"to|for))?\s*[:,]?\s+(?P<what>.+)$"
    r"|^(?:add|put|write)\s+(?P<put>.+?)\s+(?:to|on|onto|in)\s+(?:my|the|our)\s+(?:to-?do\s*list|task"
    r"s?(?:\s+list)?|to-?dos?)"
    r"(?P<when>\s+.+)?$",
    re.IGNORECASE,
)


class TasksAddArguments(ToolArguments):
    task: str | None = Field(
        max_length=500, description="What is to be done, with its day if one was said, in the user's words"
    )


class TasksAdd(OwnTool):
    name = ToolName("tasks.add")
    summary = "Add a task to the user's list"
    arguments = TasksAddArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.tasks(context)

    def read(self, text: str, context: CallContext) -> Reading[TasksAddArguments] | None:
        found = _ASKED.match(asked_for(text))
        if found is None:
            return None
        words = found["what"] or f"{found['put']}{found['when'] or ''}"
        return Reading(arguments=TasksAddArguments(task=words), sure=True)

    async def preview(self, arguments: TasksAddArguments, context: CallContext) -> Preview:
        if not arguments.task:
            gap = Gap(argument="task", question="What is to be done?")
            return Preview(summary="Add a task", gaps=(gap,), undo=UNDO)
        title, due, unclear = _understood(arguments.task, context)
        if unclear is not None:
            return Preview(summary="Add a task", gaps=(unclear,), undo=UNDO)
        name, project = split_project(title)
        task = Task(id=ItemId("new"), title=name, due=due, project=project, created_at=context.now)
        words = task_words(task, self.tasks(context).today)
        return Preview(summary=f"Add the task: {words}", lines=(words,), undo=UNDO)

    async def run(self, arguments: TasksAddArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        title, due, unclear = _understood(arguments.task or "", context)
        if unclear is not None or not title.strip():
            raise ToolError("What is to be done, and when, is not clear.", "Say it in other words.")
        return carried_out(await self.tasks(context).add(title, due=due, request=f"{self.name}:{key}"))


def _understood(text: str, context: CallContext) -> tuple[str, date | None, Gap | None]:
    """The title, the day, and what has to be asked. Words that only sound like a time are part of the title.
    Raises ToolError."""
    outcome = parse(text, Options(now=context.now, zone=context.zone))
    if isinstance(outcome, Refused):
        raise ToolError(outcome.reason, "Say another day.")
    if isinstance(outcome, Ambiguous) and len(outcome.readings) > 1:
        days = [to_local(one.due, context.zone).date() for one in outcome.readings]
        if len(set(days)) > 1:
            picks = tuple(
                Choice(id=f"{outcome.title} on {day}", label=f"{day:%a} {day.day} {day:%b %Y}") for day in days
            )
            return "", None, Gap(argument="task", question=outcome.question, choices=picks)
        return outcome.title, days[0], None
    if isinstance(outcome, Understood) and outcome.reading.kind != "recurrence" and outcome.title.strip():
        return outcome.title, to_local(outcome.reading.due, outcome.reading.zone).date(), None
    return text, None, None
