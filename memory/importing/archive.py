"""The files in which conversations may be: a JSON file, a zip, or the folder that was unpacked from one.

Nothing is ever unpacked to a disk. Only what is called as conversations are called is opened, and only plain files;
everything else that a zip may hold (other names, links, encrypted or overly packed files) is named and left.
"""

import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from memory.errors import ImportRefused
from memory.importing.broken_zip import intact_parts
from memory.importing.types import Limits, Unread

_CONVERSATIONS = re.compile(r"(?:conversations(?:[-_ ]?\(?\d+\)?)?|conversations/[^/]+)\.json", re.IGNORECASE)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OTHER = {b"\x1f\x8b": "gzip", b"7z\xbc\xaf": "7z", b"Rar!": "RAR", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
_END = b"PK\x05\x06"
_END_SIZE, _END_SEARCH = 22, 22 + 65_535
_SMALL = 1024 * 1024  # what is smaller may be packed as tightly as it likes


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A file of conversations. `size` is that of its text in bytes, as far as it is known beforehand."""

    name: str
    size: int
    open: Callable[[], AbstractContextManager[BinaryIO]]


def parts_of(path: Path, limits: Limits) -> tuple[tuple[Part, ...], tuple[Unread, ...]]:
    """What can be read, and what cannot. Raises ImportRefused when there is nothing to begin with."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            return _in_folder(path)
        if not stat.S_ISREG(found.st_mode):
            raise ImportRefused(f"{path} is no file.", "Give the zip or the JSON file of the export.")
        with path.open("rb") as file:
            begun = file.read(512)
    except FileNotFoundError as error:
        raise ImportRefused(f"There is no file {path}.", "Give the zip or the JSON file of the export.") from error
    except OSError as error:
        raise ImportRefused(f"{path} cannot be read: {error.strerror}.", "Look at its permissions.") from error
    if begun.startswith(_ZIP) or _has_end(path):
        return _in_zip(path, limits)
    kind = next((name for magic, name in _OTHER.items() if begun.startswith(magic)), "")
    if kind or begun[257:262] == b"ustar":
        raise ImportRefused(
            f"{path} is a {kind or 'tar'} archive, which is not read.",
            "Unpack it and give the folder or the JSON file.",
        )
    if begun.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ImportRefused(f"{path} is not in UTF-8.", "Save it as UTF-8 and import it again.")
    if not begun.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{")):
        raise ImportRefused(
            f"{path} is no export of ChatGPT or Claude.",
            "Give the zip as it was downloaded, or its conversations.json.",
        )
    return (Part(name=path.name, size=found.st_size, open=lambda: path.open("rb")),), ()


def _in_folder(path: Path) -> tuple[tuple[Part, ...], tuple[Unread, ...]]:
    """Of the folder and of a folder "conversations" in it; links are not followed."""
    found: list[Part] = []
    unread: list[Unread] = []
    for folder in (path, path / "conversations"):
        if not folder.is_dir() or (folder != path and folder.is_symlink()):
            continue
        for one in sorted(folder.iterdir()):
            name = one.relative_to(path).as_posix()
            if _CONVERSATIONS.fullmatch(name) is None:
                continue
            mode = one.lstat()
            if stat.S_ISREG(mode.st_mode):
                found.append(Part(name=name, size=mode.st_size, open=_opener(one)))
            else:
                unread.append(Unread(where=name, why="it is a link or a device, not a file"))
    if not found:
        raise ImportRefused(f"There is no conversations.json in {path}.", "Give the zip as it was downloaded.")
    return tuple(found), tuple(unread)


def _opener(path: Path) -> Callable[[], AbstractContextManager[BinaryIO]]:
    def open_it() -> BinaryIO:
        return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb")

    return open_it


def _in_zip(path: Path, limits: Limits) -> tuple[tuple[Part, ...], tuple[Unread, ...]]:
    why = _directory_fault(path, limits)
    if not why:
        try:
            return _listed(path, limits)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OSError, UnicodeError) as error:
            why = f"its list of files is damaged ({error})"
    found = tuple(
        Part(name=part.name, size=part.size, open=part.open)
        for part in intact_parts(path, limits, lambda name: _fault_of_name(name) == "" and _wanted(name))
    )
    if not found:
        raise ImportRefused(
            f"{path} cannot be read: {why}.", "Download the export again, or unpack it and give the folder."
        )
    return found, (Unread(where=path.name, why=f"{why}; what is whole in it is read"),)


def _listed(path: Path, limits: Limits) -> tuple[tuple[Part, ...], tuple[Unread, ...]]:
    found: list[Part] = []
    unread: list[Unread] = []
    total, length = 0, path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not 0 <= info.header_offset < length:
                raise zipfile.BadZipFile("it points out of the file")
            if not _wanted(info.filename) or info.is_dir():
                if info.filename.lower().endswith(".zip"):
                    unread.append(Unread(where=info.filename, why="an archive in the archive is not opened"))
                continue
            fault = _fault_of_name(info.filename) or _fault_of(info, limits)
            if not fault and total + info.file_size > limits.total:
                fault = "all together it is too large"
            if fault:
                unread.append(Unread(where=info.filename, why=fault))
                continue
            total += info.file_size
            found.append(Part(name=info.filename, size=info.file_size, open=_member(path, info)))
    if not found and not unread:
        raise ImportRefused(
            f"There are no conversations in {path}.", "Give the export of ChatGPT or Claude as it was downloaded."
        )
    return tuple(sorted(found, key=lambda part: part.name)), tuple(unread)


def _member(path: Path, info: zipfile.ZipInfo) -> Callable[[], AbstractContextManager[BinaryIO]]:
    return lambda: _Member(path, info)


class _Member:
    """An open file of a zip that closes the zip with itself."""

    def __init__(self, path: Path, info: zipfile.ZipInfo) -> None:
        self._path = path
        self._info = info

    def __enter__(self) -> BinaryIO:
        self._archive = zipfile.ZipFile(self._path)
        try:
            self._file = self._archive.open(self._info)
        except BaseException:
            self._archive.close()
            raise
        return cast(BinaryIO, self._file)

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._archive.close()


def _wanted(name: str) -> bool:
    """Whether it is called as conversations are, in whatever folder."""
    pieces = PurePosixPath(name.replace("\\", "/")).parts
    return any(_CONVERSATIONS.fullmatch("/".join(pieces[-many:])) is not None for many in (1, 2) if pieces)


def _fault_of_name(name: str) -> str:
    pieces = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or ".." in pieces or "\x00" in name:
        return "its name leads out of the archive"
    return ""


def _fault_of(info: zipfile.ZipInfo, limits: Limits) -> str:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is a link or a device, not a file"
    if info.flag_bits & 0x41:
        return "it is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is packed in a way that is not read"
    if info.file_size > _SMALL and info.file_size > limits.ratio * max(info.compress_size, 1):
        return f"it is packed more than {limits.ratio} times, as no export is"
    return ""


def _has_end(path: Path) -> bool:
    return _end_record(path) is not None


def _end_record(path: Path) -> bytes | None:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _END_SEARCH, 0))
        tail = file.read()
    at = tail.rfind(_END)
    record = tail[at : at + _END_SIZE]
    return record if at >= 0 and len(record) == _END_SIZE else None


def _directory_fault(path: Path, limits: Limits) -> str:
    """Before the list is read into memory: whether it is one, and whether it is one to read."""
    record = _end_record(path)
    if record is None:
        return "its end is missing"
    _, _, _, _, entries, size, _, _ = struct.unpack("<4s4H2LH", record)
    if size != 0xFFFFFFFF and size > limits.directory:
        return "its list of files is too long"
    if entries != 0xFFFF and entries > limits.files:
        return f"it holds more than {limits.files:,} files"
    if entries == 0xFFFF or size == 0xFFFFFFFF:
        return _large_directory_fault(path, limits)
    return ""


def _large_directory_fault(path: Path, limits: Limits) -> str:
    """The numbers of a ZIP64 archive stand before its end record (APPNOTE 4.3.14)."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _END_SEARCH - 200, 0))
        tail = file.read()
    at = tail.rfind(b"PK\x06\x06")
    if at < 0 or len(tail) < at + 56:
        return "its list of files is damaged"
    entries, length = struct.unpack("<2Q", tail[at + 32 : at + 48])
    return "its list of files is too long" if entries > limits.files or length > limits.directory else ""
