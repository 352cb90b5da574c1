"""The tools of a home: one line a tool. A tool is imported with the first conversation, never for a quick command."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.tools.registry import Registry
    from assistant.tools.types import Tool
    from ui.wiring import Services

MOST_KNOWN = 20


def registry_of(services: "Services") -> "Registry":
    """Every tool that this run may use. Blocks for some milliseconds."""
    from assistant.tools.registry import Registry

    return Registry((*own_tools(services), *services.more_tools))


def own_tools(services: "Services") -> "list[Tool[Any]]":
    """Those that Steward brings."""
    from assistant.tools.arithmetic import Arithmetic
    from assistant.tools.calendar_add import CalendarAdd
    from assistant.tools.calendar_delete import CalendarDelete
    from assistant.tools.calendar_list import CalendarList
    from assistant.tools.clock import ClockNow
    from assistant.tools.documents_search import DocumentsSearch
    from assistant.tools.files_compare import FilesCompare
    from assistant.tools.files_read import FilesRead
    from assistant.tools.notes_add import NotesAdd
    from assistant.tools.notes_search import NotesSearch
    from assistant.tools.own_clear import OwnClear
    from assistant.tools.own_look import OwnLook
    from assistant.tools.reminders_add import RemindersAdd
    from assistant.tools.tasks_add import TasksAdd
    from assistant.tools.tasks_arrange import TasksArrange
    from assistant.tools.tasks_done import TasksDone
    from assistant.tools.tasks_list import TasksList
    from ui.item_wiring import library_of

    items, clock = services.items, services.clock
    roots = [root.strip() for root in services.configuration.assistant.roots.split(",") if root.strip()]
    return [
        Arithmetic(),
        CalendarAdd(items, clock),
        CalendarDelete(items, clock),
        CalendarList(items, clock),
        ClockNow(),
        DocumentsSearch(library_of(services)),
        FilesCompare(roots),
        FilesRead(roots),
        NotesAdd(items, clock),
        NotesSearch(items, clock),
        OwnClear(items, services.reminders, clock),
        OwnLook(items, services.reminders, clock, library_of(services), _known(services)),
        RemindersAdd(services.reminders, items, clock, services.configuration.reminders),
        TasksAdd(items, clock),
        TasksArrange(items, clock),
        TasksDone(items, clock),
        TasksList(items, clock),
    ]


def _known(services: "Services") -> Callable[[str], Awaitable[Sequence[str]]]:
    """What the user said that has words of a question."""

    async def known(question: str) -> Sequence[str]:
        hits = await services.preferences.search(question, limit=MOST_KNOWN)
        return tuple(hit.preference.statement for hit in hits)

    return known
