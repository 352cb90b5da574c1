"""/calendar, /tasks, /notes and /documents, typed in the full screen or in line mode: the same words, the same answers.

A number means that line of the last list of its kind. What is asked back goes through `ask`, which each mode has.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.documents.library import Library
from assistant.documents.types import Progress
from assistant.policies.cleaning import clean
from assistant.receipts import ItemReceipt
from ui.document_acts import on_documents
from ui.document_lines import document_line, hit_lines
from ui.errors import UiError
from ui.item_acts import ItemHands
from ui.item_lines import day_parts, grouped_tasks, hit_words, import_lines, note_rows
from ui.reminder_acts import Question

MOST = 200
Ask = Callable[[Question], Awaitable[int]]  # the number of the reading, from 1; raises UiError for none
USES = {
    "calendar": "nothing, a day, add TEXT, import FILE, export FILE, delete NUMBER, undo",
    "tasks": "nothing, all done, add TEXT, done NUMBER, edit NUMBER TEXT, delete NUMBER, undo",
    "notes": "nothing, add TEXT, show NUMBER, search WORDS, edit NUMBER TEXT, delete NUMBER, undo",
    "documents": "nothing, add PATH, search TEXT, remove NUMBER",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """`lines`: what to show. `receipt`: it is one line that says what was done."""

    lines: tuple[str, ...]
    receipt: bool = False


@dataclass(slots=True)
class ItemCommands:
    hands: ItemHands
    library: Library
    ask: Ask
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)  # ids in the order they were last shown
    progress: Callable[[Progress], None] = lambda _: None

    async def run(self, name: str, argument: str) -> Said:
        """Raises UiError, StoreError, AssistantError."""
        first, _, rest = argument.strip().partition(" ")
        if first.lower() == "list":
            return await self._plainly(name, rest.strip())
        act = getattr(self, f"_{name}_{first.lower()}", None) if first.isalpha() else None
        if act is None:
            return await self._plainly(name, argument.strip())
        said: Said = await act(rest.strip())
        return said

    async def _plainly(self, name: str, argument: str) -> Said:
        match name:
            case "calendar":
                return await self._calendar_list(argument)
            case "tasks" if argument in ("", "all done"):
                return await self._tasks_list(done=bool(argument))
            case "notes" if not argument:
                return await self._notes_list()
            case "documents" if not argument:
                return await self._documents_list()
        raise UiError(f"/{name} knows no {argument.split()[0]!r}.", f"It takes {USES[name]}.")

    # the calendar

    async def _calendar_list(self, day: str) -> Said:
        span = await self.hands.span(day, day)
        found = await self.hands.happenings(span)
        lines: list[str] = []
        ids: list[str] = []
        for name, rows in day_parts(found, self.hands.here, self.hands.now):
            lines.append(f"{name}:")
            for one, words in rows:
                ids.append(one.event.id)
                lines.append(f"{len(ids)}. {words}")
        self.listed["calendar"] = tuple(ids)
        return Said(lines=tuple(lines) or ("Nothing then. /calendar add dentist on Friday at 10 for an hour",))

    async def _calendar_add(self, text: str) -> Said:
        read = await self.hands.read_event(text)
        number = await self.ask(read) if isinstance(read, Question) else 0
        return _done(await self.hands.add_event(read, number))

    async def _calendar_import(self, file: str) -> Said:
        path = await asyncio.to_thread(lambda: str(Path(file).expanduser()))
        report = await self.hands.import_events(path)
        return Said(lines=tuple(import_lines(report, path.rpartition("/")[2])))

    async def _calendar_export(self, file: str) -> Said:
        if not file:
            raise UiError("To which file?", "/calendar export ~/calendar.ics")
        events = await self.hands.calendar.every()

        def write() -> None:
            from assistant.calendar.ics_writing import as_calendar
            from ui.commands.reminders import write_private

            write_private(Path(file).expanduser(), as_calendar(events, self.hands.now))

        await asyncio.to_thread(write)
        return Said(lines=(f"{len(events)} events are written to {clean(file)}.",), receipt=True)

    async def _calendar_delete(self, wanted: str) -> Said:
        return _done(await self.hands.calendar.delete(self._which("calendar", wanted)))

    async def _calendar_undo(self, _: str) -> Said:
        return _done(await self.hands.calendar.undo())

    # tasks

    async def _tasks_list(self, *, done: bool = False) -> Said:
        tasks = await self.hands.tasks.store.tasks(done=done, limit=MOST)
        lines, ids = grouped_tasks(tasks, self.hands.tasks.today)
        self.listed["tasks"] = ids
        return Said(lines=lines or ("No tasks. /tasks add renew the passport by Friday",))

    async def _tasks_add(self, text: str) -> Said:
        if not text:
            raise UiError("What is to be done?", "/tasks add renew the passport by Friday")
        read = await self.hands.read_task(text)
        number = await self.ask(read) if isinstance(read, Question) else 0
        return _done(await self.hands.add_task(text, read, number))

    async def _tasks_done(self, wanted: str) -> Said:
        return _done(await self.hands.tasks.done(self._which("tasks", wanted)))

    async def _tasks_edit(self, argument: str) -> Said:
        wanted, _, text = argument.partition(" ")
        if not text.strip():
            raise UiError("Say which and what.", "/tasks edit 2 tomorrow")
        return _done(await self.hands.edit_task(self._which("tasks", wanted), text))

    async def _tasks_delete(self, wanted: str) -> Said:
        return _done(await self.hands.tasks.delete(self._which("tasks", wanted)))

    async def _tasks_undo(self, _: str) -> Said:
        return _done(await self.hands.tasks.undo())

    # notes

    async def _notes_list(self) -> Said:
        notes = await self.hands.notes.store.notes(limit=MOST)
        self.listed["notes"] = tuple(note.id for note in notes)
        return Said(lines=note_rows(notes) or ("No notes. /notes add The spare key is at Tom's.",))

    async def _notes_add(self, text: str) -> Said:
        return _done(await self.hands.notes.add(text))

    async def _notes_show(self, wanted: str) -> Said:
        note = await self.hands.notes.find(self._which("notes", wanted))
        return Said(lines=(note.title, *note.text.split("\n")))

    async def _notes_search(self, words: str) -> Said:
        hits = await self.hands.notes.search(words, limit=20)
        self.listed["notes"] = tuple(hit.item.id for hit in hits)
        lines = [f"{number}. {hit_words(hit)}" for number, hit in enumerate(hits, start=1)]
        return Said(lines=tuple(lines) or ("Nothing found.",))

    async def _notes_edit(self, argument: str) -> Said:
        wanted, _, text = argument.partition(" ")
        if not text.strip():
            raise UiError("Say which and what.", "/notes edit 2 It is at Ann's.")
        return _done(await self.hands.notes.edit(self._which("notes", wanted), text))

    async def _notes_delete(self, wanted: str) -> Said:
        return _done(await self.hands.notes.delete(self._which("notes", wanted)))

    async def _notes_undo(self, _: str) -> Said:
        return _done(await self.hands.notes.undo())

    # documents

    async def _documents_list(self) -> Said:
        found = await self.library.store.documents(limit=MOST)
        self.listed["documents"] = tuple(one.id for one in found)
        lines = [f"{number}. {document_line(one)}" for number, one in enumerate(found, start=1)]
        return Said(lines=tuple(lines) or ("No documents. /documents add ~/contracts",))

    async def _documents_add(self, path: str) -> Said:
        if not path:
            raise UiError("Which file or folder?", "/documents add ~/contracts")
        return Said(lines=(await on_documents(self.library, "add_documents", path, self.progress)).lines)

    async def _documents_search(self, text: str) -> Said:
        if not text:
            raise UiError("What is looked for?", "/documents search how much is the deposit")
        hits = await self.library.search(text, limit=5)
        return Said(lines=tuple(hit_lines(hits)) or ("No document says anything about that.",))

    async def _documents_remove(self, wanted: str) -> Said:
        found = await self.library.remove(self._which("documents", wanted))
        names = ", ".join(one.name for one in found[:5]) + (" ..." if len(found) > 5 else "")
        return Said(lines=(f"Removed: {names}. The files themselves were not touched.",), receipt=True)

    def _which(self, name: str, wanted: str) -> str:
        """The id that a number of the last list, or an id, means. Raises UiError."""
        if not wanted:
            raise UiError("Which one?", f"/{name} shows them with numbers.")
        if not wanted.isdecimal() or len(wanted) > 4:
            return wanted
        listed = self.listed.get(name, ())
        if not 1 <= int(wanted) <= len(listed):
            raise UiError(f"There is no number {wanted} in the last list.", f"/{name} shows it.")
        return listed[int(wanted) - 1]


def _done(receipt: ItemReceipt) -> Said:
    return Said(lines=(receipt.words, *receipt.notes), receipt=True)
