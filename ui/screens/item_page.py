"""A list of events, tasks, notes or documents as a page to read; its lines are numbered for the command that acts."""

from collections.abc import Sequence

from ui.lines import DIM, EMPTY, PLAIN, Line, Look, wrap
from ui.screens.page import Page

_HEAD = Look(tone="heading", bold=True)


class ItemPage(Page):
    def __init__(self, title: str, lines: Sequence[str], hint: str) -> None:
        super().__init__(title)
        self._lines = tuple(lines)
        self._hint = hint

    def rows_for(self, width: int) -> list[Line]:
        rows: list[Line] = []
        for line in self._lines:
            look = _HEAD if line.endswith(":") else PLAIN
            rows += wrap(((line, look),), width, hang=(("   ", PLAIN),)) if line else [EMPTY]
        return [*rows, EMPTY, *wrap(((self._hint, DIM),), width)]
