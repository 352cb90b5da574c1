"""Nothing that is read from disk is a program: while Steward works, unpickling anything ends the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFUSES = """
import os, sys

def hook(event, arguments):
    if event in ("pickle.find_class", "marshal.load"):
        sys.stderr.write(f"{event} {arguments}\\n")
        os._exit(99)

sys.addaudithook(hook)
"""
COMMANDS = (
    ("memory", "add", "I live in Lisbon"),
    ("remind", "call mum tomorrow at 9"),
    ("backup",),
    ("restore", "latest", "--yes"),
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Every Python that is started refuses to unpickle."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(REFUSES)
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "STEWARD_HOME": str(tmp_path / "home")}


def test_a_day_of_commands_unpickles_nothing(environment: dict[str, str]) -> None:
    for arguments in COMMANDS:
        command = [sys.executable, "-m", "ui", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, input="")
        assert done.returncode == 0, (arguments, done.stderr)
    talk = "hello\nI like tea.\n/memory\n/quit\n"
    done = subprocess.run(
        [sys.executable, "-m", "ui", "--demo", "--plain"], env=environment, capture_output=True, text=True, input=talk
    )
    assert done.returncode == 0, done.stderr


def test_a_pickle_would_be_noticed(environment: dict[str, str]) -> None:
    """The control."""
    code = "import pickle, pathlib; pickle.loads(pickle.dumps(pathlib.PurePosixPath('x')))"
    assert subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True).returncode == 99
