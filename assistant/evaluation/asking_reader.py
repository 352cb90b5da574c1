"""A model for the evaluation without a model: it reads perfectly what is there, and guesses nothing.

With it the numbers are those of the policy alone; with a real model those of the whole.
"""

import json
import re
from collections.abc import Sequence

from assistant.evaluation.asking_tasks import Task
from assistant.policies.asking.grounded import words_of
from models.types import ChoiceRequest, GenerationRequest

_KNOWN = re.compile(r"Known:\n(.*)\nMessage:", re.DOTALL)


class PerfectReader:
    """`filled` and `chosen` answer for models.scripted.ScriptedModel."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = {task.text.replace('"', "'").strip(): task for task in tasks}

    def filled(self, request: GenerationRequest) -> str:
        """The hidden values that stand in the message or in what is known."""
        form = request.messages[-1].content
        task = self._task(form)
        found = _KNOWN.search(form)
        there = words_of(task.text) | words_of(found[1] if found else "")
        names = list((request.json_schema or {}).get("properties", {}))
        values = {name: self._value(task, name, there) for name in names}
        return json.dumps(values)

    def _value(self, task: Task, name: str, there: frozenset[str]) -> str | None:
        wanted = task.hidden.get(name, "")
        if wanted and words_of(wanted) <= there:
            return wanted
        options = [one for one in task.known.get(name, ()) if words_of(one) & words_of(task.text)]
        shared = (
            sorted(frozenset.intersection(*(words_of(one) for one in options)) & words_of(task.text)) if options else []
        )
        return " ".join(shared) or None

    def chosen(self, request: ChoiceRequest) -> tuple[tuple[float, ...], ...]:
        """Which tool: the task's own, or only talk. Which of several things: each as likely as the next."""
        return tuple(self._shares(question.prompt, question.options) for question in request.questions)

    def _shares(self, prompt: str, options: tuple[str, ...]) -> tuple[float, ...]:
        task = self._task(prompt)
        wanted = "only talk" if task.tool is None else task.tool.summary
        if wanted not in options:
            return tuple(1 / len(options) for _ in options)
        rest = 0.1 / max(len(options) - 1, 1)
        return tuple(0.9 if option == wanted else rest for option in options)

    def _task(self, prompt: str) -> Task:
        fitting = [text for text in self._tasks if f'"{text}"' in prompt]
        return self._tasks[max(fitting, key=len)]
