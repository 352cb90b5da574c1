"""The first start in line mode and in `ask`: a question with the size, on a terminal only."""

import os
import sys
from pathlib import Path

import pexpect
import pytest

from tests.architecture.source import ROOT
from ui.cli import main


def steward(home: Path, *arguments: str) -> "pexpect.spawn[str]":
    return pexpect.spawn(
        sys.executable,
        ["-m", "ui", "--home", str(home), *arguments],
        cwd=str(ROOT),
        env=os.environ | {"TERM": "xterm-256color"},
        encoding="utf-8",
        timeout=60,
    )


@pytest.mark.parametrize("arguments", [("ask", "hello"), ("--plain",)])
def test_it_asks_with_name_size_and_licence_and_takes_no_for_an_answer(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    child = steward(tmp_path / "home", *arguments)
    child.expect(r"There is no model on this machine yet\.")
    child.expect(r"Fetch .+ \(\d.* [MG]B, .+\)\? \[Y/n\]")
    assert not (tmp_path / "home").exists()
    child.sendline("n")
    if arguments == ("--plain",):
        child.expect(r"Encrypt what is kept on this disk\? .+ \[y/N\]")
        assert not (tmp_path / "home").exists()
        child.sendline("")
        child.expect("you: ")
        child.sendeof()
    else:
        child.expect("steward models pull")
    child.expect(pexpect.EOF)


def test_what_is_no_answer_is_told_what_would_be_one_and_ctrl_c_what_to_do_next(tmp_path: Path) -> None:
    child = steward(tmp_path / "home", "--plain")
    child.expect(r"\[Y/n\]")
    child.sendline("/model list")
    child.expect("That is neither yes nor no: y or n, then Enter.")
    child.expect("/model PATH takes a file of yours")
    child.expect(r"\[Y/n\]")
    child.sendintr()
    child.expect("Stopped, and nothing was fetched.")
    child.expect("steward tour needs no model")
    child.expect(pexpect.EOF)
    assert not (tmp_path / "home").exists()


def test_without_a_terminal_nobody_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "hello"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "Fetch the one that fits: steward models pull" in err


def test_a_model_named_in_the_settings_is_not_replaced(tmp_path: Path) -> None:
    assert main(["--home", str(tmp_path), "config", "set", "model.name", "/nowhere/x.gguf"]) == 0
    child = steward(tmp_path, "ask", "hello")
    child.expect(r"/nowhere/x\.gguf")
    child.expect(pexpect.EOF)
    assert "[Y/n]" not in (child.before or "")
