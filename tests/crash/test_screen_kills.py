"""The whole program in a terminal with its engine, killed while it answers: what was sent is kept, and of the answer
what was kept last; the engine ends with it, and the next start is an ordinary one.

STEWARD_FAULT_REPEATS sets how often more; 16 makes 200 kills.
"""

import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from memory.data_dir import Home
from tests.support.store_oracle import rows, verify
from tests.support.terminal import in_terminal
from tests.support.tiny_model import write_tiny

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform != "linux", reason="finds the engine in /proc"),
    pytest.mark.timeout(3_600),
]

REPEATS = os.environ.get("STEWARD_FAULT_REPEATS", "")
KILLS = int(REPEATS) * 12 + 8 if REPEATS else 3
READY = "waiting for you"
Kept = list[tuple[str, str, str]]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny.gguf", context=4_096)


def kept(home: Home) -> Kept:
    """Role, text and status of every message."""
    connection = sqlite3.connect(home.database)
    try:
        return [tuple(row) for row in rows(connection, "SELECT role, content, status FROM message ORDER BY id")]
    finally:
        connection.close()


def engines(model: Path) -> list[int]:
    """Processes that have the model mapped and are not gone."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(model) in (entry / "maps").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def is_locked(database: Path) -> bool:
    """Whether SQLite still holds its lock on it: a descriptor that somebody else closed takes it away."""
    inode = database.stat().st_ino
    return any(f":{inode} " in line for line in Path("/proc/locks").read_text().splitlines())


def killed_while_answering(home: Home, place: Path, model: Path, question: str, after_s: float) -> None:
    with in_terminal("-m", "ui", "--home", str(place), "--model", str(model)) as screen:
        screen.until_text(READY)
        answers = sum(role == "assistant" for role, _, _ in kept(home))
        screen.send(question)
        screen.until_text(question)
        screen.send("\r")
        screen.until(lambda _: sum(role == "assistant" for role, _, _ in kept(home)) > answers, "the row of the answer")
        assert is_locked(home.database)
        end = time.monotonic() + after_s
        while time.monotonic() < end:
            screen.read(0.01)
        os.kill(screen.child.pid, signal.SIGKILL)


def lost(messages: Kept, questions: list[str]) -> list[str]:
    """Questions that are not there, once and in order, each with its answer or what there is of it."""
    wrong = [] if [text for role, text, _ in messages if role == "user"] == questions else ["the questions"]
    states = [status for role, _, status in messages if role == "assistant"]
    if len(states) != len(questions):
        wrong.append(f"{len(states)} answers")
    wrong += [status for status in states[:-1] if status not in ("complete", "interrupted")]
    return wrong


def test_what_was_sent_is_there_and_the_next_start_is_an_ordinary_one(tmp_path: Path, tiny: Path) -> None:
    place = tmp_path / "home"
    home, chance, questions, states = Home.resolve(str(place), {}), random.Random(5), list[str](), set[str]()
    for number in range(KILLS):
        questions.append(f"question{number}")
        killed_while_answering(home, place, tiny, questions[-1], chance.uniform(0.0, 0.6))
        verify(home.database)
        messages = kept(home)
        assert lost(messages, questions) == []
        states.add(messages[-1][2])
        deadline = time.monotonic() + 60
        while engines(tiny):
            assert time.monotonic() < deadline, "the engine lives on"
            time.sleep(0.05)
    assert "writing" in states, "no kill came while an answer was written"
    assert lost(messages[:-2], questions) != []  # the control: what is not there is missed
