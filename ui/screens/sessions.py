"""The conversations: a list that is searched while you type, by title and by every word that was said."""

import asyncio
from collections.abc import Awaitable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from memory.errors import StoreError
from memory.types import Found, Session, SessionId
from ui.desk import Desk
from ui.export import as_markdown, file_name, write_export
from ui.keys import bindings
from ui.lines import Look
from ui.rendering import content, fitted, one_line
from ui.screens.dialog import OneLine, deletion
from ui.session_lines import source_words
from ui.widgets.bars import Foot, Rows

if TYPE_CHECKING:
    from ui.app import StewardApp

PAGE = 100  # conversations read at a time
SEARCH_AFTER_SECONDS = 0.08  # without another key: then it is worth looking


_FOOT = ("Esc closes", "Enter opens", "Ctrl+R renames", "Ctrl+E exports", "Ctrl+D deletes")


class SessionsScreen(Screen[SessionId | None]):
    """Answers with the conversation to open, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("sessions"),
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
        self._words = words
        self._shown: list[Session] = []
        self._more = False
        self._transcript = (
            desk.leave_incognito().transcript if not desk.options.incognito else desk.conversation.transcript
        )

    def compose(self) -> ComposeResult:
        yield Rows(id="sessions-head", background="panel")
        yield Input(self._words, id="filter", placeholder="Type to search titles and everything said", compact=True)
        yield OptionList(id="sessions", compact=True)
        yield Foot(id="sessions-foot")

    def on_mount(self) -> None:
        self.query_one("#sessions").can_focus = False
        self.query_one("#filter").focus()
        self._foot()
        self._search(self._words, 0.0)

    def _foot(self) -> None:
        self.query_one("#sessions-head", Rows).show_runs(((" Conversations", Look(bold=True)),))
        self.query_one("#sessions-foot", Foot).show_keys(_FOOT, "F1 all")  # a letter is searched for here

    # the list

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._foot()
        self._search(event.value, SEARCH_AFTER_SECONDS)

    @work(exclusive=True, group="search")
    async def _search(self, words: str, after: float) -> None:
        if after:
            await asyncio.sleep(after)
        words = words.strip()
        self._words = words
        try:
            if not words:
                sessions = await self._transcript.sessions(limit=PAGE)
                self._show([(session, None) for session in sessions], more=len(sessions) == PAGE)
                return
            titled = await self._transcript.sessions(limit=PAGE, title_contains=words)
            if titled:
                self._show([(session, None) for session in titled], more=False)
            found = await self._transcript.search(words, limit=50)
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        rows: dict[SessionId, tuple[Session, Found | None]] = {session.id: (session, None) for session in titled}
        for hit in found:
            rows.setdefault(hit.session.id, (hit.session, hit))
        self._show(list(rows.values()), more=False)

    def _show(self, rows: list[tuple[Session, Found | None]], *, more: bool) -> None:
        if not self.query("#sessions"):
            return  # closed meanwhile
        self._shown = [session for session, _ in rows]
        self._more = more
        options = self.query_one("#sessions", OptionList)
        options.clear_options()
        now = self._desk.clock.now()
        options.add_options(Option(self._row(session, hit, now)) for session, hit in rows)
        if rows:
            options.highlighted = 0
        else:
            self._say("Nothing found." if self._words else self._none_yet(), "")

    def _none_yet(self) -> str:
        kept = not self._desk.options.keeps_nothing
        last = "What you say is kept here." if kept else "They last until Steward ends."
        return f"No conversations yet. {last}"

    def _row(self, session: Session, hit: Found | None, now: datetime) -> Content:
        width = max(self.size.width - 34 - len(source_words(session)), 20)
        title = fitted(session.title or "Untitled", width)
        count = f"{session.message_count:,} messages" if session.message_count != 1 else "1 message"
        count += source_words(session)
        when = when_words(session.updated_at, now)
        head = Content.assemble(
            content(f"{when:<16}", "$text-muted"), content(title, "bold"), content(f"  {count}", "$text-muted")
        )
        return (
            head if hit is None else Content("\n").join([head, Content.assemble(" " * 16, snippet(hit.snippet, width))])
        )

    @on(OptionList.OptionHighlighted, "#sessions")
    def highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._more and event.option_index >= len(self._shown) - 5:
            self._more = False
            self._load_more()

    @work(exclusive=True, group="more")
    async def _load_more(self) -> None:
        sessions = await self._transcript.sessions(limit=PAGE, offset=len(self._shown))
        if not self.query("#sessions"):
            return
        now = self._desk.clock.now()
        self.query_one("#sessions", OptionList).add_options(
            Option(self._row(session, None, now)) for session in sessions
        )
        self._shown += sessions
        self._more = len(sessions) == PAGE

    def action_move(self, step: int) -> None:
        options = self.query_one("#sessions", OptionList)
        if step < 0:
            options.action_cursor_up()
        else:
            options.action_cursor_down()

    def action_page(self, direction: int) -> None:
        options = self.query_one("#sessions", OptionList)
        rows = max(options.size.height - 1, 1)
        at = (options.highlighted or 0) + direction * rows
        options.highlighted = min(max(at, 0), max(options.option_count - 1, 0))

    def _chosen(self) -> Session | None:
        at = self.query_one("#sessions", OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    # what can be done with one

    @on(OptionList.OptionSelected, "#sessions")
    def clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        session = self._chosen()
        if session is not None:
            self.dismiss(session.id)

    def action_leave(self) -> None:
        field = self.query_one("#filter", Input)
        if field.value:
            field.value = ""
        else:
            self.dismiss(None)

    @work
    async def action_rename(self) -> None:
        session = self._chosen()
        if session is None:
            return
        title = await self.app.push_screen_wait(OneLine("New title", session.title))
        if title and one_line(title):
            await self._do(self._transcript.rename(session.id, one_line(title)))
            await self._desk.conversation.session.refresh()

    @work
    async def action_delete(self) -> None:
        session = self._chosen()
        if session is None:
            return
        answer = await self.app.push_screen_wait(deletion(session))
        if answer == "delete" and await self.app.may_leave(session.id):
            await self._do(self._transcript.delete_session(session.id))

    @work
    async def action_export(self) -> None:
        session = self._chosen()
        if session is None:
            return
        try:
            messages = await self._transcript.path(session.id)
            path = await asyncio.to_thread(write_export, file_name(session), as_markdown(session, messages))
        except (StoreError, OSError) as error:
            self._say(f"It could not be exported: {getattr(error, 'message', error)}", "")
            return
        self._say(f"Written to {path}", "")

    async def _do(self, change: Awaitable[None]) -> None:
        try:
            await change
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        self._search(self._words, 0.0)

    def _say(self, message: str, hint: str) -> None:
        if not self.query("#sessions-foot"):
            return
        self.query_one("#sessions-foot", Foot).say(message, hint)


def when_words(at: datetime, now: datetime) -> str:
    """When something was, shortly, in the user's own zone."""
    local, today = at.astimezone(), now.astimezone()
    days = (today.date() - local.date()).days
    if days == 0:
        return f"today {local:%H:%M}"
    if days == 1:
        return f"yesterday {local:%H:%M}"
    return f"{local:%d %b %H:%M}" if local.year == today.year else f"{local:%d %b %Y}"


def snippet(text: str, width: int) -> Content:
    """A full-text hit; what stands between U+E000 and U+E001 matched."""
    parts: list[Content] = []
    for number, piece in enumerate(text.replace("\n", " ")[: width * 2].split("\ue000")):
        if number == 0:
            parts.append(content(piece, "$text-muted"))
        else:
            match, _, rest = piece.partition("\ue001")
            parts += [content(match, "bold underline"), content(rest, "$text-muted")]
    return Content.assemble(*parts)
