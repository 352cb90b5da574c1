"""A conversation as a Markdown file: what was said, by whom and when, in plain text that any editor reads."""

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean, clean_line
from memory.types import Message, Session
from ui.errors import UiError

if TYPE_CHECKING:
    from assistant.session import Session as Conversation

_ENDED = {"stopped": "stopped", "interrupted": "cut off", "failed": "no answer came", "writing": "unfinished"}


def as_markdown(session: Session, messages: Sequence[Message]) -> str:
    """The shown branch of a conversation; the texts exactly as they are stored."""
    title = clean_line(session.title, 200) or "Conversation"
    parts = [f"# {title}", "", f"{session.created_at.astimezone():%A, %d %B %Y, %H:%M}"]
    for message in messages:
        who = "You" if message.role == "user" else "Steward"
        note = f", {message.model}" if message.model else ""
        note += f", {_ENDED[message.status]}" if message.status in _ENDED else ""
        parts += ["", f"## {who} ({message.created_at.astimezone():%Y-%m-%d %H:%M}{note})", "", clean(message.content)]
    return "\n".join([*parts, ""])


def file_name(session: Session) -> str:
    """A file name from the title: letters, digits and dashes, at most 60 characters."""
    slug = re.sub(r"[^\w]+", "-", clean_line(session.title, 60).lower()).strip("-_")
    return f"{slug or 'conversation'}.md"


def write_export(name: str, text: str, folder: Path | None = None) -> Path:
    """Write beside what is there, never over it; private. `name` may be a path. Blocks. Raises OSError."""
    wanted = (folder or Path.cwd()) / Path(name).expanduser()
    for number in range(1, 1_000):
        path = wanted if number == 1 else wanted.with_stem(f"{wanted.stem}-{number}")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        return path
    raise FileExistsError(f"{wanted} and 998 others are there already")


async def export_conversation(conversation: "Conversation", name: str, *, demo: bool) -> Path:
    """Write the conversation that is open to `name`, or to a name made from its title; where it was written.

    Raises UiError when there is none, when a demo gets no name, or the file cannot be written; StoreError."""
    row = conversation.info
    if row is None:
        raise UiError("There is nothing to export yet.", "/open NUMBER opens a conversation.")
    if demo and not name:
        raise UiError("The demo writes no file by itself.", "Name one: /export FILE")
    text = as_markdown(row, await conversation.messages())
    try:
        return await asyncio.to_thread(write_export, name or file_name(row), text)
    except OSError as error:
        raise UiError(f"It could not be exported: {error.strerror}", "Give another name: /export FILE") from error
