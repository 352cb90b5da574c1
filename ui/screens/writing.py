"""The lower half of the chat: prompt, what waits to be sent, the draft on disk, editing an earlier message, alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from memory.errors import StoreError
from ui.actions import BY_NAME
from ui.drafts import NOTHING, together
from ui.lines import DIM, Look
from ui.messages import DraftChanged
from ui.rendering import content, one_line
from ui.widgets.bars import Alert, Rows
from ui.widgets.command_list import CommandList
from ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from memory.types import MessageId
    from ui.app import StewardApp
    from ui.desk import Desk
    from ui.drafts import Draft

SAVE_SECONDS = 0.5


class WritingScreen(Screen[None]):
    app: StewardApp

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.editing: MessageId | None = None  # the next message takes this one's place, as another branch
        self.queued = NOTHING  # written while an answer was being written
        self.sent_draft = NOTHING  # until it is stored
        self._stash = NOTHING  # the draft, while an earlier message is edited
        self._knows_draft = False  # what an earlier run left was looked at

    def compose_writing(self) -> ComposeResult:
        yield Alert(id="alert")
        yield CommandList(id="commands-box")
        yield Rows(id="queued", background="surface", classes="hidden")
        yield Rows(id="editing", background="surface", classes="hidden")
        with Horizontal(id="prompt-box"):
            yield Static(content("›"), id="prompt-mark")
            yield Prompt(id="prompt", keys=self.app.prompt_keys)

    def begin_writing(self) -> None:
        self.set_interval(SAVE_SECONDS, self._draft_due)
        self.set_focus(self.prompt)
        self._load_draft()

    @property
    def prompt(self) -> Prompt:
        return self.query_one("#prompt", Prompt)

    def rows(self, name: str) -> Rows:
        return self.query_one(f"#{name}", Rows)

    def show_alert(self, message: str, hint: str) -> None:
        self.query_one(Alert).say(message, hint)

    def hide_alert(self) -> bool:
        """Whether there was one."""
        return self.query_one(Alert).close()

    # what waits, and what comes back

    def queue(self, draft: Draft) -> None:
        """It is sent when the answer being written has ended."""
        self.queued = together(self.queued, draft)
        self.show_queued()

    def take_queued(self) -> Draft:
        taken, self.queued = self.queued, NOTHING
        self.show_queued()
        return taken

    def show_queued(self) -> None:
        self.rows("queued").set_class(not self.queued.text, "hidden")
        self.rows("queued").show_runs(((f" next: {one_line(self.queued.text, 200)}", DIM),))

    def give_back(self) -> None:
        """What was not stored stands in the prompt again, before what was written since."""
        draft = together(self.sent_draft, self.queued, self.prompt.draft)
        self.queued = self.sent_draft = NOTHING
        self.show_queued()
        if draft.text:
            self.prompt.write(draft.text, draft.origin)

    # the draft

    def note_draft(self) -> None:
        """Everything written and not stored yet; the desk outlives this screen."""
        written = self._stash if self.editing is not None else self.prompt.draft
        self.desk.unsent = together(self.sent_draft, self.queued, written)

    def _draft_due(self) -> None:
        self.note_draft()
        if self._knows_draft and self.desk.unsent != self.desk.drafts.saved and not self.desk.conversation.incognito:
            self._save_draft()

    @work(group="draft")
    async def _save_draft(self) -> None:
        try:
            await self.desk.drafts.save(self.desk.unsent)
        except StoreError as error:
            self.show_alert(f"Your draft cannot be saved: {error.message}", error.hint)

    @work
    async def _load_draft(self) -> None:
        draft = await self.desk.drafts.load()
        if draft.text and await self._was_sent(draft):
            draft = NOTHING
        self._knows_draft = True  # from now on what is on disk may be replaced
        if draft.text:
            whole = together(draft, self.prompt.draft)
            self.prompt.write(whole.text, whole.origin)

    async def _was_sent(self, draft: Draft) -> bool:
        """Whether the last message begins with it: the program ended between keeping the message and the draft."""
        transcript = self.desk.services.transcript
        try:
            latest = await transcript.latest_session()
            messages = await transcript.path(latest.id) if latest is not None else ()
        except StoreError:
            return False
        mine = [message.content for message in messages if message.role == "user"]
        return bool(mine) and mine[-1].startswith(draft.text.strip())

    # editing an earlier message

    def begin_editing(self, message_id: MessageId, draft: Draft, words: str) -> None:
        if self.editing is None:
            self._stash = self.prompt.draft
        self.editing = message_id
        self.prompt.write(draft.text, draft.origin)
        self.rows("editing").show_runs(((f" {words} · Enter sends · Esc leaves it", Look(tone="accent")),))
        self.rows("editing").remove_class("hidden")
        self.set_focus(self.prompt)

    def leave_editing(self) -> bool:
        """Whether a message was being edited; the draft from before comes back."""
        if self.editing is None:
            return False
        self.editing = None
        self.rows("editing").add_class("hidden")
        self.prompt.write(self._stash.text, self._stash.origin)
        self._stash = NOTHING
        return True

    # the prompt and its commands

    @on(DraftChanged)
    def draft_changed(self, event: DraftChanged) -> None:
        event.stop()
        commands = self.query_one(CommandList)
        commands.suggest(event.text)
        self.prompt.completing = commands.shown
        self.note_draft()

    @on(Prompt.CompletionMoved)
    def completion_moved(self, event: Prompt.CompletionMoved) -> None:
        self.query_one(CommandList).move(event.step)

    @on(Prompt.CompletionTaken)
    def completion_taken(self) -> None:
        self.query_one(CommandList).take()

    @on(CommandList.Taken)
    def command_taken(self, event: CommandList.Taken) -> None:
        takes = BY_NAME[event.name].takes
        if takes and not takes.startswith("["):
            self.prompt.write(f"/{event.name} ")
            self.set_focus(self.prompt)
        else:
            self.prompt.forget()
            self.run_named(event.name, "")

    @work(group="command")
    async def run_named(self, name: str, argument: str) -> None:
        await self.app.run_command(BY_NAME[name], argument)

    def close_commands(self) -> bool:
        """Whether commands were shown."""
        commands = self.query_one(CommandList)
        was = commands.shown
        commands.close()
        self.prompt.completing = False
        return was

    @on(Prompt.HelpWanted)
    def help_wanted(self) -> None:
        self.app.action_help()

    @on(Prompt.QuitWanted)
    async def quit_wanted(self) -> None:
        await self.app.action_quit()

    @on(Prompt.Refused)
    def prompt_refused(self, event: Prompt.Refused) -> None:
        self.app.say(event.reason, "warning")
