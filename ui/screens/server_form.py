"""A server's form, field by field. It begins empty: what the server suggests stands beside the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ui.acting_words import field_words
from ui.rendering import content, one_line

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memory.decisions import Decision

_HINT = (
    "Enter goes on, and sends after the last one. Esc leaves it: nothing is sent. Give it no password or card number."
)


class ServerForm(ModalScreen["str | None"]):
    """Answers with a line for each filled field, "name: value"; Esc answers None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", show=False)]

    def __init__(self, decision: Decision) -> None:
        super().__init__()
        self._decision = decision

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(content(one_line(self._decision.asked.question, 300), "bold"), classes="dialog-title")
            with VerticalScroll(classes="dialog-text", can_focus=False):
                for number, field in enumerate(self._decision.asked.fields):
                    yield Static(content(field_words(field)))
                    yield Input("", id=f"field-{number}", placeholder="…", compact=True)
            yield Static(content(_HINT, "$text-muted"))

    def on_mount(self) -> None:
        self.query_one("#field-0").focus()

    @on(Input.Submitted)
    def taken(self, event: Input.Submitted) -> None:
        event.stop()
        inputs = list(self.query(Input))
        at = inputs.index(event.input)
        if at + 1 < len(inputs):
            inputs[at + 1].focus()
            return
        empty = [
            place
            for place, (field, one) in enumerate(zip(self._decision.asked.fields, inputs, strict=True))
            if field.required and not one.value.strip()
        ]
        if empty:
            inputs[empty[0]].focus()
            return
        lines = [
            f"{field.name}: {one.value.strip()}"
            for field, one in zip(self._decision.asked.fields, inputs, strict=True)
            if one.value.strip()
        ]
        self.dismiss("\n".join(lines) or None)

    def action_leave(self) -> None:
        self.dismiss(None)
