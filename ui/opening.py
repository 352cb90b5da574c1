"""Opening an address in the user's browser, and a text in the user's editor. Only ever after the user asked for it."""

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from assistant.policies.cleaning import clean

_OPENERS = ("xdg-open", "wslview", "gio")
_EDITORS = ("nano", "vim", "vi", "micro", "emacs")


async def open_address(address: str) -> bool:
    """Whether a program took it. Its output never reaches this terminal."""
    command = await asyncio.to_thread(_opener)
    if command is None:
        return False
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            address,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        async with asyncio.timeout(3.0):
            return await process.wait() == 0
    except TimeoutError:
        return True  # a browser that stays in the foreground
    except OSError:
        return False


def _opener() -> list[str] | None:
    if sys.platform == "darwin":
        return ["open"]
    for name in _OPENERS:
        path = shutil.which(name)
        if path is not None:
            return [path, "open"] if name == "gio" else [path]
    return None


def editor_command(environment: Mapping[str, str]) -> list[str] | None:
    """$VISUAL, $EDITOR, or one that is usually there. None when there is none, or it cannot be read as a command."""
    wanted = environment.get("VISUAL") or environment.get("EDITOR")
    if wanted:
        try:
            return shlex.split(wanted) or None
        except ValueError:
            return None
    found = next((path for name in _EDITORS if (path := shutil.which(name))), None)
    return [found] if found else None


async def edit(text: str, command: list[str], folder: Path | None) -> str | None:
    """The text after the editor has ended; None when it failed and nothing is to be changed. The file is private and
    removed afterwards. The event loop goes on, so that the model's process is heard meanwhile."""
    path = await asyncio.to_thread(_write_private, text, folder)
    try:
        process = await asyncio.create_subprocess_exec(*command, str(path))
        if await process.wait() != 0:
            return None
        edited = await asyncio.to_thread(path.read_text, encoding="utf-8", errors="replace")
        return clean(edited.removesuffix("\n"))
    except OSError:
        return None
    finally:
        await asyncio.to_thread(path.unlink, missing_ok=True)


def _write_private(text: str, folder: Path | None) -> Path:
    descriptor, name = tempfile.mkstemp(prefix="steward-", suffix=".md", dir=folder)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return Path(name)
