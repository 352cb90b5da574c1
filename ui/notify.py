"""Desktop notifications through the tool that is there: notify-send, or osascript on macOS.

The text is an argument of its own, never part of a script; what a notification server could read as markup is escaped.
"""

import asyncio
import contextlib
import html
import shutil
import sys
from collections.abc import Mapping
from typing import Protocol

from assistant.policies.cleaning import clean_line

LIMIT_SECONDS = 5.0
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


class Notifier(Protocol):
    async def show(self, title: str, body: str) -> bool:
        """Whether it was taken. Raises nothing expected."""
        ...


class ToolNotifier:
    """Runs one command a notification."""

    def __init__(self, tool: str, *, macos: bool = False) -> None:
        self._tool = tool
        self._macos = macos

    def command(self, title: str, body: str) -> tuple[str, ...]:
        title, body = clean_line(title, 100), clean_line(body, 300)
        if self._macos:
            lines = [word for line in _SCRIPT for word in ("-e", line)]
            return (self._tool, *lines, title, body)
        return (self._tool, "--app-name=Steward", "--urgency=normal", "--", title, html.escape(body, quote=False))

    async def show(self, title: str, body: str) -> bool:
        quiet = asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *self.command(title, body), stdin=quiet, stdout=quiet, stderr=quiet
            )
        except OSError:
            return False
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                return await process.wait() == 0
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            return False


def terminal_notice(words: str) -> str:
    """The bell, and what many terminals show as a notification: OSC 9 (iTerm2, Windows Terminal, kitty) and OSC 777
    (urxvt, foot, WezTerm). The words are cleaned of what would end them early."""
    text = clean_line(words, 200).replace(";", ",")
    return f"\x07\x1b]9;{text}\x07\x1b]777;notify;Steward;{text}\x07"


def find_notifier(env: Mapping[str, str], platform: str = sys.platform) -> ToolNotifier | None:
    """Looks at the disk. On Linux a session bus is needed: without one nobody would see anything."""
    if platform == "darwin":
        tool = shutil.which("osascript", path=env.get("PATH"))
        return ToolNotifier(tool, macos=True) if tool else None
    tool = shutil.which("notify-send", path=env.get("PATH"))
    return ToolNotifier(tool) if tool and has_session(env) else None


def has_session(env: Mapping[str, str]) -> bool:
    """Whether there may be a session bus of a desktop."""
    return bool(env.get("DBUS_SESSION_BUS_ADDRESS") or env.get("XDG_RUNTIME_DIR"))
