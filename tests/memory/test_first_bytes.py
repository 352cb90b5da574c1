"""Looking at a database does not give up the locks that SQLite holds on it."""

import contextlib
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import memory.first_bytes
from memory.first_bytes import first_bytes

HEADER = b"SQLite format 3\x00"
# Another program that opens the database, and on closing it takes away the journal of an owner without a lock.
STRANGER = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM t').fetchall(); c.close()"


def plainly(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        return file.read(count)


def journal_after_a_stranger(folder: Path, look: Callable[[Path, int], bytes]) -> bool:
    """Whether the owner's journal is still there after it looked, and somebody else came and went."""
    path = folder / "steward.db"
    owner = sqlite3.connect(path)
    try:
        owner.execute("PRAGMA journal_mode=WAL")
        owner.execute("CREATE TABLE t(x)")
        assert look(path, len(HEADER)) == HEADER
        subprocess.run([sys.executable, "-c", STRANGER, str(path)], check=True)
        return path.with_name("steward.db-wal").exists()
    finally:
        owner.close()


def test_the_journal_stays(tmp_path: Path) -> None:
    assert journal_after_a_stranger(tmp_path, first_bytes)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX locks")
def test_a_plain_look_loses_it(tmp_path: Path) -> None:
    """The control."""
    assert not journal_after_a_stranger(tmp_path, plainly)


def test_a_file_that_took_its_place_is_read(tmp_path: Path) -> None:
    path = tmp_path / "steward.db"
    path.write_bytes(b"one")
    assert first_bytes(path, 16) == b"one"
    other = tmp_path / "other"
    other.write_bytes(b"another")
    other.replace(path)
    assert first_bytes(path, 3) == b"ano"
    path.unlink()
    with pytest.raises(FileNotFoundError):
        first_bytes(path, 16)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX locks")
def test_threads_that_look_at_once_open_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second descriptor would be closed again: the locks would be gone, and the thread that reads from it fail."""
    path = tmp_path / "steward.db"
    path.write_bytes(HEADER)
    together, opened = threading.Barrier(2), list[Path]()

    class Slow(memory.first_bytes._Open):
        def __init__(self, path: Path) -> None:
            opened.append(path)
            with contextlib.suppress(threading.BrokenBarrierError):
                together.wait(0.5)  # as long as another thread may take to be here, too
            super().__init__(path)

    monkeypatch.setattr(memory.first_bytes, "_Open", Slow)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: first_bytes(path, len(HEADER)), range(4))) == [HEADER] * 4
    assert opened == [path]
