"""notes.add: a text that is kept."""

import re
from typing import Final

from pydantic import Field

from assistant.errors import ToolError
from assistant.note_book import titled
from assistant.policies.cleaning import clean_line
from assistant.receipts import ItemActs
from assistant.tools.own import UNDO, OwnTool, carried_out, kept
from assistant.tools.types import CallContext, EffectKey, Gap, Outcome, Preview, Reading, ToolArguments, ToolName

_ASKED: Final = re.compile(
    r"^(?:(?:can|could) you )?(?:please )?(?:(?:add|make|take|create|write|keep|save)\s+(?:an?\s+|anot"
    r"her\s+)?(?:quick\s+)?note"
    r"(?:\s+(?:that|of|saying|about))?|note(?:\s+down)?(?:\s+that)?)\s*[:,]?\s+(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)


class NotesAddArguments(ToolArguments):
    text: str | None = Field(max_length=20_000, description="What the note says, word for word")
    title: str = Field(default="", max_length=120, description="Its title; empty when none was said")


class NotesAdd(OwnTool):
    name = ToolName("notes.add")
    summary = "Keep a note for the user"
    arguments = NotesAddArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.notes(context)

    def read(self, text: str, context: CallContext) -> Reading[NotesAddArguments] | None:
        found = _ASKED.match(text.strip())
        return None if found is None else Reading(arguments=NotesAddArguments(text=found["what"].strip()), sure=True)

    async def preview(self, arguments: NotesAddArguments, context: CallContext) -> Preview:
        if not arguments.text:
            gap = Gap(argument="text", question="What shall the note say?")
            return Preview(summary="Keep a note", gaps=(gap,), undo=UNDO)
        name, body = titled(arguments.text, arguments.title)
        return Preview(summary=f"Keep the note “{name}”", lines=(name, clean_line(body, 300)), undo=UNDO)

    async def run(self, arguments: NotesAddArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        if not arguments.text:
            raise ToolError("The note says nothing.", "Say what it shall say.")
        receipt = await self.notes(context).add(arguments.text, title=arguments.title, request=f"{self.name}:{key}")
        return carried_out(receipt)
