"""What is remembered about the user: a list that is filtered while you type, and beside it why each is believed."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from memory.errors import NotFound, StoreError
from memory.preferences import Filter, Item, Preference
from memory.types import MessageId, SessionId
from ui.desk import Desk
from ui.errors import UiError
from ui.keys import bindings
from ui.lines import DIM, Look
from ui.memory_acts import MemoryActs, Receipt
from ui.memory_review import waiting
from ui.memory_rows import Known, empty_rows, filter_words, index_words, list_row, used_messages, why_rows
from ui.screens.memory_dialogs import (
    LIVE_FILTER,
    ask_forget,
    ask_other,
    ask_review,
    ask_scope,
    ask_what,
    ask_words,
)
from ui.widgets.bars import Foot, Head
from ui.widgets.row_view import Pages

if TYPE_CHECKING:
    from ui.app import StewardApp

PAGE = 500  # memories listed at most; typing finds the others
SEARCH_AFTER_SECONDS = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A message to open, in its conversation."""

    session_id: SessionId
    message_id: MessageId


_FOOT = (
    "Ctrl+Y yes", "Ctrl+E edit", "Ctrl+D forget", "Ctrl+Z undo", "Ctrl+T pin", "Ctrl+R review", "Ctrl+F narrow",
    "Ctrl+S scope", "Ctrl+G merge", "Enter opens it",
)  # fmt: skip


class MemoryScreen(Screen[Goal | None]):
    """Answers with the message to open, or None."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012  declared so by Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("memory"),
        Binding("escape", "leave", "Close", show=False),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Page down", show=False, priority=True),
    ]
    app: "StewardApp"

    def __init__(self, desk: Desk, words: str = "") -> None:
        super().__init__()
        self._desk = desk
        self._acts = MemoryActs(desk.conversation.preferences, desk.clock)
        self._words = words
        self._filter = LIVE_FILTER
        self._shown: tuple[Preference, ...] = ()
        self._known: Known | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Head(id="memory-head")
        yield Input(self._words, id="filter", placeholder="Type to filter by words", compact=True)
        with Container(id="memory-body"):
            yield OptionList(id="memory-list", compact=True)
            with Vertical(id="memory-side"):
                yield Pages(id="memory-why")
        yield Foot(id="memory-foot")

    def on_mount(self) -> None:
        self._list.can_focus = self._why.can_focus = False
        self.query_one("#filter").focus()
        self._look(0.0)

    @property
    def _list(self) -> OptionList:
        return self.query_one("#memory-list", OptionList)

    @property
    def _why(self) -> Pages:
        return self.query_one("#memory-why", Pages)

    # the list

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._words = event.value
        self._look(SEARCH_AFTER_SECONDS)

    @work(exclusive=True, group="look")
    async def _look(self, after: float = 0.0) -> None:
        if after:
            await asyncio.sleep(after)
        try:
            await self._read()
        except StoreError as error:
            self._say(error.message, error.hint)

    async def _read(self) -> None:
        """Raises StoreError."""
        store, wanted = self._acts.store, _with_text(self._filter, self._words)
        here = self._chosen()
        self._shown = await store.list(wanted, limit=PAGE)
        total = await store.count(LIVE_FILTER)
        waits = len(waiting(await store.review(at=self._desk.clock.now())))
        options, width = self._list, self._list_width()
        options.clear_options()
        options.add_options(Option(list_row(one, width), id=one.id) for one in self._shown)
        self._head(total, waits)
        self._foot()
        if self._shown:
            ids = [one.id for one in self._shown]
            options.highlighted = ids.index(here.id) if here is not None and here.id in ids else 0
        else:
            self._known = None
            self._why.show(empty_rows(total > 0, self._why.text_width))

    def _list_width(self) -> int:
        return max(self._list.size.width - 3, 20)

    def _head(self, total: int, waits: int) -> None:
        runs = [(" Memory", Look(bold=True)), (f"  {total:,} in all", DIM)]
        if len(self._shown) != total:
            runs.append((f", {len(self._shown):,} shown", DIM))
        narrowed = filter_words(self._filter)
        if narrowed:
            runs.append((f"  {narrowed}", Look(tone="accent")))
        index = index_words(self._desk.index_status)
        if index:
            runs.append((f"  {index}", DIM))
        if waits:
            runs.append((f"  {waits} to review (Ctrl+R)", Look(tone="warning", bold=True)))
        self.query_one("#memory-head", Head).show_runs(runs)

    def _foot(self) -> None:
        self.query_one("#memory-foot", Foot).show_keys(_FOOT, "F1 all")

    def on_resize(self) -> None:
        self.call_after_refresh(self._lay_out)

    def _lay_out(self) -> None:
        if self._width != self.size.width:
            self._width = self.size.width
            self._look()
        self._draw_why()

    def action_move(self, step: int) -> None:
        if step < 0:
            self._list.action_cursor_up()
        else:
            self._list.action_cursor_down()

    def action_page(self, direction: int) -> None:
        rows = max(self._list.size.height - 1, 1)
        at = (self._list.highlighted or 0) + direction * rows
        self._list.highlighted = min(max(at, 0), max(self._list.option_count - 1, 0))

    def action_scroll_why(self, direction: int) -> None:
        self._why.scroll_relative(y=direction * max(self._why.size.height - 2, 1), animate=False)

    def _chosen(self) -> Preference | None:
        at = self._list.highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    # why

    @on(OptionList.OptionHighlighted, "#memory-list")
    def highlighted(self) -> None:
        one = self._chosen()
        if one is not None:
            self._explain(one)

    @work(exclusive=True, group="why")
    async def _explain(self, one: Preference) -> None:
        store = self._acts.store
        try:
            item = await store.item(one.id)
            history, uses = await store.history(one.id, limit=30), await store.uses(one.id, limit=10)
            places = {id: title for id in used_messages(item, uses) if (title := await self._place(id))}
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        self._known = Known(item=item, history=history, uses=uses, places=places)
        self._draw_why()
        self._why.scroll_home(animate=False)

    async def _place(self, message_id: MessageId) -> str:
        """The title of the conversation a message is in; "" when it is gone."""
        transcript = self._desk.conversation.transcript
        try:
            session = await transcript.session((await transcript.message(message_id)).session_id)
        except NotFound:
            return ""
        return session.title or "Untitled"

    def _draw_why(self) -> None:
        if self._known is not None:
            self._why.show(why_rows(self._known, self._why.text_width))

    # what can be done with one

    @on(OptionList.OptionSelected, "#memory-list")
    def clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()

    @work
    async def action_open(self) -> None:
        one = self._chosen()
        if one is None:
            return
        evidence = (await self._acts.store.item(one.id)).evidence
        spoken = [each for each in evidence if each.message_id is not None and each.session_id is not None]
        if not spoken:
            self._say("It was not said in a conversation that is still here.", "")
            return
        last = spoken[-1]
        assert last.session_id is not None
        assert last.message_id is not None
        self.dismiss(Goal(session_id=last.session_id, message_id=last.message_id))

    def action_leave(self) -> None:
        field = self.query_one("#filter", Input)
        if field.value:
            field.value = ""
        elif self._filter != LIVE_FILTER:
            self._filter = LIVE_FILTER
            self._look()
        else:
            self.dismiss(None)

    @work
    async def action_confirm(self) -> None:
        if (item := await self._item()) is not None:
            await self._do(self._acts.confirm(item))

    @work
    async def action_edit(self) -> None:
        if (item := await self._item()) is None:
            return
        words = await ask_words(self.app, item)
        if words:
            await self._do(self._acts.edit(item, words))

    @work
    async def action_pin(self) -> None:
        if (item := await self._item()) is not None:
            await self._do(self._acts.pin(item, not item.preference.pinned))

    @work
    async def action_scope(self) -> None:
        if (item := await self._item()) is None:
            return
        try:
            wanted = await ask_scope(self.app, item, self._desk.clock.now())
        except UiError as error:
            self._say(error.message, error.hint)
            return
        if wanted is not None:
            await self._do(self._acts.rescope(item, *wanted))

    @work
    async def action_merge(self) -> None:
        if (item := await self._item()) is None:
            return
        other = await ask_other(self.app, self._acts, item)
        if other is not None:
            await self._do(self._acts.merge(item, [other]))

    @work
    async def action_forget(self) -> None:
        if (item := await self._item()) is None:
            return
        gone = await ask_forget(self.app, self._acts, (item,), self._desk)
        if gone:
            await self._read()
            self._say(gone, "")

    @work
    async def action_undo(self) -> None:
        await self._do(self._acts.undo())

    @work
    async def action_review(self) -> None:
        said = await ask_review(self.app, self._acts, self._desk.clock.now())
        await self._read()
        self._say(said, "")
        self.app.refresh_memory()

    @work
    async def action_narrow(self) -> None:
        chosen = await ask_what(self.app, self._acts)
        if chosen is not None:
            self._filter = chosen
            self._look()

    async def _item(self) -> Item | None:
        one = self._chosen()
        if one is None:
            return None
        try:
            return await self._acts.store.item(one.id)
        except StoreError as error:
            self._say(error.message, error.hint)
            return None

    async def _do(self, act: Awaitable[Receipt]) -> None:
        try:
            receipt = await act
            await self._read()
        except (UiError, StoreError) as error:
            self._say(error.message, error.hint)
            return
        self._say(receipt.words, "Ctrl+Z undoes it.")
        self.app.refresh_memory()

    def _say(self, message: str, hint: str) -> None:
        self.query_one("#memory-foot", Foot).say(message, hint)


def _with_text(filter: Filter, words: str) -> Filter:
    return replace(filter, text=words.strip())
