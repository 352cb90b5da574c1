"""Archives that mean harm: nothing is written anywhere, limits hold, what is whole in them is read."""

import os
from pathlib import Path

import pytest

from memory.errors import ImportRefused
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation, Limits, Progress, Unread
from tests.support.hostile_archives import GOOD, Hostile, hostile_archives

ARCHIVES = list(hostile_archives())
TOTAL = 64 * 1024 * 1024


def files_below(folder: Path) -> set[tuple[str, int]]:
    return {(str(path), path.stat().st_size) for path in folder.rglob("*")}


def test_there_are_forty() -> None:
    assert len(ARCHIVES) >= 40
    assert len({one.name for one in ARCHIVES}) == len(ARCHIVES)


@pytest.mark.parametrize("hostile", ARCHIVES, ids=lambda one: one.name)
def test_the_readable_rest_is_read_and_nothing_is_written(
    tmp_path: Path, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
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
            list(read_export(path, str, Limits(total=TOTAL)))
        assert refused.value.hint
        return
    reads = list(read_export(path, str, Limits(total=TOTAL)))
    found = [read for read in reads if isinstance(read, ImportedConversation)]
    unread = [read for read in reads if isinstance(read, Unread)]
    pulled = max(read.done for read in reads if isinstance(read, Progress))
    assert len({one.external_id for one in found}) == hostile.good, (found, unread)
    assert "Good" in {one.title for one in found}
    assert bool(unread) or not hostile.named
    assert all(one.where and one.why for one in unread)
    assert pulled <= TOTAL
    assert files_below(tmp_path) == before
    assert opened == []


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
