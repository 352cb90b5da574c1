"""The system's clipboard, through the tool that is there. OSC 52 is not used here: it needs a key of its own."""

import asyncio
import shutil
import sys
from collections.abc import Callable, Mapping

COPY_SECONDS = 2.0

# (program, arguments, environment variable that must be set); the first that is there is used
_TOOLS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("pbcopy", (), ""),
    ("wl-copy", (), "WAYLAND_DISPLAY"),
    ("xclip", ("-selection", "clipboard"), "DISPLAY"),
    ("xsel", ("--clipboard", "--input"), "DISPLAY"),
    ("termux-clipboard-set", (), ""),
    ("clip.exe", (), ""),
)


def find_tool(
    environment: Mapping[str, str], which: Callable[[str], str | None] = shutil.which, system: str = sys.platform
) -> tuple[str, ...] | None:
    """The command that puts its standard input on the clipboard, or None."""
    for program, arguments, needed in _TOOLS:
        if needed and not environment.get(needed):
            continue
        if program == "pbcopy" and system != "darwin":
            continue
        path = which(program)
        if path is not None:
            return (path, *arguments)
    return None


async def copy(text: str, command: tuple[str, ...]) -> bool:
    """Whether the tool took it, within COPY_SECONDS. xclip and wl-copy leave a child that serves the clipboard, so
    only their own end is waited for, never the end of their output."""
    encoding = "utf-16-le" if command[0].endswith("clip.exe") else "utf-8"
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    assert process.stdin is not None
    try:
        async with asyncio.timeout(COPY_SECONDS):
            process.stdin.write(text.encode(encoding, errors="replace"))
            await process.stdin.drain()
            process.stdin.close()
            return await process.wait() == 0
    except (TimeoutError, OSError):
        if process.returncode is None:
            process.kill()
            await process.wait()
        return False
