"""Small questions: choose one of some options, or write one line. They answer with a value and decide nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memory.types import Session
from models.types import Failure
from ui.rendering import content, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """`name` is the answer, `words` what is shown."""

    name: str
    words: str


class Choice(ModalScreen[str | None]):
    """Answers with the name of an offer; Esc answers None. The first offer is marked, so it must do no harm."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", show=False)]

    def __init__(self, title: str, text: Sequence[str | Content], offers: Sequence[Offer]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._offers = tuple(offers)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(content(one_line(self._title), "bold"), classes="dialog-title")
            with VerticalScroll(classes="dialog-text", can_focus=False):
                for paragraph in self._text:
                    yield Static(paragraph if isinstance(paragraph, Content) else content(paragraph))
            yield OptionList(
                *(
                    Option(content(f"{number}  {one_line(offer.words, 200)}"), id=f"offer-{number}")
                    for number, offer in enumerate(self._offers, 1)
                ),
                id="offers",
            )

    def on_mount(self) -> None:
        self.query_one("#offers").focus()

    def on_key(self, event: Key) -> None:
        if event.character and event.character.isdigit() and 1 <= int(event.character) <= len(self._offers):
            event.stop()
            self.dismiss(self._offers[int(event.character) - 1].name)

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._offers[event.option_index].name)

    def action_leave(self) -> None:
        self.dismiss(None)


def deletion(session: Session) -> Choice:
    """The question before a conversation is deleted; it answers "delete" or something else."""
    text = (
        f"“{one_line(session.title or 'Untitled')}” with {session.message_count:,} messages is erased from this "
        "machine's disk, for good. There is no undo."
    )
    offers = (Offer(name="keep", words="Keep it"), Offer(name="delete", words="Delete it"))
    return Choice("Delete this conversation?", (text,), offers)


def too_long(failure: Failure) -> Choice:
    """What is to become of a message that does not fit; it answers "edit", "cut" or something else."""
    offers = (
        Offer(name="edit", words="Shorten it myself"),
        Offer(name="cut", words="Send its beginning; the whole is kept beside it"),
        Offer(name="leave", words="Leave it unanswered"),
    )
    return Choice("This message is too long", (failure.message, failure.hint), offers)


class OneLine(ModalScreen[str | None]):
    """Answers with a line of text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", show=False)]

    def __init__(
        self,
        title: str,
        value: str = "",
        hint: str = "Enter takes it, Esc leaves it as it is.",
        *,
        hidden: bool = False,
    ) -> None:
        super().__init__()
        self._title = title
        self._value = value
        self._hint = hint
        self._hidden = hidden

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(content(one_line(self._title), "bold"), classes="dialog-title")
            yield Input(one_line(self._value, 4_000), id="line", compact=True, password=self._hidden)
            yield Static(content(self._hint, "$text-muted"))

    def on_mount(self) -> None:
        self.query_one("#line").focus()

    @on(Input.Submitted)
    def taken(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_leave(self) -> None:
        self.dismiss(None)


class Secret(OneLine):
    """The same for a passphrase: what is typed is not shown."""

    def __init__(self, title: str, hint: str) -> None:
        super().__init__(title, "", hint, hidden=True)
