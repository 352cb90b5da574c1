"""A long life in one process: neither memory nor open files grow with it.

STEWARD_TURNS sets its length (a night: 3,000; before a release: 10,000).
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.timeout(3_600),
]
TURNS = int(os.environ.get("STEWARD_TURNS", "120"))
GROWTH = 1.1


def lived(place: Path, turns: int, *how: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.long_life", str(place), str(turns), *how]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def growth(found: dict[str, Any]) -> float:
    """The resident memory at the end against the one after a third of the life."""
    marks = found["resident"]
    return float(marks[-1] / marks[len(marks) // 3])


def test_neither_memory_nor_open_files_grow(tmp_path: Path) -> None:
    found = lived(tmp_path, TURNS)
    assert found["messages"] == 2 * TURNS
    assert found["told"] == (TURNS + 9) // 10
    assert growth(found) < GROWTH, found["resident"]
    assert max(found["files"]) - min(found["files"]) <= 2


def test_a_program_that_keeps_everything_is_noticed(tmp_path: Path) -> None:
    """The control."""
    assert growth(lived(tmp_path, 200, "--hoard")) > GROWTH
