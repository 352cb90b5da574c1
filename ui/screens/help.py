"""Every key and command, made from the tables they come from."""

from collections.abc import Mapping
from typing import Any

from textual.screen import Screen

from ui.actions import COMMANDS
from ui.keys import PLACES, Place, place_of, shown, with_own
from ui.lines import EMPTY, PLAIN, Line, Look, wrap
from ui.screens.page import Page
from ui.widgets.decision_card import DecisionCard
from ui.widgets.prompt import Prompt
from ui.widgets.transcript import Transcript

_HEAD = Look(tone="heading", bold=True)


def place_in(screen: Screen[Any]) -> Place | None:
    """Where the user is on it, as far as that has keys of its own."""
    match screen.focused:
        case Prompt():
            return None  # what works everywhere comes first
        case Transcript():
            return "messages"
        case DecisionCard():
            return "decision"
        case _:
            return place_of({binding.id for bound in screen._bindings.key_to_bindings.values() for binding in bound})


class Help(Page):
    """`here`: the place whose keys come first."""

    def __init__(self, own_keys: Mapping[str, str], here: Place | None = None) -> None:
        super().__init__("Keys and commands")
        self._own = own_keys
        self._here = here

    def rows_for(self, width: int) -> list[Line]:
        rows: list[Line] = []
        for place, title in sorted(PLACES.items(), key=lambda each: each[0] != self._here):
            rows += [EMPTY, *wrap(((title, _HEAD),), width)] if rows else wrap(((title, _HEAD),), width)
            for key in with_own(self._own):
                if key.place == place:
                    rows += _pair(shown(key.keys), key.label, width)
        rows += [EMPTY, *wrap((("Commands: type / in the prompt, or find them with Ctrl+P", _HEAD),), width)]
        for command in COMMANDS:
            rows += _pair(f"/{command.name}{' ' + command.takes if command.takes else ''}", command.label, width)
        closing = (
            "The mouse: the wheel scrolls, a click marks a message, dragging selects text (Ctrl+C copies it), "
            "F8 gives the mouse back to the terminal. Keys can be changed in config.toml, section [ui.keys]; "
            "the names are in docs/keys.md."
        )
        return [*rows, EMPTY, *wrap(((closing, Look(tone="dim")),), width)]


def _pair(left: str, right: str, width: int) -> list[Line]:
    column = 26 if width >= 90 else 20
    if len(left) > column - 2:
        return [
            *wrap(((f"  {left}", Look(tone="accent")),), width),
            *wrap(((right, PLAIN),), width, lead=((" " * (column + 2), PLAIN),), hang=((" " * (column + 2), PLAIN),)),
        ]
    lead = ((f"  {left:<{column}}", Look(tone="accent")),)
    return wrap(((right, PLAIN),), width, lead=lead, hang=((" " * (column + 2), PLAIN),))
