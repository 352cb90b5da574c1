"""Where the user writes. Several lines, history, folded pastes, deleting by written characters.

Enter sends. Enter that comes within 50 ms of a paste, or in the middle of a burst of keys (a terminal that hands a
paste over as keys), is a line break: nothing is sent that the user did not send. An Enter right after a key waits
50 ms for what follows, so a quick typist loses nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from textual import events
from textual.actions import SkipAction
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from assistant.policies.cleaning import clean
from memory.types import Origin
from ui import folds, graphemes
from ui.drafts import NOTHING, Draft
from ui.keys import KEYS
from ui.messages import DraftChanged, Sent
from ui.rendering import content

PASTE_SECONDS = 0.05
_LEAVE_SECONDS = 1.0
_HISTORY = 500

Location = tuple[int, int]


def prompt_keys(own: Mapping[str, str]) -> dict[str, str]:
    """key -> action for the keys of the prompt, the user's own in place of the defaults."""
    return {
        part.strip(): key.action
        for key in KEYS
        if key.place == "prompt"
        for part in own.get(key.name, key.keys).split(",")
    }


class Prompt(TextArea):
    """Posts `Sent` and `DraftChanged`; the screen decides what happens with them."""

    @dataclass
    class CompletionMoved(Message):
        step: int

    class CompletionTaken(Message):
        """Tab, or Enter while commands are shown."""

    class EditorWanted(Message):
        """`prompt` takes what the editor made of `text`."""

        def __init__(self, prompt: "Prompt") -> None:
            super().__init__()
            self.prompt = prompt
            self.text = prompt.whole_text

    class MessagesWanted(Message): ...

    class HelpWanted(Message): ...

    class QuitWanted(Message):
        """Ctrl+D in an empty prompt."""

    @dataclass
    class Refused(Message):
        reason: str

    def __init__(self, *, id: str | None = None, keys: Mapping[str, str] | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
            compact=True,
            placeholder=content("Write a message"),
        )
        self.cursor_blink = False  # a blinking cursor paints half of the screen again, twice a second
        self.completing = False  # the screen shows commands to choose from
        self._keys = dict(keys) if keys is not None else prompt_keys({})
        self._folds: dict[str, str] = {}
        self._pasted: set[str] = set()
        self._history: list[Draft] = []
        self._place: int | None = None  # in the history; None is the draft
        self._unsent = NOTHING  # while an earlier message is shown
        self._last_change = -1.0
        self._last_paste = -1.0
        self._burst = False
        self._waiting: tuple[float, Timer] | None = None  # an Enter that may turn out to be part of a paste
        self._left_at: float | None = None  # when the user went to the messages; the focus follows a moment later
        self._held: list[events.Key] = []  # keys of that moment: meant for the messages

    # text

    @property
    def whole_text(self) -> str:
        return folds.whole(self.text, self._folds)

    def write(self, text: str, origin: Origin = "typed") -> None:
        """Put `text` in place of what is there; very long text is folded."""
        if origin == "pasted":
            self._pasted.add(text)
        self.load_text(self._folded(text))
        self.move_cursor(self.document.end)

    @property
    def draft(self) -> Draft:
        return Draft(text=self.whole_text, origin=self.origin)

    def remember(self, messages: Sequence[Draft]) -> None:
        """Earlier messages of the user, oldest first, for Up and Down."""
        self._history = list(messages)[-_HISTORY:]
        self._place = None

    @property
    def origin(self) -> Literal["typed", "pasted"]:
        """Pasted when most of it was; what was pasted is not the user's own words."""
        if folds.marks_in(self.text, self._folds):
            return "pasted"
        pasted = sum(len(text) for text in self._pasted if text in self.text)
        return "pasted" if pasted and pasted * 2 >= len(self.text) else "typed"

    def _folded(self, text: str) -> str:
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")  # the document would break the line there too
        if not folds.is_long(text):
            return text
        mark = folds.mark_for(text, len(self._folds) + 1)
        self._folds[mark] = text
        return mark

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(DraftChanged(self.whole_text))

    # keys

    async def _on_key(self, event: events.Key) -> None:
        if self._left_at is not None and event.time - self._left_at < _LEAVE_SECONDS:
            event.stop()
            event.prevent_default()
            self._held.append(events.Key(event.key, event.character))
            return
        if self._waiting is not None:
            self._settle_waiting(event.time)
        if event.time - self._last_change > PASTE_SECONDS:
            self._burst = False
        action = self._action_for(event)
        if action is None:
            if event.is_printable:
                self._last_change = event.time
            return
        event.stop()
        event.prevent_default()
        if action == "send":
            self._enter(event.time)
        else:
            self._left_at = event.time if action == "messages" and not self.completing else None
            getattr(self, f"action_{action}")()

    def _action_for(self, event: events.Key) -> str | None:
        if event.character == "?" and not self.text:
            return "help"
        if event.key == "ctrl+d" and not self.text:
            return "leave"
        if event.key in ("up", "down") and self.completing:
            return "complete_up" if event.key == "up" else "complete_down"
        return self._keys.get(event.key)

    def _enter(self, at: float) -> None:
        if self.completing:
            self.post_message(self.CompletionTaken())
        elif at - self._last_paste <= PASTE_SECONDS:
            self._break_line(at)
        elif at - self._last_change <= PASTE_SECONDS:
            self._waiting = (at, self.set_timer(PASTE_SECONDS, self._waited))
        else:
            self.action_send()

    def _settle_waiting(self, now: float) -> None:
        """Another key came after an Enter: at once, then both are a paste; later, then the Enter was meant."""
        assert self._waiting is not None
        entered, timer = self._waiting
        self._waiting = None
        timer.stop()
        if now - entered <= PASTE_SECONDS:
            self._break_line(now)
        else:
            self.action_send()

    def _waited(self) -> None:
        if self._waiting is None:
            return
        entered, _ = self._waiting
        self._waiting = None
        if self._burst:
            self._break_line(entered)
        else:
            self.action_send()

    def _break_line(self, at: float) -> None:
        self._burst = True
        self._last_change = at
        self.action_newline()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._last_paste = event.time
        text = clean(event.text)
        if len(text) > folds.MOST_CHARACTERS:
            self.post_message(
                self.Refused(
                    f"That is {len(text):,} characters; more than {folds.MOST_CHARACTERS:,} cannot be sent at once. "
                    "Save it as a file and paste the part that matters."
                )
            )
            return
        if not folds.is_long(text):
            self._pasted.add(text)
        if result := self._replace_via_keyboard(self._folded(text), *self.selection):
            self.move_cursor(result.end_location)

    # actions of the table in ui/keys.py

    def action_send(self) -> None:
        text, origin = self.whole_text, self.origin
        if not text.strip():
            return
        self.post_message(Sent(text, origin))
        self.forget()

    def forget(self) -> None:
        """Empty, with nothing kept of what was there."""
        self._folds.clear()
        self._pasted.clear()
        self._place = None
        self.load_text("")

    def action_newline(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)
        self.scroll_cursor_visible()

    def action_older(self) -> None:
        if not self._history:
            return
        if self._place is None:
            self._unsent = self.draft
        self._go(len(self._history) - 1 if self._place is None else max(self._place - 1, 0))

    def action_newer(self) -> None:
        if self._place is None:
            return
        self._go(self._place + 1 if self._place + 1 < len(self._history) else None)

    def _go(self, place: int | None) -> None:
        self._place = place
        shown = self._unsent if place is None else self._history[place]
        self.write(shown.text, shown.origin)

    def action_editor(self) -> None:
        self.post_message(self.EditorWanted(self))

    def action_unfold(self) -> None:
        marks = folds.marks_in(self.text, self._folds)
        if not marks:
            return
        text = self._folds[marks[-1]]
        if len(text) > folds.UNFOLD_CHARACTERS:
            self.post_message(self.Refused("That is too long to show here; Ctrl+G opens all of it in your editor."))
            return
        before, _, after = self.text.rpartition(marks[-1])
        del self._folds[marks[-1]]
        self._pasted.add(text)
        self.load_text(before + text + after)
        self.move_cursor(self.document.end)

    def action_messages(self) -> None:
        if self.completing:
            self.post_message(self.CompletionTaken())
        else:
            self.post_message(self.MessagesWanted())

    def on_blur(self) -> None:
        held, self._held, self._left_at = self._held, [], None
        for key in held:
            self.app.post_message(key)

    def action_help(self) -> None:
        self.post_message(self.HelpWanted())

    def action_leave(self) -> None:
        self.post_message(self.QuitWanted())

    def action_complete_up(self) -> None:
        self.post_message(self.CompletionMoved(-1))

    def action_complete_down(self) -> None:
        self.post_message(self.CompletionMoved(1))

    # written characters instead of code points

    def get_cursor_left_location(self) -> Location:
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        line = self.document.get_line(row)
        fold = folds.mark_before(line, column, self._folds)
        return row, graphemes.before(line, column) if fold is None else fold

    def get_cursor_right_location(self) -> Location:
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if column >= len(line):
            return super().get_cursor_right_location()
        fold = folds.mark_after(line, column, self._folds)
        return row, graphemes.after(line, column) if fold is None else fold

    def action_cursor_up(self, select: bool = False) -> None:
        if not select and self.cursor_at_first_line and self._history and self._on_first_row():
            self.action_older()
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not select and self._place is not None and self.cursor_at_last_line:
            self.action_newer()
        else:
            super().action_cursor_down(select)

    def _on_first_row(self) -> bool:
        """On the first row of the screen, not only on the first line of the text."""
        return (
            self.get_cursor_up_location()[0] == 0
            and self.wrapped_document.location_to_offset(self.cursor_location).y == 0
        )

    def action_cursor_page_up(self) -> None:
        raise SkipAction  # the transcript scrolls

    def action_cursor_page_down(self) -> None:
        raise SkipAction

    def end_selection(self) -> None:
        self.selection = Selection.cursor(self.cursor_location)
