"""The conversation, painted row by row. It holds rows, not widgets: a thousand messages cost no more than what is seen.

Measured with Textual 8.2.8: 60 Markdown widgets above a streaming answer cost 98 ms a token. Here only the rows that
changed are drawn, and only those on the screen are painted.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events, work
from textual.binding import BindingType
from textual.reactive import reactive
from textual.scrollbar import ScrollTo
from textual.strip import Strip

from memory.types import MessageId
from ui.drawing.answer_lines import AnswerLines
from ui.drawing.blocks import Options, block_slices, live_rows
from ui.keys import bindings
from ui.lines import EMPTY, Line, Look, width_of, wrap
from ui.messages import EarlierWanted, LinkChosen, RoomChanged, Wished
from ui.view import Entry
from ui.widgets.row_view import RIGHT, RowView

if TYPE_CHECKING:
    from memory.types import Message
    from ui.messages import Wish

_SLICE_SECONDS = 0.008  # longest stretch of drawing between two looks at the event loop
_SLICE_CHARACTERS = 1_000
NEAR_TOP = 40  # rows: closer to the first loaded one, earlier messages are asked for


class Block:
    """One message and its rows. `answer` while it is being written."""

    __slots__ = ("answer", "entry", "lines", "unfolded")

    def __init__(self, entry: Entry, lines: list[Line], answer: AnswerLines | None = None) -> None:
        self.entry = entry
        self.lines = lines
        self.answer = answer
        self.unfolded = False

    @property
    def id(self) -> MessageId:
        return self.entry.message.id


class Transcript(RowView, can_focus=True):
    """`following`: new text scrolls into view. Only the user's own scrolling turns it off, never the content."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("messages")]
    gutter_cells = 2

    following = reactive(True, init=False)
    marked: reactive[MessageId | None] = reactive(None, init=False)

    def __init__(self, *, id: str | None = None, unfold_thoughts: bool = False, follow: bool = True) -> None:
        super().__init__(id=id)
        self._blocks: list[Block] = []
        self._starts: list[int] = []
        self._earlier = 0  # messages before the first loaded one
        self._unfold = unfold_thoughts
        self._may_follow = follow
        self._drawn_width = 0
        self._unseen = False
        self._welcome: list[Line] = []
        self._welcome_rows: list[Line] = []  # the same, as wide as there is room

    # what is shown

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The loaded messages, oldest first."""
        return tuple(block.entry for block in self._blocks)

    def shown_text(self) -> str:
        """Every row, for tests and for copying all of it."""
        return "\n".join(line.text for block in self._blocks for line in block.lines)

    async def show(self, entries: Sequence[Entry], *, earlier: int = 0) -> None:
        """Show these messages, with `earlier` more before them that are not loaded; scrolled to the end."""
        blocks = [await self._drawn(entry) for entry in entries]
        self.screen.clear_selection()
        self._blocks, self._earlier = blocks, earlier
        self.marked = None
        self._drawn_width = self.text_width
        self._lay_out()
        self.follow()

    async def add_before(self, entries: Sequence[Entry], *, earlier: int) -> bool:
        """Earlier messages; what is on the screen stays where it is. False when something else is shown by now."""
        first = self._blocks[0] if self._blocks else None
        blocks = [await self._drawn(entry) for entry in entries]
        if not self._blocks or self._blocks[0] is not first:
            return False
        self.screen.clear_selection()
        rows, was_note = sum(len(block.lines) for block in blocks), self._note_rows
        self._blocks[:0] = blocks
        self._earlier = earlier
        self._lay_out()
        self.scroll_to(y=self.scroll_y + rows + self._note_rows - was_note, animate=False, force=True)
        return True

    async def put(self, entry: Entry) -> None:
        """Add a message at the end, or show a changed one in its place."""
        block = await self._drawn(entry, unfolded=self._is_unfolded(entry.message.id))
        for at, old in enumerate(self._blocks):
            if old.id == entry.message.id:
                self._blocks[at] = block
                break
        else:
            self._blocks.append(block)
        self._content_changed()

    @work
    async def _put(self, entry: Entry) -> None:
        await self.put(entry)

    def cut_after(self, message_id: MessageId | None) -> None:
        """Take away every message after this one (all, for None): another branch begins here."""
        ids = [block.id for block in self._blocks]
        keep = 0 if message_id is None else ids.index(message_id) + 1 if message_id in ids else len(ids)
        del self._blocks[keep:]
        self._lay_out()

    def begin_answer(self, message: Message) -> None:
        """An answer will be written here."""
        answer = AnswerLines(self.text_width)
        self._blocks.append(Block(Entry(message=message), [], answer))
        self.grow_answer("", "")

    def grow_answer(self, text: str, thought: str) -> None:
        """All that came so far of the answer being written."""
        block = self._blocks[-1] if self._blocks else None
        if block is None or block.answer is None:
            return
        until = time.monotonic() + _SLICE_SECONDS  # what comes quicker than that is drawn later
        while not block.answer.grow(text, _SLICE_CHARACTERS) and time.monotonic() < until:
            pass
        options = Options(width=self.text_width, unfolded=self._unfold)
        before, block.lines = block.lines, live_rows(block.entry.message, thought, block.answer, options)
        if len(before) == len(block.lines) and self._starts:
            self._repaint_changed(before, block.lines, self._starts[-1])
        else:
            self._content_changed()

    def _repaint_changed(self, before: list[Line], after: list[Line], top: int) -> None:
        """Most words only make one row longer: then that row is all that is painted."""
        changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old is not new and old != new]
        if changed:
            self.refresh_lines(top + changed[0], changed[-1] - changed[0] + 1)

    @property
    def writing(self) -> bool:
        return bool(self._blocks) and self._blocks[-1].answer is not None

    def entry(self, message_id: MessageId) -> Entry | None:
        return next((block.entry for block in self._blocks if block.id == message_id), None)

    def show_welcome(self, rows: list[Line]) -> None:
        """What stands here while there is no message."""
        self._welcome = rows
        if not self._blocks:
            self._lay_out()

    def toggle_thoughts(self, message_id: MessageId) -> None:
        for block in self._blocks:
            if block.id == message_id and block.entry.message.thought:
                block.unfolded = not self._is_unfolded(message_id)
                self._put(block.entry)

    def follow(self) -> None:
        """To the end, and stay there."""
        self.following = self._may_follow
        self._unseen = False
        self.scroll_end(animate=False, force=True, immediate=True)
        self.refresh()

    def page(self, direction: int) -> None:
        self._by_hand(self.scroll_y + direction * max(self.size.height - 2, 1))

    def mark(self, message_id: MessageId) -> None:
        """Mark a loaded message and bring it into view."""
        ids = [block.id for block in self._blocks]
        if message_id in ids:
            self._mark(ids.index(message_id))

    def mark_last(self) -> None:
        if self._blocks and self.marked not in [block.id for block in self._blocks]:
            self.marked = self._blocks[-1].id

    # drawing rows

    def _is_unfolded(self, message_id: MessageId) -> bool:
        return next((block.unfolded for block in self._blocks if block.id == message_id), self._unfold)

    async def _drawn(self, entry: Entry, unfolded: bool | None = None) -> Block:
        """Draws in slices, so that a heavy message never holds the event loop."""
        shown = self._unfold if unfolded is None else unfolded
        block = Block(entry, [])
        loop = asyncio.get_running_loop()
        began = loop.time()
        for lines in block_slices(entry, Options(width=self.text_width, unfolded=shown)):
            block.lines = lines
            if loop.time() - began > _SLICE_SECONDS:
                await asyncio.sleep(0)
                began = loop.time()
        block.unfolded = shown
        return block

    @property
    def _note_rows(self) -> int:
        return 2 if self._earlier else 0

    def _lay_out(self) -> None:
        self._starts = []
        self._welcome_rows = [row for line in self._welcome for row in wrap(line.runs, self.text_width)]
        row = self._note_rows
        for block in self._blocks:
            self._starts.append(row)
            row += len(block.lines)
        self.set_rows(row if self._blocks else len(self._welcome_rows))
        self.refresh()

    def _content_changed(self) -> None:
        self._lay_out()
        if self.following:
            self.scroll_end(animate=False, force=True, immediate=True)
        elif self._blocks:
            self._unseen = self.row_count > self.scroll_y + self.size.height

    @work(group="redraw", exclusive=True)
    async def _redraw(self) -> None:
        """The width changed: draw all loaded messages again."""
        entries, earlier, following, marked = self.entries, self._earlier, self.following, self.marked
        live = self._blocks[-1] if self.writing else None
        blocks = [await self._drawn(entry, self._is_unfolded(entry.message.id)) for entry in entries]
        if live is not None and self._blocks and self._blocks[-1] is live:
            live.answer = AnswerLines(self.text_width)
            blocks[-1] = live
        if [block.id for block in self._blocks] != [block.id for block in blocks]:
            return  # something else was shown meanwhile
        self._blocks, self._earlier, self.marked = blocks, earlier, marked
        self._lay_out()
        if following:
            self.follow()

    def on_resize(self) -> None:
        if self.text_width != self._drawn_width:
            self._drawn_width = self.text_width
            if self._blocks:
                self._redraw()
            else:
                self._lay_out()
        if self.following:
            self.call_after_refresh(self.follow)
        self.post_message(RoomChanged())

    # painting

    def line_at(self, row: int) -> Line:
        if row < self._note_rows:
            words = "message" if self._earlier == 1 else "messages"
            return _note(f"↑ {self._earlier:,} earlier {words}") if row == 0 else EMPTY
        if not self._blocks:
            return self._welcome_rows[row] if row < len(self._welcome_rows) else EMPTY
        index = self._index_at(row)
        return EMPTY if index is None else self._blocks[index].lines[row - self._starts[index]]

    def _index_at(self, row: int) -> int | None:
        """Which block has this row."""
        index = bisect_right(self._starts, row) - 1
        return index if 0 <= index < len(self._blocks) and row < self.row_count else None

    def _block_at(self, row: int) -> Block | None:
        index = self._index_at(row)
        return None if index is None else self._blocks[index]

    def is_marked(self, row: int) -> bool:
        block = self._block_at(row) if self.has_focus and self.marked is not None else None
        return block is not None and block.id == self.marked

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        return self._with_marker(strip) if self._unseen and y == self.size.height - 1 else strip

    def _with_marker(self, strip: Strip) -> Strip:
        words = " ↓ new text below · Ctrl+End "
        style = self.palette.resolve(Look(tone="accent", bold=True), "marked")
        left = max(self.size.width - width_of(words) - RIGHT, 0)
        return Strip.join([strip.crop(0, left), Strip([Segment(words, style)]), strip.crop(left + width_of(words))])

    # the user's hand

    def _by_hand(self, y: float) -> None:
        """Scrolled by the user: at the very end we follow again, anywhere else we stop."""
        target = max(min(y, self.max_scroll_y), 0)
        self.following = target >= self.max_scroll_y and self._may_follow
        self.scroll_to(y=target, animate=False, force=True)
        if target >= self.max_scroll_y:
            self._unseen = False
        if target < NEAR_TOP and self._earlier:
            self.post_message(EarlierWanted())

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self._by_hand(self.scroll_y - self.app.scroll_sensitivity_y)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self._by_hand(self.scroll_y + self.app.scroll_sensitivity_y)

    def on_scroll_to(self, message: ScrollTo) -> None:
        message.stop()
        message.prevent_default()
        if message.y is not None:
            self._by_hand(message.y)

    def on_scroll_up(self) -> None:
        self._by_hand(self.scroll_y - self.size.height)

    def on_scroll_down(self) -> None:
        self._by_hand(self.scroll_y + self.size.height)

    def on_click(self, event: events.Click) -> None:
        address = event.style.meta.get("steward_link")
        if isinstance(address, str):
            self.post_message(LinkChosen(address))
            return
        block = self._block_at(event.y + self.scroll_offset.y)
        if block is not None and not self.screen.get_selected_text():
            self.marked = block.id

    def on_focus(self) -> None:
        self.mark_last()
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # the marked message

    def watch_marked(self) -> None:
        self.refresh()

    def action_mark(self, step: int) -> None:
        if not self._blocks:
            return
        ids = [block.id for block in self._blocks]
        at = ids.index(self.marked) if self.marked in ids else len(ids)
        self._mark(min(max(at + step, 0), len(ids) - 1))
        if at + step < 0 and self._earlier:
            self.post_message(EarlierWanted())

    def _mark(self, index: int) -> None:
        self.marked = self._blocks[index].id
        top, rows = self._starts[index], len(self._blocks[index].lines)
        height = self.size.height
        if top < self.scroll_y or rows > height:
            self._by_hand(top)
        elif top + rows > self.scroll_y + height:
            self._by_hand(top + rows - height)

    def action_first(self) -> None:
        if self._blocks:
            self._mark(0)
            self._by_hand(0)

    def action_last(self) -> None:
        if self._blocks:
            self.marked = self._blocks[-1].id
            self.follow()

    def action_wish(self, wish: Wish) -> None:
        if wish == "write" or self.marked is None:
            self.post_message(Wished("write", self.marked or MessageId(0)))
        else:
            self.post_message(Wished(wish, self.marked))


def _note(text: str) -> Line:
    return Line(runs=((text, Look(tone="dim")),))
