"""The chat: transcript, prompt, status line, and the turn between them.

The worker of a turn only posts its events; `reduce` makes them a view; the widgets are drawn from the view, at most
every 100 ms.
"""

import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from assistant.errors import AssistantError
from assistant.events import ReplyDelta, ThoughtDelta, TurnEnded, TurnEvent, TurnFailed, TurnStarted
from assistant.policies.intake import Command, UnknownCommand, normalise
from memory.errors import StoreError
from memory.types import Message, MessageId, Origin, SessionId
from models.types import GivenUp, Restarting
from ui.actions import BY_NAME
from ui.desk import Desk
from ui.keys import bindings
from ui.lines import DIM, Look
from ui.messages import DraftChanged, EarlierWanted, ModelChanged, Sent, TurnUpdate, Wished
from ui.rendering import content, one_line
from ui.screens.wishes import fulfil
from ui.shown import Shown
from ui.status import Meter, activity, badges, facts, header_runs, status_runs
from ui.view import View, begin, reduce, stop
from ui.welcome import welcome_rows
from ui.widgets.bars import Alert, Rows
from ui.widgets.command_list import CommandList
from ui.widgets.prompt import Prompt
from ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from ui.app import StewardApp

DRAW_SECONDS = 0.1
BARS_EVERY = 5  # draws: nobody reads a speed that changes ten times a second
SAVE_SECONDS = 0.5


class ChatScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [key for key in bindings("everywhere") if not key.priority]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (28, "-tall")]  # noqa: RUF012  declared so by Textual
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.view = View()
        self.editing: MessageId | None = None  # the next message takes this one's place, as another branch
        self.transcript = Transcript(
            id="transcript",
            unfold_thoughts=desk.configuration.ui.show_thoughts,
            follow=desk.configuration.ui.autoscroll,
        )
        self.shown = Shown(desk, self.transcript)
        self._queued = ""  # written while an answer was being written
        self._stash = ""  # the draft, while an earlier message is edited
        self._sent = ""  # until it is stored
        self._meter = Meter()
        self._draws = 0
        self._restart_at = 0.0
        self._drawing: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Rows(id="header", background="panel")
        yield self.transcript
        yield Alert(id="alert")
        yield CommandList(id="commands-box")
        yield Rows(id="queued", background="surface", classes="hidden")
        yield Rows(id="editing", background="surface", classes="hidden")
        with Horizontal(id="prompt-box"):
            yield Static(content("›"), id="prompt-mark")
            yield Prompt(id="prompt", keys=self.app.prompt_keys)
        yield Rows(id="status", background="panel")

    @property
    def prompt(self) -> Prompt:
        return self.query_one("#prompt", Prompt)

    def _rows(self, name: str) -> Rows:
        return self.query_one(f"#{name}", Rows)

    def on_mount(self) -> None:
        self._drawing = self.set_interval(DRAW_SECONDS, self._draw, pause=True)
        self.set_interval(1.0, self._count_down)
        self.set_interval(SAVE_SECONDS, self._save_draft)
        self.transcript.use_theme(self.app.theme)
        for rows in self.query(Rows):
            rows.use_theme(self.app.theme)
        self.prompt.focus()
        self.transcript.show_welcome(welcome_rows(self.desk))
        self.refresh_bars()
        self._load_draft()
        self.call_after_refresh(self.app.begin)

    # the turn

    @on(Sent)
    def sent(self, event: Sent) -> None:
        event.stop()
        if self.editing is None and self._was_command(event):
            return
        if self.view.busy:
            self._queued = f"{self._queued}\n\n{event.text}" if self._queued else event.text
            self.refresh_bars()
        else:
            self.say(event.text, event.origin)

    def _was_command(self, event: Sent) -> bool:
        """Whether it was a command, or looked like one."""
        match normalise(event.text, BY_NAME, origin="pasted" if event.origin == "pasted" else "typed"):
            case Command(name=name, argument=argument):
                self._run_command(name, argument)
            case UnknownCommand(name=name):
                self.app.unknown_command(name)
                self.prompt.write(event.text)
            case _:
                return False
        return True

    @work(group="command")
    async def _run_command(self, name: str, argument: str) -> None:
        await self.app.run_command(BY_NAME[name], argument)

    def say(self, text: str, origin: Origin, *, cut_to_fit: bool = False) -> None:
        """A turn with this message; in place of an earlier one while that is edited."""
        session, replaced = self.desk.conversation.session, self.editing
        text = text[1:] if text.startswith("//") and replaced is None else text
        self._sent = text
        try:
            if replaced is None:
                self.begin_turn(session.say(text, origin=origin, cut_to_fit=cut_to_fit))
            else:
                self.begin_turn(session.edit(replaced, text, origin=origin, cut_to_fit=cut_to_fit))
                self._close_editing()
        except AssistantError as error:
            self._refused(error.message, error.hint)

    def begin_turn(self, events: AsyncIterator[TurnEvent]) -> None:
        self.hide_alert()
        self.view = begin(self.view)
        self._meter, self._draws = Meter(), 0
        self.transcript.follow()
        if self._drawing is not None:
            self._drawing.resume()
        self._turn(events)
        self.refresh_bars()

    @work(group="turn")
    async def _turn(self, events: AsyncIterator[TurnEvent]) -> None:
        assert isinstance(events, AsyncGenerator)
        try:
            async with contextlib.aclosing(events) as stream:
                async for event in stream:
                    self.post_message(TurnUpdate(event))
        except (AssistantError, StoreError) as error:
            self._refused(error.message, error.hint)

    def _refused(self, message: str, hint: str) -> None:
        """Nothing happened; what the user wrote comes back."""
        self.view = View(context=self.view.context, usage=self.view.usage, session_id=self.view.session_id)
        self._end_drawing()
        self.show_alert(message, hint)
        self._give_back(self._sent)

    @on(TurnUpdate)
    async def turn_update(self, update: TurnUpdate) -> None:
        event = update.event
        self.view = reduce(self.view, event)
        match event:
            case TurnStarted():
                await self._turn_started(event)
            case ReplyDelta() | ThoughtDelta():
                if self._meter.count(time.monotonic()) == 1:
                    self._draw()  # the first word at once
            case TurnFailed():
                self.show_alert(event.failure.message, event.failure.hint)
            case TurnEnded():
                await self._turn_ended(event)
            case _:
                await self.app.note_memory(event)
                self.refresh_bars()

    async def _turn_started(self, event: TurnStarted) -> None:
        self._sent = ""
        kept = self.desk.conversation.transcript
        try:
            user, reply = await kept.message(event.user_message_id), await kept.message(event.reply_message_id)
            self.transcript.cut_after(user.parent_id)
            await self.shown.put(user)
        except StoreError as error:
            self.show_alert(error.message, error.hint)
            return
        self.transcript.begin_answer(reply)
        self.refresh_bars()

    async def _turn_ended(self, event: TurnEnded) -> None:
        self._end_drawing()
        if event.user_message_id is None:
            self._give_back(self._sent)
        try:
            if event.reply_message_id is not None:
                await self.shown.put(await self.desk.conversation.transcript.message(event.reply_message_id))
            await self._read_path()
        except StoreError as error:
            self.show_alert(error.message, error.hint)
        if self.view.failure is not None and event.user_message_id is not None:
            self.app.explain_failure(self.view.failure, event.user_message_id)
        elif self._queued and event.finish_reason != "cancelled":
            text, self._queued = self._queued, ""
            self.say(text, "typed")
        self.app.refresh_memory()
        self.refresh_bars()

    def stop_turn(self) -> bool:
        """Whether there was a turn to stop."""
        if not self.view.busy:
            return False
        self.view = stop(self.view)
        self.desk.conversation.session.cancel()
        if self._queued:
            self._give_back("")
        self.refresh_bars()
        return True

    def _draw(self) -> None:
        if self.view.busy:
            self.transcript.grow_answer(self.view.text, self.view.thought)
        self._draws += 1
        if self._draws % BARS_EVERY == 1:
            self.refresh_bars()

    def _end_drawing(self) -> None:
        if self._drawing is not None:
            self._drawing.pause()
        self.refresh_bars()

    # conversations

    async def show_conversation(self) -> None:
        """The conversation of the session, scrolled to its end. Raises StoreError."""
        self.view = View()
        await self.shown.show()
        self._remember()
        self.hide_alert()
        self.refresh_bars()

    async def _read_path(self) -> None:
        await self.shown.read()
        self._remember()

    def _remember(self) -> None:
        self.prompt.remember([message.content for message in self.shown.path if message.role == "user"])

    @on(EarlierWanted)
    def earlier_wanted(self, event: EarlierWanted) -> None:
        event.stop()
        self._show_earlier()

    @work(group="earlier")
    async def _show_earlier(self) -> None:
        try:
            await self.shown.show_earlier()
        except StoreError as error:
            self.show_alert(error.message, error.hint)

    async def open_session(self, session_id: SessionId) -> None:
        """Another conversation in place of this one; an answer being written is stopped and kept."""
        if self.stop_turn():
            await self.app.wait_for_workers("turn")
        try:
            await self.desk.leave_incognito().session.open(session_id)
            self.leave_editing()
            await self.show_conversation()
        except (AssistantError, StoreError) as error:
            self.show_alert(error.message, error.hint)
        self.prompt.focus()

    def begin_new(self, *, incognito: bool = False, no_learn: bool = False) -> None:
        self.desk.begin(incognito=incognito, no_learn=no_learn)
        self.leave_editing()
        self.transcript.show_welcome(welcome_rows(self.desk))
        self._show_new()
        self.prompt.focus()

    @work(group="show", exclusive=True)
    async def _show_new(self) -> None:
        await self.show_conversation()

    @work(group="show", exclusive=True)
    async def show_branch(self, message: Message, step: int) -> None:
        """Another version of this message, and what followed it."""
        conversation = self.desk.conversation
        try:
            ids = [sibling.id for sibling in await conversation.transcript.siblings(message.id)]
            if len(ids) < 2:
                self.app.say("There is no other version of this message; r makes another answer, e another question.")
                return
            at = min(max(ids.index(message.id) + step, 0), len(ids) - 1)
            await conversation.session.select_branch(message.id, step)
            await self.show_conversation()
            self.transcript.mark(ids[at])
        except (AssistantError, StoreError) as error:
            self.show_alert(error.message, error.hint)

    # editing an earlier message

    def begin_editing(self, message_id: MessageId, text: str, words: str) -> None:
        self._stash = self.prompt.whole_text
        self.editing = message_id
        self.prompt.write(text)
        self._rows("editing").show_runs(((f" {words} · Enter sends · Esc leaves it", Look(tone="accent")),))
        self._rows("editing").remove_class("hidden")
        self.prompt.focus()

    def leave_editing(self) -> bool:
        """Whether a message was being edited; the draft from before comes back."""
        if self.editing is None:
            return False
        self._close_editing()
        return True

    def _close_editing(self) -> None:
        self.editing = None
        self._rows("editing").add_class("hidden")
        self.prompt.write(self._stash)
        self._stash = ""

    # what stands around the transcript

    @on(ModelChanged)
    def model_changed(self, event: ModelChanged) -> None:
        if isinstance(event.status, Restarting):
            self._restart_at = time.monotonic() + event.status.delay
        if isinstance(event.status, GivenUp) and not self.view.busy:
            self.show_alert(event.status.failure.message, f"{event.status.failure.hint} F5 shows what can be done.")
        self.refresh_bars()

    def refresh_bars(self) -> None:
        if not self.is_attached or not self.size.width:
            return
        now, status, conversation = time.monotonic(), self.desk.model.status, self.desk.conversation
        first = activity(self.view, status, self._meter.rate(now), max(self._restart_at - now, 0.0))
        self._rows("status").show_runs(status_runs(first, facts(self.view, status), "F1 help", self.size.width))
        info = conversation.session.info
        marks = badges(self.app.mode(), status)
        self._rows("header").show_runs(header_runs(info.title if info else "", marks, self.size.width))
        self._rows("queued").set_class(not self._queued, "hidden")
        self._rows("queued").show_runs(((f" next: {one_line(self._queued, 200)}", DIM),))

    def show_alert(self, message: str, hint: str) -> None:
        self.query_one(Alert).say(message, hint)

    def hide_alert(self) -> bool:
        return self.query_one(Alert).close()

    def _count_down(self) -> None:
        if self._restart_at and self._restart_at > time.monotonic() - 2:
            self.refresh_bars()

    def on_resize(self) -> None:
        self.call_after_refresh(self.refresh_bars)

    # the prompt

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
            self.prompt.focus()
        else:
            self.prompt.forget()
            self._run_command(event.name, "")

    @on(Prompt.MessagesWanted)
    def messages_wanted(self) -> None:
        self.transcript.focus()

    @on(Prompt.HelpWanted)
    def help_wanted(self) -> None:
        self.app.action_help()

    @on(Prompt.QuitWanted)
    async def quit_wanted(self) -> None:
        await self.app.action_quit()

    @on(Prompt.Refused)
    def prompt_refused(self, event: Prompt.Refused) -> None:
        self.app.say(event.reason, "warning")

    def _give_back(self, text: str) -> None:
        """Text that was not sent stands in the prompt again, before what was written since."""
        text = "\n\n".join(part for part in (text, self._queued, self.prompt.whole_text) if part)
        self._queued = self._sent = ""
        if text:
            self.prompt.write(text)

    def note_draft(self) -> None:
        """Everything written and not stored yet; the desk outlives this screen."""
        written = self._stash if self.editing is not None else self.prompt.whole_text
        self.desk.unsent = "\n\n".join(part for part in (self._sent, self._queued, written) if part)

    @work
    async def _load_draft(self) -> None:
        text = await self.desk.drafts.load()
        if text and not self.prompt.text:
            self.prompt.write(text)

    @work(group="draft")
    async def _save_draft(self) -> None:
        self.note_draft()
        if self.desk.conversation.incognito:
            return
        try:
            await self.desk.drafts.save(self.desk.unsent)
        except StoreError as error:
            self.show_alert(f"Your draft cannot be saved: {error.message}", error.hint)

    # keys

    def action_back(self) -> None:
        commands = self.query_one(CommandList)
        if commands.shown:
            commands.close()
            self.prompt.completing = False
        elif self.get_selected_text():
            self.clear_selection()
        elif not (self.stop_turn() or self.leave_editing() or self.hide_alert()):
            self.prompt.focus()

    def action_page(self, direction: int) -> None:
        self.transcript.page(direction)

    def action_to_end(self) -> None:
        self.transcript.follow()

    @on(Wished)
    def wished(self, event: Wished) -> None:
        event.stop()
        fulfil(self, event.wish, event.message_id)
