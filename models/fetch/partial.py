"""A file on its way: NAME.partial/ beside its final place, with the bytes so far and a journal.

The journal is written after the bytes it counts are on disk, so that after a crash at any point everything up to
`done` is good and what lies behind it is cut off. The file appears under its own name by one rename, verified.
"""

import errno
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from models.errors import DiskFull, FetchError, HashMismatch
from models.fetch.types import Cancelled

BLOCK = 1 << 20
FULL = (errno.ENOSPC, errno.EDQUOT)
HIDDEN = ".fetch"  # locks and receipts, in the models folder


class _PartRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    end: int


class _Journal(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    sha256: str
    done: int = 0
    parts: tuple[_PartRecord, ...] = ()


class Receipt(BaseModel):
    """What is known of a file in place: for checking it again later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    size: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEnd:
    """A whole part: its name, and the offset behind its last byte."""

    name: str
    end: int


class Partial:
    """The bytes so far of one file whose SHA-256 must come out as `sha256`. Use under the file's lock only."""

    def __init__(self, folder: Path, name: str, sha256: str) -> None:
        self.target = folder / name
        self.sha256 = sha256
        self._place = _place_of(self.target)
        self._data = self._place / "data"
        self._journal = self._load()
        self._out: BinaryIO | None = None
        self._hash = hashlib.sha256()
        self._written = self._journal.done

    @property
    def name(self) -> str:
        return self.target.name

    @property
    def done(self) -> int:
        """Bytes written and hashed, whether or not they are on disk yet."""
        return self._written

    @property
    def kept(self) -> int:
        """Bytes a next run can go on from."""
        return self._journal.done

    @property
    def parts(self) -> tuple[PartEnd, ...]:
        return tuple(PartEnd(name=part.name, end=part.end) for part in self._journal.parts)

    def begin(self, at: int, cancelled: Cancelled) -> Iterator[int]:
        """Cut off what lies behind `at`, read the rest once for its hash, yielding bytes read; then be ready to append.

        Stops early when cancelled; nothing may be appended then."""
        self._make()
        self._out = os.fdopen(os.open(self._data, os.O_RDWR | os.O_CREAT | _BINARY, 0o600), "r+b", buffering=0)
        self._out.truncate(at)
        self._hash = hashlib.sha256()
        self._written = 0
        while self._written < at:
            if cancelled():
                return
            block = self._out.read(min(BLOCK, at - self._written))
            if not block:
                raise FetchError(f"{self._data} became shorter while it was read", "Run it again.")
            self._hash.update(block)
            self._written += len(block)
            yield self._written

    def append(self, block: bytes) -> None:
        assert self._out is not None, "begin comes first"
        view = memoryview(block)
        while view:
            written = self._out.write(view)
            view = view[written or 0 :]
        self._hash.update(block)
        self._written += len(block)

    def commit(self, part: str = "") -> None:
        """Make everything appended so far survive a crash; with a name, it ends a whole part there."""
        assert self._out is not None, "begin comes first"
        os.fsync(self._out.fileno())
        parts = tuple(record for record in self._journal.parts if record.end < self._written)
        if part:
            parts = (*parts, _PartRecord(name=part, end=self._written))
        self._journal = _Journal(sha256=self.sha256, done=self._written, parts=parts)
        write_whole(self._place / "journal.json", self._journal.model_dump_json())

    def scratch(self) -> Path:
        """A new empty folder for a download in progress, on the same disk; earlier ones are removed.

        Each is new: a downloader left over from a run that was killed may still be writing into its own."""
        self._make()
        self._clear_scratch()
        return Path(tempfile.mkdtemp(prefix="scratch-", dir=self._place))

    def install(self, source: str) -> Receipt:
        """Verify, and put the file in its place by one rename. Raises HashMismatch; then nothing is in place."""
        assert self._out is not None, "begin comes first"
        digest = self._hash.hexdigest()
        if digest != self.sha256:
            raise HashMismatch(
                f"{self.name} from the {source} is not the published file: SHA-256 {digest[:12]}..., "
                f"should be {self.sha256[:12]}...",
                "It was removed. Run it again; if it comes again, take another source with --source.",
            )
        os.fsync(self._out.fileno())
        self.close()
        receipt = Receipt(sha256=digest, size=self._written, source=source)
        self._data.replace(self.target)
        sync_folder(self.target.parent)
        write_whole(receipt_path(self.target), receipt.model_dump_json())
        self.discard()
        return receipt

    def discard(self) -> None:
        self.close()
        shutil.rmtree(self._place, ignore_errors=True)
        self._journal = _Journal(sha256=self.sha256)
        self._written = 0

    def settle(self) -> None:
        """End of a run that did not finish: remove what no next run could use."""
        self.close()
        if not self.kept:
            self.discard()
            return
        self._clear_scratch()

    def close(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None

    def _clear_scratch(self) -> None:
        for place in self._place.glob("scratch-*"):
            shutil.rmtree(place, ignore_errors=True)

    def _make(self) -> None:
        self._place.mkdir(mode=0o700, exist_ok=True)

    def _load(self) -> _Journal:
        """The journal of an earlier run, if it is of the same file and its bytes are there; else an empty one."""
        fresh = _Journal(sha256=self.sha256)
        try:
            journal = _Journal.model_validate_json((self._place / "journal.json").read_bytes())
            size = self._data.stat().st_size
        except (OSError, ValidationError):
            return fresh
        ends = [part.end for part in journal.parts]
        sound = ends == sorted(ends) and all(0 < end <= journal.done for end in ends)
        usable = journal.version == 1 and journal.sha256 == self.sha256 and 0 <= journal.done <= size and sound
        return journal if usable else fresh


_BINARY = getattr(os, "O_BINARY", 0)


def kept_bytes(target: Path) -> int:
    """Bytes an unfinished fetch of `target` can go on from."""
    try:
        return _Journal.model_validate_json((_place_of(target) / "journal.json").read_bytes()).done
    except (OSError, ValidationError):
        return 0


def discard_partial(target: Path) -> int:
    """Remove what an unfinished fetch of `target` left, under its lock; the bytes freed."""
    place = _place_of(target)
    freed = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    shutil.rmtree(place, ignore_errors=True)
    return freed


def _place_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


def receipt_path(target: Path) -> Path:
    return target.parent / HIDDEN / f"{target.name}.receipt.json"


def read_receipt(target: Path) -> Receipt | None:
    """What was known of `target` when it was put in place; None when that was not recorded."""
    try:
        return Receipt.model_validate_json(receipt_path(target).read_bytes())
    except (OSError, ValidationError):
        return None


def write_whole(path: Path, text: str) -> None:
    """Write beside, flush, rename, flush the folder; mode 0600."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600), "w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` survive a power cut; Windows has no such call."""
    if sys.platform == "win32":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def disk_errors(name: str, folder: Path) -> Iterator[None]:
    """Turn errors of the file system into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull(f"the disk is full while fetching {name}", f"Make room in {folder}, then again.") from error
        raise FetchError(
            f"{folder} cannot be written: {error.strerror or error}", "Check its owner and mode."
        ) from error
