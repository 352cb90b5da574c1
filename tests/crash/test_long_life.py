"""A long life in one process: neither memory, open files nor the database grow beyond what they hold.

STEWARD_TURNS sets its length (a night: 3,000; before a release: 10,000, with 1,000 reminders and 20,000 memories).
The time of a start after it is measured from STEWARD_TURNS=10000 on.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory.data_dir import Home
from tests.support.long_life import MEMORIES_A_TURN, TURNS_A_REMINDER
from tests.support.tiny_model import write_tiny

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.timeout(7_200),
]
TURNS = int(os.environ.get("STEWARD_TURNS", "80"))
WHOLE = 10_000
GROWTH = 1.1
ROOM = 1.3
START_S = 2.0
STARTS = 3


def lived(place: Path, turns: int, *how: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.long_life", str(place), str(turns), *how]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def grew(found: dict[str, Any]) -> set[str]:
    """What is larger than it may be: `memory` at the end against the one after a third of the life, open `files`, the
    `database` against the same content written afresh."""
    resident, files = found["resident"], found["files"]
    over = {
        "memory": resident[-1] > GROWTH * resident[len(resident) // 3],
        "files": max(files) - min(files) > 2,
        "database": found["database"] > ROOM * found["afresh"],
    }
    return {name for name, yes in over.items() if yes}


def started(place: Path) -> float:
    """Seconds until the whole interface is on the screen, the best of a few starts."""
    from tests.benchmarks.startup import Terminal

    home = Home.resolve(str(place), {})
    home.models.mkdir(mode=0o700, exist_ok=True)
    write_tiny(home.models / "tiny.gguf")
    times = []
    for _ in range(STARTS):
        terminal = Terminal(place)
        times.append(terminal.wait(lambda screen: "F1 help" in screen))
        terminal.leave()
    return min(times)


def test_nothing_grows_with_it(tmp_path: Path) -> None:
    found = lived(tmp_path, TURNS)
    reminders = (TURNS + TURNS_A_REMINDER - 1) // TURNS_A_REMINDER
    assert (found["messages"], found["told"], found["reminders"]) == (2 * TURNS, reminders, reminders)
    assert found["memories"] >= MEMORIES_A_TURN * TURNS
    assert found["index"] == "ready"
    assert grew(found) == set(), found
    if TURNS >= WHOLE:
        assert started(tmp_path) <= START_S


def test_a_program_that_keeps_everything_is_noticed(tmp_path: Path) -> None:
    """The control."""
    found = lived(tmp_path, 40, "--hoard", "--leak", "--bloat")
    assert grew(found) == {"memory", "files", "database"}, found
