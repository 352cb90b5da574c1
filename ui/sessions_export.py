"""Conversations as one text, Markdown or JSON, piece by piece: a long history is never whole in memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from ui.export import as_markdown
from ui.session_json import export_value
from ui.session_lines import others_line

if TYPE_CHECKING:
    from assistant.ports import Transcript
    from memory.types import Session

Kind = Literal["markdown", "json"]
ALL_FORMAT, ALL_VERSION = "steward-sessions", 1
_AT_ONCE = 200


async def sessions_since(transcript: Transcript, since: datetime | None) -> AsyncIterator[Session]:
    """The last used first; `since` leaves out those that were not used from then on."""
    offset = 0
    while some := await transcript.sessions(limit=_AT_ONCE, offset=offset):
        for session in some:
            if since is not None and session.updated_at < since:
                return
            yield session
        offset += len(some)


async def one_session(transcript: Transcript, session: Session, kind: Kind) -> str:
    """Raises StoreError."""
    path = await transcript.path(session.id)
    if kind == "json":
        return json.dumps(export_value(session, await transcript.tree(session.id), path), indent=2) + "\n"
    others = others_line(session, path)
    return as_markdown(session, path) + (f"\n{others}\n" if others else "")


async def many_sessions(transcript: Transcript, since: datetime | None, kind: Kind) -> AsyncIterator[tuple[str, int]]:
    """Pieces of the text, each with how many conversations are in it. Equal for an equal history."""
    count = 0
    if kind == "json":
        yield f'{{\n"format": "{ALL_FORMAT}",\n"version": {ALL_VERSION},\n"sessions": [\n', 0
    async for session in sessions_since(transcript, since):
        text = await one_session(transcript, session, kind)
        if count:
            text = (",\n" if kind == "json" else "\n---\n\n") + text
        count += 1
        yield text.rstrip("\n") if kind == "json" else text, 1
    if kind == "json":
        yield "\n]\n}\n", 0
