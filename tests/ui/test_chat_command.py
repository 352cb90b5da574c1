"""`steward` and `steward chat`: full screen, line mode, or a line that says why neither."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from ui.cli import main
from ui.commands.chat import wants_lines


@pytest.mark.parametrize("arguments", [(), ("chat",), ("chat", "--demo"), ("--demo",)])
def test_without_a_terminal_one_line_says_what_to_use(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    first, hint = err.splitlines()
    assert first == "steward: there is no terminal here, so the full screen cannot be shown."
    assert "steward --plain" in hint
    assert not own_home.exists()


@pytest.mark.parametrize(
    ("env", "lines"),
    [
        ({}, False),
        ({"TERM": "xterm"}, False),
        ({"TERM": "dumb"}, True),
        ({"TERM": "xterm", "ACCESSIBLE": "1"}, True),
        ({"ACCESSIBLE": "0"}, False),
        ({"ACCESSIBLE": ""}, False),
    ],
)
def test_who_gets_lines(env: dict[str, str], lines: bool) -> None:
    assert wants_lines(env) is lines


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        (("--plain", "--demo"), {}),
        (("chat", "--plain", "--demo"), {}),
        (("--demo",), {"ACCESSIBLE": "1"}),
        (("--demo",), {"TERM": "dumb"}),
    ],
)
def test_line_mode_talks_over_a_pipe(arguments: tuple[str, ...], env: dict[str, str], own_home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ui", *arguments],
        input="hello\n",
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"TERM": "xterm"} | env,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "you: hello\n" in done.stdout
    assert "\nsteward: " in done.stdout
    assert "\x1b" not in done.stdout
    assert not own_home.exists()
