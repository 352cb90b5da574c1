"""The chat: transcript, prompt, status line, and the turn between them.

The worker of a turn only posts its events; `reduce` makes them a view; the widgets are drawn from the view, at most
every 100 ms.
"""

import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.errors import AssistantError
from assistant.events import ReplyDelta, ThoughtDelta, TurnEnded, TurnEvent, TurnFailed, TurnStarted
from assistant.policies.intake import Command, UnknownCommand, normalise
from memory.errors import StoreError
from memory.types import Message, MessageId, Origin, SessionId
from models.types import GivenUp, ModelStatus, Restarting
from ui.actions import BY_NAME, matching
from ui.desk import Desk
from ui.keys import bindings
from ui.lines import DIM, Line, Look
from ui.messages import DraftChanged, EarlierWanted, ModelChanged, Sent, TurnUpdate, Wished
from ui.rendering import content, one_line
from ui.screens.wishes import fulfil
from ui.status import Mode, activity, badges, facts, header_runs, status_runs
from ui.view import Entry, View, begin, reduce, stop
from ui.welcome import welcome_rows
from ui.widgets.bars import Rows
from ui.widgets.prompt import Prompt
from ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from ui.app import StewardApp

LOADED = 30  # messages drawn when a conversation is opened, and at a time when the user scrolls up
DRAW_SECONDS = 0.1
SAVE_SECONDS = 0.5


class ChatScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("everywhere")[-4:]]
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.view = View()
        self.editing: MessageId | None = None  # the next message takes this one's place, as another branch
        self._path: tuple[Message, ...] = ()
        self._first = 0  # of `_path`: the first message that is loaded
        self._queued = ""
        self._stash = ""  # the draft, while an earlier message is edited
        self._sent: tuple[str, Origin] = ("", "typed")
        self._fresh = False  # something to draw
        self._writing_since = 0.0
        self._deltas = 0
        self._restart_at = 0.0
        self._draft = ""
        self._drawing: Timer | None = None

    def compose(self) -> ComposeResult:
        ui = self.desk.configuration.ui
        yield Rows(id="header", background="panel")
        yield Transcript(id="transcript", unfold_thoughts=ui.show_thoughts, follow=ui.autoscroll)
        yield Rows(id="alert", background="surface", classes="hidden")
        with Vertical(id="commands-box", classes="hidden"):
            yield OptionList(id="commands", compact=True)
        yield Rows(id="queued", background="surface", classes="hidden")
        yield Rows(id="editing", background="surface", classes="hidden")
        with Horizontal(id="prompt-box"):
            yield Static(content("›"), id="prompt-mark")
            yield Prompt(id="prompt", keys=self.app.prompt_keys)
        yield Rows(id="status", background="panel")

    @property
    def transcript(self) -> Transcript:
        return self.query_one("#transcript", Transcript)

    @property
    def prompt(self) -> Prompt:
        return self.query_one("#prompt", Prompt)

    async def on_mount(self) -> None:
        self._drawing = self.set_interval(DRAW_SECONDS, self._draw, pause=True)
        self.set_interval(1.0, self._count_down)
        self.set_interval(SAVE_SECONDS, self._save_draft)
        self.query_one("#commands").can_focus = False
        self.use_theme(self.app.theme)
        self.prompt.focus()
        self.transcript.show_welcome(welcome_rows(self.desk))
        self.refresh_bars()
        self._load_draft()

    @work
    async def _load_draft(self) -> None:
        text = await self.desk.drafts.load()
        if text and not self.prompt.text:
            self._draft = text
            self.prompt.write(text)

    def use_theme(self, name: str) -> None:
        self.transcript.use_theme(name)
        for rows in self.query(Rows):
            rows.use_theme(name)

    # the turn

    @on(Sent)
    def sent(self, event: Sent) -> None:
        event.stop()
        if self.editing is None and self._ran_command(event):
            return
        if self.view.busy:
            self._queued = f"{self._queued}\n\n{event.text}" if self._queued else event.text
            self.refresh_bars()
        else:
            self.say(event.text, event.origin)

    def _ran_command(self, event: Sent) -> bool:
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
        session = self.desk.conversation.session
        replaced, self.editing = self.editing, None
        self._sent = (text, origin)
        try:
            if replaced is None:
                self.begin_turn(session.say(text, origin=origin, cut_to_fit=cut_to_fit))
            else:
                self.begin_turn(session.edit(replaced, text, origin=origin, cut_to_fit=cut_to_fit))
        except AssistantError as error:
            self.refused(error.message, error.hint)

    def begin_turn(self, events: AsyncIterator[TurnEvent]) -> None:
        self.hide_alert()
        self.view = begin(self.view)
        self._writing_since, self._deltas = 0.0, 0
        self.transcript.follow()
        if self._drawing is not None:
            self._drawing.resume()
        self._turn(events)
        self.refresh_bars()

    @work(group="turn", exit_on_error=True)
    async def _turn(self, events: AsyncIterator[TurnEvent]) -> None:
        try:
            assert isinstance(events, AsyncGenerator)
            async with contextlib.aclosing(events) as stream:
                async for event in stream:
                    self.post_message(TurnUpdate(event))
        except (AssistantError, StoreError) as error:
            self.refused(error.message, error.hint)

    def refused(self, message: str, hint: str) -> None:
        """Nothing happened; what the user wrote comes back."""
        self.view = View(context=self.view.context, usage=self.view.usage, session_id=self.view.session_id)
        self.show_alert(message, hint)
        self._give_back(self._sent[0])
        self._end_drawing()

    @on(TurnUpdate)
    async def turn_update(self, update: TurnUpdate) -> None:
        event = update.event
        self.view = reduce(self.view, event)
        match event:
            case TurnStarted():
                await self._turn_started(event)
            case ReplyDelta() | ThoughtDelta():
                self._deltas += 1
                if not self._fresh and self._deltas == 1:
                    self._writing_since = time.monotonic()
                    self._fresh = True
                    self._draw()
                self._fresh = True
            case TurnFailed():
                self.show_alert(event.failure.message, event.failure.hint)
            case TurnEnded():
                await self._turn_ended(event)
            case _:
                self.refresh_bars()

    async def _turn_started(self, event: TurnStarted) -> None:
        self._sent = ("", "typed")
        kept = self.desk.conversation.transcript
        user = await kept.message(event.user_message_id)
        reply = await kept.message(event.reply_message_id)
        self.transcript.cut_after(user.parent_id)
        await self.transcript.put(await self.entry_of(user))
        self.transcript.begin_answer(reply)
        self.refresh_bars()

    async def _turn_ended(self, event: TurnEnded) -> None:
        self._end_drawing()
        if event.user_message_id is None:
            self._give_back(self._sent[0])
        if event.reply_message_id is not None:
            with contextlib.suppress(StoreError):
                reply = await self.desk.conversation.transcript.message(event.reply_message_id)
                await self.transcript.put(await self.entry_of(reply))
        self.refresh_bars()
        await self._read_path()
        if self.view.failure is not None and event.user_message_id is not None:
            self.app.explain_failure(self.view.failure, event.user_message_id)
        elif self._queued and event.finish_reason != "cancelled":
            text, self._queued = self._queued, ""
            self.say(text, "typed")
        self.refresh_bars()

    def _end_drawing(self) -> None:
        if self._drawing is not None:
            self._drawing.pause()
        self._fresh = False
        self.refresh_bars()

    def _give_back(self, text: str) -> None:
        """Text that was not sent stands in the prompt again, before what was written since."""
        text = "\n\n".join(part for part in (text, self._queued, self.prompt.whole_text) if part)
        self._queued, self._sent = "", ("", "typed")
        if text:
            self.prompt.write(text)

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

    # conversations

    async def entry_of(self, message: Message) -> Entry:
        siblings = await self.desk.conversation.transcript.siblings(message.id)
        ids = [sibling.id for sibling in siblings]
        place = ids.index(message.id) + 1 if message.id in ids else 1
        return Entry(message=message, place=place, places=max(len(ids), 1))

    async def show_conversation(self) -> None:
        """The whole conversation of the session, scrolled to its end. Raises StoreError."""
        self.view = View(session_id=self.view.session_id)
        await self._read_path()
        self._first = max(len(self._path) - LOADED, 0)
        entries = [await self.entry_of(message) for message in self._path[self._first :]]
        await self.transcript.show(entries, earlier=self._first)
        self.hide_alert()
        self.refresh_bars()

    async def _read_path(self) -> None:
        self._path = await self.desk.conversation.session.messages()
        self.prompt.remember([message.content for message in self._path if message.role == "user"])

    @property
    def path(self) -> Sequence[Message]:
        return self._path

    @on(EarlierWanted)
    def earlier_wanted(self, event: EarlierWanted) -> None:
        event.stop()
        if self._first:
            self._load_earlier()

    @work(group="earlier", exclusive=True)
    async def _load_earlier(self) -> None:
        first = max(self._first - LOADED, 0)
        entries = [await self.entry_of(message) for message in self._path[first : self._first]]
        self._first = first
        await self.transcript.add_before(entries, earlier=first)

    async def open_session(self, session_id: SessionId) -> None:
        """Another conversation in place of this one; an answer being written is stopped and kept."""
        if self.stop_turn():
            await self.workers_of_turn()
        conversation = self.desk.leave_incognito()
        try:
            await conversation.session.open(session_id)
            self.leave_editing()
            await self.show_conversation()
        except (AssistantError, StoreError) as error:
            self.show_alert(error.message, error.hint)
        self.prompt.focus()

    async def workers_of_turn(self) -> None:
        """Until the turn has ended."""
        await self.app.workers.wait_for_complete([worker for worker in self.app.workers if worker.group == "turn"])

    def begin_new(self, *, incognito: bool = False) -> None:
        self.desk.begin(incognito=incognito)
        self.leave_editing()
        self.run_worker(self.show_conversation(), group="show", exclusive=True)
        self.transcript.show_welcome(welcome_rows(self.desk))
        self.prompt.focus()

    # editing an earlier message

    def begin_editing(self, message_id: MessageId, text: str, words: str) -> None:
        self._stash = self.prompt.whole_text
        self.editing = message_id
        self.prompt.write(text)
        self.query_one("#editing", Rows).show_runs(
            ((f" {words} · Enter sends · Esc leaves it as it was", Look(tone="accent")),)
        )
        self.query_one("#editing").remove_class("hidden")
        self.prompt.focus()

    def leave_editing(self) -> bool:
        if self.query_one("#editing").has_class("hidden"):
            return False
        was = self.editing is not None
        self.editing = None
        self.query_one("#editing").add_class("hidden")
        if was:
            self.prompt.write(self._stash)
        self._stash = ""
        return was

    # what is shown around it

    @on(ModelChanged)
    def model_changed(self, event: ModelChanged) -> None:
        if isinstance(event.status, Restarting):
            self._restart_at = time.monotonic() + event.status.delay
        if isinstance(event.status, GivenUp) and not self.view.busy:
            self.show_alert(event.status.failure.message, f"{event.status.failure.hint} F5 shows what can be done.")
        self.refresh_bars()

    @property
    def status_now(self) -> ModelStatus:
        return self.desk.model.status

    def refresh_bars(self) -> None:
        if not self.is_attached:
            return
        speed = 0.0
        if self._writing_since and self._deltas > 4:
            speed = (self._deltas - 1) / max(time.monotonic() - self._writing_since, 0.001)
        first = activity(self.view, self.status_now, speed, max(self._restart_at - time.monotonic(), 0.0))
        hint = "F1 help"
        self.query_one("#status", Rows).show_runs(
            status_runs(first, facts(self.view, self.status_now), hint, self.size.width)
        )
        conversation = self.desk.conversation
        info = conversation.session.info
        mode = Mode(
            incognito=conversation.incognito,
            demo=self.desk.options.demo,
            mouse_released=self.app.mouse_released,
        )
        self.query_one("#header", Rows).show_runs(
            header_runs(info.title if info else "", badges(mode, self.status_now), self.size.width)
        )
        queued = self.query_one("#queued", Rows)
        queued.set_class(not self._queued, "hidden")
        if self._queued:
            queued.show_runs(((f" next: {one_line(self._queued, 200)}", DIM),))
        if self.editing is None:
            self.query_one("#editing").add_class("hidden")

    def show_alert(self, message: str, hint: str) -> None:
        rows = self.query_one("#alert", Rows)
        rows.show_lines(
            [
                Line(runs=((f" ! {one_line(message, 400)}", Look(tone="error", bold=True)),)),
                Line(runs=((f"   {one_line(hint, 400)}", DIM),)),
            ]
            if hint
            else [Line(runs=((f" ! {one_line(message, 400)}", Look(tone="error", bold=True)),))]
        )
        rows.remove_class("hidden")

    def hide_alert(self) -> bool:
        rows = self.query_one("#alert", Rows)
        was = not rows.has_class("hidden")
        rows.add_class("hidden")
        return was

    def _draw(self) -> None:
        if self._fresh:
            self._fresh = False
            self.transcript.grow_answer(self.view.text, self.view.thought)
        self.refresh_bars()

    def _count_down(self) -> None:
        if self._restart_at and self._restart_at > time.monotonic() - 2:
            self.refresh_bars()

    def on_resize(self) -> None:
        self.call_after_refresh(self.refresh_bars)

    # the prompt

    @on(DraftChanged)
    def draft_changed(self, event: DraftChanged) -> None:
        event.stop()
        self._draft = event.text
        found = matching(event.text)
        shown = bool(found) and not (len(found) == 1 and event.text == f"/{found[0].name}")
        box = self.query_one("#commands-box")
        box.set_class(not shown, "hidden")
        self.prompt.completing = shown
        if shown:
            options = self.query_one("#commands", OptionList)
            options.clear_options()
            options.add_options(
                Option(content(f"/{command.name:<10} {command.label}"), id=command.name) for command in found
            )
            options.highlighted = 0

    @on(Prompt.CompletionMoved)
    def completion_moved(self, event: Prompt.CompletionMoved) -> None:
        options = self.query_one("#commands", OptionList)
        if event.step < 0:
            options.action_cursor_up()
        else:
            options.action_cursor_down()

    @on(Prompt.CompletionTaken)
    def completion_taken(self) -> None:
        options = self.query_one("#commands", OptionList)
        if options.highlighted is not None:
            self._take_command(str(options.get_option_at_index(options.highlighted).id))

    @on(OptionList.OptionSelected, "#commands")
    def command_clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take_command(str(event.option.id))

    def _take_command(self, name: str) -> None:
        if BY_NAME[name].takes and not BY_NAME[name].takes.startswith("["):
            self.prompt.write(f"/{name} ")
            self.prompt.focus()
        else:
            self.prompt.forget()
            self._run_command(name, "")

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

    @property
    def draft(self) -> str:
        """Everything written and not sent."""
        kept = self._stash if self.editing is not None else self._draft
        return "\n\n".join(part for part in (self._sent[0], self._queued, kept) if part)

    @work(group="draft")
    async def _save_draft(self) -> None:
        if self.desk.conversation.incognito:
            return
        try:
            await self.desk.drafts.save(self.draft)
        except StoreError as error:
            self.show_alert(f"Your draft cannot be saved: {error.message}", error.hint)

    # keys

    def action_back(self) -> None:
        if self.prompt.completing:
            self.prompt.completing = False
            self.query_one("#commands-box").add_class("hidden")
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
