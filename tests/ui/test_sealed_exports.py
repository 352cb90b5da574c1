"""What leaves the home encrypted, and comes back with its passphrase."""

import io
import sys
from pathlib import Path

import pytest

from memory.sealed import is_sealed, unseal
from tests.ui.test_profile_command import Run, known, run
from ui.cli import main

__all__ = ["known", "run"]
SECRET = "seven green apples"


def told(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{words}\n"))


@pytest.mark.usefixtures("known")
def test_a_profile_goes_round_encrypted(
    run: Run, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "me.age", tmp_path / "other"
    told(monkeypatch, SECRET)
    code, out, _ = run("profile", "export", "--encrypt", "--passphrase-stdin", "--output", str(path), home=own_home)
    assert (code, "Encrypted." in out) == (0, True)
    assert is_sealed(path.read_bytes())
    assert b"coriander" not in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    told(monkeypatch, "another passphrase")
    code, _, err = run("profile", "import", str(path), "--passphrase-stdin", "--yes", home=other)
    assert code == 1
    assert "does not open this file" in err
    told(monkeypatch, SECRET)
    code, out, _ = run("profile", "import", str(path), "--passphrase-stdin", "--yes", home=other)
    assert (code, "Taken in:" in out) == (0, True)
    told(monkeypatch, "")
    code, _, err = run("profile", "import", str(path), "--yes", home=other)
    assert code == 1
    assert "A passphrase is needed" in err


@pytest.mark.usefixtures("known")
def test_conversations_leave_encrypted(
    run: Run, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, path = tmp_path / "plain.md", tmp_path / "all.age"
    assert run("sessions", "export", "--all", "--output", str(plain), home=own_home)[0] == 0
    told(monkeypatch, SECRET)
    arguments = ("sessions", "export", "--all", "--encrypt", "--passphrase-stdin", "--output", str(path))
    assert run(*arguments, home=own_home)[0] == 0
    assert unseal(path.read_bytes(), SECRET) == plain.read_bytes()
    told(monkeypatch, "short")
    assert main(["--home", str(own_home), *arguments[:-1], str(tmp_path / "no.age")]) == 1
    assert not (tmp_path / "no.age").exists()
