"""One owner of the home: exactly one of many, named to the others, gone with its process.

The controls are no lock, and a file with a name in it instead of a lock.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from memory.data_dir import Home, OwnerLock, holder_of
from memory.errors import HomeInUse, HomeUnusable
from tests.support.clock import MONDAY

OWN = (
    "import sys, subprocess; from memory.data_dir import *; from memory.errors import *\n"
    "home = Home.resolve(sys.argv[1], {})\n"
)
HOLD = OWN + (
    "lock = OwnerLock(home, what='daemon').acquire()\n"
    "child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE, close_fds=False)\n"
    "print(child.pid, flush=True); input()"
)
NO_LOCK = "OwnerLock.acquire = lambda self: self\n"
# Looks whether somebody is there, and then says that it is: two that look at one moment both are.
LOOK_FIRST = (
    "import os, time\n"
    "def acquire(self):\n"
    "    there = home.data / 'owner'\n"
    "    if there.exists(): raise HomeInUse('In use.', holder_pid=int(there.read_text() or 0))\n"
    "    os.sched_yield(); time.sleep(0.01); there.write_text(str(os.getpid())); return self\n"
    "OwnerLock.acquire = acquire\n"
    "OwnerLock.release = lambda self: (home.data / 'owner').unlink(missing_ok=True)\n"
)
RACE = (
    "print('ready', flush=True)\n"
    "for line in sys.stdin:\n"
    "    lock = OwnerLock(home)\n"
    "    try: lock.acquire(); print('owner', flush=True)\n"
    "    except HomeInUse as refused: print('refused', refused.holder_pid, flush=True)\n"
    "    sys.stdin.readline(); lock.release(); print('released', flush=True)\n"
)


def start(script: str, home: Home) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(home.data.parent)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


@contextmanager
def racers(home: Home, lock: str = "") -> Iterator[list[subprocess.Popen[str]]]:
    """Four that want the home; `lock` replaces Steward's."""
    started = [start(OWN + lock + RACE, home) for _ in range(4)]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def test_the_second_is_told_who_the_first_is(home: Home) -> None:
    with OwnerLock(home, what="chat", at=MONDAY) as first:
        assert first.held
        with pytest.raises(HomeInUse) as refused:
            OwnerLock(home, what="daemon", at=MONDAY).acquire()
        started = f"{MONDAY.astimezone():%H:%M}"
        assert refused.value.message == (
            f"Steward is already running here: process {os.getpid()}, started {started} (chat)."
        )
        assert refused.value.holder_pid == os.getpid()
        assert "sessions list" in refused.value.hint
    with OwnerLock(home) as next_one:
        assert next_one.held


def test_the_file_names_the_holder_and_is_never_removed(home: Home) -> None:
    assert holder_of(home) is None
    with OwnerLock(home, what="daemon", at=MONDAY):
        holder = holder_of(home)
        assert holder is not None
        assert (holder.pid, holder.started, holder.what) == (os.getpid(), MONDAY, "daemon")
        number = home.lock_file.stat().st_ino
    assert holder_of(home) is None
    assert home.lock_file.stat().st_ino == number


def test_releasing_twice_is_harmless(home: Home) -> None:
    lock = OwnerLock(home).acquire()
    lock.release()
    lock.release()
    assert not lock.held


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x", "started": null, "what": ""}', "\xff", '{"pid": 1e999}'])
def test_a_lock_file_with_anything_in_it_can_be_taken(home: Home, text: str) -> None:
    home.lock_file.write_text(text, encoding="latin-1")
    assert holder_of(home) is None
    with OwnerLock(home) as lock:
        assert lock.held


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX links")
def test_a_lock_file_that_leads_elsewhere_is_refused(home: Home, tmp_path: Path) -> None:
    home.lock_file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HomeUnusable):
        OwnerLock(home).acquire()
    assert not (tmp_path / "elsewhere").exists()


def test_a_home_that_was_not_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HomeUnusable):
        OwnerLock(Home.resolve(str(tmp_path / "nowhere"), {})).acquire()


def check_races(racers: list[subprocess.Popen[str]]) -> None:
    """100 times all at once: one has it, and the others name it."""
    assert all(hear(racer) == ["ready"] for racer in racers)
    for _ in range(100):
        for racer in racers:
            tell(racer, "start")
        answers = {racer.pid: hear(racer) for racer in racers}
        owners = [pid for pid, answer in answers.items() if answer == ["owner"]]
        assert len(owners) == 1, "not one owner"
        refused = [answer for pid, answer in answers.items() if pid != owners[0]]
        assert refused == [["refused", str(owners[0])]] * 3
        for racer in racers:
            tell(racer, "release")
            assert hear(racer) == ["released"]


def test_of_100_races_exactly_one_owns_each(home: Home) -> None:
    with racers(home) as four:
        check_races(four)


@pytest.mark.skipif(sys.platform == "win32", reason="yields as POSIX does")
@pytest.mark.parametrize("lock", [NO_LOCK, LOOK_FIRST], ids=["none", "look first"])
def test_a_lock_that_is_none_is_found_out(home: Home, lock: str) -> None:
    """The control."""
    with racers(home, lock) as four, pytest.raises(AssertionError, match="not one owner"):
        check_races(four)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_after_a_kill_the_home_is_free_at_once_though_a_child_lives_on(home: Home) -> None:
    process = start(HOLD, home)
    (child,) = map(int, hear(process))
    try:
        with pytest.raises(HomeInUse, match=rf"process {process.pid} \(daemon\)") as refused:
            OwnerLock(home).acquire()
        assert refused.value.holder_pid == process.pid
        process.kill()
        process.wait()
        os.kill(child, 0)
        with OwnerLock(home) as lock:  # it is not waited for
            assert lock.held
    finally:
        process.kill()
        os.kill(child, signal.SIGKILL)
        process.communicate()


def test_a_dead_holders_name_is_not_repeated(home: Home) -> None:
    """Between locking and writing its name, the winner's file still has the name of the one before."""
    process = start("pass", home)
    process.communicate()
    with OwnerLock(home, at=datetime.now().astimezone()):
        home.lock_file.write_text(f'{{"pid": {process.pid}, "started": null, "what": "chat"}}')
        with pytest.raises(HomeInUse) as refused:
            OwnerLock(home).acquire()
    assert refused.value.message == "Steward is already running here."
    assert refused.value.holder_pid is None
