"""Measures how quickly Steward is there: `python -m tests.benchmarks.startup`.

Commands as processes of their own, and the terminal UI in a pseudo-terminal of 80x24 with a random tiny model that
loads behind it: first paint, the first typed letter on the screen, the whole interface with that letter in its prompt,
memory of the UI process with 60 old messages.
One JSON line a measure: name, value (the best of several), bar, passed, and where it can be told the processor time,
which a busy neighbour changes less. Takes about half a minute.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte

from memory.data_dir import Home
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.tiny_model import write_tiny

TRIES = 7
STARTS = 5
MESSAGES = 60
LETTER = "Q"
PATIENCE = 20.0  # seconds


def report(name: str, value: float, limit: float, unit: str, **more: float) -> bool:
    passed = value <= limit
    line = {"name": name, "value": round(value, 1), "bar": f"<= {limit:g} {unit}", "passed": passed}
    further = {key: round(number, 1) for key, number in more.items()}
    print(json.dumps(line | further), flush=True)  # noqa: T201 - this is the script's result
    return passed


def command(name: str, home: Path, limit_ms: float, *arguments: str) -> bool:
    times, processor = [], []
    for _ in range(TRIES):
        began, before = time.perf_counter(), sum(os.times()[2:4])
        subprocess.run(
            [sys.executable, "-m", "ui", "--home", str(home), *arguments], check=True, stdout=subprocess.DEVNULL
        )
        times.append((time.perf_counter() - began) * 1_000)
        processor.append((sum(os.times()[2:4]) - before) * 1_000)
    return report(name, min(times), limit_ms, "ms", processor_ms=min(processor))


class Terminal:
    """The UI in a pseudo-terminal, and what stands on its screen."""

    def __init__(self, home: Path) -> None:
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.began = time.perf_counter()
        self._child = pexpect.spawn(
            sys.executable,
            ["-m", "ui", "--home", str(home)],
            env=os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
            dimensions=(24, 80),
        )

    def wait(self, shown: Callable[[str], bool]) -> float:
        """Seconds since the start when the screen first was as wished."""
        while not shown("\n".join(self._screen.display)):
            if time.perf_counter() - self.began > PATIENCE:
                raise TimeoutError("\n".join(self._screen.display))
            self._stream.feed(self._child.read_nonblocking(65_536, timeout=PATIENCE))
        return time.perf_counter() - self.began

    def press(self, keys: str) -> None:
        self._child.send(keys)

    def memory(self) -> float:
        """Resident megabytes of the UI process alone, its model child not counted. Linux only."""
        status = Path(f"/proc/{self._child.pid}/status").read_text()
        kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
        return int(kilobytes) * 1_024 / 1e6

    def processor(self) -> float:
        """Milliseconds of processor time the UI process has used. Linux only."""
        fields = Path(f"/proc/{self._child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")

    def leave(self) -> None:
        self._child.send("\x11")
        self._child.expect(pexpect.EOF, timeout=PATIENCE)
        self._child.close(force=True)


def painting(home: Path) -> list[bool]:
    paints, letters, whole, memories, processor = [], [], [], [], []
    on_linux = sys.platform == "linux"
    for _ in range(STARTS):
        terminal = Terminal(home)
        paints.append(terminal.wait(lambda screen: "›" in screen) * 1_000)
        processor.append(terminal.processor() if on_linux else 0.0)
        before = time.perf_counter()
        terminal.press(LETTER)
        terminal.wait(lambda screen: LETTER in screen)
        letters.append((time.perf_counter() - before) * 1_000)
        whole.append(terminal.wait(lambda screen: "F1 help" in screen and LETTER in screen) * 1_000)
        terminal.press("\x7f")
        memories.append(terminal.memory() if on_linux else 0.0)
        terminal.leave()
    return [
        report("first_paint", min(paints), 1_000, "ms", processor_ms=min(processor)),
        report("first_letter_after_paint", min(letters), 500, "ms"),
        report("whole_interface", min(whole), 1_500, "ms"),
        *([report("ui_memory", max(memories), 150, "MB")] if on_linux else []),
    ]


async def prepare(home: Home) -> None:
    transcript = await SqliteTranscript.open(home.database)
    try:
        words = "A sentence of some length about nothing in particular. " * 8
        await kept_talk(transcript, [f"{number}. {words}" for number in range(MESSAGES)], at=MONDAY)
    finally:
        await transcript.close()


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as place:
        home = Home.resolve(place, {})
        home.make()
        home.models.mkdir(mode=0o700)
        write_tiny(home.models / "tiny.gguf")
        asyncio.run(prepare(home))
        passed = [
            command("steward_help", Path(place), 300, "--help"),
            command("steward_sessions_list", Path(place), 500, "sessions", "list"),
            *painting(Path(place)),
        ]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
