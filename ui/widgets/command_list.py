"""The commands that fit what was typed after a slash, above the prompt."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ui.actions import matching
from ui.rendering import content


class CommandList(Vertical):
    @dataclass
    class Taken(Message):
        name: str

    def compose(self) -> ComposeResult:
        yield OptionList(id="commands", compact=True)

    def on_mount(self) -> None:
        self._options.can_focus = False
        self.add_class("hidden")

    @property
    def _options(self) -> OptionList:
        return self.query_one("#commands", OptionList)

    @property
    def shown(self) -> bool:
        return not self.has_class("hidden")

    def suggest(self, text: str) -> None:
        """Show what `text` may become; nothing when it is no beginning of a command, or a whole one."""
        found = matching(text)
        shown = bool(found) and text != f"/{found[0].name}"
        self.set_class(not shown, "hidden")
        if shown:
            self._options.clear_options()
            self._options.add_options(
                Option(content(f"/{command.name:<10} {command.label}"), id=command.name) for command in found
            )
            self._options.highlighted = 0

    def close(self) -> None:
        self.add_class("hidden")

    def move(self, step: int) -> None:
        if step < 0:
            self._options.action_cursor_up()
        else:
            self._options.action_cursor_down()

    def take(self) -> None:
        at = self._options.highlighted
        if at is not None:
            self.post_message(self.Taken(str(self._options.get_option_at_index(at).id)))

    @on(OptionList.OptionSelected)
    def clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Taken(str(event.option.id)))
