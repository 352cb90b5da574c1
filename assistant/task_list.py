"""The user's tasks: what is to be done, by when, for which project."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from assistant.policies.cleaning import clean, clean_line
from assistant.policies.when.describe import day_in_words
from assistant.policies.when.zones import to_local
from assistant.receipts import ItemActs, ItemReceipt, named, new_id
from memory.errors import ChangeRefused, NotFound
from memory.items import Item, ItemId, Task

MOST_LETTERS = 300
MOST_TEXT = 20_000
_PROJECT = re.compile(r"(?:^|\s)[#+]([^\W\d_][\w-]{0,40})\s*$|(?:^|\s)project:([\w-]{1,40})\s*$")


class TaskList(ItemActs):
    kind = "task"

    @property
    def today(self) -> date:
        return to_local(self.now, self.here).date()

    async def add(
        self, what: str, *, due: date | None = None, project: str = "", text: str = "", request: str = ""
    ) -> ItemReceipt:
        """A project may stand at the end of `what`: "call the bank #money". Raises NotFound for a title of nothing."""
        title, tagged = split_project(clean_line(what, MOST_LETTERS))
        if not title:
            raise NotFound("What is to be done?", 'For example: steward tasks add "renew the passport by Friday"')
        task = Task(
            id=ItemId(new_id()),
            title=title,
            due=due,
            project=clean_line(project, 60) or tagged,
            text=clean(text)[:MOST_TEXT],
            created_at=self.now,
        )
        return await self.keep("add", (task,), f"Task: {task_words(task, self.today)}", request=request)

    async def done(self, wanted: str, *, request: str = "") -> ItemReceipt:
        def change(item: Item) -> tuple[Item, str]:
            task = _task(item)
            if task.done_at is not None:
                raise ChangeRefused(
                    f"{named(task)!r} is done already.", "steward tasks undo takes the last change back."
                )
            return replace(task, done_at=self.now), f"Done: {named(task)}"

        return await self.change(wanted, "done", change, request=request)

    async def edit(
        self, wanted: str, *, what: str = "", due: date | None = None, no_due: bool = False, project: str | None = None
    ) -> ItemReceipt:
        """What is not given stays."""

        def change(item: Item) -> tuple[Item, str]:
            task = _task(item)
            title, tagged = split_project(clean_line(what, MOST_LETTERS))
            after = replace(
                task,
                title=title or task.title,
                due=None if no_due else due or task.due,
                project=clean_line(project, 60) if project is not None else tagged or task.project,
            )
            return after, f"Changed: {task_words(after, self.today)}"

        return await self.change(wanted, "edit", change)

    async def due(self, days: int = 0) -> tuple[Task, ...]:
        """Open tasks due until `days` from today, overdue ones included."""
        last = self.today + timedelta(days=days)
        return tuple(task for task in await self.store.tasks() if task.due is not None and task.due <= last)


def split_project(title: str) -> tuple[str, str]:
    match = _PROJECT.search(title)
    if match is None or not title[: match.start()].strip():
        return title, ""
    return title[: match.start()].strip(), match[1] or match[2]


def task_words(task: Task, today: date) -> str:
    """ "renew the passport, due Fri 6 Mar 2026 (in 4 days), money"."""
    parts = [named(task)]
    if task.done_at is not None:
        parts.append("done")
    elif task.due is not None:
        parts.append(f"due {day_in_words(task.due)} ({away_words(task.due, today)})")
    if task.project:
        parts.append(f"#{clean_line(task.project, 60)}")
    return ", ".join(parts)


def away_words(due: date, today: date) -> str:
    days = (due - today).days
    if days in (-1, 0, 1):
        return {-1: "yesterday", 0: "today", 1: "tomorrow"}[days]
    return f"in {days} days" if days > 0 else f"{-days} days overdue"


def grouped(tasks: Sequence[Task], today: date) -> tuple[tuple[str, tuple[Task, ...]], ...]:
    """By what matters: overdue, today, the next seven days, later, without a day. Groups with nothing are left out."""
    groups: dict[str, list[Task]] = {
        "Overdue": [],
        "Today": [],
        "Next 7 days": [],
        "Later": [],
        "Some day": [],
        "Done": [],
    }
    for task in tasks:
        groups[_group(task, today)].append(task)
    return tuple((name, tuple(found)) for name, found in groups.items() if found)


def _group(task: Task, today: date) -> str:
    if task.done_at is not None:
        return "Done"
    if task.due is None:
        return "Some day"
    if task.due < today:
        return "Overdue"
    if task.due == today:
        return "Today"
    return "Next 7 days" if task.due <= today + timedelta(days=7) else "Later"


def _task(item: Item) -> Task:
    if not isinstance(item, Task) or item.state == "deleted":
        raise NotFound(f"There is no task {item.id!r}.", "`steward tasks list` shows those there are.")
    return item
