"""Evaluated prompt beginnings on disk: the files themselves, and a new process that uses them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from models.child.states import LEAST_TOKENS, MAGIC, StateFiles, _digest, file_identity
from tests.support.child_driver import ChildDriver, Reply
from tests.support.tiny_model import CHATML_TEMPLATE, CHATML_TOKENS, write_recurrent, write_tiny

TOKENS = list(range(100))
STATE = bytes(range(256)) * 40
SYSTEM = ("system", "You are Steward. " * 8)


def files(folder: Path, identity: str = "model", limit: int = 1_000_000) -> StateFiles:
    return StateFiles(folder, identity, limit)


def only(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_what_was_saved_is_found_by_the_same_tokens_and_model(tmp_path: Path) -> None:
    files(tmp_path).save(TOKENS, STATE)
    assert files(tmp_path).load(TOKENS) == STATE
    assert files(tmp_path).load(TOKENS[:-1]) is None
    assert files(tmp_path, "another").load(TOKENS) is None


def test_files_are_private_and_hold_no_words(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files(tmp_path / "new" / "kv").save(TOKENS, STATE)
    finally:
        os.umask(before)
    folder = tmp_path / "new" / "kv"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only(folder).stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "empty", "garbage"])
def test_a_damaged_file_counts_as_missing_and_goes(tmp_path: Path, damage: str) -> None:
    files(tmp_path).save(TOKENS, STATE)
    path = only(tmp_path)
    good = path.read_bytes()
    files(tmp_path / "other", "other").save(TOKENS, STATE)
    bad = {
        "cut": good[:-1],
        "flipped": good[:500] + bytes([good[500] ^ 1]) + good[501:],
        "foreign": only(tmp_path / "other").read_bytes(),
        "empty": b"",
        "garbage": MAGIC * 100,
    }[damage]
    path.write_bytes(bad)
    assert files(tmp_path).load(TOKENS) is None
    assert not path.exists()


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    store = files(tmp_path, limit=3 * len(STATE) + 1_000)
    rows = [list(range(start, start + 50)) for start in range(4)]
    for age, row in enumerate(rows[:3]):
        store.save(row, STATE)
        newest = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (1_000 + age, 1_000 + age))
    assert store.load(rows[0])  # used: now the newest
    store.save(rows[3], STATE)
    assert [store.load(row) is not None for row in rows] == [True, False, True, True]


def test_pieces_of_a_killed_process_are_swept(tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(b"half")
    files(tmp_path).save(TOKENS, STATE)
    assert [path.suffix for path in tmp_path.iterdir()] == [".kv"]


def test_what_is_not_worth_a_file(tmp_path: Path) -> None:
    files(tmp_path).save(TOKENS[: LEAST_TOKENS - 1], STATE)
    files(tmp_path).save(TOKENS, b"")
    files(tmp_path, limit=10).save(TOKENS, STATE)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_harms_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    files(tmp_path / "file" / "kv").save(TOKENS, STATE)
    assert files(tmp_path / "file" / "kv").load(TOKENS) is None


def test_another_file_of_the_same_name_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"a" * 100)
    os.utime(path, (1, 1))
    before = file_identity(path)
    assert file_identity(path) == before
    path.write_bytes(b"b" * 100)
    os.utime(path, (1, 1))
    assert file_identity(path) != before


# --- through the process


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    return write_tiny(path, context=1024, controls=CHATML_TOKENS, template=CHATML_TEMPLATE)


@pytest.fixture(scope="module")
def spare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildDriver]:
    """Takes one model after another and keeps nothing of the one before."""
    with ChildDriver(tmp_path_factory.mktemp("log") / "engine.log") as driver:
        yield driver


def reply_of(child: ChildDriver, model: Path, states: Path, *, question: str = "hello", **changes: Any) -> Reply:
    child.load(model, state_dir=str(states), **changes)
    return child.ask(SYSTEM, ("user", question), stable_messages=1)


def first_reply(model: Path, states: Path, *, question: str = "hello") -> Reply:
    """Of a new process."""
    with ChildDriver(states.parent / "engine.log") as child:
        return reply_of(child, model, states, question=question)


@pytest.mark.parametrize("recurrent", [False, True])
def test_a_new_process_does_not_read_the_system_prompt_again(tiny: Path, tmp_path: Path, recurrent: bool) -> None:
    model = write_recurrent(tmp_path / "mamba.gguf") if recurrent else tiny
    first = first_reply(model, tmp_path / "kv")
    second = first_reply(model, tmp_path / "kv")
    assert first.done.usage.tokens_cached == 0
    assert second.done.usage.tokens_cached > len(SYSTEM[1])
    assert second.text == first.text
    other = first_reply(model, tmp_path / "kv", question="something else")
    assert other.done.usage.tokens_cached == second.done.usage.tokens_cached
    assert other.text == first_reply(model, tmp_path / "none", question="something else").text


def test_other_settings_do_not_use_it(spare: ChildDriver, tiny: Path, tmp_path: Path) -> None:
    model = write_tiny(tmp_path / "wide.gguf", width=64, context=1024)  # heads of 32: q8_0 takes no less
    reply_of(spare, model, tmp_path / "kv")
    assert reply_of(spare, model, tmp_path / "kv", kv_type="q8_0").done.usage.tokens_cached == 0
    assert reply_of(spare, model, tmp_path / "kv", flash_attention=False).done.usage.tokens_cached == 0
    assert reply_of(spare, model, tmp_path / "kv", context_length=512).done.usage.tokens_cached == 0
    assert reply_of(spare, model, tmp_path / "kv").done.usage.tokens_cached > 0


def test_a_cache_type_that_does_not_work_here_is_replaced_and_said(tiny: Path, tmp_path: Path) -> None:
    with ChildDriver(tmp_path / "engine.log") as child:
        loaded = child.load(tiny, kv_type="q8_0")
        assert any("f16" in note for note in loaded.notes)
        assert child.ask(("user", "hi")).done.usage.tokens_out


def test_a_state_llama_cpp_refuses_is_read_again(spare: ChildDriver, tiny: Path, tmp_path: Path) -> None:
    """A sound file with a state of another shape: only llama.cpp can tell."""
    first = reply_of(spare, tiny, tmp_path / "kv")
    path = only(tmp_path / "kv")
    name = path.stem.encode()
    state = path.read_bytes()[len(MAGIC) + len(name) : -32]
    for bad in (state[:100], state + b"more", b"\xff" * len(state)):
        path.write_bytes(MAGIC + name + bad + _digest(name, bad))
        again = reply_of(spare, tiny, tmp_path / "kv")
        assert (again.text, again.done.usage.tokens_cached) == (first.text, 0)


def test_without_a_folder_nothing_is_kept(tiny: Path, tmp_path: Path) -> None:
    with ChildDriver(tmp_path / "engine.log") as child:
        child.load(tiny, state_dir="")
        child.ask(SYSTEM, ("user", "hello"), stable_messages=1)
    assert [path.name for path in tmp_path.iterdir()] == ["engine.log"]


def test_a_changed_system_prompt_is_another_state(spare: ChildDriver, tiny: Path, tmp_path: Path) -> None:
    reply_of(spare, tiny, tmp_path / "kv")
    spare.load(tiny, state_dir=str(tmp_path / "kv"))
    spare.ask(("system", SYSTEM[1] + "!"), ("user", "hello"), stable_messages=1)
    assert len(list((tmp_path / "kv").iterdir())) == 2
