"""The agenda: reminders, events and tasks by time: what waits, today, the next seven days, later.

Done, snooze, change, delete, undo; an event is deleted here and changed in /calendar.
"""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.receipts import ItemReceipt
from memory.errors import StoreError
from ui.agenda_rows import AgendaPart, AgendaRow, with_items
from ui.desk import Desk
from ui.errors import UiError
from ui.item_commands import hands_of
from ui.keys import bindings
from ui.lines import DIM, Look
from ui.local_zone import local_zone
from ui.reminder_acts import Question, Receipt
from ui.reminder_lines import Row, agenda
from ui.rendering import content, fitted
from ui.screens.dialog import OneLine
from ui.widgets.bars import Foot, Head

if TYPE_CHECKING:
    from ui.app import StewardApp

AHEAD = timedelta(days=14)  # events beyond are in /calendar
MOST = 1_000  # reminders on the screen; `steward reminders list` shows them all


_EMPTY_FOOT = ("Esc closes", "n new", "u undo")
_FOOT = ("Esc closes", "Enter done", "s snooze", "e change", "n new", "x delete", "u undo")
_NOTHING = (
    "Nothing comes. n makes a reminder. In the chat: “remind me to call mum on Sunday at 6pm”, “put the dentist in my "
    "calendar on Friday at 10”, “add a task: renew the passport”."
)


class RemindersScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("reminders"), Binding("escape", "leave", "Close", show=False)]
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._rows: tuple[AgendaRow | None, ...] = ()  # None: a heading
        self._undo_items = ""  # the kind that was changed last here; "" for a reminder

    def compose(self) -> ComposeResult:
        yield Head(id="reminders-head")
        yield OptionList(id="reminders-list", compact=True)
        yield Foot(id="reminders-foot")

    def on_mount(self) -> None:
        self._list.focus()
        self._foot()
        self._read()

    @property
    def _list(self) -> OptionList:
        return self.query_one("#reminders-list", OptionList)

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        await self._show()

    async def _show(self) -> None:
        store = self._desk.services.reminders
        try:
            found, waiting = await store.list(limit=MOST), await store.open_notices(limit=MOST)
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        now = self._desk.clock.now()
        here = await asyncio.to_thread(local_zone)
        hands = hands_of(self._desk.services, here)
        try:
            events = await hands.calendar.between(now, now + AHEAD)
            tasks = await hands.tasks.store.tasks(limit=MOST)
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        parts = await asyncio.to_thread(
            lambda: with_items(agenda(found, waiting, here, now), events[:MOST], tasks, here, now)
        )
        if self.query("#reminders-list"):
            self._put(parts)
            self._head(len(found), len(waiting), len(events), len(tasks))

    def _put(self, parts: tuple[AgendaPart, ...]) -> None:
        at, options = self._list.highlighted, self._list
        rows: list[AgendaRow | None] = []
        options.clear_options()
        for part in parts:
            options.add_option(Option(content(part.name, "bold $accent"), disabled=True))
            rows.append(None)
            for row in part.rows:
                tone = "$warning" if part.name == "Waiting for you" else ""
                options.add_option(Option(content(f"  {fitted(row.words, max(self.size.width - 6, 20))}", tone)))
                rows.append(row)
        self._rows = tuple(rows)
        self._foot()
        if rows:
            options.highlighted = min(max(at or 1, 1), len(rows) - 1)
        else:
            options.add_option(
                Option(
                    content(_NOTHING),
                    disabled=True,
                )
            )

    def _head(self, total: int, waiting: int, events: int, tasks: int) -> None:
        counted = (_many(total, "reminder"), f"{_many(events, 'event')} in two weeks", _many(tasks, "task"))
        runs = [(" Agenda", Look(bold=True))]
        runs += [(f"{' · ' if number else '  '}{words}", DIM) for number, words in enumerate(counted)]
        if waiting:
            runs.append((f"  {waiting} waiting for you", Look(tone="warning", bold=True)))
        self.query_one("#reminders-head", Head).show_runs(runs)

    def _foot(self) -> None:
        self.query_one("#reminders-foot", Foot).show_keys(_FOOT if self._rows else _EMPTY_FOOT)

    def _say(self, message: str, hint: str = "") -> None:
        self.query_one("#reminders-foot", Foot).say(message, hint)

    def _row(self) -> AgendaRow | None:
        at = self._list.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    def _chosen(self) -> Row | None:
        """The reminder that is marked; what else is marked says where it is changed."""
        row = self._row()
        if row is None or row.reminder is not None:
            return None if row is None else row.reminder
        self._say("That is an event: /calendar changes it." if row.event else "That is a task: /tasks changes it.")
        return None

    # what can be done

    def action_leave(self) -> None:
        self.dismiss(None)

    @work
    async def action_done(self) -> None:
        marked = self._row()
        if marked is not None and marked.task is not None:
            hands = hands_of(self._desk.services, await asyncio.to_thread(local_zone))
            await self._do_item("task", hands.tasks.done(marked.task.id))
            return
        if (row := self._chosen()) is not None:
            acts = await self.app.reminder_acts()
            await self._do(acts.done(row.reminder.id))

    @work
    async def action_snooze(self) -> None:
        if (row := self._chosen()) is None:
            return
        hint = 'Enter: the usual time. Or "an hour", "tomorrow at 9". Esc leaves it.'
        how_long = await self.app.push_screen_wait(OneLine("Snooze for", "", hint))
        if how_long is not None:
            acts = await self.app.reminder_acts()
            await self._do(acts.snooze(row.reminder.id, how_long))

    @work
    async def action_edit(self) -> None:
        if (row := self._chosen()) is None:
            return
        hint = "Other words, another time, or both; what you leave out stays. Esc leaves it."
        text = await self.app.push_screen_wait(OneLine("Change the reminder", row.reminder.text, hint))
        if text and text.strip():
            await self._do(self._edited(row, text))

    async def _edited(self, row: Row, text: str) -> Receipt:
        acts = await self.app.reminder_acts()
        outcome = await acts.edit(row.reminder.id, text)
        if isinstance(outcome, Question):
            number = await self.app.ask_reading(outcome)
            if number is None:
                raise UiError("Nothing was changed.")
            outcome = await acts.edit(row.reminder.id, text, number)
        assert isinstance(outcome, Receipt)
        return outcome

    @work
    async def action_new(self) -> None:
        text = await self.app.push_screen_wait(OneLine("Remind me", "", "call mum on Sunday at 6pm. Esc leaves it."))
        if text and text.strip():
            await self._do(self.app.new_reminder(text))

    @work
    async def action_delete(self) -> None:
        marked = self._row()
        if marked is not None and (marked.task is not None or marked.event is not None):
            hands = hands_of(self._desk.services, await asyncio.to_thread(local_zone))
            if marked.event is not None:
                await self._do_item("event", hands.calendar.delete(marked.event.id))
            elif marked.task is not None:
                await self._do_item("task", hands.tasks.delete(marked.task.id))
            return
        if (row := self._chosen()) is not None:
            acts = await self.app.reminder_acts()
            await self._do(acts.delete(row.reminder.id))

    @work
    async def action_undo(self) -> None:
        if self._undo_items:
            kind, self._undo_items = self._undo_items, ""
            hands = hands_of(self._desk.services, await asyncio.to_thread(local_zone))
            await self._do_item("", hands.calendar.undo() if kind == "event" else hands.tasks.undo())
            return
        acts = await self.app.reminder_acts()
        await self._do(acts.undo())

    async def _do_item(self, kind: str, act: Awaitable[ItemReceipt]) -> None:
        """`kind`: what undo would take back then; "" after an undo."""
        try:
            receipt = await act
        except (UiError, StoreError) as error:
            self._say(error.message, error.hint)
            return
        self._undo_items = kind
        await self._show()
        self._say(receipt.words, "u takes it back." if kind else "")

    async def _do(self, act: Awaitable[Receipt]) -> None:
        self._undo_items = ""
        try:
            receipt = await act
        except (UiError, StoreError) as error:
            self._say(error.message, error.hint)
            return
        await self.app.refresh_due()
        await self._show()
        self._say(receipt.words, "" if receipt.operation == "undo" else "u takes it back.")


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
