"""kill -9 around the steps of a plan: each is done once at most, none is lost, and none that needs a yes goes
without. STEWARD_FAULT_REPEATS sets how often more: 17 makes 204 kills."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals"),
    pytest.mark.timeout(900),
]
KILLS = 12


def killed(place: Path, kills: int, *flags: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.plan_killer", str(place), str(kills), "1", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_each_step_is_done_once_at_most_and_none_is_lost_or_done_unasked(tmp_path: Path) -> None:
    kills = KILLS * int(os.environ.get("STEWARD_FAULT_REPEATS", "1"))
    found = killed(tmp_path, kills)
    assert (found["lost"], found["twice"], found["unasked"]) == ([], [], [])
    assert found["plans"] >= kills // 4


def test_the_harness_notices_acts_that_claim_no_key(tmp_path: Path) -> None:
    """Killed between the act and its result, such an act is done again."""
    assert killed(tmp_path, KILLS * 4, "--act-first")["twice"]
