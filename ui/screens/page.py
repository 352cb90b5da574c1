"""A page of rows to read: help, why, context, a whole message. Drawn row by row, however long it is."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from ui.keys import bindings
from ui.lines import PLAIN, Line, Look, chop, copied
from ui.rendering import one_line
from ui.widgets.bars import Rows
from ui.widgets.row_view import Pages

_SLICE = 2_000  # source lines drawn between two looks at the event loop


class Page(Screen[None]):
    """`rows_for(width)` gives the rows of a short page; a page with `source` shows that text in full instead."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("text"),
        *(key for key in bindings("everywhere") if not key.priority),
    ]

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
        self.query_one("#page-head", Rows).show_runs(((f" {one_line(self._heading)}", Look(bold=True)),))
        self.query_one(Pages).focus()

    def foot(self) -> str:
        return "Esc closes · arrows and PageUp, PageDown scroll · y copies"

    def rows_for(self, width: int) -> list[Line]:
        """The rows of this page in at most `width` cells."""
        raise NotImplementedError

    def on_resize(self) -> None:
        self.call_after_refresh(self.lay_out)

    def lay_out(self) -> None:
        self.query_one("#page-foot", Rows).show_runs(((f" {self.foot()}", PLAIN),))
        width = self.query_one(Pages).text_width
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
        if self.query(Pages):  # not closed meanwhile
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
