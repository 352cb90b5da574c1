"""Rows that only show: header, status line, alert. They paint `Run`s and know nothing."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from ui.lines import DIM, Line, Look, Run, wrap
from ui.rendering import gate, one_line
from ui.themes import Palette


class Rows(Widget):
    """Some rows of runs on one of the theme's backgrounds. Not focusable."""

    def __init__(self, *, id: str, background: str, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._background = background
        self._palette = Palette("dark")
        self._lines: list[Line] = []

    def use_theme(self, name: str) -> None:
        self._palette = Palette(name)
        self.refresh()

    def show_runs(self, runs: Sequence[Run]) -> None:
        self.show_lines([Line(runs=tuple(runs))])

    def show_lines(self, lines: Sequence[Line]) -> None:
        if list(lines) != self._lines:
            rows_changed = len(lines) != len(self._lines)
            self._lines = list(lines)
            self.refresh(layout=rows_changed)

    def show_text(self, text: str, look: Look, width: int) -> None:
        self.show_lines([row for line in text.split("\n") for row in wrap(((line, look),), max(width, 10))])

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self._lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        resolve = self._palette.resolve
        line = self._lines[y] if y < len(self._lines) else Line()
        segments = [Segment(gate(text), resolve(look, self._background)) for text, look in line.runs]
        return Strip(segments).adjust_cell_length(self.size.width, resolve(Look(), self._background))


class Alert(Rows):
    """What is wrong, and under it what to do; closed until there is something."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, background="surface", classes="hidden")
        self._said = ("", "")

    def say(self, message: str, hint: str) -> None:
        self._said = (message, hint)
        self._lay_out()
        self.remove_class("hidden")

    def _lay_out(self) -> None:
        message, hint = self._said
        width = max((self.size.width or self.app.size.width) - 1, 20)
        mark, indent = ((" ! ", Look(tone="error", bold=True)),), (("   ", DIM),)
        rows = wrap(((one_line(message, 400), Look(tone="error", bold=True)),), width, lead=mark, hang=indent)
        if hint:
            rows += wrap(((one_line(hint, 400), DIM),), width, lead=indent, hang=indent)
        self.show_lines(rows)

    def on_resize(self) -> None:
        if self.shown:
            self.call_after_refresh(self._lay_out)

    @property
    def shown(self) -> bool:
        return not self.has_class("hidden")

    def close(self) -> bool:
        """Whether there was something to close."""
        was = self.shown
        self.add_class("hidden")
        return was
