"""Backups in line mode, encrypted ones too, on a real home over a pipe."""

import asyncio
import io
import os
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.sealed import is_sealed
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from ui.plain import run_plain
from ui.wiring import Options


@pytest.fixture
def home(own_home: Path) -> Home:
    home = Home.resolve(None, os.environ)
    home.make()
    asyncio.run(_talked(home))
    return home


async def _talked(home: Home) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["I fly on Tuesday", "Have a good flight"])
    await transcript.close()


def typed(*lines: str) -> str:
    """What line mode says to these lines over a pipe."""
    read_end, write_end = os.pipe()
    os.write(write_end, "".join(f"{line}\n" for line in lines).encode())
    os.close(write_end)
    out = io.StringIO()
    with os.fdopen(read_end, "r", encoding="utf-8") as stdin:
        assert asyncio.run(run_plain(Options(), stdin=stdin, out=out)) == 0
    return out.getvalue()


def test_an_encrypted_backup_is_made_and_restored(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "mine.age"
    said = typed(f"/backup encrypted {file}", "a long passphrase", "a long passphrase")
    assert "status: backed up, encrypted: 1 conversation, 2 messages" in said
    assert is_sealed(file.read_bytes()[:64])
    assert "a long passphrase" not in said
    said = typed(f"/restore {file}", "a long passphrase", "yes please")
    assert "The backup holds 1 conversation, 2 messages" in said
    assert "status: Restored" in said


def test_two_different_passphrases_write_nothing(home: Home, tmp_path: Path) -> None:
    said = typed(f"/backup encrypted {tmp_path / 'mine.age'}", "a long passphrase", "another passphrase")
    assert "error: The two were not the same, so nothing was written.\nnext: " in said
    assert not (tmp_path / "mine.age").exists()


def test_a_wrong_passphrase_restores_nothing(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "mine.age"
    typed(f"/backup encrypted {file}", "a long passphrase", "a long passphrase")
    said = typed(f"/restore {file}", "a wrong passphrase")
    assert "error: " in said
    assert "Restored" not in said
