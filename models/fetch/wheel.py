"""Taking one member out of a wheel, without unpacking it. The member's hash in the wheel's own RECORD is verified."""

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from models.catalog import Part
from models.errors import HashMismatch, PartMissing

BLOCK = 1 << 20
MAX_RECORD_BYTES = 16 * 1024 * 1024


def member_blocks(wheel: Path, part: Part, limit: int) -> Iterator[bytes]:
    """The bytes of `part` in blocks, at most `limit`. Raises PartMissing, or HashMismatch (also after the end)."""
    with _opened(wheel, part) as archive:
        recorded = _recorded_hash(archive, part)
        if part.inner:
            _verify(part, recorded, _blocks(archive, part.member, part))
            with archive.open(part.member) as outer, zipfile.ZipFile(outer) as inside:
                yield from _limited(_blocks(inside, part.inner, part), limit, part)
            return
        digest = hashlib.sha256()
        for block in _limited(_blocks(archive, part.member, part), limit, part):
            digest.update(block)
            yield block
        _compare(part, recorded, digest.digest())


@contextmanager
def _opened(wheel: Path, part: Part) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        # RuntimeError is zipfile's word for an encrypted member
        raise HashMismatch(f"{part.distribution} is damaged: {error}", "It was removed. Run it again.") from error


def _blocks(archive: zipfile.ZipFile, member: str, part: Part) -> Iterator[bytes]:
    try:
        stream: IO[bytes] = archive.open(member)
    except KeyError as error:
        raise PartMissing(
            f"{part.distribution} does not hold {member}", "The catalogue entry and the index do not fit together."
        ) from error
    with stream:
        while block := stream.read(BLOCK):
            yield block


def _limited(blocks: Iterator[bytes], limit: int, part: Part) -> Iterator[bytes]:
    """A file larger than announced, for example a zip bomb, ends here."""
    left = limit
    for block in blocks:
        left -= len(block)
        if left < 0:
            raise HashMismatch(f"{part.distribution} holds more than it should", "It was removed.")
        yield block


def _recorded_hash(archive: zipfile.ZipFile, part: Part) -> bytes:
    records = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith(".dist-info/RECORD")]
    if len(records) != 1 or archive.getinfo(records[0]).file_size > MAX_RECORD_BYTES:
        raise HashMismatch(f"{part.distribution} has no usable RECORD", "It was removed.")
    rows = csv.reader(io.StringIO(archive.read(records[0]).decode("utf-8", "replace")))
    hashes = {row[0]: row[1] for row in rows if len(row) == 3}
    if part.member not in archive.namelist():
        raise PartMissing(
            f"{part.distribution} does not hold {part.member}", "The catalogue entry and the index do not fit together."
        )
    method, _, encoded = hashes.get(part.member, "").partition("=")
    if method != "sha256":
        raise HashMismatch(f"{part.distribution} says no SHA-256 for {part.member}", "It was removed.")
    return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))


def _verify(part: Part, recorded: bytes, blocks: Iterator[bytes]) -> None:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    _compare(part, recorded, digest.digest())


def _compare(part: Part, recorded: bytes, actual: bytes) -> None:
    if recorded != actual:
        raise HashMismatch(
            f"{part.distribution} is damaged: {part.member} is not what its RECORD says",
            "It was removed. Run it again; if it comes again, tell whoever keeps the index.",
        )
