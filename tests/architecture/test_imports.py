"""The run-time twins of the import rules: what a fresh process really loads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT, sources

ENGINES = {"llama_cpp", "chromadb", "onnxruntime", "tokenizers", "huggingface_hub"}
SCREENS = {"textual"}  # httpx wakes rich and click by itself; that our code does not is seen in test_owners.py
NOT_FOR_THE_PARENT = "models.child"  # lives in its own process


def loaded_whole(code: str, home: Path, *, cwd: Path = ROOT) -> set[str]:
    """The names in sys.modules after `code` has run in a process of its own."""
    told = "import json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{told}"],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "STEWARD_HOME": str(home)},
        timeout=60,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def loaded_by(code: str, home: Path, *, cwd: Path = ROOT) -> set[str]:
    """Their top-level names."""
    return {name.partition(".")[0] for name in loaded_whole(code, home, cwd=cwd)}


def modules_of(*packages: str) -> list[str]:
    return [
        source.module
        for source in sources()
        if source.module.partition(".")[0] in packages and not source.module.startswith(NOT_FOR_THE_PARENT)
    ]


def test_the_lower_rooms_load_neither_screen_nor_engine(tmp_path: Path) -> None:
    names = modules_of("assistant", "memory", "models")
    assert "assistant.session" in names
    assert loaded_by(f"import {', '.join(names)}", tmp_path) & (SCREENS | ENGINES) == set()


def test_memory_and_models_do_not_know_each_other(tmp_path: Path) -> None:
    assert "models" not in loaded_by(f"import {', '.join(modules_of('memory'))}", tmp_path)
    assert "memory" not in loaded_by(f"import {', '.join(modules_of('models'))}", tmp_path)


def test_the_whole_ui_loads_no_engine(tmp_path: Path) -> None:
    names = [name for name in modules_of("ui") if name != "ui.__main__"]
    assert loaded_by(f"import {', '.join(names)}", tmp_path) & ENGINES == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("where",),
        ("sessions", "list"),
        ("sessions", "--help"),
        ("config", "list"),
        ("memory", "list"),
    ],
    ids=" ".join,
)
def test_quick_commands_load_neither_screen_nor_engine(arguments: tuple[str, ...], tmp_path: Path) -> None:
    code = f"from ui.cli import main\nassert main({list(arguments)!r}) == 0"
    heavy = ENGINES | {"textual", "numpy", "httpx", "sqlite_utils"}
    assert loaded_by(code, tmp_path) & heavy == set()


def test_help_loads_next_to_nothing(tmp_path: Path) -> None:
    code = "from ui.cli import main\nassert main(['--help']) == 0"
    assert loaded_by(code, tmp_path) & {"pydantic", "asyncio", "sqlite3", "rich", "textual"} == set()


def test_what_is_loaded_is_really_seen(tmp_path: Path) -> None:
    assert "textual" in loaded_by("import textual", tmp_path)


def test_nothing_happens_at_import(tmp_path: Path) -> None:
    """No file is made and nothing is printed by importing every module."""
    names = [name for name in modules_of("assistant", "memory", "models", "ui") if name != "ui.__main__"]
    workplace = tmp_path / "workplace"
    workplace.mkdir()
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"import {', '.join(names)}"],
        capture_output=True,
        text=True,
        cwd=workplace,
        env=os.environ | {"PYTHONPATH": str(ROOT), "STEWARD_HOME": str(tmp_path / "home"), "HOME": str(workplace)},
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert list(workplace.iterdir()) == []
    assert not (tmp_path / "home").exists()


OURS = ("assistant", "memory", "models", "ui")


def own_modules_of(code: str, home: Path) -> int:
    """How many of our modules are loaded after `code` has run in a process of its own."""
    return len([name for name in loaded_whole(code, home) if name.partition(".")[0] in OURS])


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(("--help",), 14), (("sessions", "list"), 70), (("reminders", "list"), 125), (("memory", "list"), 110)],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else str(given),
)
def test_a_command_loads_what_it_needs(arguments: tuple[str, ...], most: int, tmp_path: Path) -> None:
    """Every module costs a start about a millisecond. Types go under TYPE_CHECKING, what one act needs into it."""
    assert own_modules_of(f"from ui.cli import main\nassert main({list(arguments)!r}) == 0", tmp_path) <= most


def test_the_terminal_ui_loads_what_it_paints(tmp_path: Path) -> None:
    """What opens with a key is imported by its action, what a message needs after the first paint. 189 were loaded
    before, and the whole interface took twice the processor time."""
    assert own_modules_of("import ui.app", tmp_path) <= 115
