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
_BAR = Look(tone="accent", bold=True)


class RowView(ScrollView):
    """A subclass says what stands on a row; `gutter` cells at the left are its own."""

    gutter_cells = 1

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.row_count = 0
        self.palette = Palette("dark")
        self._known: LRUCache[tuple[Line, int], list[Segment]] = LRUCache(2_000)

    @property
    def text_width(self) -> int:
        return max(self.size.width - self.gutter_cells - RIGHT, 10)

    def line_at(self, row: int) -> Line:
        """The row, counted from the very top; an empty one beyond the end."""
        raise NotImplementedError

    def is_marked(self, row: int) -> bool:
        """Whether the gutter shows a bar here."""
        return False

    def on_mount(self) -> None:
        self.watch(self.app, "theme", self._use_theme)

    def _use_theme(self, name: str) -> None:
        self.palette = Palette(name)
        self._known.clear()
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
        bar = "┃".ljust(self.gutter_cells) if self.is_marked(row) else " " * self.gutter_cells
        painted = [Segment(bar, self.palette.resolve(_BAR, "background"))]
        column = 0
        for text, style, _ in self._segments(self.line_at(row), span):
            # one strip made at once: making some of Textual's and joining them costs more than everything else here
            painted.append(Segment(text, style + Style.from_meta({"offset": (column, row)}) if style else style))
            column += len(text)
        return Strip(painted, self.size.width)

    def _segments(self, line: Line, span: tuple[int, int] | None) -> list[Segment]:
        """What stands right of the gutter, as wide as the widget."""
        key = (line, self.size.width)
        if span is None and (known := self._known.get(key)) is not None:
            return known
        resolve = self.palette.resolve
        ground = "surface" if line.block else "background"
        segments = [Segment(gate(text), resolve(look, ground)) for text, look in line.runs]
        if span is not None:
            segments = self._highlighted(segments, span)
        width = self.size.width - self.gutter_cells
        strip = Strip(segments).adjust_cell_length(max(width - RIGHT, 0), resolve(Look(), ground))
        segments = list(strip.extend_cell_length(width, resolve(Look(), "background")))
        if span is None:
            self._known[key] = segments
        return segments

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
