"""notes.search: the user's notes by their words."""

import re
from typing import Final

from pydantic import Field

from assistant.note_book import note_words
from assistant.policies.cleaning import clean
from assistant.receipts import ItemActs
from assistant.tools.own import OwnTool, asked_for, source_of
from assistant.tools.types import CallContext, EffectKey, Outcome, Preview, Reading, ToolArguments, ToolName
from memory.items import Note

_ASKED: Final = re.compile(
    r"^(?:search|look|find|check|show(?: me)?|list|read(?: me)?|what(?:'s| is| do| did)?)"
    r"\b.*?\b(?:my |the )?(?<!/)notes?\b(?!/)"
    r"(?:\s+(?:for|about|on|say(?:s)? about|with))?\s*(?P<what>.*)$",
    re.IGNORECASE,
)
MOST: Final = 5
MOST_TEXT: Final = 1_500


class NotesSearchArguments(ToolArguments):
    words: str = Field(default="", max_length=300, description="Words of the note; empty: the newest notes")


class NotesSearch(OwnTool):
    name = ToolName("notes.search")
    summary = "Look into the user's notes"
    effect = "read"
    arguments = NotesSearchArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.notes(context)

    def read(self, text: str, context: CallContext) -> Reading[NotesSearchArguments] | None:
        said = asked_for(text)
        found = _ASKED.match(said)
        if found is None:
            return None
        return Reading(arguments=NotesSearchArguments(words=found["what"].strip()), sure="my notes" in said.lower())

    async def preview(self, arguments: NotesSearchArguments, context: CallContext) -> Preview:
        return Preview(summary=f"Look into the notes: {arguments.words or 'the newest'}")

    async def run(self, arguments: NotesSearchArguments, key: EffectKey, context: CallContext) -> Outcome:
        book = self.notes(context)
        if not arguments.words.strip():
            newest = await book.store.notes(limit=20)
            text = "\n".join(f"- {note_words(note)}" for note in newest) or "There are no notes."
            return Outcome(text=text, sources=tuple(source_of(note, "note") for note in newest), final=True)
        hits = await book.search(arguments.words, limit=MOST)
        notes = [hit.item for hit in hits if isinstance(hit.item, Note)]
        if not notes:
            return Outcome(text=f"No note says anything about “{clean(arguments.words)}”.", final=True)
        text = "\n\n".join(f"{note.title}\n{note.text[:MOST_TEXT]}" for note in notes)
        return Outcome(text=text, sources=tuple(source_of(note, "note") for note in notes))
