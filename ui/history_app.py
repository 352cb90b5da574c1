"""Bringing in a history in the terminal UI: a line above the prompt says how far it is, the chat goes on."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from memory.errors import StoreError
from models.types import Cancel
from ui.errors import UiError
from ui.lines import DIM, Look
from ui.terminal_app import TerminalApp
from ui.widgets.bars import Rows

if TYPE_CHECKING:
    from assistant.importing import ImportProgress
    from ui.desk import Desk
    from ui.history_acts import Imported
    from ui.history_running import ImportRunning
    from ui.screens.chat import ChatScreen


class HistoryApp(TerminalApp):
    @property
    def chat(self) -> "ChatScreen":
        raise NotImplementedError

    def __init__(self, desk: "Desk") -> None:
        super().__init__(desk)
        self._import: ImportRunning | None = None
        self._percent = -1

    async def on_unmount(self) -> None:
        if self._import is not None:
            await self._import.close()

    @work
    async def action_import(self, argument: str = "") -> None:
        """FILE begins, "stop" ends, "learn" reads what came in; without a word it asks for the file."""
        try:
            match argument.strip():
                case "stop":
                    if self._import is None or not self._import.stop():
                        self.say("No import is running.")
                case "learn":
                    await self._learn_from_history()
                case name:
                    name = name or await self._ask_for_file()
                    if name:
                        self._begin_import(Path(name.strip("\"'")))
        except (UiError, StoreError) as error:
            self.chat.show_alert(error.message, error.hint)

    async def _ask_for_file(self) -> str:
        from ui.screens.dialog import OneLine

        hint = "The zip of ChatGPT or Claude as it was downloaded. Enter begins, Esc leaves it."
        return (await self.push_screen_wait(OneLine("Bring in a history", hint=hint)) or "").strip()

    def _begin_import(self, path: Path) -> None:
        from ui.history_running import ImportRunning

        self._import = self._import or ImportRunning()
        self._percent = -1
        self._import.start(self.desk.services, path, self._watch_import, self._import_over)
        self.say("The import runs; go on meanwhile. /import stop ends it.")

    def _watch_import(self, progress: "ImportProgress") -> None:
        percent = progress.done * 100 // max(progress.total, 1)
        if percent != self._percent:
            self._percent = percent
            self.call_later(self._show_import, progress)

    async def _show_import(self, progress: "ImportProgress | None") -> None:
        found = self.chat.query("#import")
        if progress is None:
            if found:
                await found.remove()
            return
        if self._import is None or not self._import.running:
            return
        from ui.history_words import progress_words

        line = found.first(Rows) if found else Rows(id="import", background="surface")
        if not found:
            await self.chat.mount(line, after="#transcript")
        words = progress_words(progress)
        line.show_runs(((" import  ", Look(tone="accent", bold=True)), (words, Look()), ("  /import stop", DIM)))

    async def _import_over(self, outcome: "Imported | StoreError | UiError") -> None:
        from ui.history_acts import Imported

        self.call_later(self._show_import, None)
        if not isinstance(outcome, Imported):
            self.chat.show_alert(outcome.message, outcome.hint)
            return
        self._tell_import(outcome)

    @work(group="import-told")
    async def _tell_import(self, imported: "Imported") -> None:
        """What came in, and the offer to read it. Never over something else that is open."""
        from ui.history_words import report_lines
        from ui.screens.dialog import Choice, Offer

        lines = tuple(report_lines(imported, dry_run=False))
        if len(self.screen_stack) > 1 or self.chat.view.busy:
            self.say(f"{lines[0]} F2 shows them; /import learn reads what you said in them.")
            return
        offers = [Offer(name="later", words="Leave it at that")]
        if imported.to_learn_from and not imported.report.stopped:
            words = (
                f"Read my {imported.to_learn_from:,} messages for what they say about me; each thing waits for my yes"
            )
            offers.append(Offer(name="learn", words=words))
        if await self.push_screen_wait(Choice("The import is over", lines, offers)) == "learn":
            try:
                await self._learn_from_history()
            except (UiError, StoreError) as error:
                self.chat.show_alert(error.message, error.hint)

    async def _learn_from_history(self) -> None:
        from ui.history_acts import learn
        from ui.history_words import learned_words

        learned = await learn(self.desk.services, cancel=Cancel())
        self.say(learned_words(learned.read, learned.proposed, "/review"))
        self.refresh_to_review()

    def refresh_to_review(self) -> None:
        """More waits for the user than before."""
