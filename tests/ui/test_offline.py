"""Everything works without a network, and nothing so much as tries to reach one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces and strace are Linux's")

ROOT = Path(__file__).parents[2]
COMMANDS = (
    ("memory", "add", "I live in Lisbon"),
    ("memory", "list"),
    ("remind", "call mum tomorrow at 9"),
    ("reminders", "list"),
    ("backup",),
    ("backups",),
    ("restore", "latest", "--yes"),
    ("data",),
    ("doctor", "--privacy"),
    ("doctor", "--repair"),
    ("sessions", "list"),
)
LINES = "hello\n/memory\n/data\n/backup\n/backups\n/learning off\n/quit\n"


def scenario(home: Path) -> str:
    """A shell script that does all of it on a scripted home and stops at the first failure."""
    steward = f"{sys.executable} -P -m ui --home {home}"
    commands = [f"{steward} {' '.join(map(_quoted, command))}" for command in COMMANDS]
    lines = "".join(f"{line}\\n" for line in LINES.splitlines())
    talk = [f"printf '{lines}' | {steward} --plain", f"printf '{lines}' | {steward} --demo --plain"]
    return " && ".join([f"mkdir -p {home}", *commands, *talk])


def _quoted(word: str) -> str:
    return f"'{word}'" if " " in word else word


def environment() -> dict[str, str]:
    unwanted = ("STEWARD_HOME", "HF_HUB_OFFLINE", "PIP_INDEX_URL")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PYTHONPATH": str(ROOT)}


def run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=110)
    except FileNotFoundError:
        pytest.skip(f"{command[0]} is not installed")


def test_all_of_it_works_without_a_network(tmp_path: Path) -> None:
    if run(["unshare", "-rn", "true"]).returncode:
        pytest.skip("no network namespaces here")
    done = run(["unshare", "-rn", "sh", "-c", scenario(tmp_path / "home")])
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert "steward: " in done.stdout  # the scripted answer


def test_nothing_connects_anywhere(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,bind,listen", "-o", str(trace)]
    if run([*strace, "true"]).returncode:
        pytest.skip("strace may not trace here")
    done = run([*strace, "sh", "-c", scenario(tmp_path / "home")])
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert [line for line in trace.read_text().splitlines() if re.search(r"AF_INET|listen\(", line)] == []


def test_the_trace_would_show_a_connection(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", str(trace)]
    code = "import socket; s = socket.socket(); s.settimeout(1); s.connect_ex(('127.0.0.1', 9))"
    if run([*strace, sys.executable, "-c", code]).returncode:
        pytest.skip("strace may not trace here")
    assert "AF_INET" in trace.read_text()
