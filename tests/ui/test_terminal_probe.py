"""Asking the terminal: what it answers, does not answer, or answers as nonsense. The test plays the terminal."""

import sys
from ast import literal_eval

import pexpect
import pytest

from tests.architecture.source import ROOT

PROBE = """
import sys, termios
from dataclasses import asdict
from ui import terminal_probe
from ui.terminal_probe import probe_terminal
terminal_probe.WAIT_SECONDS = float(sys.argv[1])
before = termios.tcgetattr(0)
answers = probe_terminal()
assert termios.tcgetattr(0) == before, "the terminal is left as it was"
print("RESULT", asdict(answers) if answers else None, "END")
"""
ATTRIBUTES, KITTY, CLIPBOARD = b"\x1b[?62;22c", b"\x1b[?1u", b"\x1bP1+r4d73=5c\x1b\\"


def terminal_that_says(told: bytes, position: bytes) -> dict[str, object] | None:
    """What the probe made of it. It waits long for what will come, and shortly for what will not."""
    patience = "60" if ATTRIBUTES in told and position else "3" if told else "0.5"
    child: pexpect.spawn[bytes] = pexpect.spawn(sys.executable, ["-c", PROBE, patience], cwd=str(ROOT), timeout=60)
    child.expect_exact(b"\x1b[c")
    child.send(told)
    if ATTRIBUTES in told:
        child.expect_exact(b"\x1b[6n")
        child.send(position)
    child.expect(rb"RESULT (.*) END")
    found: dict[str, object] | None = literal_eval(child.match.group(1).decode())
    child.expect(pexpect.EOF)
    return found


@pytest.mark.parametrize(
    ("told", "position", "expected"),
    [
        (KITTY + CLIPBOARD + ATTRIBUTES, b"\x1b[7;5R", (True, True, True, 4)),
        (ATTRIBUTES, b"\x1b[7;3R", (True, False, False, 2)),
        (b"", b"", (False, False, False, None)),
        (b"\x1b]52;c;aGk=\x07\x1b[31mred" + b"x" * 3_000, b"", (False, False, False, None)),
        (ATTRIBUTES, b"", (True, False, False, None)),
    ],
    ids=["everything", "plain", "silent", "nonsense", "no position"],
)
def test_what_the_terminal_says_is_understood(
    told: bytes, position: bytes, expected: tuple[bool, bool, bool, int | None]
) -> None:
    found = terminal_that_says(told, position)
    assert found is not None
    assert tuple(found.values()) == expected


def test_a_pipe_is_not_asked() -> None:
    from ui.terminal_probe import probe_terminal

    assert probe_terminal() is None
