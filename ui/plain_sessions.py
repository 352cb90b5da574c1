"""Conversations in line mode: the list of them, words found in all, a new one, and renaming or deleting one."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from memory.types import Session
from ui.errors import UiError
from ui.memory_lines import counted
from ui.plain_words import title_of, who

if TYPE_CHECKING:
    from ui.plain import PlainChat

PAGE = 20


async def _new(chat: "PlainChat", _: str) -> None:
    chat.desk.begin(incognito=False)
    chat.status("new conversation")


async def _sessions(chat: "PlainChat", words: str) -> None:
    found = await chat.desk.conversation.transcript.sessions(limit=PAGE + 1, title_contains=words)
    _list(chat, found[:PAGE], "conversation" if not words else f"conversation named {clean_line(words, 60)}")
    if len(found) > PAGE:
        chat.line(f"The newest {PAGE}. /sessions WORDS narrows it, /search WORDS looks into the messages.")


async def _search(chat: "PlainChat", words: str) -> None:
    if not words:
        raise UiError("Which words?", "/search passport")
    found = await chat.desk.conversation.transcript.search(words, limit=PAGE)
    chat.listed = tuple(hit.session.id for hit in found)
    for number, hit in enumerate(found, start=1):
        text = clean_line(hit.snippet.replace("\ue000", "").replace("\ue001", ""), 160)
        chat.line(f"{number}. {title_of(hit.session)}, {who(hit.message)}: {text}")
    if not found:
        chat.status("nothing found")


async def _open(chat: "PlainChat", which: str) -> None:
    row = await _session_of(chat, which)
    conversation = chat.desk.leave_incognito()
    await conversation.session.open(row.id)
    chat.status(f"opened {title_of(row)}, {_messages(row)}. /show reads them.")


async def _rename(chat: "PlainChat", title: str) -> None:
    session = chat.desk.conversation.session
    await session.rename(title)
    assert session.info is not None
    chat.status(f"renamed to {title_of(session.info)}")


async def _delete(chat: "PlainChat", which: str) -> None:
    session = chat.desk.conversation.session
    row = await _session_of(chat, which) if which else session.info
    if row is None:
        raise UiError("There is nothing to delete yet.", "/delete NUMBER deletes one of the last list.")
    question = f"Delete {title_of(row)}, {_messages(row)}, for good?"
    if await chat.choose(question, ("Yes, delete it", "No, keep it")) != 0:
        chat.status("kept")
        return
    await chat.desk.conversation.transcript.delete_session(row.id)
    if session.info is not None and session.info.id == row.id:
        session.new(session.mode)
    chat.status("deleted")


def _list(chat: "PlainChat", rows: tuple[Session, ...], what: str) -> None:
    chat.listed = tuple(row.id for row in rows)
    for number, row in enumerate(rows, start=1):
        when = f"{row.updated_at.astimezone():%d %B %Y, %H:%M}"
        chat.line(f"{number}. {title_of(row)}, {_messages(row)}, {when}, id {row.id}")
    if not rows:
        chat.status(f"no {what}")
    else:
        chat.line("/open NUMBER opens one.")


def _messages(row: Session) -> str:
    return counted(row.message_count, "message")


async def _session_of(chat: "PlainChat", which: str) -> Session:
    """By its number in the last list, its id, or the beginning of its id."""
    transcript = chat.desk.conversation.transcript
    if which.isdecimal() and 1 <= int(which) <= len(chat.listed):
        return await transcript.find_session(chat.listed[int(which) - 1])
    if not which:
        raise UiError("Which conversation?", "/sessions numbers them; /open 1 opens the first.")
    return await transcript.find_session(which)


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    ("new", "", "new conversation", _new),
    ("sessions", "[WORDS]", "conversations, newest first; with words only those named so", _sessions),
    ("open", "NUMBER|ID", "open a conversation of the last list", _open),
    ("search", "WORDS", "find words in every conversation", _search),
    ("rename", "TITLE", "give this conversation a title", _rename),
    ("delete", "[NUMBER|ID]", "delete a conversation after a question; this one without a number", _delete),
)
