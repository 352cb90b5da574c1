"""backup, backups, restore, data, doctor --repair and --privacy from the command line."""

import asyncio
import json
import os
import stat
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory.backup_names import BackupFile
from memory.data_dir import Home, OwnerLock
from memory.home_files import files_of
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.command_line import Run
from tests.support.damage import corpus
from tests.support.store_oracle import verify
from ui.checks.home import check_backups


@pytest.fixture
def home(own_home: Path) -> Home:
    return Home.resolve(None, os.environ)


@pytest.fixture
def talked(home: Home) -> Home:
    home.make()
    asyncio.run(talk(home, "I fly on Tuesday", "Have a good flight"))
    return home


async def talk(home: Home, *contents: str) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, list(contents))
    await transcript.close()


def messages(home: Home, run: Run) -> int:
    return int(json.loads(run("restore", "latest", "--preview", "--json")[1])["now"]["rows"]["message"])


def test_a_backup_is_made_listed_and_restored(talked: Home, run: Run) -> None:
    code, out, _ = run("backup")
    assert code == 0
    assert "1 conversation, 2 messages, 0 memories, 0 reminders" in out
    code, out, _ = run("backups")
    assert code == 0
    assert "made by you" in out
    asyncio.run(talk(talked, "Another", "Yes"))
    code, out, _ = run("restore", "latest", "--preview")
    assert code == 0
    assert "Not in the backup: 1 conversation, 2 messages." in out
    code, out, _ = run("restore", "latest", "--yes")
    assert code == 0
    assert "What was here before is kept" in out
    assert messages(talked, run) == 2
    verify(talked.database)
    assert {one["kind"] for one in json.loads(run("backups", "--json")[1])} == {"before-restore", "by-hand"}


def test_a_backup_beside_a_running_steward(talked: Home, run: Run, tmp_path: Path) -> None:
    with OwnerLock(talked):
        code, out, _ = run("backup", str(tmp_path / "mine.db"), "--json")
        assert code == 0
        assert json.loads(out)["rows"]["message"] == 2
        code, _, err = run("restore", str(tmp_path / "mine.db"), "--yes")
        assert code == 3
        assert "already running" in err
    code, _, err = run("backup", str(tmp_path / "mine.db"))
    assert code == 1
    assert "exists already" in err


def test_restoring_asks(talked: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("backup")
    code, _, err = run("restore", "latest")
    assert code == 1
    assert "nobody to ask" in err
    assert run("restore", "nonsense", "--yes")[0] == 1
    assert run("--incognito", "backup")[0] == 1


def test_an_encrypted_backup(talked: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "correct horse\n")
    code, out, _ = run("backup", "--encrypt", "--passphrase-stdin", "--json")
    made = json.loads(out)
    assert code == 0
    assert made["encrypted"]
    content = Path(made["path"]).read_bytes()
    assert b"Tuesday" not in content
    assert b"SQLite" not in content
    assert [path.suffix for path in talked.backups.iterdir()] == [".age"]
    say(monkeypatch, "wrong horse\n")
    code, _, err = run("restore", "latest", "--yes", "--passphrase-stdin")
    assert code == 1
    assert "does not open" in err
    asyncio.run(talk(talked, "Another"))
    say(monkeypatch, "correct horse\n")
    code, out, _ = run("restore", made["path"], "--yes", "--passphrase-stdin")
    assert code == 0
    assert "Restored: 1 conversation, 2 messages" in out
    assert not list(talked.data.glob(".sealed*"))


def say(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(words))


def test_a_short_passphrase_is_refused(talked: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "short\n")
    code, _, err = run("backup", "--encrypt", "--passphrase-stdin")
    assert code == 1
    assert "too short" in err
    assert list(talked.backups.iterdir()) == []


@pytest.mark.parametrize("name", ["first page gone", "page noise 1", "cut by a twentieth", "garbage"])
def test_repair_offers_what_can_be_had_and_keeps_the_original(talked: Home, run: Run, name: str) -> None:
    asyncio.run(talk(talked, *("walrus " * 300 for _ in range(60))))
    run("backup")
    corpus()[name](talked.database)
    before = talked.database.read_bytes()
    code, out, _ = run("doctor", "--repair")
    assert talked.database.read_bytes() == before
    assert code == 1
    assert "Go back to the backup of" in out
    if name != "garbage":
        assert "Go on with what was saved" in out
    code, out, err = run("sessions", "list")
    assert "No conversations" not in out + err
    assert run("restore", "latest", "--yes")[0] == 0
    verify(talked.database)


def test_repair_mends_search_modes_and_references(talked: Home, run: Run) -> None:
    import sqlite3

    connection = sqlite3.connect(talked.database, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("INSERT INTO message_fts(message_fts) VALUES ('delete-all')")
    connection.execute("DELETE FROM session")
    connection.close()
    talked.database.chmod(0o644)
    assert run("doctor", "--repair")[0] == 0
    verify(talked.database)
    assert "Recovered conversation" in run("sessions", "list")[1]
    assert [one["kind"] for one in json.loads(run("backups", "--json")[1])] == ["before-repair"]
    code, out, _ = run("doctor", "--repair")
    assert code == 0
    assert "The history is whole: 1 conversations" in out


def test_repair_of_nothing(run: Run) -> None:
    code, out, _ = run("doctor", "--repair")
    assert code == 0
    assert "nothing to repair" in out


def test_privacy_lists_every_file(talked: Home, run: Run) -> None:
    (talked.data / "holiday.jpg").write_bytes(b"x" * 10)
    (talked.data / "holiday.jpg").chmod(0o600)
    code, out, _ = run("doctor", "--privacy", "--json")
    found = json.loads(out)
    assert code == 0
    listed = {one["path"] for one in found["files"]}
    assert listed == {str(path) for root in talked.roots for path in root.rglob("*") if path.is_file()}
    holds = {Path(one["path"]).name: one["holds"] for one in found["files"]}
    assert holds["holiday.jpg"] == "not known to Steward"
    assert holds["steward.db"].startswith("the history")
    assert all(one["mode"] == "0600" for one in found["files"]) or sys.platform == "win32"
    assert not any(place["now"] for place in found["destinations"])
    assert all(part["quiet"] for part in found["by_itself"])
    (talked.data / "steward.db").chmod(0o644)
    if sys.platform != "win32":
        assert run("doctor", "--privacy")[0] == 1


def test_privacy_names_a_server_that_is_in_use(talked: Home, run: Run) -> None:
    code, out, _ = run("--model", "http://127.0.0.1:9/v1", "doctor", "--privacy", "--json")
    assert code == 0
    assert [place["where"] for place in json.loads(out)["destinations"] if place["now"]] == ["http://127.0.0.1:9/v1"]


def test_deleting_everything_wants_the_words(talked: Home, run: Run) -> None:
    for args in ((), ("--confirm", "yes")):
        code, _, err = run("data", "delete-everything", *args)
        assert code == 1
        assert "delete my data" in err
    assert talked.database.exists()


def test_deleting_everything_leaves_only_what_is_not_stewards(talked: Home, run: Run) -> None:
    run("backup")
    talked.models.mkdir()
    (talked.models / "some.gguf").write_bytes(b"GGUF")
    (talked.data / "holiday.jpg").write_bytes(b"x")
    with OwnerLock(talked):
        assert run("data", "delete-everything", "--confirm", "delete my data")[0] == 3
    code, out, _ = run("data", "delete-everything", "--confirm", "delete my data")
    assert code == 0
    assert "none is left" in out
    left = {path.name for root in talked.roots if root.exists() for path in root.rglob("*") if path.is_file()}
    assert left == {"some.gguf", "holiday.jpg", "owner.lock"}
    assert run("data", "delete-everything", "--models", "--confirm", "delete my data")[0] == 0
    assert run("data", "delete-everything")[1] == "There is nothing to delete.\n"
    assert "No conversations yet" in run("sessions", "list")[1]


def test_what_is_kept(talked: Home, run: Run) -> None:
    run("backup")
    code, out, _ = run("data")
    assert code == 0
    assert "history" in out
    assert "backups: 1, the newest" in out
    found = json.loads(run("data", "show", "--json")[1])
    assert found["bytes"] >= talked.database.stat().st_size


def open_to_others(home: Home) -> list[Path]:
    found = (path for root in home.roots for path in (root, *root.rglob("*")))
    return [path for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_nothing_is_readable_by_others_with_an_open_umask(own_home: Path, run: Run) -> None:
    before = os.umask(0)
    try:
        home = Home.resolve(None, os.environ)
        home.make()
        asyncio.run(talk(home, "Hello", "Hi"))
        for command in (("backup",), ("config", "set", "ui.mouse", "false"), ("remind", "call mum tomorrow at 9")):
            assert run(*command)[0] == 0
        corpus()["first page gone"](home.database)
        run("doctor", "--repair")
        run("restore", "latest", "--yes")
    finally:
        os.umask(before)
    assert open_to_others(home) == []
    planted = home.state / "planted"
    planted.touch(mode=0o640)
    planted.chmod(0o640)
    assert open_to_others(home) == [planted]  # the control: one that others may read is found


def test_doctor_says_how_old_the_newest_backup_is() -> None:
    now = MONDAY
    made = BackupFile(name="daily-2026-03-01.db", kind="daily", at=now - timedelta(days=1), size=1)
    old = replace(made, at=now - timedelta(days=30))
    found = [
        check_backups(here, now, holds=holds)
        for here, holds in (((), False), ((), True), ([made], True), ([old], True))
    ]
    assert [check.state for check in found] == ["ok", "note", "ok", "note"]


def test_every_file_that_a_home_gets_is_known(talked: Home, run: Run) -> None:
    for command in (("backup",), ("config", "set", "ui.mouse", "false"), ("remind", "call mum tomorrow at 9")):
        assert run(*command)[0] == 0
    assert [str(one.path) for one in files_of(talked) if one.kind is None] == []
