"""The power goes at any moment: nothing accepted is lost and nothing is half, in the history, in exports, in backups.

Every call of a real program is recorded and replayed; images of what a power cut would leave are opened and checked.
STEWARD_IMAGES sets how many for each path (a night: 1500). Each path has its control, a program that promises too much.
"""

import json
import os
import random
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.powered_writer import COMMITS, text_of
from tests.support.store_oracle import verify
from tests.support.traced_disk import LOSSES, Call, Disk, Loss, recorded

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform != "linux", reason="strace is Linux's"),
    pytest.mark.timeout(1_800),
]
IMAGES = int(os.environ.get("STEWARD_IMAGES", "50"))
CONTROL_IMAGES = max(IMAGES // 3, 25)
ROOT = Path(__file__).parents[2]
VARIANTS: tuple[tuple[Loss, bool], ...] = (*((loss, False) for loss in LOSSES), ("all", True))
Check = Callable[[Path, list[list[object]]], None]


def calls_of(folder: Path, what: str, *how: str) -> list[Call]:
    """Of the program from its start to its end."""
    program = [sys.executable, "-m", "tests.support.powered_writer", what, str(folder), *how]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return list(recorded(program, folder.with_name("trace"), env))


def lost(tmp_path: Path, check: Check, images: int, what: str, *how: str) -> list[str]:
    """What `check` found wrong in that many images, spread over the run."""
    folder = tmp_path / "home"
    folder.mkdir()
    calls = calls_of(folder, what, *how)
    moments = _moments(calls, str(folder), max(images // len(VARIANTS), 1), accepted=bool(how))
    disk, chance, found, made = Disk(str(folder)), random.Random(7), [], 0
    for number, call in enumerate(calls):
        if not disk.take(call) or number not in moments:
            continue
        said = [json.loads(line) for line in disk.said.splitlines()]
        for loss, old_names in VARIANTS:
            image = tmp_path / f"image-{made}"
            made += 1
            disk.image(image, loss, chance, old_names=old_names)
            try:
                check(image, said)
            except (AssertionError, sqlite3.DatabaseError, OSError) as error:
                found.append(f"call {number}, {loss} of what was not synced gone: {str(error).splitlines()[0]}")
    assert made >= min(images, len(VARIANTS)), "nothing was tried"
    assert [json.loads(line) for line in disk.said.splitlines()], "nothing was accepted"
    return found


def _moments(calls: list[Call], root: str, wanted: int, *, accepted: bool) -> set[int]:
    """Calls after which the power goes. With `accepted` something was promised before: else nothing can be broken."""
    disk = Disk(root)
    changing = [number for number, call in enumerate(calls) if disk.take(call) and (disk.said or not accepted)]
    return set(random.Random(len(changing)).sample(changing, min(wanted, len(changing))))


def check_messages(image: Path, said: list[list[object]]) -> None:
    path = image / "steward.db"
    if path.exists():
        verify(path, {int(str(id)): str(text) for id, text in said})
    else:
        assert said == [], "the history is gone"


def check_export(image: Path, said: list[list[object]]) -> None:
    accepted = {str(slot): int(str(number)) for slot, number in said}
    for slot in ("0", "1", "2"):
        path = image / f"export-{slot}.md"
        since = accepted.get(slot)
        if not path.exists():
            assert since is None, f"{path.name} is gone"
            continue
        whole = [text_of(number) for number in range(since or 0, COMMITS) if str(number % 3) == slot]
        assert path.read_text("utf-8", "replace") in whole, f"{path.name} is half or old"


def check_backups(image: Path, said: list[list[object]]) -> None:
    accepted = {str(name): count for name, count in said}
    there = {str(path.relative_to(image)) for path in image.glob("data/backups/*.db") if path.name[0] != "."}
    assert accepted.keys() <= there, "a backup is gone"
    for name in there:
        verify(image / name)
        connection = sqlite3.connect(image / name)
        (count,) = connection.execute("SELECT count(*) FROM message").fetchone()
        connection.close()
        assert count == accepted.get(name, count), f"{name} holds {count} messages"


PATHS: dict[str, tuple[Check, str]] = {
    "messages": (check_messages, "--normal"),
    "export": (check_export, "--unsynced"),
    "backups": (check_backups, "--unsynced"),
}


@pytest.mark.parametrize("what", PATHS)
def test_nothing_accepted_is_lost(what: str, tmp_path: Path) -> None:
    check, _ = PATHS[what]
    assert lost(tmp_path, check, IMAGES, what) == []


@pytest.mark.parametrize("what", PATHS)
def test_the_replay_notices_a_program_that_promises_too_much(what: str, tmp_path: Path) -> None:
    check, how = PATHS[what]
    assert lost(tmp_path, check, CONTROL_IMAGES, what, how) != []
