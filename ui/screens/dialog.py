"""Small questions: choose one of some options, or write one line. They answer with a value and decide nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memory.key_file import LEAST_CHARACTERS
from memory.types import Session
from models.types import Failure
from ui.rendering import content, one_line

MOST_HIGH = 90  # percent of the screen
MOST_TEXT = 12  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """`name` is the answer, `words` what is shown."""

    name: str
    words: str


class Choice(ModalScreen[str | None]):
    """Answers with the name of an offer; Esc answers None. The first offer is marked, so it must do no harm.

    The offers are always in sight; where the text has no room beside them, Page Up and Page Down scroll it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", show=False),
        Binding("pageup", "page(-1)", "Scroll up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Scroll down", show=False, priority=True),
    ]

    def __init__(self, title: str, text: Sequence[str | Content], offers: Sequence[Offer]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._offers = tuple(offers)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(content(one_line(self._title), "bold"), classes="dialog-title")
            with VerticalScroll(classes="dialog-text" if self._text else "dialog-text hidden", can_focus=False):
                for paragraph in self._text:
                    yield Static(paragraph if isinstance(paragraph, Content) else content(paragraph))
            yield OptionList(
                *(
                    Option(content(f"{number if number < 10 else ' '}  {one_line(offer.words, 200)}"))
                    for number, offer in enumerate(self._offers, 1)
                ),
                id="offers",
            )

    def on_mount(self) -> None:
        self.app.clear_notifications()  # they would stand over the question
        self.query_one("#offers").focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._share_room)

    def _share_room(self) -> None:
        """Between text and offers, so that none of them stands outside the frame."""
        frame, text, offers = self.query_one(".dialog"), self._text_part, self.query_one(OptionList)
        title = self.query_one(".dialog-title")
        room = self.size.height * MOST_HIGH // 100 - 2 - title.size.height - 2  # frame, and what is left free
        wanted = text.virtual_size.height
        least = min(wanted, max(room // 3, 2))
        for_offers = max(min(offers.virtual_size.height, room - least), 1)
        offers.styles.max_height = for_offers
        text.styles.max_height = max(min(room - for_offers, MOST_TEXT), 1)
        more = wanted > max(min(room - for_offers, MOST_TEXT), 1)
        frame.border_subtitle = "PageDown reads on" if more else None

    @property
    def _text_part(self) -> VerticalScroll:
        return self.query_one(".dialog-text", VerticalScroll)

    def action_page(self, direction: int) -> None:
        part = self._text_part
        if part.max_scroll_y:
            part.scroll_relative(y=direction * max(part.size.height - 1, 1), animate=False)
        else:
            self.query_one(OptionList).highlighted = 0 if direction < 0 else len(self._offers) - 1

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
    many = "1 message" if session.message_count == 1 else f"{session.message_count:,} messages"
    text = (
        f"“{one_line(session.title or 'Untitled')}” with {many} is erased from this "
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
        self.app.clear_notifications()
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


async def new_passphrase(app: App[Any], hint: str) -> tuple[str, str]:
    """One that was typed twice and is long enough; else "", and why nothing comes of it."""
    asked = hint
    while True:
        first = await app.push_screen_wait(Secret("A new passphrase", asked))
        if not first:
            return "", "Nothing was changed."
        if len(first) >= LEAST_CHARACTERS:
            break
        asked = f"That was too short. Use {LEAST_CHARACTERS} characters or more; words are good.\n{hint}"
    again = await app.push_screen_wait(Secret("The passphrase once more", hint))
    return (first, "") if again == first else ("", "The two were not the same, so nothing was changed.")
