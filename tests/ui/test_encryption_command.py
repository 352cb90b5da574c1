"""`steward encryption`, and every other command in an encrypted home: who is asked, what is said, what can be read."""

import asyncio
import io
import json
import os
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked

from memory.answer_mailbox import AnswerMailbox
from memory.data_dir import Home
from memory.database import Database
from memory.decisions import DecisionId
from memory.key_file import is_encrypted
from memory.sqlite_backup import check_copy
from models.embedder import MiniLmEmbedder
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.command_line import Run
from tests.support.decisions import a_mail
from tests.support.locked_homes import MemoryKeyring, found_in, stretch_little
from ui.cli import main
from ui.drafts import Draft, Drafts
from ui.encryption_acts import turn_off, turn_on
from ui.encryption_words import DECRYPT_WORDS, ENCRYPT_WORDS
from ui.memory_wiring import remembering
from ui.model_choice import FileModel
from ui.model_wiring import engine_for
from ui.unlocking import FILE_VARIABLE
from ui.wiring import Options, owned, resolve_home

PASSPHRASE = "a walrus eats coriander"
CANARIES = tuple(
    f"canary{name}"
    for name in (
        *("message", "answer", "title", "memory", "task", "note", "event", "reminder", "document", "decision", "draft"),
        *("profile", "letter"),
    )
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    stretch_little(monkeypatch)


@pytest.fixture
def home(own_home: Path) -> Home:
    return Home.resolve(None, os.environ)


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_ring(ring: MemoryKeyring) -> None:
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]  # theirs has no types


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def ran(*args: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = main(args)
        said = capsys.readouterr()
        return code, said.out, said.err

    return ran


def encrypt(run: Run, *more: str) -> Any:
    code, out, err = run("encryption", "on", "--keyring", "--confirm", ENCRYPT_WORDS, "--json", *more)
    assert code == 0, err
    return json.loads(out)


async def say(options: Options, tmp_path: Path) -> None:
    """What the terminal UI and its second terminals leave behind, on the ways they use."""
    async with owned(options) as services:
        await kept_talk(services.transcript, ["canarymessage", "canaryanswer"], title="canarytitle")
        decision = a_mail(question="Send canarydecision?", expires_at=MONDAY + timedelta(days=9_000))
        await services.decisions.raise_decision(decision, at=MONDAY)
        drafts = Drafts.in_home(services.home)
        await drafts.load()
        await drafts.save(Draft(text="canarydraft"))
    home = await asyncio.to_thread(resolve_home, options)
    await asyncio.to_thread(AnswerMailbox(home).post, "answer", DecisionId(900), "canaryletter")


def plant(run: Run, options: Options, tmp_path: Path) -> None:
    """Every canary, through the product."""
    (tmp_path / "lease.txt").write_text("The rent is canarydocument.")
    (tmp_path / "list.txt").write_text("- I like canaryprofile\n")
    for args in (
        ("memory", "add", "I hate canarymemory"),
        ("tasks", "add", "buy canarytask by 6 March 2099"),
        ("notes", "add", "the key is at canarynote"),
        ("calendar", "add", "canaryevent on 6 March 2099 at 10am"),
        ("remind", "to call canaryreminder on 6 March 2099 at 10am"),
        ("documents", "add", str(tmp_path / "lease.txt")),
        ("profile", "import", str(tmp_path / "list.txt"), "--yes"),
    ):
        code, _, err = run(*args)
        assert code == 0, (args, err)
    asyncio.run(say(options, tmp_path))
    assert run("backup")[0] == 0


def test_the_way_there_and_back(run: Run, home: Home, ring: MemoryKeyring) -> None:
    assert run("memory", "add", "I hate canarymemory")[0] == 0
    assert json.loads(run("encryption", "status", "--json")[1])["encrypted"] is False
    made = encrypt(run, "--backups", "encrypt")
    assert (made["key_in"], made["rows"]["preference"], made["backups"]) == ("keyring", 1, "encrypt")
    assert found_in(home.roots, ["canary"]) == {}
    code, out, _ = run("memory", "list")
    assert code == 0
    assert "canarymemory" in out
    status = json.loads(run("encryption", "status", "--json")[1])
    assert (status["encrypted"], status["key_in"], status["clear"], status["trouble"]) == (True, "keyring", 0, "")
    assert "keyring of this system" in run("encryption")[1]
    code, out, _ = run("encryption", "off", "--confirm", DECRYPT_WORDS)
    assert code == 0
    assert "Decrypted, checked, and in its place" in out
    assert ring.kept == {}, "the key goes when nothing needs it any more"
    assert "canarymemory" in run("memory", "list")[1]
    (copy,) = home.backups.glob("before-encryption-*.db")
    assert check_copy(copy).rows["preference"] == 1


@pytest.mark.parametrize("encrypted", [True, False], ids=["encrypted", "control"])
def test_no_word_of_the_user_is_in_any_byte(
    run: Run, home: Home, ring: MemoryKeyring, tmp_path: Path, encrypted: bool
) -> None:
    if encrypted:
        encrypt(run)
    plant(run, Options(), tmp_path)
    found = found_in(home.roots, CANARIES)
    if encrypted:
        assert found == {}
        assert "canarynote" in run("notes", "list")[1], "they are there, all the same"
        assert "canarydocument" in run("documents", "search", "rent")[1]
    else:
        assert {word for words in found.values() for word in words} == set(CANARIES)


def test_a_home_full_of_words_is_encrypted_without_one_left(
    run: Run, home: Home, ring: MemoryKeyring, tmp_path: Path
) -> None:
    plant(run, Options(), tmp_path)
    made = encrypt(run, "--backups", "remove")
    assert found_in(home.roots, CANARIES) == {}
    assert made["rows"]["document"] == 1
    assert "canarytask" in run("tasks", "list")[1]
    assert run("profile", "undo")[0] == 0, "the record of the last import is read with the key"


def test_the_words_come_before_the_deed(run: Run, home: Home, no_ring: None) -> None:
    run("notes", "add", "canary")
    code, out, err = run("encryption", "on", "--passphrase", "--confirm", "yes", stdin=f"{PASSPHRASE}\n")
    assert code == 1
    assert "Nobody can open it without the passphrase, we cannot either" in out
    assert "Those were not the words" in err
    code, _, err = run("encryption", "on", "--passphrase")
    assert code == 1
    assert ENCRYPT_WORDS in err
    code, _, err = run("encryption", "on", "--passphrase", "--confirm", ENCRYPT_WORDS, stdin="short\n")
    assert (code, "too short" in err) == (1, True)
    assert not home.backups.exists(), "nothing was begun"
    assert not is_encrypted(home)
    assert "canary" in run("notes", "list")[1]


def test_a_passphrase_is_asked_for_and_a_wrong_one_is_one_line(
    run: Run, home: Home, no_ring: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("notes", "add", "canary")
    code, out, _ = run("encryption", "on", "--confirm", ENCRYPT_WORDS, stdin=f"{PASSPHRASE}\n")
    assert code == 0
    assert "1 note" not in out
    code, out, _ = run("notes", "list", stdin=f"{PASSPHRASE}\n")
    assert (code, "canary" in out) == (0, True)
    before = home.database.read_bytes()
    for command in (("notes", "list"), ("notes", "add", "more"), ("ask", "hello"), ("restore", "latest", "--yes")):
        code, out, err = run(*command, stdin="another walrus\n")
        assert (code, out) == (1, ""), command
        assert err.splitlines()[0] == "steward: That is not the passphrase of this home."
        assert "damaged" not in err.replace("Nothing is damaged", "")
    assert home.database.read_bytes() == before
    code, _, err = run("notes", "list")
    assert code == 1
    assert "nobody to ask" in err
    assert FILE_VARIABLE in err
    (tmp_path / "secret").write_text(f"{PASSPHRASE}\nmore\n")
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "secret"))
    assert "canary" in run("notes", "list")[1]
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "nowhere"))
    assert "cannot be read" in run("notes", "list")[2]


def test_a_new_passphrase_opens_and_the_old_one_does_not(run: Run, home: Home, no_ring: None) -> None:
    run("notes", "add", "canary")
    run("encryption", "on", "--confirm", ENCRYPT_WORDS, stdin=f"{PASSPHRASE}\n")
    before = home.database.read_bytes()
    code, out, err = run("encryption", "change", "--passphrase", stdin=f"{PASSPHRASE}\nanother walrus\n")
    assert (code, err) == (0, ""), out
    assert home.database.read_bytes() == before
    assert "canary" in run("notes", "list", stdin="another walrus\n")[1]
    assert run("notes", "list", stdin=f"{PASSPHRASE}\n")[0] == 1


def test_from_the_keyring_to_a_passphrase(run: Run, home: Home, ring: MemoryKeyring) -> None:
    encrypt(run)
    assert run("encryption", "change", "--passphrase", stdin=f"{PASSPHRASE}\n")[0] == 0
    assert ring.kept == {}
    assert run("notes", "add", "canary", stdin=f"{PASSPHRASE}\n")[0] == 0
    assert run("encryption", "change", "--keyring", stdin=f"{PASSPHRASE}\n")[0] == 0
    assert "canary" in run("notes", "list")[1]


def test_a_keyring_that_is_locked_says_so(run: Run, ring: MemoryKeyring) -> None:
    encrypt(run)
    ring.locked = KeyringLocked("x")
    code, _, err = run("memory", "list")
    assert code == 1
    assert "The system keyring is locked." in err
    for command in (("where",), ("config", "list"), ("encryption",), ("data",), ("backups",)):
        assert run(*command)[0] == 0, command
    code, out, _ = run("doctor", "--json")
    states = {check["name"]: check["state"] for check in json.loads(out)["checks"]} if code in (0, 1) else {}
    assert states, out


def test_the_daemon_without_its_keyring_says_what_to_do(run: Run, ring: MemoryKeyring) -> None:
    encrypt(run)
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]  # theirs has no types
    code, _, err = run("daemon", "run")
    assert code == 1
    assert "no keyring runs here" in err


def test_everything_can_be_deleted_without_the_key(run: Run, home: Home, ring: MemoryKeyring) -> None:
    run("notes", "add", "canary")
    encrypt(run)
    ring.kept.clear()
    assert run("data", "delete-everything", "--confirm", "delete my data")[0] == 0
    assert not (home.data / "encryption.json").exists()
    assert run("notes", "add", "a new beginning")[0] == 0
    assert not is_encrypted(home)


def test_a_sealed_backup_opens_in_a_home_with_no_key(run: Run, home: Home, ring: MemoryKeyring, tmp_path: Path) -> None:
    run("notes", "add", "canary")
    encrypt(run)
    taken = tmp_path / "taken.age"
    code, _, err = run("backup", str(taken), "--encrypt", "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")
    assert code == 0, err
    other = str(tmp_path / "other")
    code, _, err = run("--home", other, "restore", str(taken), "--yes", "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")
    assert code == 0, err
    assert "canary" in run("--home", other, "notes", "list")[1]
    assert not is_encrypted(Home.resolve(other, {}))


def test_a_backup_of_another_home_wants_its_key_file(run: Run, home: Home, ring: MemoryKeyring, tmp_path: Path) -> None:
    run("notes", "add", "canary")
    encrypt(run)
    taken, other = tmp_path / "taken.db", str(tmp_path / "other")
    assert run("backup", str(taken))[0] == 0
    code, _, err = run("--home", other, "restore", str(taken), "--yes")
    assert code == 1
    assert "encrypted" in err
    key_file = str(home.data / "encryption.json")
    code, _, err = run("--home", other, "restore", str(taken), "--yes", "--key-file", key_file)
    assert code == 0, err
    assert "canary" in run("--home", other, "notes", "list")[1]


def test_what_cannot_be_is_refused(run: Run, home: Home, ring: MemoryKeyring) -> None:
    assert "not encrypted" in run("encryption", "change", "--keyring")[2]
    assert "not encrypted" in run("encryption", "backups", "encrypt")[2]
    assert "--incognito" in run("--incognito", "encryption", "on", "--keyring")[2]
    encrypt(run)
    assert "already" in run("encryption", "on", "--keyring", "--confirm", ENCRYPT_WORDS)[2]
    assert run("encryption", "backups", "everything")[0] == 2


def test_another_steward_that_runs_is_named(run: Run, home: Home, ring: MemoryKeyring) -> None:
    from memory.data_dir import OwnerLock

    home.make()
    with OwnerLock(home, what="chat", at=MONDAY):
        code, _, err = run("encryption", "on", "--keyring", "--confirm", ENCRYPT_WORDS)
    assert code == 3
    assert "already running" in err


def test_privacy_says_which_file_is_encrypted(run: Run, home: Home, ring: MemoryKeyring) -> None:
    run("notes", "add", "canary")
    encrypt(run)
    (home.state / "draft.json").write_text("{}")
    run("notes", "list")
    run("notes", "add", "more")
    found = {Path(one["path"]).name: one for one in json.loads(run("doctor", "--privacy", "--json")[1])["files"]}
    (copy,) = home.backups.iterdir()
    secrecy = {name: one["encrypted"] for name, one in found.items()}
    assert secrecy.pop("steward.db") is True
    assert secrecy.pop("draft.json") is True, "what lay there in the clear was sealed by the next owner"
    assert secrecy.pop(copy.name) is False
    assert not any(secrecy.values())
    assert found["encryption.json"]["holds"].startswith("the key of an encrypted home")
    assert " encrypted " in run("doctor", "--privacy")[1]


def test_doctor_says_what_the_key_is_kept_with(run: Run, home: Home, ring: MemoryKeyring) -> None:
    def check() -> tuple[str, str]:
        found = json.loads(run("doctor", "--json")[1])
        one = next(one for one in found["checks"] if one["name"] == "encryption")
        return one["state"], one["detail"]

    run("notes", "add", "canary")
    assert check() == ("ok", "off; `steward encryption on` encrypts what is kept")
    encrypt(run)
    assert check() == ("note", "on, with the keyring of this system; 1 backups are in the clear")
    run("encryption", "backups", "encrypt")
    assert check() == ("ok", "on, with the keyring of this system")
    key_file = home.data / "encryption.json"
    kept = key_file.read_bytes()
    key_file.write_bytes(b"{}")
    assert check()[0] == "broken"
    code, _, err = run("notes", "list")
    assert (code, "cannot be understood" in err) == (1, True)
    key_file.write_bytes(kept)
    assert "canary" in run("notes", "list")[1]


async def test_what_is_evaluated_and_embedded_stays_in_memory(home: Home, ring: MemoryKeyring, tmp_path: Path) -> None:
    chosen = FileModel(path=tmp_path / "tiny.gguf", name="tiny")
    embedder = MiniLmEmbedder(tmp_path / "model.onnx", tmp_path / "tokenizer.json")

    def prepare(options: Options) -> None:
        home.make()
        (tmp_path / "model.onnx").touch()
        (tmp_path / "tokenizer.json").touch()
        turn_on(options, resolve_home(options), "keyring", "", MONDAY)

    async def kept(options: Options) -> tuple[bool, bool]:
        """Whether prompts, and whether vectors, lie in files."""
        async with owned(options) as services, await Database.open(tmp_path / "other.db") as database:
            engine = await asyncio.to_thread(engine_for, chosen, services.configuration, services.home, options)
            async with remembering(services.home, database, embedder, search=True) as memory:
                assert memory.indexer is not None
                return engine.prefixes is not None, memory.indexer.use_chroma

    options = Options()
    await asyncio.to_thread(prepare, options)
    assert await kept(options) == (False, False)
    await asyncio.to_thread(lambda: turn_off(options, resolve_home(options), MONDAY))
    assert await kept(options) == (True, True)
