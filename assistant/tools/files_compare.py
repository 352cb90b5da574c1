"""files.compare: the rows of a table in a file, side by side, to choose among (below the allowed folders)."""

import re
from dataclasses import replace
from typing import Final

from assistant.errors import ToolError
from assistant.policies.asking.tables import choices_in
from assistant.policies.asking.weights import wants_choice
from assistant.tools.files_read import FilesRead, FilesReadArguments
from assistant.tools.types import CallContext, EffectKey, Outcome, Reading, ToolName

_FILE: Final = re.compile(r"(?:^|\s)[\"“]?(?P<path>[~/.\w][\w./~-]*\.(?:csv|tsv|json|md|txt))\b", re.IGNORECASE)


class FilesCompare(FilesRead):
    name = ToolName("files.compare")
    summary = "Compare the options in a file and choose one"

    def read(self, text: str, context: CallContext) -> Reading[FilesReadArguments] | None:
        found = _FILE.search(text) if wants_choice(text) else None
        return None if found is None else Reading(arguments=FilesReadArguments(path=found["path"]), sure=True)

    async def run(self, arguments: FilesReadArguments, key: EffectKey, context: CallContext) -> Outcome:
        outcome = await super().run(arguments, key, context)
        choices = choices_in(outcome.text)
        if not choices:
            raise ToolError(
                "There is no table of options in that file.", "A CSV file with a head line can be compared."
            )
        return replace(outcome, choices=choices)
