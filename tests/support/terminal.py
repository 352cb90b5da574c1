"""A program in a pseudo-terminal: every byte it writes is kept, and an emulator shows what a person would see."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte

ROOT = Path(__file__).parent.parent.parent
WAIT_SECONDS = 60.0  # a machine may be busy with other things

# What Textual itself writes: cursor moves, erasing, styles, modes, keyboard protocol. Everything else is content.
_OWN = re.compile(
    r"\x1b\[\d*(?:;\d*)*H"  # cursor to a place
    r"|\x1b\[\d*(?:;\d+)*m"  # style
    r"|\x1b\[\?\d+(?:;\d+)*[hl]"  # modes
    r"|\x1b\[\?\d+\$p"  # questions about modes
    r"|\x1b\[[<>]\d*(?:;\d+)*u"  # keyboard protocol
    r"|\x1b\[\d*[ABCDGK]"  # moves and erasing within a line
    r"|\x1b\]22;[a-z-]*\x07"  # shape of the mouse pointer
)


class Screen:
    """`raw` is everything written so far."""

    def __init__(self, child: "pexpect.spawn[bytes]", columns: int, rows: int) -> None:
        self.child = child
        self.raw = b""
        self._held = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def read(self, seconds: float = 0.05) -> bool:
        """Take what is there; False when the program has ended."""
        try:
            data = self.child.read_nonblocking(65_536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        # pyte knows neither keyboard protocol nor the questions; a person's terminal does
        data = re.sub(rb"\x1b\[(?:[<>=]\d*(?:;\d+)*u|\?\d+\$p)", b"", self._held + data)
        cut = data.rfind(b"\x1b", max(len(data) - 32, 0))  # perhaps the beginning of one of them
        whole = cut < 0 or re.match(rb"\x1b(?:\[[\d;?<>=]*[A-Za-z]|\].*?\x07)", data[cut:]) is not None
        self._held = b"" if whole else data[cut:]
        self._stream.feed(data if whole else data[:cut])
        return True

    def forget(self) -> None:
        """Take what is there, and empty the screen, as a shell in between would."""
        self.read()
        self._screen.reset()

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, seen: Callable[[str], bool], what: str, seconds: float = WAIT_SECONDS) -> None:
        end = time.monotonic() + seconds
        while not seen(self.text()):
            if time.monotonic() > end or not self.read():
                if seen(self.text()):
                    return
                raise AssertionError(f"never seen: {what}\n{self.text()}")

    def until_text(self, text: str, seconds: float = WAIT_SECONDS) -> None:
        self.until(lambda shown: text in shown, text, seconds)

    def send(self, text: str) -> None:
        self.child.send(text.encode("utf-8", errors="surrogateescape"))

    def paste(self, text: str) -> None:
        """As a terminal hands over a paste."""
        self.send(f"\x1b[200~{text}\x1b[201~")

    def ended(self, seconds: float = WAIT_SECONDS) -> int:
        """Read to the end; the exit code (negative: the signal)."""
        end = time.monotonic() + seconds
        while self.read(0.1):
            assert time.monotonic() < end, f"it does not end\n{self.text()}"
        self.child.close()
        return self.child.exitstatus if self.child.exitstatus is not None else -(self.child.signalstatus or 0)

    def foreign_controls(self) -> list[str]:
        """Control characters that are not Textual's own, with what stands around them."""
        text = self.raw.decode("utf-8", errors="replace")
        rest = _OWN.sub("", text)
        return [
            ascii(rest[max(match.start() - 20, 0) : match.end() + 20])
            for match in re.finditer(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", rest)
        ]


@contextmanager
def in_terminal(
    *arguments: str, columns: int = 100, rows: int = 30, env: dict[str, str] | None = None
) -> Iterator[Screen]:
    """Runs `python ARGUMENTS` in a terminal of this size."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM", "LINES")}
    child = pexpect.spawn(
        sys.executable,
        list(arguments),
        cwd=str(ROOT),
        env={**inherited, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT), **(env or {})},
        dimensions=(rows, columns),
        timeout=WAIT_SECONDS,
    )
    screen = Screen(child, columns, rows)
    try:
        yield screen
    finally:
        if child.isalive():
            child.kill(signal.SIGKILL)
            child.wait()
        child.close()
