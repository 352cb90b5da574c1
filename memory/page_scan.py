"""Rows out of the bytes of a SQLite file, however much of it is damaged. Reads what is given, decides nothing. Pure.

Follows the description of the file format (https://www.sqlite.org/fileformat2.html): table b-trees, records, overflow
chains, and the write-ahead log. Every number in the bytes is doubted; what does not fit is left out.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MAGIC = b"SQLite format 3\x00"
USUAL_PAGE = 4096
LEAF, INTERIOR = 0x0D, 0x05
MOST_COLUMNS = 200
MOST_BYTES = 64 * 1024 * 1024  # of one row

Value = int | float | str | bytes | None
Row = tuple[int, tuple[Value, ...]]  # rowid and values as stored


class Unreadable(Exception):
    """These bytes are no row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """The pages of a file with the committed frames of its log laid over them. Page numbers begin at 1."""

    data: bytes | memoryview
    page_size: int
    over: Mapping[int, bytes] = field(default_factory=dict)
    reserved: int = 0  # bytes at the end of every page that hold no rows
    opened: Callable[[int, bytes], bytes] | None = None  # number and content of an encrypted page to what it says

    @property
    def pages(self) -> int:
        return max([len(self.data) // self.page_size, *self.over])

    def page(self, number: int) -> bytes:
        """b"" beyond the end."""
        found = self.over.get(number)
        if found is None:
            found = bytes(self.data[(number - 1) * self.page_size : number * self.page_size])
        if len(found) != self.page_size:
            return b""
        return found if self.opened is None else self.opened(number, found)

    @property
    def usable(self) -> int:
        """Bytes of a page that rows may take."""
        return self.page_size - self.reserved

    @property
    def user_version(self) -> int:
        """0 when the header is damaged."""
        header = self.page(1)
        return struct.unpack(">I", header[60:64])[0] if header.startswith(MAGIC) else 0


def image_of(data: bytes | memoryview, log: bytes = b"") -> Image:
    size = struct.unpack(">H", data[16:18])[0] if bytes(data[:16]) == MAGIC else 0
    size = 65_536 if size == 1 else size
    if not _is_page_size(size):
        size = struct.unpack(">I", log[8:12])[0] if len(log) >= 32 else USUAL_PAGE
    if not _is_page_size(size):
        size = USUAL_PAGE
    return Image(data=data, page_size=size, over=_committed(log, size))


def encrypted_image_of(
    data: bytes | memoryview, log: bytes, page_size: int, reserved: int, opened: Callable[[int, bytes], bytes]
) -> Image:
    """Of a file whose pages have to be opened first; its size of page cannot be read from it."""
    return Image(data=data, page_size=page_size, over=_committed(log, page_size), reserved=reserved, opened=opened)


def _is_page_size(size: int) -> bool:
    return 512 <= size <= 65_536 and size & (size - 1) == 0


def _committed(log: bytes, page_size: int) -> dict[int, bytes]:
    """The pages of whole transactions in a write-ahead log; its checksums say where it ends."""
    if len(log) < 32 or struct.unpack(">I", log[:4])[0] & ~1 != 0x377F0682:
        return {}
    order = ">" if log[3] & 1 else "<"
    salts, sums = log[16:24], _checksum(log[:24], (0, 0), order)
    if sums != struct.unpack(">II", log[24:32]):
        return {}
    pages: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for at in range(32, len(log) - page_size - 23, page_size + 24):
        head, page = log[at : at + 24], log[at + 24 : at + 24 + page_size]
        sums = _checksum(page, _checksum(head[:8], sums, order), order)
        if head[8:16] != salts or sums != struct.unpack(">II", head[16:24]):
            break
        number, commit = struct.unpack(">II", head[:8])
        waiting[number] = page
        if commit:
            pages.update(waiting)
            waiting.clear()
    return pages


def _checksum(data: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for at in range(0, len(words), 2):
        first = (first + words[at] + second) & 0xFFFFFFFF
        second = (second + words[at + 1] + first) & 0xFFFFFFFF
    return first, second


@dataclass(slots=True)
class Trees:
    """How the table pages hang together: the leaves below each top page, and pages that should be there and are not."""

    leaves: dict[int, list[int]] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)  # tops below which a page is missing
    missing: set[int] = field(default_factory=set)  # pages that others lead to and that are no table pages


def trees_of(image: Image) -> Trees:
    parents: dict[int, int] = {}
    children: dict[int, tuple[int, ...]] = {}
    leaves: list[int] = []
    for number in range(1, image.pages + 1):
        page = image.page(number)
        kind = page[_start(number)] if page else 0
        if kind == LEAF:
            leaves.append(number)
        elif kind == INTERIOR and (number > 1 or page.startswith(MAGIC)):  # else what it leads to is found by itself
            children[number] = below = _children(number, page)
            for child in below:
                parents.setdefault(child, number)
    found = Trees()
    known = {*leaves, *children}
    for number in leaves:
        found.leaves.setdefault(_top(number, parents), []).append(number)
    for number, below in children.items():
        gone = {child for child in below if child not in known}
        if gone:
            found.missing |= gone
            found.broken.add(_top(number, parents))
    return found


def _start(number: int) -> int:
    return 100 if number == 1 else 0


def _top(number: int, parents: Mapping[int, int]) -> int:
    seen = {number}
    while (above := parents.get(number)) is not None and above not in seen:
        seen.add(above)
        number = above
    return number


def _children(number: int, page: bytes) -> tuple[int, ...]:
    start = _start(number)
    found = [struct.unpack(">I", page[start + 8 : start + 12])[0]]
    cells = _cells(page, start, start + 12)
    found += [struct.unpack(">I", page[at : at + 4])[0] for at in cells if at + 4 <= len(page)]
    return tuple(child for child in found if child > 1 and child != number)


def _cells(page: bytes, start: int, pointers: int) -> Sequence[int]:
    count = struct.unpack(">H", page[start + 3 : start + 5])[0]
    count = min(count, (len(page) - pointers) // 2)
    return struct.unpack(f">{count}H", page[pointers : pointers + 2 * count])


def rows_of(image: Image, number: int) -> Iterator[Row | None]:
    """The rows of one leaf page; None for each that cannot be read."""
    page = image.page(number)
    start = _start(number)
    for at in _cells(page, start, start + 8):
        try:
            yield _row(image, page, at)
        except (Unreadable, IndexError, struct.error):
            yield None


def _row(image: Image, page: bytes, at: int) -> Row:
    size, at = _varint(page, at)
    rowid, at = _varint(page, at)
    if not 0 < size <= MOST_BYTES:
        raise Unreadable
    usable = image.usable
    local = _local(size, usable)
    payload = page[at : at + local]
    if len(payload) < local:
        raise Unreadable
    if local < size:
        payload += _overflow(image, struct.unpack(">I", page[at + local : at + local + 4])[0], size - local)
    return _signed(rowid), _record(payload)


def _local(size: int, usable: int) -> int:
    """How many bytes of a row stand on the leaf itself."""
    if size <= usable - 35:
        return size
    least = (usable - 12) * 32 // 255 - 23
    kept = least + (size - least) % (usable - 4)
    return kept if kept <= usable - 35 else least


def _overflow(image: Image, number: int, wanted: int) -> bytes:
    parts: list[bytes] = []
    seen: set[int] = set()
    while wanted > 0:
        page = image.page(number) if number else b""
        if not page or number in seen:
            raise Unreadable
        seen.add(number)
        part = page[4 : 4 + min(wanted, image.usable - 4)]
        parts.append(part)
        wanted -= len(part)
        number = struct.unpack(">I", page[:4])[0]
    return b"".join(parts)


def _record(payload: bytes) -> tuple[Value, ...]:
    length, at = _varint(payload, 0)
    if not 0 < length <= len(payload):
        raise Unreadable
    kinds: list[int] = []
    while at < length:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != length or len(kinds) > MOST_COLUMNS:
        raise Unreadable
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload):
        raise Unreadable
    return tuple(values)


_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind in (0, 8, 9):
        return (None, 0, 1)[(0, 8, 9).index(kind)], at
    if kind in _INTEGERS:
        stop = at + _INTEGERS[kind]
        return int.from_bytes(_part(payload, at, stop), "big", signed=True), stop
    if kind == 7:
        return float(struct.unpack(">d", _part(payload, at, at + 8))[0]), at + 8
    if kind < 12:
        raise Unreadable
    stop = at + (kind - 12) // 2
    part = _part(payload, at, stop)
    return (part.decode("utf-8", "replace") if kind % 2 else part), stop


def _part(payload: bytes, at: int, stop: int) -> bytes:
    if stop > len(payload):
        raise Unreadable
    return payload[at:stop]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(9):
        byte = data[at + step]
        if step == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    raise Unreadable


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
