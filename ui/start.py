"""The first screen, before anything heavy is imported: a prompt that can be written into at once.

Importing the terminal UI takes some hundred milliseconds, more on a slow machine. Until it takes over, the terminal
itself echoes what is typed at the prompt and keeps it; the UI then reads it like any other key. POSIX only; elsewhere
the screen comes with the UI.
"""

import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from ui.wiring import Options

_ENTER, _LEAVE = "\x1b[?1049h", "\x1b[?1049l"  # the terminal's other screen, and back
_MOST_TYPED = 65_536  # bytes
_TALL = 28  # rows from which the prompt has space around it, as in ui/screens/chat.py


def run(options: Options) -> int:
    """The terminal UI, from the first screen to the exit code. Raises as `ui.app.run`."""
    with FirstScreen() as screen:
        from ui.app import run as run_app

        return run_app(options, screen.hand_over)


class FirstScreen:
    """Up until `hand_over`. The terminal's settings are put back at the end, whatever happened in between."""

    def __init__(self) -> None:
        self._settings: list[Any] | None = None
        self._up = False
        self._typed_before = b""

    def __enter__(self) -> Self:
        if sys.platform != "win32" and os.environ.get("TERM") and sys.__stdin__ is not None:
            self._show(sys.__stdin__.fileno())
        return self

    def _show(self, number: int) -> None:
        import select
        import termios

        try:
            self._settings = termios.tcgetattr(number)
            size = os.get_terminal_size(number)
            changed = termios.tcgetattr(number)
            changed[0] &= ~(termios.ICRNL | termios.IXON)  # Enter stays Enter, Ctrl+Q is a key
            changed[3] &= ~termios.ICANON  # keys are kept one by one, not line by line
            termios.tcsetattr(number, termios.TCSANOW, changed)
            early = os.read(number, _MOST_TYPED) if select.select([number], [], [], 0)[0] else b""
        except (OSError, termios.error):
            self._settings = None
            return
        self._typed_before = early.replace(b"\n", b"\r")  # until now the terminal made a line feed of Enter
        self._up = True
        _write(first_screen(size.columns, size.lines))

    def hand_over(self) -> bytes:
        """The UI takes the terminal now. What was typed before the first screen; the rest waits in the terminal."""
        self._up = False
        return self._typed_before

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._up:
            _write(_LEAVE)
        if self._settings is not None and sys.__stdin__ is not None:
            import termios

            with suppress(OSError, termios.error):  # the terminal is gone
                termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSADRAIN, self._settings)


def first_screen(columns: int, rows: int) -> str:
    """Header, prompt and status line where the UI will have them, with the cursor at the prompt. No colours: which
    ones the user wants is not known yet."""
    prompt = rows - 2 if rows >= _TALL else rows - 1
    title, status = " Steward"[:columns], " starting; you can write already"[:columns]
    return f"{_ENTER}\x1b[1;1H\x1b[1m{title}\x1b[0m\x1b[{rows};1H{status}\x1b[{prompt};1H › "


def _write(text: str) -> None:
    if sys.__stderr__ is not None:
        sys.__stderr__.write(text)
        sys.__stderr__.flush()
