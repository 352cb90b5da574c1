"""What a newcomer runs first goes on after an interruption: `make` on a copy, with a script as the interpreter."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

# Makes an environment as `python -m venv` does, and notes what it was asked; its own pip works.
INTERPRETER = """#!/bin/sh
echo "$@" >> "$NOTED"
case "$2" in venv)
  for folder in "$@"; do :; done
  mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python";;
esac
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    if shutil.which("make") is None or not any(map(shutil.which, ("c++", "g++", "clang++"))):
        pytest.skip("make and a compiler are needed")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    _script(tmp_path / "python", INTERPRETER)
    return tmp_path


def test_a_first_install_makes_the_environment_and_then_installs(tree: Path) -> None:
    assert _asked(tree) == ["venv", "--upgrade pip", "--group dev"]
    assert _asked(tree) == []


def test_an_environment_that_was_interrupted_before_pip_is_made_anew(tree: Path) -> None:
    (tree / ".venv" / "bin").mkdir(parents=True)
    _script(tree / ".venv" / "bin" / "python", "#!/bin/sh\necho No module named pip >&2\nexit 1\n")
    assert _asked(tree) == ["venv", "--upgrade pip", "--group dev"]


def test_an_install_that_was_interrupted_goes_on_in_the_same_environment(tree: Path) -> None:
    _asked(tree)
    (tree / ".venv" / ".installed").unlink()
    assert _asked(tree) == ["pip --version", "--upgrade pip", "--group dev"]


def _asked(tree: Path) -> list[str]:
    """What `make setup` asked of an interpreter, the last two words of each."""
    noted = tree / "noted"
    noted.write_text("")
    environment = {**os.environ, "NOTED": str(noted)}
    done = subprocess.run(
        ["make", "setup", f"PYTHON={tree / 'python'}"],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [_short(line.split()) for line in noted.read_text().splitlines()]


def _short(words: list[str]) -> str:
    return "venv" if words[1] == "venv" else " ".join(words[-2:])


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
