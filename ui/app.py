"""The terminal UI: its keys and commands, and the way from a wish to a change."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.binding import BindingType
from textual.screen import ModalScreen

from memory.errors import StoreError
from models.errors import FetchError
from models.types import Absent
from ui.actions import nearest
from ui.desk import Desk
from ui.errors import UiError
from ui.keys import bindings, check
from ui.looked import note_leaving
from ui.messages import ModelChanged
from ui.screens.chat import ChatScreen
from ui.screens.dialog import too_long
from ui.screens.page import Page
from ui.screens.wishes import draft_of, fulfil
from ui.session_app import SessionApp
from ui.widgets.prompt import prompt_keys
from ui.wiring import owned

if TYPE_CHECKING:
    from memory.types import MessageId
    from models.types import Failure, ModelStatus
    from ui.actions import ScreenCommand
    from ui.data_app import Afterwards
    from ui.messages import Wish
    from ui.palette import StewardCommands
    from ui.wiring import Options

QUIT_SECONDS = 2.0  # between the two presses of Ctrl+C


def _import_the_turn() -> None:
    """What a message needs and the first screen does not."""
    for name in (
        "assistant.turn",
        "assistant.reading_calls",
        "assistant.learning",
        "ui.chat_acting",
        "ui.chat_reminders",
    ):
        import_module(name)


def _palette() -> type[StewardCommands]:
    """Imported when it is opened: it wakes a good part of Textual."""
    from ui.palette import StewardCommands

    return StewardCommands


class StewardApp(SessionApp):
    CSS_PATH = "theme.tcss"
    TITLE = "Steward"
    BINDINGS: ClassVar[list[BindingType]] = [
        key for key in bindings("everywhere") if key.priority or key.id == "help-here"
    ]
    COMMANDS: ClassVar[set[Any]] = {_palette}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    NOTIFICATION_TIMEOUT = 4

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.own_keys = dict(desk.configuration.ui.keys)
        check(self.own_keys)
        self.prompt_keys = prompt_keys(self.own_keys)
        self.set_keymap(self.own_keys)
        self._quit_asked = -1e9
        self._unsubscribe: Callable[[], None] | None = None
        self._importing: asyncio.Task[None] | None = None

    def get_default_screen(self) -> ChatScreen:
        return ChatScreen(self.desk)

    @property
    def chat(self) -> ChatScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, ChatScreen)
        return screen

    def on_mount(self) -> None:
        self._listen()

    @work
    async def begin(self) -> None:
        """After the first paint: the model loads, and a conversation that was cut off is shown again."""
        await self.desk.model.start()
        if isinstance(self.desk.model.status, Absent):
            self.action_models()
            self.forget_typed()  # an Enter typed ahead must not choose a model
        self.accepts_keys.set()
        self.refresh_memory()
        await self._show_cut_off()
        await self.talk_imported()  # the first message does not wait for it

    async def talk_imported(self) -> None:
        """Returns when what a message needs is there: importing it on the loop, beside the thread that does, would
        stop the screen for as long."""
        if self._importing is None:
            self._importing = asyncio.create_task(asyncio.to_thread(_import_the_turn))
        await asyncio.shield(self._importing)

    async def _show_cut_off(self) -> None:
        conversation = self.desk.conversation
        latest = None if conversation.incognito else await conversation.transcript.latest_session()
        if latest is None or latest.head_id is None:
            return
        last = await conversation.transcript.message(latest.head_id)
        if last.status == "interrupted" and not self.chat.view.busy:
            await self.chat.open_session(latest.id)
            hint = "F6 asks again; Ctrl+N begins a new conversation."
            self.chat.show_alert("The last answer was cut off when Steward ended.", hint)

    async def on_unmount(self) -> None:
        self._stop_listening()

    def _stop_listening(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def _listen(self) -> None:
        self._stop_listening()
        self._unsubscribe = self.desk.model.on_status(self._status_changed)

    def _status_changed(self, status: ModelStatus) -> None:
        self.chat.post_message(ModelChanged(status))

    def explain_failure(self, failure: Failure, message_id: MessageId) -> None:
        """A turn failed. A message that is too long becomes a question; no model at all leads to the models."""
        match failure.kind:
            case "context_full":
                self._too_long(failure, message_id)
            case "model_missing":  # the hint is a command for a shell; here a key does it
                self.chat.show_alert(failure.message, "F5 shows the models, and fetches one.")
            case "model_refused":
                self.chat.show_alert(failure.message, f"{failure.hint} F5 shows the models.")
            case _:
                self.chat.show_alert(failure.message, failure.hint)

    @work
    async def _too_long(self, failure: Failure, message_id: MessageId) -> None:
        answer = await self.push_screen_wait(too_long(failure))
        entry = self.chat.transcript.entry(message_id)
        if entry is None or not self._may_change():
            return
        if answer == "edit":
            self.chat.begin_editing(message_id, draft_of(entry.message), "Shortening the message")
        elif answer == "cut":
            self.chat.say(entry.message.content, entry.message.origin, replaces=message_id, cut_to_fit=True)

    # commands

    async def run_command(self, command: ScreenCommand, argument: str) -> None:
        name, _, fixed = command.action.removesuffix(")").partition("(")
        action = getattr(self, f"action_{name}")
        arguments = [fixed.strip("'")] if fixed else [argument] if command.takes else []
        result = action(*arguments)
        if asyncio.iscoroutine(result):
            await result

    def unknown_command(self, name: str) -> None:
        near = nearest(name)
        meant = f" Did you mean /{near}?" if near else " Type / to see them."
        self.say(f"There is no command /{name}.{meant} Two slashes send it as a message.", "warning")

    def action_help(self) -> None:
        from ui.screens.help import Help, place_in

        if not isinstance(self.screen, Help | ModalScreen):  # a question is answered first
            self.push_screen(Help(self.own_keys, place_in(self.screen)))

    def action_models(self) -> None:
        from ui.screens.models import ModelsScreen

        if self.make_way():
            self.push_screen(ModelsScreen(self.desk))

    def action_context(self) -> None:
        from ui.screens.why import Context

        if self.make_way():
            self.push_screen(Context(self.chat.view, self.desk.model.status))

    def action_where(self) -> None:
        home = self.desk.home
        rows = (("settings", home.config), ("data", home.data), ("cache", home.cache), ("logs", home.state))
        source = "\n".join(f"{name:<10} {path}" for name, path in rows)
        self.push_screen(Page("Where Steward keeps its files", source=source))

    def action_wish_last(self, wish: Wish) -> None:
        answers = [entry.message for entry in self.chat.transcript.entries if entry.message.role == "assistant"]
        if answers:
            fulfil(self.chat, wish, answers[-1].id)
        else:
            self.say("There is no answer yet.")

    def action_branch(self, which: str = "") -> None:
        self.action_wish_last("previous" if which.startswith("p") else "next")

    def action_retry(self) -> None:
        entries = self.chat.transcript.entries
        if self.make_way() and entries:
            fulfil(self.chat, "regenerate", entries[-1].message.id)

    def action_toggle_mouse(self) -> None:
        super().action_toggle_mouse()
        self.chat.refresh_bars()

    # the model

    @work(group="exchange", exclusive=True)
    async def exchange_model(self, name: str | None) -> None:
        """Another model: its name, path or address; "" the same again; None the scripted demo."""
        self.chat.stop_turn()
        await self.chat.turn_over()
        try:
            if name is None:
                await self.desk.use_demo()
            elif name:
                await self.desk.use_model(name)
            else:
                await self.desk.restart_model()
        except (UiError, FetchError, StoreError) as error:
            self.chat.show_alert(error.message, error.hint.replace("steward models list", "F5"))
            return
        self._listen()
        self.chat.hide_alert()
        self.chat.refresh_bars()

    # quitting

    async def action_interrupt(self) -> None:
        """Ctrl+C: copies what is selected, else stops the answer, else quits when it is pressed twice."""
        selected = self.selected()
        if selected:
            self.copy(selected, "the selection")
            self.screen.clear_selection()
        elif not self.chat.stop_turn():
            now = time.monotonic()
            if now - self._quit_asked <= QUIT_SECONDS:
                await self.action_quit()
            self._quit_asked = now
            self.say("Press Ctrl+C once more to quit. What you were writing is kept.")

    async def action_quit(self) -> None:
        self.exit(0)


def run(options: Options, ready: Callable[[], bytes] = lambda: b"") -> int:
    """The whole of the terminal UI; the exit code. `ready` is called right before it takes the terminal, and
    gives what was typed before.

    Raises HomeInUse, HomeUnusable, StoreError, ConfigError."""
    code, afterwards = asyncio.run(_run(options, ready))
    while afterwards is not None and (words := afterwards()) is not None:
        code, afterwards = asyncio.run(_run(options, lambda: b"", words))
    return code


async def _run(options: Options, ready: Callable[[], bytes], first_words: str = "") -> tuple[int, Afterwards | None]:
    async with owned(options, "chat") as services:
        desk = await Desk.open(services)
        app = StewardApp(desk)
        app.first_words = first_words
        app.typed_before = ready()
        return await show(app, desk), app.afterwards


async def show(app: StewardApp, desk: Desk) -> int:
    """Run the app until it is left; then the turn has ended, the draft is on disk and the model is gone. Raises what
    was a bug, when there was one."""
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(ending, app.exit, 0)
    try:
        code = await app.run_async(mouse=desk.configuration.ui.mouse)
    finally:
        await _leave(desk, app.attention.last_looked_at)
    if app.crash is not None:
        raise app.crash
    return code or 0


async def _leave(desk: Desk, looked_at: datetime) -> None:
    desk.conversation.session.cancel()
    await note_leaving(desk.services, looked_at)
    if not desk.conversation.incognito:
        try:
            await desk.drafts.save(desk.unsent)
        except StoreError as error:
            sys.stderr.write(f"steward: your draft could not be saved: {error.message}\n")
    await desk.close()
