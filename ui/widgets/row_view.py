"""Paints `Line`s row by row, only those that are seen, and lets the mouse select their text."""

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ui.lines import EMPTY, Line, Look, copied
from ui.rendering import gate
from ui.themes import Palette

RIGHT = 1  # empty cells at the right edge


class RowView(ScrollView):
    """A subclass says what stands on a row; `gutter` cells at the left are its own."""

    gutter_cells = 1

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.row_count = 0
        self.palette = Palette("dark")
        self._strips: LRUCache[tuple[Line, bool, int], Strip] = LRUCache(2_000)

    @property
    def text_width(self) -> int:
        return max(self.size.width - self.gutter_cells - RIGHT, 10)

    def line_at(self, row: int) -> Line:
        """The row, counted from the very top; an empty one beyond the end."""
        raise NotImplementedError

    def is_marked(self, row: int) -> bool:
        """Whether the gutter shows a bar here."""
        return False

    def use_theme(self, name: str) -> None:
        self.palette = Palette(name)
        self._strips.clear()
        self.refresh()

    def set_rows(self, count: int) -> None:
        """How many rows there are. Textual would lay the whole screen out anew (12 ms for one more row); the only thing
        that changes is the scroll bar. What has to be painted again, the caller knows."""
        self.row_count = count
        size = Size(self.size.width, count)
        if size != self.virtual_size:
            self.set_reactive(RowView.virtual_size, size)
            self._scroll_update(size)

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        selection = self.text_selection
        span = None if selection is None or row >= self.row_count else selection.get_span(row)
        strip = self._painted(self.line_at(row), self.is_marked(row), span)
        if row >= self.row_count:
            return strip
        gutter = self.gutter_cells
        return Strip.join([strip.crop(0, gutter), strip.crop(gutter).apply_offsets(0, row)])

    def _painted(self, line: Line, marked: bool, span: tuple[int, int] | None) -> Strip:
        key = (line, marked, self.size.width)
        if span is None and (known := self._strips.get(key)) is not None:
            return known
        resolve = self.palette.resolve
        bar = "┃".ljust(self.gutter_cells) if marked else " " * self.gutter_cells
        ground = "surface" if line.block else "background"
        segments = [Segment(gate(text), resolve(look, ground)) for text, look in line.runs]
        if span is not None:
            segments = self._highlighted(segments, span)
        segments.insert(0, Segment(bar, resolve(Look(tone="accent", bold=True), "background")))
        strip = Strip(segments).adjust_cell_length(self.size.width - RIGHT, resolve(Look(), ground))
        strip = strip.extend_cell_length(self.size.width, resolve(Look(), "background"))
        if span is None:
            self._strips[key] = strip
        return strip

    def _highlighted(self, segments: list[Segment], span: tuple[int, int]) -> list[Segment]:
        start, end = span
        style = Style(bgcolor=self.palette.colours.marked)
        painted: list[Segment] = []
        at = 0
        for text, own, _ in segments:
            stop = at + len(text)
            first = max(start - at, 0)
            last = len(text) if end < 0 else max(min(end, stop) - at, 0)
            for piece, chosen in ((text[:first], False), (text[first:last], True), (text[max(first, last) :], False)):
                if piece:
                    painted.append(Segment(piece, own + style if chosen and own is not None else own))
            at = stop
        return painted

    # selecting

    @property
    def allow_select(self) -> bool:
        return True

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it stood in the source: soft wraps and decoration are not in it."""
        first = 0 if selection.start is None else selection.start.y
        last = self.row_count - 1 if selection.end is None else min(selection.end.y, self.row_count - 1)
        lines: list[Line] = []
        for row in range(first, last + 1):
            span = selection.get_span(row)
            if span is not None:
                line = self.line_at(row)
                start = max(span[0], line.margin)
                text = line.text[start:] if span[1] < 0 else line.text[start : span[1]]
                lines.append(Line(runs=((text, Look()),), glue=line.glue))
        return copied(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()


class Pages(RowView, can_focus=True):
    """A list of rows."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows: list[Line] = []

    def show(self, rows: list[Line]) -> None:
        self.rows = rows
        self.set_rows(len(rows))
        self.refresh()

    def line_at(self, row: int) -> Line:
        return self.rows[row] if 0 <= row < len(self.rows) else EMPTY
