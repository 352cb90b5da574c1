"""A home is encrypted and decrypted: everything is there afterwards, and a kill leaves the old or the new one, whole.

STEWARD_KILL_EVERY sets the distance of the kills in file operations (a night: 1).
"""

import os
import random
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.errors import KeyringError, KeyringLocked, NoKeyringError

from memory import encrypting
from memory.backups import Backups
from memory.data_dir import Home
from memory.database import Database, connect
from memory.encrypting import clear_backups, decrypt_home, encrypt_home, remove_clear, rewrite_backup
from memory.errors import HomeLocked, StoreDamaged, StoreError
from memory.home_key import Key
from memory.home_secrecy import SEALED, seal_files
from memory.key_file import (
    WrongPassphrase,
    file_of,
    is_encrypted,
    keep_in_keyring,
    keep_with_passphrase,
    key_of,
    read_key_file,
    unlock_from_keyring,
    unlock_with_passphrase,
)
from memory.mailbox import Mailbox
from memory.sqlite_backup import check_copy
from memory.sqlite_export import copy_with_key
from memory.sqlite_transcript import SqliteTranscript
from memory.system_keyring import trouble
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.locked_homes import KEY, OTHER, PASSPHRASE, MemoryKeyring, found_in, stretch_little, with_key

EVERY = int(os.environ.get("STEWARD_KILL_EVERY", "4"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    stretch_little(monkeypatch)


@pytest.fixture
async def talked(home: Home) -> Home:
    await _talk(home, None)
    (home.state / "draft.json").write_text('{"text": "canary-draft", "origin": "typed"}')
    (home.state / "mailbox").mkdir()
    (home.state / "mailbox" / "00000000000000000001-abcdefgh.json").write_text('{"canary": "canary-letter"}')
    (home.data / "index" / "preferences_g1").mkdir(parents=True)
    (home.data / "index" / "preferences_g1" / "chroma.sqlite3").write_text("canary-vector")
    home.prefix_states.mkdir(parents=True)
    (home.prefix_states / "state").write_text("canary-prompt")
    return home


@pytest.fixture
def ring() -> Any:
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


async def _talk(home: Home, key: Key | None) -> None:
    transcript = SqliteTranscript(await Database.open(home.database, key=key))
    await kept_talk(transcript, ["canary-one", "canary-two"], title="canary-title")
    await transcript.close()


async def titles(home: Home) -> list[str]:
    transcript = SqliteTranscript(await Database.open(home.database, key=key_of(home)))
    found = [session.title for session in await transcript.sessions()]
    await transcript.close()
    return found


def quickly(home: Home, key: Key = KEY) -> Callable[[], None]:
    """Keeps a key without stretching a passphrase, which takes a second each time."""

    def keep() -> None:
        file_of(home).write_text(f'{{"format": 1, "store": "keyring", "fingerprint": "{key.fingerprint}"}}')

    return keep


async def test_everything_is_there_and_no_word_can_be_read(talked: Home) -> None:
    home = with_key(talked)
    assert set(found_in(home.roots, ["canary"])) == {
        *("steward.db", "draft.json", "00000000000000000001-abcdefgh.json", "chroma.sqlite3", "state")
    }
    done = encrypt_home(home, KEY, quickly(home), MONDAY)
    assert done.contents is not None
    assert done.contents.rows["message"] == 2
    assert done.copy is not None
    assert set(found_in(home.roots, ["canary"])) == {done.copy.name}, "the backup stays until it is asked for"
    assert [one.name for one in clear_backups(home)] == [done.copy.name]
    rewrite_backup(home, clear_backups(home)[0], None, KEY)
    assert found_in(home.roots, ["canary"]) == {}
    assert check_copy(done.copy, key=KEY).rows == done.contents.rows
    assert await titles(home) == ["canary-title"]


async def test_and_back(talked: Home) -> None:
    home = with_key(talked)
    done = encrypt_home(home, KEY, quickly(home), MONDAY)
    assert done.copy is not None
    rewrite_backup(home, clear_backups(home)[0], None, KEY)
    written = done.copy.stat().st_mtime_ns
    decrypt_home(home)
    assert not file_of(home).exists()
    assert not is_encrypted(home)
    assert await titles(talked) == ["canary-title"]
    assert check_copy(done.copy).rows == done.contents.rows if done.contents else False
    assert done.copy.stat().st_mtime_ns == written, "a backup keeps its day"
    assert "canary-draft" in (home.state / "draft.json").read_text()


async def test_backups_in_the_clear_go_only_when_asked(talked: Home) -> None:
    home = with_key(talked)
    (home.backups / "damaged-2026-01-01T000000Z").mkdir(parents=True)
    (home.backups / "damaged-2026-01-01T000000Z" / "steward.db").write_text("canary-damaged " * 50)
    (home.backups / "damaged-2026-01-02T000000Z").mkdir()
    (home.backups / "damaged-2026-01-02T000000Z" / "steward.db").write_bytes(random.Random(1).randbytes(8_192))
    encrypt_home(home, KEY, quickly(home), MONDAY)
    assert set(found_in([home.backups], ["canary"])) == {"steward.db", clear_backups(home)[0].name}
    assert remove_clear(home) == 2
    assert found_in(home.roots, ["canary"]) == {}
    assert [path.name for path in home.backups.iterdir()] == ["damaged-2026-01-02T000000Z"], "one that was encrypted"


async def test_a_home_that_was_never_written_is_encrypted_from_its_first_word(home: Home) -> None:
    home = with_key(home)
    assert encrypt_home(home, KEY, quickly(home), MONDAY).contents is None
    await _talk(home, key_of(home))
    assert found_in(home.roots, ["canary", "SQLite format"]) == {}


async def test_once_is_enough(talked: Home) -> None:
    home = with_key(talked)
    encrypt_home(home, KEY, quickly(home), MONDAY)
    with pytest.raises(StoreError, match="encrypted already"):
        encrypt_home(home, KEY, quickly(home), MONDAY)


async def test_what_cannot_be_written_leaves_what_was(talked: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(*_: object) -> None:
        raise StoreDamaged("The copy does not hold what the history holds.")

    home = with_key(talked)
    monkeypatch.setattr(encrypting, "copy_with_key", lossy)
    with pytest.raises(StoreDamaged):
        encrypt_home(home, KEY, quickly(home), MONDAY)
    assert not is_encrypted(home)
    assert await titles(talked) == ["canary-title"]


async def test_a_copy_that_lost_a_row_is_not_taken(talked: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: rows that go missing in the copy are noticed before it takes its place."""
    whole = copy_with_key

    def lossy(source: Path, theirs: Key | None, target: Path, ours: Key | None) -> None:
        whole(source, theirs, target, ours)
        connection = connect(target, "rw", ours)
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DELETE FROM message WHERE id = 2")
        connection.close()

    monkeypatch.setattr(encrypting, "copy_with_key", lossy)
    with pytest.raises(StoreDamaged, match="does not hold what"):
        encrypt_home(with_key(talked), KEY, quickly(talked), MONDAY)
    assert not is_encrypted(talked)


def killed_at(act: Callable[[], object], operation: int) -> bool:
    """In a child that is killed before its file operation of this number. Whether it had so many."""
    child = os.fork()
    if child == 0:
        numbers = count(1)

        def die(event: str, _: Any) -> None:
            if event in ("open", "os.rename", "os.remove", "sqlite3.connect") and next(numbers) == operation:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            import memory.sqlite_cipher  # noqa: F401  (its import opens files that are not the home's)

            sys.addaudithook(die)
            act()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals")
@pytest.mark.parametrize("back", [False, True], ids=["on", "off"])
async def test_a_kill_leaves_the_old_or_the_new_one_whole(tmp_path: Path, back: bool) -> None:
    seen: set[bool] = set()
    for attempt, operation in enumerate(count(1 + attempt_offset(back), EVERY)):
        plain = Home.resolve(str(tmp_path / str(attempt)), {})
        plain.make()
        home = with_key(plain)
        await _talk(plain, None)
        if back:
            encrypt_home(home, KEY, quickly(home), MONDAY)
            rewrite_backup(home, clear_backups(home)[0], None, KEY)
        acts: dict[bool, Callable[[], object]] = {
            False: lambda home=home: encrypt_home(home, KEY, quickly(home), MONDAY),  # type: ignore[misc]  # a default
            True: lambda home=home: decrypt_home(home),  # type: ignore[misc]  # as above
        }
        was_killed = killed_at(acts[back], operation)
        seen.add(is_encrypted(home))
        check_copy(home.database, key=key_of(home))
        assert await titles(home) == ["canary-title"]
        if is_encrypted(home) is back:  # once more, to the end
            if back:
                decrypt_home(home)
            else:
                encrypt_home(home, KEY, quickly(home), MONDAY)
        assert is_encrypted(home) is not back
        assert await titles(home) == ["canary-title"]
        for one in Backups(home).list():
            check_copy(home.backups / one.name, key=None if one in clear_backups(home) else KEY)
        if not was_killed:
            break
    assert seen == {False, True}, "the kills did not fall on both sides"


def attempt_offset(back: bool) -> int:
    """So that the two directions are not cut at the same numbers."""
    return 3 if back else 0


async def test_small_files_left_in_the_clear_are_sealed_at_the_next_start(talked: Home) -> None:
    home = with_key(talked)
    encrypt_home(home, KEY, quickly(home), MONDAY)
    (home.state / "draft.json").write_text('{"text": "canary-late"}')
    (home.state / ".draft.json.abcd").write_text("canary-cut-short")
    assert seal_files(home, KEY) == 2
    assert seal_files(home, KEY) == 0
    assert found_in([home.state], ["canary"]) == {}


def test_letters_between_processes_are_sealed(home: Home) -> None:
    quickly(home)()
    (home.state / "mailbox").mkdir()
    box = Mailbox(with_key(home))
    box.settle("00000000000000000001-abcdefgh", "canary-refused", "canary-hint")
    assert found_in([home.state], ["canary"]) == {}
    assert box.refusal("00000000000000000001-abcdefgh") == ("canary-refused", "canary-hint")
    assert any(pattern.startswith("mailbox/") for pattern in SEALED)


# the key and where it is kept


def test_a_passphrase_opens_and_another_does_not(home: Home) -> None:
    keep_with_passphrase(home, KEY, PASSPHRASE)
    assert found_in([home.data], [KEY.secret.hex(), PASSPHRASE]) == {}
    file = read_key_file(home)
    assert unlock_with_passphrase(file, PASSPHRASE) == KEY
    with pytest.raises(WrongPassphrase):
        unlock_with_passphrase(file, PASSPHRASE.upper())


def test_a_short_passphrase_is_refused_before_anything_is_written(home: Home) -> None:
    with pytest.raises(StoreError, match="too short"):
        keep_with_passphrase(home, KEY, "1234567")
    assert not file_of(home).exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"format": 2, "store": "passphrase", "fingerprint": ""}',
        b'{"format": 1, "store": "tpm", "fingerprint": ""}',
        b"{" * 5_000,
        b" " * 20_000,
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_key_file_that_says_nothing_is_named(home: Home, content: bytes) -> None:
    file_of(home).write_bytes(content)
    with pytest.raises(HomeLocked, match="cannot be understood"):
        read_key_file(home)


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        '{"salt": "", "key": "", "n": 1, "r": 1, "p": 1}',
        '{"salt": "!", "key": "", "n": 2, "r": 1, "p": 1}',
        '{"salt": "", "key": "", "n": 1073741824, "r": 8, "p": 1}',
    ],
)
def test_a_key_file_cannot_ask_for_more_than_this_machine_has(home: Home, wrapped: str) -> None:
    text = f'{{"format": 1, "store": "passphrase", "fingerprint": "x", "wrapped": {wrapped}}}'
    file_of(home).write_text(text)
    with pytest.raises(HomeLocked):
        unlock_with_passphrase(read_key_file(home), PASSPHRASE)


def test_a_missing_key_file_is_named(home: Home) -> None:
    with pytest.raises(HomeLocked, match="is missing"):
        read_key_file(home)


def test_the_keyring_holds_the_key_and_the_file_does_not(home: Home, ring: MemoryKeyring) -> None:
    assert trouble() == ""
    keep_in_keyring(home, KEY)
    assert found_in([home.data], [KEY.secret.hex()]) == {}
    assert unlock_from_keyring(read_key_file(home)) == KEY


def test_every_trouble_of_the_keyring_has_its_line(home: Home, ring: MemoryKeyring) -> None:
    keep_in_keyring(home, KEY)
    file = read_key_file(home)
    for error, words in (
        (KeyringLocked("x"), "is locked"),
        (NoKeyringError("x"), "no keyring runs here"),
        (KeyringError("the bus is gone"), "refuses: the bus is gone"),
    ):
        ring.locked = error
        with pytest.raises(HomeLocked, match=words):
            unlock_from_keyring(file)
    ring.locked = None
    for kept in ("", "nonsense", OTHER.secret.hex()):
        ring.kept = {("Steward", KEY.fingerprint): kept}
        with pytest.raises(HomeLocked, match="is not in the system keyring"):
            unlock_from_keyring(file)


def test_a_keyring_that_keeps_nothing_is_noticed(home: Home, ring: MemoryKeyring) -> None:
    ring.set_password = lambda *_: None  # type: ignore[method-assign]  # forgets what it is given
    with pytest.raises(StoreError, match="did not keep"):
        keep_in_keyring(home, KEY)
    assert not file_of(home).exists()


def test_where_no_keyring_runs_a_passphrase_is_offered(home: Home, ring: MemoryKeyring) -> None:
    from keyring.backends.fail import Keyring

    keyring.set_keyring(Keyring())  # type: ignore[no-untyped-call]  # theirs has no types
    assert trouble() == "this system has no keyring that runs here"
    with pytest.raises(StoreError, match="no keyring that runs here"):
        keep_in_keyring(home, KEY)


async def test_a_lost_key_never_looks_like_damage(talked: Home) -> None:
    home = with_key(talked)
    encrypt_home(home, KEY, quickly(home), MONDAY)
    with pytest.raises(HomeLocked):
        key_of(talked)
