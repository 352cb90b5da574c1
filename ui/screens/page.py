"""A page of rows to read: help, why, context, a whole message. Drawn row by row, however long it is."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ui.keys import bindings
from ui.lines import PLAIN, Line, Look, chop, copied
from ui.rendering import gate, one_line
from ui.themes import Palette
from ui.widgets.bars import Rows

_SLICE = 2_000  # source lines drawn between two looks at the event loop


class Pages(ScrollView, can_focus=True):
    """Rows that are made anew for each width by `lay_out`."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows: list[Line] = []
        self._palette = Palette("dark")
        self._strips: LRUCache[tuple[Line, int], Strip] = LRUCache(500)

    def use_theme(self, name: str) -> None:
        self._palette = Palette(name)
        self._strips.clear()
        self.refresh()

    def show(self, rows: list[Line]) -> None:
        self.rows = rows
        self.virtual_size = Size(self.size.width, len(rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        line = self.rows[row] if 0 <= row < len(self.rows) else Line()
        key = (line, self.size.width)
        known = self._strips.get(key)
        if known is None:
            ground = "surface" if line.block else "background"
            resolve = self._palette.resolve
            segments = [Segment(" ", resolve(PLAIN, "background"))]
            segments += [Segment(gate(text), resolve(look, ground)) for text, look in line.runs]
            known = Strip(segments).adjust_cell_length(self.size.width, resolve(Look(), ground))
            self._strips[key] = known
        return known


class Page(Screen[None]):
    """`rows_for(width)` gives the rows of a short page; a page with `source` shows that text in full instead."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]

    class CopyWanted(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, title: str, *, source: str | None = None) -> None:
        super().__init__()
        self._heading = title
        self._source = source
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Rows(id="page-head", background="panel")
        yield Pages(id="page")
        yield Rows(id="page-foot", background="panel")

    def on_mount(self) -> None:
        for widget in (*self.query(Rows), *self.query(Pages)):
            widget.use_theme(self.app.theme)
        self.query_one("#page-head", Rows).show_runs(((f" {one_line(self._heading)}", Look(bold=True)),))
        self.query_one("#page-foot", Rows).show_runs(
            ((" Esc closes · arrows and PageUp, PageDown scroll · y copies", Look()),)
        )
        self.query_one(Pages).focus()

    def rows_for(self, width: int) -> list[Line]:
        """The rows of this page in at most `width` cells."""
        raise NotImplementedError

    def on_resize(self) -> None:
        self.call_after_refresh(self.lay_out)

    def lay_out(self) -> None:
        width = max(self.query_one(Pages).size.width - 3, 10)
        if width == self._width:
            return
        self._width = width
        if self._source is None:
            self.query_one(Pages).show(self.rows_for(width))
        else:
            self._lay_out_source(self._source.split("\n"), width)

    @work(exclusive=True)
    async def _lay_out_source(self, lines: Sequence[str], width: int) -> None:
        rows: list[Line] = []
        for start in range(0, len(lines), _SLICE):
            for line in lines[start : start + _SLICE]:
                rows.extend(chop(((line.expandtabs(4), PLAIN),), width, block=False))
            await asyncio.sleep(0)
        self.query_one(Pages).show(rows)

    def action_back(self) -> None:
        self.dismiss(None)

    def action_page(self, direction: int) -> None:
        pages = self.query_one(Pages)
        pages.scroll_relative(y=direction * max(pages.size.height - 2, 1), animate=False)

    def action_to_end(self) -> None:
        self.query_one(Pages).scroll_end(animate=False)

    def action_copy(self) -> None:
        text = self._source if self._source is not None else copied(self.query_one(Pages).rows)
        self.post_message(self.CopyWanted(text))
