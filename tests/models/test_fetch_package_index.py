"""Fetching from an index of packages: the parts are joined, and a wrong one is one line and leaves nothing."""

import os
import stat
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from models.catalog import PackageIndexSource, Part, Source
from models.errors import FetchError, HashMismatch, PartMissing, SourceUnavailable
from models.fetch.partial import read_receipt
from models.fetch.pull import fetch_file, pull
from models.fetch.types import Fetched, FetchEvent, FetchProgress, SourceSkipped, Stopped
from tests.support.index_fetches import CONTENT, ignore, left, never, settings_of
from tests.support.wheels import entry_of, file_of, index_of, make_wheel, sha256, some_bytes


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
