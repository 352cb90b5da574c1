"""The conversation, painted row by row. It holds rows, not widgets: a thousand messages cost no more than what is seen.

Measured with Textual 8.2.8: 60 Markdown widgets above a streaming answer cost 98 ms a token. Here only the rows that
changed are drawn, and only those on the screen are painted.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollTo
from textual.selection import Selection
from textual.strip import Strip

from memory.types import Message, MessageId
from ui.answer_lines import AnswerLines
from ui.blocks import Options, block_slices, live_rows
from ui.keys import bindings
from ui.lines import EMPTY, Line, Look, copied, width_of
from ui.messages import EarlierWanted, LinkChosen, Wish, Wished
from ui.rendering import gate
from ui.themes import Palette
from ui.view import Entry

_GUTTER = 2  # cells left of the text: the mark of the chosen message
_RIGHT = 1
_SLICE_SECONDS = 0.008  # longest stretch of drawing between two looks at the event loop
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


class Transcript(ScrollView, can_focus=True):
    """`following`: new text scrolls into view. Only the user's own scrolling turns it off, never the content."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("messages")]

    following = reactive(True, init=False)
    marked: reactive[MessageId | None] = reactive(None, init=False)

    def __init__(self, *, id: str | None = None, unfold_thoughts: bool = False, follow: bool = True) -> None:
        super().__init__(id=id)
        self._blocks: list[Block] = []
        self._starts: list[int] = []
        self._rows = 0
        self._earlier = 0  # messages before the first loaded one
        self._unfold = unfold_thoughts
        self._may_follow = follow
        self._palette = Palette("dark")
        self._strips: LRUCache[tuple[Line, bool], Strip] = LRUCache(2_000)
        self._drawn_width = 0
        self._unseen = False
        self._welcome: list[Line] = []

    # what is shown

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The loaded messages, oldest first."""
        return tuple(block.entry for block in self._blocks)

    @property
    def text_width(self) -> int:
        return max(self.size.width - _GUTTER - _RIGHT, 10)

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

    async def add_before(self, entries: Sequence[Entry], *, earlier: int) -> None:
        """Earlier messages; what is on the screen stays where it is."""
        blocks = [await self._drawn(entry) for entry in entries]
        self.screen.clear_selection()
        rows = sum(len(block.lines) for block in blocks)
        was_note = self._note_rows
        self._blocks[:0] = blocks
        self._earlier = earlier
        self._lay_out()
        self.scroll_to(y=self.scroll_y + rows + self._note_rows - was_note, animate=False, force=True)

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
        block.answer.grow(text)
        options = Options(width=self.text_width, unfolded=self._unfold)
        block.lines = live_rows(block.entry.message, thought, block.answer, options)
        self._content_changed()

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
                self.run_worker(self.put(block.entry))

    def use_theme(self, name: str) -> None:
        self._palette = Palette(name)
        self._strips.clear()
        self.refresh()

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
        if self._blocks and self.marked is None:
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
        row = self._note_rows
        for block in self._blocks:
            self._starts.append(row)
            row += len(block.lines)
        self._rows = row if self._blocks else len(self._welcome)
        self.virtual_size = Size(self.size.width, self._rows)
        self.refresh()

    def _content_changed(self) -> None:
        self._lay_out()
        if self.following:
            self.scroll_end(animate=False, force=True, immediate=True)
        elif self._blocks:
            self._unseen = self._rows > self.scroll_y + self.size.height

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
        if self.text_width != self._drawn_width and self._blocks:
            self._drawn_width = self.text_width
            self.run_worker(self._redraw(), group="redraw", exclusive=True)
        if self.following:
            self.call_after_refresh(self.follow)

    # painting

    def _line_at(self, row: int) -> tuple[Line, Block | None]:
        if row < self._note_rows:
            words = "message" if self._earlier == 1 else "messages"
            return (_note(f"↑ {self._earlier:,} earlier {words}"), None) if row == 0 else (EMPTY, None)
        if not self._blocks:
            return (self._welcome[row] if row < len(self._welcome) else EMPTY), None
        index = bisect_right(self._starts, row) - 1
        if index < 0 or row >= self._rows:
            return EMPTY, None
        block = self._blocks[index]
        return block.lines[row - self._starts[index]], block

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        line, block = self._line_at(row)
        chosen = block is not None and block.id == self.marked and self.has_focus
        strip = self._strip(line, chosen, self._selected(row))
        if block is not None:
            strip = Strip.join([strip.crop(0, _GUTTER), strip.crop(_GUTTER).apply_offsets(0, row)])
        if y == self.size.height - 1 and self._unseen:
            strip = self._with_marker(strip)
        return strip

    def _selected(self, row: int) -> tuple[int, int] | None:
        selection = self.text_selection
        return None if selection is None else selection.get_span(row)

    def _strip(self, line: Line, chosen: bool, selected: tuple[int, int] | None) -> Strip:
        key = (line, chosen)
        if selected is None and (known := self._strips.get(key)) is not None:
            return known
        resolve = self._palette.resolve
        bar = Look(tone="accent", bold=True)
        segments = [Segment("┃ " if chosen else "  ", resolve(bar, "background"))]
        ground = "surface" if line.block else "background"
        segments += [
            Segment(gate(text), resolve(look, "background" if number == 0 and not line.block else ground))
            for number, (text, look) in enumerate(line.runs)
        ]
        if selected is not None:
            segments = [segments[0], *self._highlight(segments[1:], selected)]
        strip = Strip(segments).adjust_cell_length(
            self.size.width - _RIGHT if line.block else self.size.width, resolve(Look(), ground)
        )
        if line.block:
            strip = strip.extend_cell_length(self.size.width, resolve(Look(), "background"))
        if selected is None:
            self._strips[key] = strip
        return strip

    def _highlight(self, segments: list[Segment], selected: tuple[int, int]) -> list[Segment]:
        start, end = selected
        style = Style(bgcolor=self._palette.colours.marked)
        painted: list[Segment] = []
        at = 0
        for text, own, _ in segments:
            stop = at + len(text)
            first, last = max(start - at, 0), len(text) if end < 0 else max(min(end, stop) - at, 0)
            for piece, chosen in ((text[:first], False), (text[first:last], True), (text[max(first, last) :], False)):
                if piece:
                    painted.append(Segment(piece, own + style if chosen and own is not None else own))
            at = stop
        return painted

    def _with_marker(self, strip: Strip) -> Strip:
        words = " ↓ new text below · End "
        style = self._palette.resolve(Look(tone="accent", bold=True), "marked")
        left = max(self.size.width - width_of(words) - _RIGHT, 0)
        return Strip.join([strip.crop(0, left), Strip([Segment(words, style)]), strip.crop(left + width_of(words))])

    # selecting

    @property
    def allow_select(self) -> bool:
        return True

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it stood in the source: soft wraps are not in it."""
        first = 0 if selection.start is None else selection.start.y
        last = self._rows - 1 if selection.end is None else min(selection.end.y, self._rows - 1)
        lines: list[Line] = []
        for row in range(first, last + 1):
            line, _ = self._line_at(row)
            span = selection.get_span(row)
            if span is None:
                continue
            start = max(span[0], line.margin)
            text = line.text[start:] if span[1] < 0 else line.text[start : span[1]]
            lines.append(Line(runs=((text, Look()),), glue=line.glue))
        return copied(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

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
        _, block = self._line_at(event.y + self.scroll_offset.y)
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
