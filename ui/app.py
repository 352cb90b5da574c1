"""The terminal UI: the one Textual app, its keys, themes and the way from a widget's wish to a change."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar

from textual import on, work
from textual.app import App, SuspendNotSupported
from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.widgets import Input, TextArea

from assistant.errors import AssistantError
from memory.errors import StoreError
from memory.types import MessageId, SessionId
from models.errors import FetchError
from models.types import Absent, Failure, ModelStatus
from ui import clipboard, opening
from ui.actions import ScreenCommand, nearest
from ui.desk import Desk
from ui.errors import ConfigError, explain
from ui.export import as_markdown, file_name, write_export
from ui.keys import bindings, check
from ui.messages import LinkChosen, ModelChanged, Wish
from ui.palette import StewardCommands
from ui.rendering import content, look_at, one_line
from ui.screens.chat import ChatScreen
from ui.screens.dialog import Choice, Offer, deletion
from ui.screens.page import Page
from ui.themes import COLOURS, theme_for, themes
from ui.widgets.prompt import Prompt, prompt_keys
from ui.wiring import Options, owned

QUIT_SECONDS = 2.0  # between the two presses of Ctrl+C
SMALLEST = (60, 16)


class StewardApp(App[int]):
    CSS_PATH = "theme.tcss"
    TITLE = "Steward"
    BINDINGS: ClassVar[list[BindingType]] = [key for key in bindings("everywhere") if key.priority]
    COMMANDS: ClassVar[set[Any]] = {StewardCommands}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    ENABLE_COMMAND_PALETTE = True
    NOTIFICATION_TIMEOUT = 4

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        check(desk.configuration.ui.keys)
        self.desk = desk
        self.own_keys = dict(desk.configuration.ui.keys)
        self.prompt_keys = prompt_keys(self.own_keys)
        self.mouse_released = False
        self.crash: BaseException | None = None
        self._last_copied = ""
        self._quit_asked = -1e9
        self._unsubscribe: Callable[[], None] | None = None
        for theme in themes():
            self.register_theme(theme)
        self.theme = theme_for(desk.configuration.ui.theme, os.environ)
        self.set_keymap(self.own_keys)

    def get_default_screen(self) -> ChatScreen:
        return ChatScreen(self.desk)

    @property
    def chat(self) -> ChatScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, ChatScreen)
        return screen

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda theme: self._theme_changed(theme.name))
        self._listen()
        self._begin()

    @work
    async def _begin(self) -> None:
        """After the first paint: the model loads, and a conversation that was cut off is shown again."""
        await self.desk.model.start()
        if isinstance(self.desk.model.status, Absent):
            self.action_models()
        await self._show_cut_off()

    async def _show_cut_off(self) -> None:
        conversation = self.desk.conversation
        if conversation.incognito:
            return
        latest = await conversation.transcript.latest_session()
        if latest is None or latest.head_id is None:
            return
        last = await conversation.transcript.message(latest.head_id)
        if last.status == "interrupted":
            await self.chat.open_session(latest.id)
            self.chat.show_alert(
                "The last answer was cut off when Steward ended.", "F6 asks again; Ctrl+N begins a new conversation."
            )

    def _listen(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._unsubscribe = self.desk.model.on_status(self._status_changed)

    def _status_changed(self, status: ModelStatus) -> None:
        self.chat.post_message(ModelChanged(status))

    def _theme_changed(self, name: str) -> None:
        for screen in self.screen_stack:
            for widget in screen.query("*"):
                use = getattr(widget, "use_theme", None)
                if use is not None:
                    use(name)

    # saying something

    def say(self, text: str, severity: SeverityLevel = "information") -> None:
        self.notify(one_line(text, 400), severity=severity, markup=False)

    def explain_failure(self, failure: Failure, message_id: MessageId) -> None:
        """A turn failed. A message that is too long becomes a question; no model at all leads to the models."""
        match failure.kind:
            case "context_full":
                self._too_long(failure, message_id)
            case "model_missing" | "model_refused":
                self.chat.show_alert(failure.message, f"{failure.hint} F5 shows the models.")
            case _:
                self.chat.show_alert(failure.message, failure.hint)

    def _too_long(self, failure: Failure, message_id: MessageId) -> None:
        offers = (
            Offer(name="edit", words="Shorten it myself"),
            Offer(name="cut", words="Send its beginning; the whole is kept beside it"),
            Offer(name="leave", words="Leave it unanswered"),
        )

        def chosen(answer: str | None) -> None:
            entry = self.chat.transcript.entry(message_id)
            if entry is None:
                return
            if answer == "edit":
                self.chat.begin_editing(message_id, entry.message.content, "Shortening the message")
            elif answer == "cut":
                self.chat.editing = message_id
                self.chat.say(entry.message.content, entry.message.origin, cut_to_fit=True)

        self.push_screen(Choice("This message is too long", (failure.message, failure.hint), offers), chosen)

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

    def _at_chat(self) -> bool:
        """Whether nothing stands before the chat: screens are not piled up."""
        return len(self.screen_stack) == 1

    def action_help(self) -> None:
        from ui.screens.help import Help

        if self._at_chat():
            self.push_screen(Help(self.own_keys))

    def action_sessions(self, words: str = "") -> None:
        from ui.screens.sessions import SessionsScreen

        if self._at_chat():
            self.push_screen(SessionsScreen(self.desk, words), self._open_chosen)

    def _open_chosen(self, session_id: SessionId | None) -> None:
        if session_id is not None:
            self.run_worker(self.chat.open_session(session_id), group="show", exclusive=True)

    def action_models(self) -> None:
        from ui.screens.models import ModelsScreen

        if self._at_chat():
            self.push_screen(ModelsScreen(self.desk))

    def action_context(self) -> None:
        from ui.screens.why import Context

        if self._at_chat():
            self.push_screen(Context(self.chat.view, self.desk.model.status))

    def action_new_session(self) -> None:
        if self._at_chat() and self._may_change():
            self.chat.begin_new()

    def action_incognito(self) -> None:
        if self._may_change():
            self.chat.begin_new(incognito=True)

    def _may_change(self) -> bool:
        if self.chat.view.busy:
            self.say("An answer is being written; Esc stops it first.", "warning")
        return not self.chat.view.busy

    async def may_leave(self, session_id: SessionId) -> bool:
        """Before a conversation is deleted: when it is the open one, a new one begins."""
        info = self.desk.conversation.session.info
        if info is None or info.id != session_id:
            return True
        if not self._may_change():
            return False
        self.chat.begin_new()
        return True

    @work
    async def action_rename_session(self, title: str) -> None:
        try:
            await self.desk.conversation.session.rename(title)
        except (AssistantError, StoreError) as error:
            self.say(f"{error.message} {error.hint}", "warning")
        self.chat.refresh_bars()

    @work
    async def action_export_session(self, name: str = "") -> None:
        info = self.desk.conversation.session.info
        if info is None:
            self.say("There is nothing to export yet.", "warning")
            return
        try:
            text = as_markdown(info, await self.desk.conversation.session.messages())
            path = await asyncio.to_thread(write_export, name or file_name(info), text)
        except (StoreError, OSError) as error:
            self.say(f"It could not be exported: {getattr(error, 'message', None) or error.strerror}", "error")  # type: ignore[union-attr]
            return
        self.say(f"Written to {path}")

    @work
    async def action_delete_session(self) -> None:
        info = self.desk.conversation.session.info
        if info is None or not self._may_change():
            return
        if await self.push_screen_wait(deletion(info)) != "delete":
            return
        transcript = self.desk.conversation.transcript
        self.chat.begin_new()
        try:
            await transcript.delete_session(info.id)
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
        else:
            self.say("Deleted.")

    def action_wish_last(self, wish: Wish) -> None:
        from ui.screens.wishes import fulfil

        answers = [entry.message for entry in self.chat.transcript.entries if entry.message.role == "assistant"]
        if answers:
            fulfil(self.chat, wish, answers[-1].id)
        else:
            self.say("There is no answer yet.")

    def action_branch(self, which: str = "") -> None:
        self.action_wish_last("previous" if which.startswith("p") else "next")

    def action_retry(self) -> None:
        from ui.screens.wishes import fulfil

        entries = self.chat.transcript.entries
        if self._at_chat() and entries:
            fulfil(self.chat, "regenerate", entries[-1].message.id)

    def action_where(self) -> None:
        home = self.desk.home
        rows = (("settings", home.config), ("data", home.data), ("cache", home.cache), ("logs", home.state))
        source = "\n".join(f"{name:<10} {path}" for name, path in rows)
        self.push_screen(Page("Where Steward keeps its files", source=source))

    def action_next_theme(self) -> None:
        names = list(COLOURS)
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
        self.say(f"Theme: {self.theme}")

    def action_choose_theme(self, name: str = "") -> None:
        if not name:
            self.action_next_theme()
        elif name in COLOURS:
            self.theme = name
        else:
            self.say(f"Themes: {', '.join(COLOURS)}", "warning")

    def action_toggle_mouse(self) -> None:
        driver = self._driver
        switch = "_enable_mouse_support" if self.mouse_released else "_disable_mouse_support"
        if driver is not None and hasattr(driver, switch):
            getattr(driver, switch)()
        self.mouse_released = not self.mouse_released
        self.say(
            "The mouse is the terminal's now; F8 takes it back."
            if self.mouse_released
            else "The mouse is Steward's again."
        )
        self.chat.refresh_bars()

    # the model

    @work(group="exchange", exclusive=True)
    async def exchange_model(self, name: str | None) -> None:
        """Another model: its name, path or address; "" the same again; None the scripted demo."""
        self.chat.stop_turn()
        await self.chat.workers_of_turn()
        try:
            if name is None:
                await self.desk.use_demo()
            elif name:
                await self.desk.use_model(name)
            else:
                await self.desk.restart_model()
        except (ConfigError, FetchError, StoreError) as error:
            self.chat.show_alert(error.message, error.hint)
            return
        self._listen()
        self.chat.refresh_bars()

    # clipboard, links, editor

    @work(group="copy")
    async def copy(self, text: str, what: str = "the text") -> None:
        """To the system's clipboard by its own tool; the terminal is asked only by a key of its own."""
        self._last_copied = text
        tool = clipboard.find_tool(os.environ)
        if tool is not None and await clipboard.copy(text, tool):
            self.say(f"Copied {what}: {len(text):,} characters.")
        else:
            self.say(
                "There is no clipboard tool here (wl-copy, xclip, pbcopy). F9 copies it through the terminal.",
                "warning",
            )

    def copy_to_clipboard(self, text: str) -> None:
        """Textual's own way is OSC 52 without asking; cut and copy of the prompt go through the system's tool."""
        self._clipboard = text
        self.copy(text)

    def action_terminal_copy(self) -> None:
        text = self._selected() or self._last_copied
        if not text:
            self.say("Copy something first: y on a message, or select text and press Ctrl+C.")
            return
        super().copy_to_clipboard(text)
        self.say(f"Sent {len(text):,} characters to the terminal's clipboard (OSC 52). Not every terminal takes it.")

    @on(Page.CopyWanted)
    def page_copy(self, event: Page.CopyWanted) -> None:
        self.copy(event.text)

    @on(LinkChosen)
    @work
    async def link_chosen(self, event: LinkChosen) -> None:
        link = look_at(event.address)
        text = [content(link.address, "bold"), *(content(f"! {warning}", "$warning") for warning in link.warnings)]
        offers = [Offer(name="leave", words="Leave it"), Offer(name="copy", words="Copy the address")]
        if link.openable:
            offers.append(Offer(name="open", words="Open it in the browser"))
        answer = await self.push_screen_wait(Choice("Where this link leads", text, offers))
        if answer == "copy":
            self.copy(link.address, "the address")
        elif answer == "open" and not await opening.open_address(link.address):
            self.say("No program here opens addresses; it is copied instead.", "warning")
            self.copy(link.address, "the address")

    @on(Prompt.EditorWanted)
    @work(exclusive=True, group="editor")
    async def edit_outside(self) -> None:
        command = opening.editor_command(os.environ)
        if command is None:
            self.say("No editor is set: put its name into $VISUAL or $EDITOR.", "warning")
            return
        prompt = self.chat.prompt
        folder = None if self.desk.options.keeps_nothing else self.desk.home.state
        try:
            with self.batch_update(), self.suspend():
                edited = await opening.edit(prompt.whole_text, command, folder)
        except SuspendNotSupported:
            self.say("The editor cannot be opened in this terminal.", "warning")
            return
        if edited is None:
            self.say(f"{one_line(command[0], 60)} ended with an error; your text is as it was.", "warning")
        else:
            prompt.write(edited)

    # quitting

    def _selected(self) -> str:
        focused = self.focused
        if isinstance(focused, TextArea | Input) and focused.selected_text:
            return focused.selected_text
        return self.screen.get_selected_text() or ""

    async def action_interrupt(self) -> None:
        """Ctrl+C: copies what is selected, else stops the answer, else quits when it is pressed twice."""
        selected = self._selected()
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

    def _fatal_error(self) -> None:
        """A bug: the terminal is put right and one line is said; Textual would print the values of every variable."""
        self.crash = self._exception
        self._close_messages_no_wait()


def run(options: Options) -> int:
    """The whole of the terminal UI; the exit code. Raises HomeInUse, HomeUnusable, StoreError, ConfigError."""
    return asyncio.run(_run(options))


async def _run(options: Options) -> int:
    async with owned(options, "chat") as services:
        desk = await Desk.open(services)
        app = StewardApp(desk)
        loop = asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(ending, app.exit, 0)
        try:
            code = await app.run_async(mouse=services.configuration.ui.mouse)
        finally:
            await _leave(app, desk)
        if app.crash is not None:
            raise app.crash
        return code or 0


async def _leave(app: StewardApp, desk: Desk) -> None:
    """The turn ends with what came, the draft is on disk, the model is gone."""
    chat = next((screen for screen in app.screen_stack if isinstance(screen, ChatScreen)), None)
    if chat is not None and not desk.conversation.incognito:
        try:
            await desk.drafts.save(chat.draft)
        except StoreError as error:
            explained = explain(error)
            sys.stderr.write(f"steward: your draft could not be saved: {explained.message if explained else error}\n")
    desk.conversation.session.cancel()
    await desk.model.close()
