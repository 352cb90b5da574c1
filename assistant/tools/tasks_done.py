"""tasks.done: a task is finished; several that fit are asked."""

import re
from typing import Final

from pydantic import Field

from assistant.errors import ToolError
from assistant.receipts import ItemActs
from assistant.task_list import task_words
from assistant.tools.own import UNDO, OwnTool, asked_for, carried_out, choices, kept
from assistant.tools.types import CallContext, EffectKey, Gap, Outcome, Preview, Reading, ToolArguments, ToolName
from memory.items import Task
from memory.words import stems_of

_ASKED: Final = re.compile(
    r"^(?:mark|tick off|check off|tick|finish|complete)\s+(?:the\s+)?(?:task\s+|to-?do\s+)?(?P<what>"
    r".+?)(?:\s+(?:as\s+)?(?:done|finished|complete|off))?$",
    re.IGNORECASE,
)


class TasksDoneArguments(ToolArguments):
    task: str | None = Field(max_length=300, description="Which task, by its words, or its id")


class TasksDone(OwnTool):
    name = ToolName("tasks.done")
    summary = "Mark one of the user's tasks as done"
    arguments = TasksDoneArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.tasks(context)

    def read(self, text: str, context: CallContext) -> Reading[TasksDoneArguments] | None:
        said = asked_for(text)
        found = _ASKED.match(said)
        if found is None:
            return None
        named = re.search(r"\btask|\bto-?do|\bdone$|\boff\b", said, re.IGNORECASE) is not None
        return Reading(arguments=TasksDoneArguments(task=found["what"]), sure=named)

    async def preview(self, arguments: TasksDoneArguments, context: CallContext) -> Preview:
        found, today = await self._found(arguments.task or "", context), self.tasks(context).today
        if len(found) == 1:
            words = task_words(found[0], today)
            return Preview(summary=f"Mark as done: {words}", lines=(words,), undo=UNDO)
        question = "Which task is done?" if found else "Which task is done? None that is open fits."
        gap = Gap(argument="task", question=question, choices=choices(found, [task_words(one, today) for one in found]))
        return Preview(summary="Mark a task as done", gaps=(gap,), undo=UNDO)

    async def run(self, arguments: TasksDoneArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        found = await self._found(arguments.task or "", context)
        if len(found) != 1:
            raise ToolError("Which task is meant is not clear.", "Name it by its words.")
        return carried_out(await self.tasks(context).done(found[0].id, request=f"{self.name}:{key}"))

    async def _found(self, wanted: str, context: CallContext) -> tuple[Task, ...]:
        """By id, else those that share the most words."""
        open_ones = await self.tasks(context).store.tasks()
        exact = [task for task in open_ones if task.id == wanted.strip()]
        if exact:
            return tuple(exact)
        said = stems_of(wanted)
        scored = [(len(said & stems_of(task.title)), task) for task in open_ones]
        best = max((score for score, _ in scored), default=0)
        return tuple(task for score, task in scored if score == best and score > 0)
