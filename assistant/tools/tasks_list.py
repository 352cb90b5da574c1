"""tasks.list: what the user has to do."""

import re
from typing import Final

from pydantic import Field

from assistant.receipts import ItemActs
from assistant.task_list import grouped, task_words
from assistant.tools.own import OwnTool, asked_for, source_of
from assistant.tools.types import CallContext, EffectKey, Outcome, Preview, Reading, ToolArguments, ToolName

_ASKED: Final = re.compile(
    r"^(?:what(?:'s| is| are)?|show(?: me)?|list|read(?: me)?|do i have)\b.*\b(?:my |the |open )?(?:ta"
    r"sks?|to-?dos?|to-?do\s*list)\b"
    r"|^what do i (?:have|need) to do(?: today)?$|^what is due(?: today)?$|^what's due(?: today)?$",
    re.IGNORECASE,
)
MOST: Final = 50


class TasksListArguments(ToolArguments):
    due_only: bool = Field(default=False, description="Only what is due today or overdue")


class TasksList(OwnTool):
    name = ToolName("tasks.list")
    summary = "Look up the user's open tasks"
    effect = "read"
    arguments = TasksListArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.tasks(context)

    def read(self, text: str, context: CallContext) -> Reading[TasksListArguments] | None:
        said = asked_for(text)
        if not _ASKED.match(said):
            return None
        due = re.search(r"\b(?:due|today|overdue)\b", said, re.IGNORECASE) is not None
        return Reading(arguments=TasksListArguments(due_only=due), sure=True)

    async def preview(self, arguments: TasksListArguments, context: CallContext) -> Preview:
        return Preview(summary="Look at the tasks")

    async def run(self, arguments: TasksListArguments, key: EffectKey, context: CallContext) -> Outcome:
        book = self.tasks(context)
        found = (await book.due() if arguments.due_only else await book.store.tasks())[:MOST]
        if not found:
            return Outcome(
                text="No task is due today." if arguments.due_only else "There are no open tasks.", final=True
            )
        parts = [
            f"{name}:\n" + "\n".join(f"- {task_words(task, book.today)}" for task in tasks)
            for name, tasks in grouped(found, book.today)
        ]
        return Outcome(text="\n\n".join(parts), sources=tuple(source_of(task, "task") for task in found), final=True)
