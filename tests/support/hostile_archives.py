"""Forty archives that mean harm or are broken, made up here; most hold one readable conversation beside."""

import io
import random
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from stat import S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFSOCK

from tests.support.exports import as_json, as_zip, chatgpt_conversation, claude_conversation

GOOD = as_json([chatgpt_conversation("good", title="Good")])
OTHER = as_json([chatgpt_conversation("bad", title="Bad")])
PLAIN = "conversations.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """`good` conversations have to come out of it; `named`: something has to be named as unreadable."""

    name: str
    data: bytes
    good: int = 1
    named: bool = True


def hostile_archives() -> Iterator[Hostile]:
    yield from _names()
    yield from _kinds()
    yield from _bombs()
    yield from _broken()


def _names() -> Iterator[Hostile]:
    """Paths that lead out of the archive."""
    for number, name in enumerate(
        (
            "../conversations.json",
            "../../../../tmp/conversations.json",
            "/conversations.json",
            "/etc/conversations.json",
            "a/../../conversations.json",
            "..\\..\\conversations.json",
            "\\\\server\\share\\conversations.json",
            "C:\\conversations.json",
            "C:conversations.json",
            "x/../../conversations/1.json",
        )
    ):
        yield Hostile(name=f"name-{number}", data=_with_raw_name(name), named=name != "C:conversations.json")
    yield Hostile(name="many-dots", data=as_zip({PLAIN: GOOD, "....//conversations.json": OTHER}), good=2, named=False)
    yield Hostile(name="control", data=as_zip({PLAIN: GOOD, "\x1b[2Jconversations.json": OTHER}), named=False)
    yield Hostile(name="long-name", data=as_zip({PLAIN: GOOD, "x" * 60_000 + "/conversations.json": b"[1"}))


def _with_raw_name(name: str) -> bytes:
    """zipfile mends some names while it writes; here they stay."""
    stand_in = "n" * len(name.encode())
    data = as_zip({PLAIN: GOOD, stand_in: OTHER})
    return data.replace(stand_in.encode(), name.encode())


def _kinds() -> Iterator[Hostile]:
    """Links and devices."""
    for name, kind in (
        ("symlink", S_IFLNK),
        ("character-device", S_IFCHR),
        ("block-device", S_IFBLK),
        ("pipe", S_IFIFO),
        ("socket", S_IFSOCK),
        ("folder", S_IFDIR),
    ):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(PLAIN, GOOD)
            info = zipfile.ZipInfo("other/conversations.json")
            info.external_attr = (kind | 0o777) << 16
            archive.writestr(info, b"/etc/passwd")
        yield Hostile(name=name, data=made.getvalue())


def _bombs() -> Iterator[Hostile]:
    zeros = b"[" + b" " * 30_000_000 + b"]"
    yield Hostile(name="bomb", data=as_zip({PLAIN: GOOD, "conversations-001.json": zeros}))
    yield Hostile(name="bomb-in-a-text", data=as_zip({PLAIN: GOOD, "conversations-1.json": b'["' + b"a" * 30_000_000}))
    yield Hostile(name="bomb-of-brackets", data=as_zip({PLAIN: GOOD, "conversations-1.json": b"[" * 20_000_000}))
    inner = as_zip({PLAIN: as_zip({PLAIN: zeros})})
    yield Hostile(name="nested", data=as_zip({PLAIN: GOOD, "inner.zip": inner}))
    yield Hostile(name="nested-as-json", data=as_zip({PLAIN: GOOD, "conversations-1.json": inner}))
    many = {f"x{number}": b"" for number in range(3_000)}
    yield Hostile(name="many-files", data=as_zip({PLAIN: GOOD, **many}), named=False)
    yield Hostile(name="huge-count", data=_end_says(as_zip({PLAIN: GOOD}), entries=60_000))
    yield Hostile(name="huge-directory", data=_end_says(as_zip({PLAIN: GOOD}), size=0xFFFFFFF0))
    yield Hostile(name="zip64-lies", data=_end_says(as_zip({PLAIN: GOOD}), entries=0xFFFF))
    yield Hostile(name="size-lies", data=_size_says(as_zip({PLAIN: GOOD, "conversations-1.json": OTHER}), 0xFFFFFFF0))


def _broken() -> Iterator[Hostile]:
    whole = as_zip({PLAIN: GOOD})
    two = as_zip({PLAIN: GOOD, "conversations-001.json": OTHER})
    yield Hostile(name="encrypted", data=_encrypted(two), good=1)
    yield Hostile(name="no-end", data=whole[:-22])
    yield Hostile(name="cut-in-directory", data=whole[:-40])
    yield Hostile(name="cut-in-second-file", data=two[: two.rfind(b"PK\x03\x04") + 200])
    yield Hostile(name="directory-zeroed", data=_zeroed_directory(whole))
    yield Hostile(name="directory-points-away", data=_end_says(whole, offset=0x7FFFFFF0))
    yield Hostile(name="data-before", data=b"MZ" + b"\x00" * 5_000 + whole, named=False)
    yield Hostile(name="comment", data=whole[:-2] + struct.pack("<H", 65_000) + b"PK\x05\x06" * 16_250, named=False)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(PLAIN, GOOD)
        archive.writestr("again.json", as_json([claude_conversation()]))
    doubled = made.getvalue().replace(b"again.json", b"conversations.json"[:10])
    yield Hostile(name="duplicate-names", data=_twice(), good=1, named=False)
    yield Hostile(name="other-name", data=doubled, named=False)
    yield Hostile(name="wrong-checksum", data=_wrong_checksum(two))
    yield Hostile(name="bzip2", data=_packed(zipfile.ZIP_BZIP2))
    yield Hostile(name="garbage", data=b"PK\x03\x04" + random.Random(7).randbytes(50_000), good=0)


def _twice() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(PLAIN, GOOD)
        archive.writestr("conversationz.json", GOOD)
    return made.getvalue().replace(b"conversationz.json", PLAIN.encode())


def _packed(method: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(PLAIN, GOOD)
        archive.writestr("conversations-1.json", OTHER, compress_type=method)
    return made.getvalue()


def _end_says(data: bytes, *, entries: int | None = None, size: int | None = None, offset: int | None = None) -> bytes:
    """The end record with other numbers in it."""
    at = data.rfind(b"PK\x05\x06")
    record = list(struct.unpack("<4s4H2LH", data[at : at + 22]))
    if entries is not None:
        record[3] = record[4] = entries
    if size is not None:
        record[5] = size
    if offset is not None:
        record[6] = offset
    return data[:at] + struct.pack("<4s4H2LH", *record) + data[at + 22 :]


def _directory_entries(data: bytes) -> list[int]:
    found, at = [], data.find(b"PK\x01\x02")
    while at >= 0:
        found.append(at)
        at = data.find(b"PK\x01\x02", at + 1)
    return found


def _size_says(data: bytes, size: int) -> bytes:
    at = _directory_entries(data)[-1]
    return data[: at + 24] + struct.pack("<L", size) + data[at + 28 :]


def _encrypted(data: bytes) -> bytes:
    """Only says so, in the second file."""
    at = _directory_entries(data)[-1]
    return data[: at + 8] + b"\x01\x00" + data[at + 10 :]


def _zeroed_directory(data: bytes) -> bytes:
    first, end = _directory_entries(data)[0], data.rfind(b"PK\x05\x06")
    return data[:first] + b"\x00" * (end - first) + data[end:]


def _wrong_checksum(data: bytes) -> bytes:
    at = _directory_entries(data)[-1]
    return data[: at + 16] + b"\xde\xad\xbe\xef" + data[at + 20 :]
