import asyncio
from pathlib import Path

import pytest

from models.errors import PartMissing
from models.fetch.background import pull_beside
from models.fetch.types import Fetched, FetchEvent, FetchSettings, Stopped
from models.types import Cancel
from tests.support import fake_pip
from tests.support.wheels import entry_of, file_of, index_of, some_bytes

CONTENT = some_bytes(90_000)


def settings_of(index: Path) -> FetchSettings:
    return FetchSettings(pip=fake_pip.COMMAND, pip_arguments=("--no-index", "--find-links", str(index)), disk_margin=0)


async def test_events_arrive_on_the_loop_and_the_file_is_there(tmp_path: Path) -> None:
    entry = entry_of(file_of(CONTENT, index_of(tmp_path / "index", CONTENT, 2)))
    loop, seen = asyncio.get_running_loop(), list[FetchEvent]()

    def watch(event: FetchEvent) -> None:
        assert asyncio.get_running_loop() is loop
        seen.append(event)

    outcome = await pull_beside(
        entry, tmp_path / "models", settings_of(tmp_path / "index"), watch=watch, cancel=Cancel()
    )
    assert isinstance(outcome, tuple)
    assert isinstance(outcome[0], Fetched)
    assert seen


async def test_cancel_is_an_outcome(tmp_path: Path) -> None:
    entry = entry_of(file_of(CONTENT, index_of(tmp_path / "index", CONTENT, 3)))
    cancel = Cancel()

    def watch(event: FetchEvent) -> None:
        cancel.set()

    outcome = await pull_beside(entry, tmp_path / "models", settings_of(tmp_path / "index"), watch=watch, cancel=cancel)
    assert isinstance(outcome, Stopped | tuple)
    assert (tmp_path / "models" / "tiny.gguf").exists() == isinstance(outcome, tuple)


async def test_a_cancelled_task_lets_go_of_its_files(tmp_path: Path) -> None:
    entry = entry_of(file_of(CONTENT, index_of(tmp_path / "index", CONTENT, 3)))
    begun = asyncio.Event()
    task = asyncio.create_task(
        pull_beside(
            entry,
            tmp_path / "models",
            settings_of(tmp_path / "index"),
            watch=lambda event: begun.set(),
            cancel=Cancel(),
        )
    )
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    again = await pull_beside(
        entry, tmp_path / "models", settings_of(tmp_path / "index"), watch=lambda event: None, cancel=Cancel()
    )
    assert isinstance(again, tuple)


async def test_errors_come_through(tmp_path: Path) -> None:
    entry = entry_of(file_of(CONTENT, index_of(tmp_path / "index", CONTENT, 2, without=[1])))
    with pytest.raises(PartMissing):
        await pull_beside(
            entry, tmp_path / "models", settings_of(tmp_path / "index"), watch=lambda event: None, cancel=Cancel()
        )
