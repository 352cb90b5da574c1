"""files.read: a text file below one of the folders that the user named in the settings."""

import asyncio
import re
from collections.abc import Sequence
from typing import Final

from pydantic import Field

from assistant.errors import FileUnreadable, ToolError
from assistant.files import MOST_READ, read_bytes, text_of, within_roots
from assistant.policies.cleaning import clean, clean_line
from assistant.tools.own import asked_for
from assistant.tools.types import (
    CallContext,
    Effect,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    Source,
    ToolArguments,
    ToolName,
)

_ASKED: Final = re.compile(
    r"^(?:read|open|show(?: me)?|summari[sz]e|look at)\s+(?:the |my )?(?:file\s+)?[\"“]?(?P<path>[~/."
    r"\w][\w./~ -]*\.\w{1,8}|[~/][\w./~-]+)[\"”]?$",
    re.IGNORECASE,
)
MOST_SHOWN: Final = 24_000  # characters that go into a conversation


class FilesReadArguments(ToolArguments):
    path: str | None = Field(max_length=500, description="The file's path, as the user wrote it")


class FilesRead:
    name = ToolName("files.read")
    summary = "Read a text file from the folders the user allowed"
    effect: Effect = "read"
    arguments = FilesReadArguments
    repeatable = True

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(roots)

    def read(self, text: str, context: CallContext) -> Reading[FilesReadArguments] | None:
        found = _ASKED.match(asked_for(text)) if self._roots else None
        return None if found is None else Reading(arguments=FilesReadArguments(path=found["path"]), sure=True)

    async def preview(self, arguments: FilesReadArguments, context: CallContext) -> Preview:
        if not arguments.path:
            return Preview(summary="Read a file", gaps=(Gap(argument="path", question="Which file?"),))
        return Preview(summary=f"Read {clean_line(arguments.path, 200)}")

    async def run(self, arguments: FilesReadArguments, key: EffectKey, context: CallContext) -> Outcome:
        path, content = await asyncio.to_thread(self._content, arguments.path or "")
        text = clean(content)
        cut = f"\n[cut after {MOST_SHOWN:,} of {len(text):,} characters]" if len(text) > MOST_SHOWN else ""
        source = Source(kind="file", label=clean_line(path, 200), reference=path)
        return Outcome(text=f"{text[:MOST_SHOWN]}{cut}", sources=(source,), untrusted=True)

    def _content(self, named: str) -> tuple[str, str]:
        """Raises ToolError."""
        shown = clean_line(named, 200)
        try:
            path = str(within_roots(named, self._roots))
            return path, text_of(read_bytes(path, MOST_READ))
        except FileUnreadable as error:
            folders = f"Folders that may be read: {', '.join(self._roots)} (assistant.roots)."
            hint = folders if self._roots else "Allow a folder: `steward config set assistant.roots FOLDER`."
            raise ToolError(f"{shown} was not read: {error.message}", hint) from error

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")
