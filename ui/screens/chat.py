"""The chat: transcript, prompt, status line, and the turn between them.

The worker of a turn only posts its events; `reduce` makes them a view; the widgets are drawn from the view, at most
every 125 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, ClassVar, assert_never

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer

from assistant.errors import AssistantError
from assistant.events import ReplyDelta, ThoughtDelta, TurnEnded, TurnFailed, TurnStarted
from assistant.policies.intake import Command, Nothing, UnknownCommand, UserTurn, normalise
from memory.errors import StoreError
from models.types import GivenUp, Restarting
from ui.actions import BY_NAME
from ui.drafts import NOTHING, Draft
from ui.keys import bindings
from ui.messages import EarlierWanted, ModelChanged, Sent, TurnUpdate, Wished
from ui.screens.wishes import fulfil
from ui.screens.writing import WritingScreen
from ui.shown import Shown
from ui.status import Meter, activity, badges, facts, header_runs, status_runs
from ui.view import View, begin, reduce, stop
from ui.welcome import welcome_rows
from ui.widgets.bars import LOW, Rows
from ui.widgets.prompt import Prompt
from ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from assistant.events import TurnEvent
    from memory.types import Message, MessageId, Origin, SessionId
    from ui.desk import Desk

DRAW_SECONDS = 0.125
BARS_EVERY = 4  # draws: nobody reads a speed that changes eight times a second


class ChatScreen(WritingScreen):
    BINDINGS: ClassVar[list[BindingType]] = [key for key in bindings("everywhere") if not key.priority]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-short"), (28, "-tall")]  # noqa: RUF012  declared so by Textual

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.view = View()
        self.transcript = Transcript(
            id="transcript",
            unfold_thoughts=desk.configuration.ui.show_thoughts,
            follow=desk.configuration.ui.autoscroll,
        )
        self.shown = Shown(desk, self.transcript)
        self._over = asyncio.Event()  # no turn is going on, and all of the last one is on the screen
        self._over.set()
        self._meter = Meter()
        self._draws = 0
        self._restart_at = 0.0
        self._drawing: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Rows(id="header", background="panel")
        yield self.transcript
        yield from self.compose_writing()
        yield Rows(id="status", background="panel")

    def on_mount(self) -> None:
        self._drawing = self.set_interval(DRAW_SECONDS, self._draw, pause=True)
        self.set_interval(1.0, self._count_down)
        self.transcript.show_welcome(welcome_rows(self.desk))
        self.refresh_bars()
        self.begin_writing()
        self.call_after_refresh(self.app.begin)

    # the turn

    @on(Sent)
    async def sent(self, event: Sent) -> None:
        event.stop()
        await self.app.talk_imported()
        if self.editing is not None and not self.view.busy:
            replaced = self.editing
            self.leave_editing()
            self.say(event.text, event.origin, replaces=replaced)
            return
        match normalise(event.text, BY_NAME, origin=event.origin):
            case Command(name=name, argument=argument):
                self.run_named(name, argument)
            case UnknownCommand(name=name):
                self.app.unknown_command(name)
                self.prompt.write(event.text)
            case UserTurn(text=text, origin=origin) if self.view.busy:
                self.queue(Draft(text=text, origin=origin))
            case UserTurn(text=text, origin=origin):
                self.say(text, origin)
            case Nothing():
                pass
            case other:
                assert_never(other)

    def say(self, text: str, origin: Origin, *, replaces: MessageId | None = None, cut_to_fit: bool = False) -> None:
        """A turn with this message; with `replaces` in place of an earlier one, as another branch."""
        session = self.desk.conversation.session
        self.sent_draft = Draft(text=text, origin="pasted" if origin == "pasted" else "typed")
        try:
            if replaces is None:
                self.begin_turn(session.say(text, origin=origin, cut_to_fit=cut_to_fit))
            else:
                self.begin_turn(session.edit(replaces, text, origin=origin, cut_to_fit=cut_to_fit))
        except AssistantError as error:
            self._refused(error.message, error.hint)

    def begin_turn(self, events: AsyncIterator[TurnEvent]) -> None:
        self.hide_alert()
        self._over.clear()
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
        self.give_back()
        self._over.set()

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
        self.sent_draft = NOTHING
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
            self.give_back()
        try:
            if event.reply_message_id is not None:
                await self.shown.put(await self.desk.conversation.transcript.message(event.reply_message_id))
            await self._read_path()
        except StoreError as error:
            self.show_alert(error.message, error.hint)
        if self.view.failure is not None and event.user_message_id is not None:
            self.app.explain_failure(self.view.failure, event.user_message_id)
        elif self.queued.text and event.finish_reason != "cancelled":
            queued = self.take_queued()
            self.say(queued.text, queued.origin)
        self.app.refresh_memory()
        self.app.refresh_decisions()
        self.refresh_bars()
        if not self.view.busy:
            self._over.set()
        asked = None if event.user_message_id is None else self.transcript.entry(event.user_message_id)
        await self.app.answered(asked.message if asked is not None else None)

    async def turn_over(self) -> None:
        """Until no turn is going on, and all of the last one is on the screen."""
        await self._over.wait()

    def stop_turn(self) -> bool:
        """Whether there was a turn to stop."""
        if not self.view.busy:
            return False
        self.view = stop(self.view)
        self.desk.stop()
        if self.queued.text:
            self.give_back()
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
        self.app.refresh_decisions()
        self.refresh_bars()

    async def _read_path(self) -> None:
        await self.shown.read()
        self._remember()

    def _remember(self) -> None:
        self.prompt.remember(
            [
                Draft(text=message.content, origin="pasted" if message.origin == "pasted" else "typed")
                for message in self.shown.path
                if message.role == "user"
            ]
        )

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
            await self.turn_over()
        try:
            await self.desk.leave_incognito().session.open(session_id)
            self.leave_editing()
            await self.show_conversation()
        except (AssistantError, StoreError) as error:
            self.show_alert(error.message, error.hint)
        self.set_focus(self.prompt)

    def begin_new(self, *, incognito: bool = False, no_learn: bool = False) -> None:
        self.desk.begin(incognito=incognito, no_learn=no_learn)
        self.leave_editing()
        self.transcript.show_welcome(welcome_rows(self.desk))
        self._show_new()
        self.set_focus(self.prompt)

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

    # what stands around the transcript

    @on(ModelChanged)
    def model_changed(self, event: ModelChanged) -> None:
        if isinstance(event.status, Restarting):
            self._restart_at = time.monotonic() + event.status.delay
        if isinstance(event.status, GivenUp) and not self.view.busy:
            self.show_alert(event.status.failure.message, f"{event.status.failure.hint} F5 shows what can be done.")
        self.refresh_bars()

    def refresh_bars(self) -> None:
        if not self.is_attached or not self.size.width or not self.query("#status"):
            return  # what knows of the model may be quicker than the first layout
        now, status, conversation = time.monotonic(), self.desk.model.status, self.desk.conversation
        first = activity(self.view, status, self._meter.rate(now), max(self._restart_at - now, 0.0))
        self.rows("status").show_runs(status_runs(first, facts(self.view, status), "F1 help", self.size.width))
        info = conversation.session.info
        marks = badges(self.app.mode(), status)
        self.rows("header").show_runs(header_runs(info.title if info else "", marks, self.size.width))

    def _count_down(self) -> None:
        if self._restart_at and self._restart_at > time.monotonic() - 2:
            self.refresh_bars()

    def on_resize(self) -> None:
        self.call_after_refresh(self.refresh_bars)

    # keys

    def action_back(self) -> None:
        if self.close_commands():
            return
        if self.get_selected_text():
            self.clear_selection()
        elif not (self.stop_turn() or self.leave_editing() or self.hide_alert()):
            self.set_focus(self.prompt)

    def action_page(self, direction: int) -> None:
        self.transcript.page(direction)

    def action_to_end(self) -> None:
        self.transcript.follow()

    @on(Prompt.MessagesWanted)
    def messages_wanted(self) -> None:
        self.set_focus(self.transcript)

    @on(Wished)
    def wished(self, event: Wished) -> None:
        event.stop()
        fulfil(self, event.wish, event.message_id)
