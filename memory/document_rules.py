"""What every store of documents does in the same way: which ones a name means (pure)."""

from collections.abc import Sequence

from memory.documents import Document
from memory.errors import NotFound


def no_document(wanted: str) -> NotFound:
    return NotFound(f"There is no document {wanted!r}.", "`steward documents list` shows those there are.")


def fitting(wanted: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    """By id, by path, below a folder, by name, by the beginning of an id: the first of these that fits anything.
    Raises NotFound where a name or a beginning fits several."""
    if not wanted:
        return ()
    below = wanted.rstrip("/") + "/"
    for exact in (
        [one for one in documents if one.id == wanted or one.path == wanted],
        [one for one in documents if one.path.startswith(below)],
    ):
        if exact:
            return tuple(exact)
    for near in (
        [one for one in documents if one.name.casefold() == wanted.casefold()],
        [one for one in documents if one.id.startswith(wanted)],
    ):
        if len(near) > 1:
            names = ", ".join(f"{one.id} ({one.path})" for one in near[:5])
            raise NotFound(f"{wanted!r} fits {len(near)} documents.", f"Give an id or a path: {names}.")
        if near:
            return tuple(near)
    return ()
