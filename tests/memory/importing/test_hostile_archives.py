"""Archives that mean harm: nothing is written anywhere, limits hold, what is whole in them is read.

The controls read them by unpacking, without limits, not at all where anything is wrong, and without naming what was not
read. They are shown every archive; what they write stays in the folder of the test.
"""

import os
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from memory.errors import ImportRefused
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation, Limits, Progress, Read, Unread
from tests.support.hostile_archives import GOOD, Hostile, hostile_archives

ARCHIVES = list(hostile_archives())
TOTAL = 64 * 1024 * 1024
Reader = Callable[[Path], Iterable[Read]]


def files_below(folder: Path) -> set[tuple[str, int]]:
    return {(str(path), path.stat().st_size) for path in folder.rglob("*")}


def test_there_are_forty() -> None:
    assert len(ARCHIVES) >= 40
    assert len({one.name for one in ARCHIVES}) == len(ARCHIVES)


def steward(path: Path) -> Iterable[Read]:
    return read_export(path, str, Limits(total=TOTAL))


def check_reading(tmp_path: Path, hostile: Hostile, monkeypatch: pytest.MonkeyPatch, reader: Reader) -> None:
    """Hands the archive to `reader`: nothing is written, the good conversation comes, what does not is named."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    path = folder / "export.zip"
    path.write_bytes(hostile.data)
    monkeypatch.chdir(folder)
    opened: list[str] = []
    before = files_below(tmp_path)
    true_open = os.open

    def watched(name: str, flags: int, *rest: int, **more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            opened.append(str(name))
        return true_open(name, flags, *rest, **more)

    monkeypatch.setattr(os, "open", watched)
    if not hostile.good:
        with pytest.raises(ImportRefused) as refused:
            list(reader(path))
        assert refused.value.hint
        return
    try:
        reads = list(reader(path))
    except ImportRefused as lost:
        raise AssertionError("the readable rest is not read") from lost
    found = [read for read in reads if isinstance(read, ImportedConversation)]
    unread = [read for read in reads if isinstance(read, Unread)]
    pulled = max(read.done for read in reads if isinstance(read, Progress))
    assert len({one.external_id for one in found}) == hostile.good, (found, unread)
    assert "Good" in {one.title for one in found}
    assert bool(unread) or not hostile.named
    assert all(one.where and one.why for one in unread)
    assert pulled <= TOTAL, "more is unpacked than may be"
    assert files_below(tmp_path) == before, "something is written"
    assert opened == [], "something is opened for writing"


@pytest.mark.parametrize("hostile", ARCHIVES, ids=lambda one: one.name)
def test_the_readable_rest_is_read_and_nothing_is_written(
    tmp_path: Path, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_reading(tmp_path, hostile, monkeypatch, steward)


def unpacking(path: Path) -> Iterable[Read]:
    """Writes each part under its own name, also beside the folder, and reads as Steward does."""
    sandbox = path.parents[2]
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist()[:3]:
            target = (path.parent / info.filename.replace("\\", "/")).resolve()
            if info.file_size < 100_000 and len(info.filename) < 200 and target.is_relative_to(sandbox):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(b"" if info.flag_bits & 1 else archive.read(info))
    return steward(path)


def believing(path: Path) -> Iterable[Read]:
    """Without limits: whatever an archive unpacks to is read."""
    return read_export(path, str, Limits(total=2**40, ratio=2**40, longest=2**40))


def all_or_nothing(path: Path) -> Iterable[Read]:
    reads = list(steward(path))
    if any(isinstance(read, Unread) for read in reads):
        raise ImportRefused("This archive is broken.")
    return reads


def silent(path: Path) -> Iterable[Read]:
    return [read for read in steward(path) if not isinstance(read, Unread)]


def found_out(tmp_path: Path, reader: Reader, archives: Iterable[Hostile]) -> set[str]:
    """Names of the archives with which the check notices that something is wrong with `reader`."""
    found = set()
    for number, hostile in enumerate(archives):
        place = tmp_path / str(number)
        place.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            try:
                check_reading(place, hostile, patch, reader)
            except (AssertionError, pytest.fail.Exception):
                found.add(hostile.name)
            except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error):
                continue  # the control itself broke off; an archive that stops it is none that it believes
    return found


NAMED = {one.name for one in ARCHIVES if one.named and one.good}


@pytest.mark.parametrize(
    ("reader", "least"),
    [
        (unpacking, {"name-0", "name-4", "many-dots", "symlink", "pipe", "data-before"}),
        (believing, {"bomb"}),
        (all_or_nothing, NAMED),
        (silent, NAMED),
    ],
)
def test_a_reader_that_believes_what_it_is_given_is_found_out(tmp_path: Path, reader: Reader, least: set[str]) -> None:
    """The control."""
    assert found_out(tmp_path, reader, [one for one in ARCHIVES if one.name in least]) == least


def test_more_files_than_allowed_are_not_even_listed(tmp_path: Path) -> None:
    many = next(one for one in ARCHIVES if one.name == "many-files")
    path = tmp_path / "export.zip"
    path.write_bytes(many.data)
    reads = list(read_export(path, str, Limits(files=1_000)))
    assert any(isinstance(read, Unread) and "files" in read.why for read in reads)


def test_a_folder_with_a_link_in_it_is_read_without_it(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(GOOD)
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations-000.json").write_bytes(GOOD)
    (folder / "conversations-001.json").symlink_to(secret)
    reads = list(read_export(folder, str))
    assert sum(isinstance(read, ImportedConversation) for read in reads) == 1
    assert [read.where for read in reads if isinstance(read, Unread)] == ["conversations-001.json"]
