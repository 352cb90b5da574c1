"""A zip whose list of files is damaged or missing, as after a download that broke off: its files one by one.

Every file has a header of its own before its bytes (APPNOTE 4.3.7). It is believed only for the name, the way of
packing and, where nothing is packed, the size.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from memory.importing.types import Limits

_HEADER = b"PK\x03\x04"
_SIZE = 30
_BLOCK = 1024 * 1024
_STORED, _DEFLATED = 0, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Intact:
    name: str
    size: int
    open: Callable[[], AbstractContextManager[BinaryIO]]


def intact_parts(path: Path, limits: Limits, wanted: Callable[[str], bool]) -> Iterator[Intact]:
    """The files with a wanted name, encrypted ones left out, in their order."""
    with path.open("rb") as file:
        for number, at in enumerate(_headers(file)):
            if number >= limits.files:
                return
            file.seek(at)
            header = file.read(_SIZE)
            if len(header) < _SIZE:
                return
            _, _, flags, method, _, _, _, packed, size, name_length, extra = struct.unpack("<4s5H3L2H", header)
            name = file.read(name_length).decode("utf-8", "replace")
            if flags & 1 or not wanted(name) or method not in (_STORED, _DEFLATED):
                continue
            start = at + _SIZE + name_length + extra
            yield Intact(name=name, size=size, open=_opener(path, start, packed, method, limits))


def _opener(
    path: Path, start: int, packed: int, method: int, limits: Limits
) -> Callable[[], AbstractContextManager[BinaryIO]]:
    def open_it() -> AbstractContextManager[BinaryIO]:
        raw = _Unpacked(path, start, packed if method == _STORED else None, limits)
        return cast(BinaryIO, BufferedReader(raw, _BLOCK))

    return open_it


def _headers(file: BinaryIO) -> Iterator[int]:
    """Where the four bytes of a header stand. Inside of packed bytes they may occur by chance: the name tells."""
    before, offset = b"", 0
    file.seek(0)
    while True:
        file.seek(offset)
        block = file.read(_BLOCK)
        if not block:
            return
        window = before + block
        at = window.find(_HEADER)
        while at >= 0:
            yield offset - len(before) + at
            at = window.find(_HEADER, at + 1)
        before = window[-3:]
        offset += len(block)


class _Unpacked(RawIOBase):
    """The text of one file, up to where it breaks off or reaches the limit."""

    def __init__(self, path: Path, start: int, stored: int | None, limits: Limits) -> None:
        self._file = path.open("rb")
        self._file.seek(start)
        self._left = stored
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if stored is None else None
        self._room = limits.total

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]  # any writable buffer will do
        wanted = min(len(buffer), self._room)
        data = self._stored(wanted) if self._inflate is None else self._inflated(wanted)
        self._room -= len(data)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _stored(self, wanted: int) -> bytes:
        assert self._left is not None
        data = self._file.read(min(wanted, self._left))
        self._left -= len(data)
        return data

    def _inflated(self, wanted: int) -> bytes:
        inflate = self._inflate
        assert inflate is not None
        while wanted and not inflate.eof:
            packed = inflate.unconsumed_tail or self._file.read(64 * 1024)
            try:
                data = inflate.decompress(packed, wanted)
            except zlib.error:
                return b""
            if data or not packed:
                return data
        return b""
