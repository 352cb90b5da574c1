"""Sessions as lines of text for `steward sessions`: aligned, cleaned, no wider than the terminal. Pure."""

import re
from collections.abc import Iterator, Sequence
from datetime import tzinfo

from rich.cells import cell_len, set_cell_size

from assistant.policies.cleaning import clean, clean_line
from memory.importing.types import SOURCE_NAMES
from memory.types import Found, Message, Session
from ui.session_json import split_marks

NO_TITLE = "(no title)"
_ENDED = {"stopped": ", stopped", "interrupted": ", cut off", "failed": ", no answer came", "writing": ", unfinished"}
_SPACE = re.compile(r"\s+")


def title_of(session: Session) -> str:
    return clean_line(session.title, 200) or NO_TITLE


def source_words(session: Session) -> str:
    """ " (from ChatGPT)"; "" for what was said here."""
    return f" (from {SOURCE_NAMES.get(session.imported_from, session.imported_from)})" if session.imported_from else ""


def list_lines(sessions: Sequence[Session], zone: tzinfo | None, width: int | None) -> Iterator[str]:
    """A heading and one line a session; `width` None cuts nothing."""
    rows = [("ID", "Last used", "Messages", "Title")]
    for session in sessions:
        at = f"{session.updated_at.astimezone(zone):%Y-%m-%d %H:%M}"
        rows.append((session.id, at, str(session.message_count), f"{title_of(session)}{source_words(session)}"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for id, at, count, title in rows:
        yield fit(f"{id:<{widths[0]}}  {at:<{widths[1]}}  {count:>{widths[2]}}  {title}", width)


def found_lines(found: Found, zone: tzinfo | None, width: int | None) -> Iterator[str]:
    """Where the hit is, and the words around it with the match between « and »."""
    who = "you" if found.message.role == "user" else "Steward"
    at = f"{found.message.created_at.astimezone(zone):%Y-%m-%d %H:%M}"
    yield fit(f"{found.session.id}  {at}  {title_of(found.session)}", width)
    yield fit(f"    {who}: {marked(found.snippet, None if width is None else width - len(who) - 6)}", width)


def marked(snippet: str, cells: int | None) -> str:
    """One line with the first match between « and »; what stands before gives way, so that it is in `cells`."""
    text, matches = split_marks(snippet)
    if not matches:
        return _on_one_line(text)
    start, end = matches[0]
    before, match, after = (_on_one_line(part) for part in (text[:start], text[start:end], text[end:]))
    if cells is not None:
        before = _last(before, max((cells - cell_len(match)) // 2, 0))
    return f"{before}«{match}»{after}"


def _on_one_line(text: str) -> str:
    return _SPACE.sub(" ", clean(text))


def _last(text: str, cells: int) -> str:
    """The end of `text` that has room in `cells`; a cut is marked by an ellipsis."""
    if cell_len(text) <= cells:
        return text
    start = len(text)
    while start > 0 and cell_len(text[start - 1 :]) < cells:
        start -= 1
    return f"…{text[start:]}"


def show_lines(session: Session, path: Sequence[Message], zone: tzinfo | None) -> Iterator[str]:
    """The shown conversation, one labelled message after another; how many are in other branches."""
    yield title_of(session)
    started = f"{session.created_at.astimezone(zone):%A, %d %B %Y, %H:%M}"
    yield f"{session.id}, started {started}, {messages(session.message_count)}{source_words(session)}"
    for message in path:
        yield ""
        at = f"{message.created_at.astimezone(zone):%Y-%m-%d %H:%M}"
        yield f"{label(message)} ({at}{_ENDED.get(message.status, '')}):"
        yield clean(message.content)
    others = others_line(session, path)
    if others:
        yield ""
        yield others


def label(message: Message) -> str:
    if message.role == "user":
        return "You"
    return f"Steward, {clean_line(message.model, 60)}" if message.model else "Steward"


def others_line(session: Session, path: Sequence[Message]) -> str:
    """ "" where the shown conversation is the whole session."""
    others = session.message_count - len(path)
    return f"({messages(others)} of other branches, kept but not shown.)" if others > 0 else ""


def messages(count: int) -> str:
    return f"{count} message{'' if count == 1 else 's'}"


def fit(line: str, width: int | None) -> str:
    """At most `width` cells of a terminal; a cut is marked by an ellipsis."""
    if width is None or cell_len(line) <= width:
        return line
    return f"{set_cell_size(line, max(width - 1, 0)).rstrip()}…"
