"""What the UI does with the terminal and the system around it: themes, notices, clipboard, links, editor, mouse,
and what happens when there is a bug.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import TYPE_CHECKING

from textual import constants, on, work
from textual.app import App, SuspendNotSupported
from textual.command import CommandPalette
from textual.driver import Driver
from textual.events import Resize
from textual.filter import Monochrome
from textual.notifications import SeverityLevel
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from ui import clipboard, opening
from ui.messages import LinkChosen
from ui.no_color import Uncoloured
from ui.redaction import without_secrets
from ui.rendering import content, look_at, one_line
from ui.screens.dialog import Choice, Offer
from ui.screens.page import Page
from ui.screens.small import Small, is_too_small
from ui.themes import COLOURS, theme_for, themes
from ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from ui.desk import Desk


class TerminalApp(App[int]):
    def __init__(self, desk: Desk) -> None:
        super().__init__(driver_class=_driver())
        self.desk = desk
        self.mouse_released = False
        self.accepts_keys = threading.Event()  # there is a prompt that takes them; the input thread waits for it
        self.typed_before = b""  # on the keyboard, before there was a first screen
        self.crash: BaseException | None = None
        self._last_copied = ""
        if self.no_color:
            self._filters = [Uncoloured() if isinstance(each, Monochrome) else each for each in self._filters]
        for theme in themes():
            self.register_theme(theme)
        self.theme = theme_for(desk.configuration.ui.theme, os.environ)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self._paint_anew())

    def on_resize(self, event: Resize) -> None:
        small = is_too_small(event.size)
        if isinstance(self.screen, Small):
            if small:
                self.screen.tell(event.size)
            else:
                self.pop_screen()
        elif small:
            self.push_screen(Small())

    def _paint_anew(self) -> None:
        """After `fg` the terminal's screen is empty, also where nothing changed."""
        for screen in self.screen_stack:
            screen.refresh(layout=True)

    def forget_typed(self) -> None:
        """What was typed ahead and not read yet is dropped."""
        forget = getattr(self._driver, "forget_typed", None)
        if forget is not None:
            forget()

    def say(self, text: str, severity: SeverityLevel = "information", seconds: float | None = None) -> None:
        """A notice for some seconds; a click takes it away."""
        if severity != "information":
            text = without_secrets(text)
        self.notify(one_line(text, 400), severity=severity, timeout=seconds, markup=False)

    def make_way(self) -> bool:
        """Leave what stands before the chat, so that another screen can come: they are not piled up. False where a
        question is open, which is answered first, or a model is being fetched."""
        while len(self.screen_stack) > 1:
            screen = self.screen
            if isinstance(screen, CommandPalette):
                self.pop_screen()
            elif isinstance(screen, ModalScreen | Small) or getattr(screen, "fetching", False):
                return False
            else:
                screen.dismiss(None)
        return True

    # themes and mouse

    def action_next_theme(self) -> None:
        if isinstance(self.screen, CommandPalette):  # Textual's own, which keeps the colours it opened with
            self.pop_screen()
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
        switch = "_enable_mouse_support" if self.mouse_released else "_disable_mouse_support"
        if hasattr(self._driver, switch):
            getattr(self._driver, switch)()
        self.mouse_released = not self.mouse_released
        taken, given = "The mouse is Steward's again.", "The mouse is the terminal's now; F8 takes it back."
        self.say(given if self.mouse_released else taken)

    # clipboard

    def selected(self) -> str:
        """What is selected, in a field or on the screen."""
        focused = self.focused
        if isinstance(focused, TextArea | Input) and focused.selected_text:
            return focused.selected_text
        return self.screen.get_selected_text() or ""

    @work(group="copy")
    async def copy(self, text: str, what: str = "the text") -> None:
        """To the system's clipboard by its own tool; the terminal is asked only by a key of its own."""
        self._last_copied = text
        tool = await asyncio.to_thread(clipboard.find_tool, os.environ)
        if tool is not None and await clipboard.copy(text, tool):
            self.say(f"Copied {what}: {len(text):,} characters.")
        else:
            hint = "There is no clipboard tool here (wl-copy, xclip, pbcopy). F9 copies it through the terminal."
            self.say(hint, "warning")

    def copy_to_clipboard(self, text: str) -> None:
        """Textual's own way is OSC 52 without asking; cut and copy of the prompt go through the system's tool."""
        self._clipboard = text
        self.copy(text)

    def action_terminal_copy(self) -> None:
        text = self.selected() or self._last_copied
        if not text:
            self.say("Copy something first: y on a message, or select text and press Ctrl+C.")
            return
        super().copy_to_clipboard(text)
        self.say(f"Sent {len(text):,} characters to the terminal's clipboard (OSC 52). Not every terminal takes it.")

    @on(Page.CopyWanted)
    def page_copy(self, event: Page.CopyWanted) -> None:
        self.copy(event.text)

    # links and editor

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
    async def edit_outside(self, event: Prompt.EditorWanted) -> None:
        command = await asyncio.to_thread(opening.editor_command, os.environ)
        if command is None:
            self.say("No editor is set: put its name into $VISUAL or $EDITOR.", "warning")
            return
        folder = None if self.desk.options.keeps_nothing else self.desk.home.state
        try:
            with self.batch_update(), self.suspend():
                edited = await opening.edit(event.text, command, folder)
        except SuspendNotSupported:
            self.say("The editor cannot be opened in this terminal.", "warning")
            return
        if edited is None:
            self.say(f"{one_line(command[0], 60)} ended with an error; your text is as it was.", "warning")
        else:
            event.prompt.write(edited)

    # bugs

    def _fatal_error(self) -> None:
        """A bug: the terminal is put right and one line is said; Textual would print the values of every variable."""
        if not self._exit:  # a screen that is taken down while it is put up is no bug
            self.crash = self._exception
        self._close_messages_no_wait()


def _driver() -> type[Driver] | None:
    """Ours where there is one and no other was asked for."""
    if sys.platform == "win32" or constants.DRIVER is not None:
        return None
    from ui.terminal_input import TerminalDriver

    return TerminalDriver
