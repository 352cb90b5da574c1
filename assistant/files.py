"""Files of the user, opened with care: no link is followed at the end, no device, no pipe, no more than was asked for.

Blocks; call it in a thread. Every refusal is in words.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.documents.types import FoundFile, LeftOut
from assistant.errors import FileUnreadable
from memory.documents import DocumentKind

MOST_BYTES = 50 * 1024 * 1024  # of a document
MOST_TEXT_BYTES = 5 * 1024 * 1024
MOST_FILES = 5_000
MOST_DEPTH = 20
MOST_SEEN = 100_000  # entries of folders looked at
MOST_CALENDAR_BYTES = 10 * 1024 * 1024
MOST_READ = 1024 * 1024  # of a file that is read into a conversation
_LOOKED_AT = 8_192
_KINDS: dict[str, DocumentKind] = {
    ".txt": "text", ".text": "text", ".log": "text", ".csv": "text", ".tsv": "text", ".rst": "text", ".org": "text",
    ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf", ".docx": "docx",
}  # fmt: skip


def kind_of(path: str) -> DocumentKind | None:
    return _KINDS.get(os.path.splitext(path)[1].lower())  # noqa: PTH122


def read_bytes(path: str, most: int) -> bytes:
    """The whole of a regular file. Raises FileUnreadable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        raise FileUnreadable(_reason(path, error)) from error
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise FileUnreadable("it is no file but a device, pipe or folder")
    with os.fdopen(descriptor, "rb") as file:
        if state.st_size > most:
            raise FileUnreadable(f"it is larger than {_size(most)}")
        try:
            content = file.read(most + 1)
        except OSError as error:
            raise FileUnreadable(_reason(path, error)) from error
    if len(content) > most:
        raise FileUnreadable(f"it is larger than {_size(most)}")
    return content


def text_of(content: bytes) -> str:
    """Raises FileUnreadable for what is no text."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:_LOOKED_AT]:
        raise FileUnreadable("it is no text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def scan(named: str) -> tuple[tuple[FoundFile, ...], tuple[LeftOut, ...]]:
    """The documents at a path, which may be a file or a folder, and what is not taken. Raises FileUnreadable."""
    path = os.path.realpath(os.path.expanduser(named))  # noqa: PTH111
    if not os.path.lexists(path):
        raise FileUnreadable(f"there is no {named!r}")
    left_out: list[LeftOut] = []
    found: list[FoundFile] = []
    for one in [path] if not os.path.isdir(path) else _below(path, left_out):  # noqa: PTH112
        taken = _looked_at(one)
        if isinstance(taken, LeftOut):
            left_out.append(taken)
        elif len(found) >= MOST_FILES:
            left_out.append(LeftOut(path=one, reason=f"more than {MOST_FILES:,} files at once"))
        else:
            found.append(taken)
    return tuple(found), tuple(left_out)


def _below(folder: str, left_out: list[LeftOut]) -> Iterator[str]:
    """Paths of files, by name; hidden ones, links and what lies too deep are left out."""
    waiting = [(folder, 0)]
    seen = 0
    while waiting:
        here, depth = waiting.pop()
        try:
            with os.scandir(here) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            left_out.append(LeftOut(path=here, reason=_reason(here, error)))
            continue
        folders = []
        for entry in entries:
            seen += 1
            if seen > MOST_SEEN:
                left_out.append(LeftOut(path=entry.path, reason=f"more than {MOST_SEEN:,} entries"))
                return
            if entry.name.startswith("."):
                left_out.append(LeftOut(path=entry.path, reason="it is hidden"))
            elif entry.is_symlink():
                left_out.append(LeftOut(path=entry.path, reason="it is a link"))
            elif entry.is_dir(follow_symlinks=False):
                if depth >= MOST_DEPTH:
                    left_out.append(LeftOut(path=entry.path, reason=f"it lies more than {MOST_DEPTH} folders deep"))
                else:
                    folders.append((entry.path, depth + 1))
            else:
                yield entry.path
        waiting += reversed(folders)


def _looked_at(path: str) -> FoundFile | LeftOut:
    try:
        state = os.lstat(path)
    except OSError as error:
        return LeftOut(path=path, reason=_reason(path, error))
    kind = kind_of(path)
    most = MOST_TEXT_BYTES if kind in ("text", "markdown", "html") else MOST_BYTES
    reason = ""
    if stat.S_ISLNK(state.st_mode):
        reason = "it is a link"
    elif not stat.S_ISREG(state.st_mode):
        reason = "it is no file but a device, pipe or folder"
    elif kind is None:
        reason = "it is no text, Markdown, PDF, HTML or DOCX"
    elif state.st_size > most:
        reason = f"it is larger than {_size(most)}"
    elif state.st_size == 0:
        reason = "it is empty"
    if kind is None or reason:
        return LeftOut(path=path, reason=reason)
    return FoundFile(path=path, kind=kind, size=state.st_size)


def within_roots(named: str, roots: Sequence[str]) -> Path:
    """The real path of a file that lies in one of the roots. Raises FileUnreadable: traversal, links that lead out,
    what is not there."""
    if not roots:
        raise FileUnreadable("No folder may be read: none is named.")
    if "\0" in named:
        raise FileUnreadable("A path cannot hold that character.")
    real_roots = [Path(os.path.realpath(os.path.expanduser(root))) for root in roots]  # noqa: PTH111
    expanded = os.path.expanduser(named)  # noqa: PTH111
    wanted = [Path(expanded)] if os.path.isabs(expanded) else [root / expanded for root in real_roots]  # noqa: PTH117
    for path in wanted:
        real = Path(os.path.realpath(path))
        if any(real == root or real.is_relative_to(root) for root in real_roots) and real.exists():
            return real
    raise FileUnreadable("It is not in one of the folders that may be read.")


def _reason(path: str, error: OSError) -> str:
    if os.path.islink(path):  # noqa: PTH114
        return "it is a link"
    return {2: "it is gone", 13: "it may not be read", 36: "its name is too long"}.get(
        error.errno or 0, (error.strerror or "it cannot be read").lower()
    )


def _size(count: int) -> str:
    return f"{count // (1024 * 1024)} MB"
