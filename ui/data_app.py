"""What is kept, in the terminal UI: its screen, backups, learning on and off, and what is done when the app is over.

A restore and deleting everything need the history closed. The app ends, does it, and after a restore opens again.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from memory.errors import StoreError
from ui.errors import UiError
from ui.reminder_app import ReminderApp

if TYPE_CHECKING:
    from ui.desk import Desk

FIRST_WORDS_SECONDS = 30.0  # the answer to what was wanted before the app closed; nobody looks at once

Afterwards = Callable[[], str | None]  # blocks; the words to begin again with, or None to end


class DataApp(ReminderApp):
    def __init__(self, desk: "Desk") -> None:
        super().__init__(desk)
        self.afterwards: Afterwards | None = None
        self.first_words = ""

    def on_mount(self) -> None:
        keeper = self.desk.services.keeper
        if keeper is not None:
            keeper.listener = self._keeper_failed
        if self.first_words:
            self.call_after_refresh(self.say, self.first_words, seconds=FIRST_WORDS_SECONDS)

    def _keeper_failed(self, error: StoreError) -> None:
        self.chat.show_alert(
            error.message, "`steward doctor --repair` in a shell shows what can be saved. F12 shows backups."
        )

    def action_data(self) -> None:
        from ui.screens.data import DataScreen

        if self.desk.options.keeps_nothing:
            self.say("Nothing is kept in this run, so there is nothing to show.")
        elif self.make_way():
            self.push_screen(DataScreen(self.desk))

    @work(group="backup")
    async def action_backup(self, file: str = "") -> None:
        if self.desk.options.keeps_nothing:
            self.say("Nothing is kept in this run, so there is nothing to back up.", "warning")
            return
        try:
            words = await self.back_up(file)
        except (StoreError, UiError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
        else:
            self.say(words)

    async def back_up(self, file: str = "", passphrase: str | None = None) -> str:
        """What was backed up and where. Raises StoreError."""
        from ui.data_acts import back_up
        from ui.data_words import contents_words

        path = Path(file) if file else None
        now = self.desk.clock.now()
        done = await asyncio.to_thread(back_up, self.desk.home, now, file=path, passphrase=passphrase)
        return f"Backed up: {contents_words(done.contents)}. {done.path.name if path is None else done.path}"

    @work(group="learning", exclusive=True)
    async def action_learning(self, words: str = "") -> None:
        from ui.learning_acts import learning_words, set_learning

        services = self.desk.services
        try:
            said = await asyncio.to_thread(set_learning, services, words) if words.strip() else learning_words(services)
        except (StoreError, UiError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return
        self.say(said)
        self.chat.refresh_bars()

    def leave_for(self, act: Afterwards) -> None:
        """End, and do this with nothing open."""
        self.afterwards = act
        self.exit(0)
