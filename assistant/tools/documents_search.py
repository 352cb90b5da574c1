"""documents.search: passages of the user's documents, with page or heading. What they say is quoted, never obeyed."""

import re
from typing import Final

from pydantic import Field

from assistant.documents.library import Library
from assistant.documents.types import citation
from assistant.errors import ToolError
from assistant.policies.asking.affairs import affair
from assistant.tools.own import asked_for
from assistant.tools.types import (
    CallContext,
    Effect,
    EffectKey,
    Outcome,
    Preview,
    Reading,
    Source,
    ToolArguments,
    ToolName,
)

_ASKED: Final = re.compile(
    r"\b(?:in|from|through|into|by|of) (?:my|the|our) (?:documents?|files?|papers?|pdfs?|contracts?|ha"
    r"ndbook|manual|lease|policy)\b"
    r"|^(?:what|which|when|where|how|who|does|do|is|are)\b.*\b(?:my|the|our) (?:[\w-]+ )?(?:document"
    r"s?|contract|lease|handbook|manual|policy|pdf|report|statement|letter|minutes|agreement|invoice|notice"
    r"|leaflet|brochure|file)s?\b.*\b(?:says?|said|states?|ment"
    r"ions?|requires?|allows?)\b"
    r"|^(?:what|which|when|where|how|who|does|do|is|are)\b.*\baccording to (?:my|the|our)\b"
    r"|^search (?:my|the|our) (?:documents?|files?)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"^(?:search|look) (?:in |into |through )?(?:my|the|our) (?:documents?|files?)(?: for| about)?\s+", re.IGNORECASE
)
MOST: Final = 5


class DocumentsSearchArguments(ToolArguments):
    question: str | None = Field(max_length=500, description="What is looked for, as a question or a few words")


class DocumentsSearch:
    name = ToolName("documents.search")
    summary = "Look up something in the documents the user added"
    effect: Effect = "read"
    arguments = DocumentsSearchArguments
    repeatable = True

    def __init__(self, library: Library) -> None:
        self._library = library

    def read(self, text: str, context: CallContext) -> Reading[DocumentsSearchArguments] | None:
        said = asked_for(text)
        asked = affair(text)
        if not _ASKED.search(said) or (asked is not None and asked.paper):  # a fact in a paper: own.look quotes it
            return None
        return Reading(arguments=DocumentsSearchArguments(question=_LEAD.sub("", said)), sure=bool(_LEAD.match(said)))

    async def preview(self, arguments: DocumentsSearchArguments, context: CallContext) -> Preview:
        return Preview(summary=f"Look into the documents: {arguments.question or ''}")

    async def run(self, arguments: DocumentsSearchArguments, key: EffectKey, context: CallContext) -> Outcome:
        hits = await self._library.search(arguments.question or "", limit=MOST)
        if not hits:
            return Outcome(text="None of the documents says anything about that.", final=True)
        text = "\n\n".join(
            f"[{number}] {citation(hit)}:\n{hit.passage.text}" for number, hit in enumerate(hits, start=1)
        )
        sources = tuple(Source(kind="document", label=citation(hit), reference=hit.document.id) for hit in hits)
        return Outcome(text=text, sources=sources, untrusted=True)

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")
