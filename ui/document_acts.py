"""Adding and removing documents, and what is said of it: here, or where it was handed over from."""

from collections.abc import Callable
from typing import Literal

from assistant.documents.library import Library
from assistant.documents.types import Progress
from assistant.errors import FileUnreadable
from memory.settled import Settled
from ui.document_lines import document_value, report_lines, report_value
from ui.errors import EXIT_DONE, UiError

DocumentAct = Literal["add_documents", "remove_documents"]


async def on_documents(
    library: Library, act: DocumentAct, which: str, progress: Callable[[Progress], None] = lambda _: None
) -> Settled:
    """`which`: a path, for removing also an id or a name. Raises UiError, StoreError."""
    if act == "remove_documents":
        found = await library.remove(which)
        names = tuple(f"Removed: {one.name}" for one in found)
        lines = (*names, "Nothing of it is left here; the file itself was not touched.")
        return Settled(lines=lines, value=[document_value(one) for one in found], code=EXIT_DONE)
    try:
        report = await library.add(which, progress)
    except FileUnreadable as error:
        raise UiError(f"Nothing was added: {error.message}.", "Name a file or a folder.") from error
    return Settled(lines=tuple(report_lines(report)), value=report_value(report), code=EXIT_DONE)
