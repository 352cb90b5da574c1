"""The unsent text of the prompt, kept so that a crash, a power cut or a slip on Ctrl+Q costs nobody a paragraph.

What was pasted stays known as pasted on every way back: nothing may be learned about the user from it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from assistant.policies.cleaning import clean
from memory.home_key import WrongKey, no_key, opened_with, sealed_for
from memory.key_file import key_of

if TYPE_CHECKING:
    from memory.data_dir import Home
    from memory.home_key import Key

_FILE = "draft.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    text: str = ""
    origin: Literal["typed", "pasted"] = "typed"


NOTHING = Draft()


def together(*drafts: Draft) -> Draft:
    """One draft of several, in this order; pasted when any of them was."""
    written = [draft for draft in drafts if draft.text]
    pasted = any(draft.origin == "pasted" for draft in written)
    return Draft(text="\n\n".join(draft.text for draft in written), origin="pasted" if pasted else "typed")


class Drafts:
    """One draft in one private file. With `folder` None (incognito, demo) nothing is read or written."""

    def __init__(self, folder: Path | None, key: Callable[[], Key | None] = no_key) -> None:
        """`key`: of the home, looked up when it is needed; the draft of an encrypted one is sealed."""
        self._key = key
        self._path = None if folder is None else folder / _FILE
        self._lock = asyncio.Lock()
        self.saved: Draft | None = None  # what is on disk; None: not known yet

    @classmethod
    def in_home(cls, home: Home | None) -> Self:
        """None: as with `folder` None."""
        return cls(None) if home is None else cls(home.state, partial(key_of, home))

    async def load(self) -> Draft:
        """What was left; nothing where there is no file, or it cannot be read."""
        if self._path is None:
            return NOTHING
        self.saved = await asyncio.to_thread(_read, self._path, self._key)
        return self.saved

    async def save(self, draft: Draft) -> None:
        """Raises HomeUnusable, StoreFull."""
        async with self._lock:
            if self._path is not None and draft != self.saved:
                await asyncio.to_thread(_write, self._path, draft, self._key)
                self.saved = draft


def _read(path: Path, key: Callable[[], Key | None]) -> Draft:
    try:
        kept = json.loads(opened_with(path.read_bytes(), key()))
        return Draft(text=clean(str(kept["text"])), origin="pasted" if kept["origin"] == "pasted" else "typed")
    except (OSError, ValueError, KeyError, TypeError, WrongKey):
        return NOTHING


def _write(path: Path, draft: Draft, key: Callable[[], Key | None]) -> None:
    from memory.data_dir import atomic_write

    if draft.text:
        content = json.dumps({"text": draft.text, "origin": draft.origin}).encode("ascii")
        atomic_write(path, sealed_for(content, key()))
    else:
        path.unlink(missing_ok=True)
