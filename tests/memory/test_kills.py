"""kill -9 at any instant loses nothing that was acknowledged. STEWARD_KILLS sets how often (a night: 1000)."""

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


def killed(place: Path, kills: int, *flags: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.store_killer", str(place), str(kills), "1", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    kills = int(os.environ.get("STEWARD_KILLS", "60"))
    found = killed(tmp_path, kills)
    assert found["lost"] == []
    assert found["acknowledged"] > kills


def test_the_harness_notices_a_store_that_acknowledges_too_early(tmp_path: Path) -> None:
    assert killed(tmp_path, 60, "--acknowledge-early")["lost"]
