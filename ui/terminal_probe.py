"""Asks the terminal what it can do, by escape sequences that every terminal answers or ignores. POSIX only.

Each question is followed by one that all answer (device attributes), so that a terminal which knows nothing of it does
not keep us waiting. What it answers is untrusted: it is only searched for the shapes below.
"""

import os
import re
import select
import sys
import time
from dataclasses import dataclass

WAIT_SECONDS = 0.5
_ATTRIBUTES = re.compile(rb"\x1b\[\?[\d;]*c")
_KITTY = re.compile(rb"\x1b\[\?\d+u")
_POSITION = re.compile(rb"\x1b\[(\d+);(\d+)R")
_CLIPBOARD = re.compile(rb"\x1bP1\+r4d73=")
WIDE_SAMPLE = "\N{FAMILY}\N{CJK UNIFIED IDEOGRAPH-4E16}"  # two characters of two cells each


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalAnswers:
    """None: it did not answer."""

    answers: bool
    kitty_keys: bool
    clipboard: bool  # it says that it takes OSC 52
    wide_cells: int | None  # cells that two wide characters took; 4 is right


def probe_terminal() -> TerminalAnswers | None:
    """None where stdin and stdout are no terminal, or the system has no termios. Takes at most two WAIT_SECONDS."""
    try:
        import termios
        import tty
    except ImportError:
        return None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    source, target = sys.stdin.fileno(), sys.stdout.fileno()
    before = termios.tcgetattr(source)
    try:
        tty.setraw(source, termios.TCSANOW)
        told = _ask(source, target, b"\x1b[?u\x1bP+q4d73\x1b\\\x1b[c", _ATTRIBUTES)
        answers = _ATTRIBUTES.search(told) is not None
        place = _ask(source, target, b"\r" + WIDE_SAMPLE.encode() + b"\x1b[6n", _POSITION) if answers else b""
        os.write(target, b"\r\x1b[2K")
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)
    position = _POSITION.search(place)
    return TerminalAnswers(
        answers=answers,
        kitty_keys=_KITTY.search(told) is not None,
        clipboard=_CLIPBOARD.search(told) is not None,
        wide_cells=None if position is None else int(position[2]) - 1,
    )


def _ask(source: int, target: int, question: bytes, until: re.Pattern[bytes]) -> bytes:
    os.write(target, question)
    told, deadline = b"", time.monotonic() + WAIT_SECONDS
    while until.search(told) is None and (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([source], [], [], left)
        if ready:
            told += os.read(source, 1024)
    return told
