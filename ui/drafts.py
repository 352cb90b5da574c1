"""The unsent text of the prompt, kept so that a crash, a power cut or a slip on Ctrl+Q costs nobody a paragraph."""

import asyncio
from pathlib import Path

from assistant.policies.cleaning import clean

_FILE = "draft.txt"


class Drafts:
    """One draft in one private file. With `folder` None (incognito, demo) nothing is read or written."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _FILE
        self._saved: str | None = None
        self._lock = asyncio.Lock()

    async def load(self) -> str:
        """What was left; "" where there is nothing, or it cannot be read."""
        if self._path is None:
            return ""
        text = await asyncio.to_thread(_read, self._path)
        self._saved = text
        return text

    async def save(self, text: str) -> None:
        """Raises HomeUnusable, StoreFull."""
        async with self._lock:
            if self._path is not None and text != self._saved:
                await asyncio.to_thread(_write, self._path, text)
                self._saved = text


def _read(path: Path) -> str:
    try:
        return clean(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""


def _write(path: Path, text: str) -> None:
    from memory.data_dir import atomic_write

    if text:
        atomic_write(path, text.encode("utf-8", errors="replace"))
    else:
        path.unlink(missing_ok=True)
