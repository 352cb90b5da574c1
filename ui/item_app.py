"""/calendar, /tasks, /notes and /documents in the terminal UI: lists are pages, what was done is a line."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import work

from assistant.errors import AssistantError
from memory.errors import StoreError
from ui.errors import UiError
from ui.memory_app import MemoryApp

if TYPE_CHECKING:
    from assistant.documents.types import Progress
    from ui.desk import Desk
    from ui.item_typed import ItemCommands
    from ui.reminder_acts import Question


class ItemApp(MemoryApp):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._items_listed: dict[str, tuple[str, ...]] = {}

    async def item_commands(self) -> ItemCommands:
        def make() -> ItemCommands:
            from ui.item_commands import hands_of
            from ui.item_typed import ItemCommands
            from ui.item_wiring import library_of
            from ui.local_zone import local_zone

            services = self.desk.services
            return ItemCommands(
                hands_of(services, local_zone()),
                library_of(services),
                self._ask_reading_of_item,
                self._items_listed,
                self._say_item_progress,
            )

        return await asyncio.to_thread(make)

    @work(group="items")
    async def action_items(self, name: str, argument: str = "") -> None:
        if self.desk.conversation.incognito:
            self.say("Nothing is read or kept in an incognito conversation; Ctrl+N begins one that is.", "warning")
            return
        try:
            said = await (await self.item_commands()).run(name, argument)
        except (UiError, StoreError, AssistantError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return
        if said.receipt:
            self.say(" ".join(said.lines))
            return
        from ui.item_typed import USES
        from ui.screens.item_page import ItemPage

        await self.push_screen(ItemPage(name.capitalize(), said.lines, f"/{name} takes {USES[name]}"))

    def action_calendar(self, argument: str = "") -> None:
        self.action_items("calendar", argument)

    def action_tasks(self, argument: str = "") -> None:
        self.action_items("tasks", argument)

    def action_notes(self, argument: str = "") -> None:
        self.action_items("notes", argument)

    def action_documents(self, argument: str = "") -> None:
        self.action_items("documents", argument)

    async def _ask_reading_of_item(self, question: Question) -> int:
        number = await self.ask_reading(question)
        if number is None:
            raise UiError("Nothing was changed.", "Say it in other words.")
        return number

    async def ask_reading(self, question: Question) -> int | None:
        """The number of the reading that is meant; None: none of them."""
        raise NotImplementedError

    def _say_item_progress(self, progress: Progress) -> None:
        if progress.done and progress.done % 20 == 0:
            self.say(f"{progress.stage} {progress.done} of {progress.total}")
