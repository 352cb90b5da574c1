"""Backups and what is kept as lines of text, for the command line, line mode and the data screen. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory.sqlite_backup import SHOWN
from ui.checks.result import size

if TYPE_CHECKING:
    from memory.backup_names import BackupFile
    from memory.data_dir import Home
    from memory.home_files import HomeFile
    from memory.sqlite_backup import Contents
    from memory.sqlite_restore import Preview, Restored
    from memory.sqlite_salvage import Salvaged

KINDS = {
    "daily": "daily",
    "by-hand": "made by you",
    "before-schema": "before an update",
    "before-import": "before an import",
    "before-restore": "before a restore",
    "before-repair": "before a repair",
    "before-encryption": "before encrypting",
    "salvaged": "saved from a damaged history",
    "other": "",
}
FORGOTTEN_PASSPHRASE = (
    "If you forget the passphrase, nobody can open this file: there is no reset and no second key. Write it down."
)


def contents_words(contents: Contents) -> str:
    """12 conversations, 340 messages, 8 memories, 2 reminders"""
    return ", ".join(_counted(contents.rows.get(table, 0), words) for table, words in SHOWN.items())


def _counted(number: int, words: str) -> str:
    singular = "memory" if words == "memories" else words.removesuffix("s")
    return f"{number:,} {singular if number == 1 else words}"


def moment(at: datetime) -> str:
    return f"{at.astimezone():%d %B %Y, %H:%M}"


def backup_words(backup: BackupFile) -> str:
    kind = KINDS.get(backup.kind, backup.kind)
    secret = ", encrypted" if backup.encrypted else ""
    return f"{moment(backup.at)}  {size(backup.size):>7}  {kind}{secret}".rstrip()


def backup_line(backup: BackupFile) -> str:
    """The same within a sentence: without columns."""
    return ", ".join(part.strip() for part in backup_words(backup).split("  ") if part.strip())


def preview_lines(found: Preview) -> Iterator[str]:
    """What a restore would bring and what it would take."""
    newest = "" if found.backup.newest is None else f"; latest change {moment(found.backup.newest)}"
    yield f"The backup holds {contents_words(found.backup)}{newest}."
    if found.unreadable:
        yield f"The history that is here now cannot be read: {found.unreadable}"
        yield "It is kept as it is, in a folder of its own under backups."
        return
    if found.now is None:
        yield "Nothing is kept here now."
        return
    newest = "" if found.now.newest is None else f"; latest change {moment(found.now.newest)}"
    yield f"Here now: {contents_words(found.now)}{newest}."
    newer = [_counted(number, SHOWN[table]) for table, number in found.newer.items() if number]
    if newer:
        yield f"Not in the backup: {', '.join(newer)}."
    for title in found.titles:
        yield f"  {title or 'Untitled'}"
    yield "What is here now is kept as a backup first."


def restored_lines(done: Restored) -> Iterator[str]:
    yield f"Restored: {contents_words(done.contents)}."
    if done.aside is not None:
        yield f"What was here before is kept: {done.aside}"


def salvaged_lines(found: Salvaged) -> Iterator[str]:
    yield f"Saved: {contents_words(found.contents)}."
    if found.bad_pages or found.lost_rows:
        yield (
            f"Not saved: {_counted(found.lost_rows, 'rows')} that could be seen but not read, and whatever was on "
            f"{_counted(found.bad_pages, 'pages')} of {found.pages:,} that are gone."
        )
    else:
        yield "Nothing was found to be missing."
    if found.mended:
        yield f"{_counted(found.mended, 'rows')} had lost what they belong to and were given something in its place."


def places_of(home: Home, files: Sequence[HomeFile]) -> list[tuple[str, Path, int]]:
    """Names, folders or files, and bytes: what a person looks for first."""
    named = (
        ("history", home.database),
        ("backups", home.backups),
        ("models", home.models),
        ("settings", home.config),
        ("cache", home.cache),
        ("logs", home.state),
    )
    return [(name, path, _below(path, files)) for name, path in named]


def _below(place: Path, files: Sequence[HomeFile]) -> int:
    """The history counts with the files that SQLite keeps beside it."""
    return sum(
        one.size
        for one in files
        if place in one.path.parents or one.path == place or str(one.path).startswith(f"{place}-")
    )


def erase_lines(home: Home, going: Sequence[HomeFile]) -> Iterator[str]:
    """What deleting everything takes, before it is asked for."""
    yield f"{len(going):,} files with {size(sum(one.size for one in going))} go for good, backups included:"
    kinds: dict[str, int] = {}
    for one in going:
        kinds[one.holds] = kinds.get(one.holds, 0) + one.size
    for holds, total in kinds.items():
        yield f"  {size(total):>8}  {holds}"
    yield "Copies that you took elsewhere stay. A drive may hold traces of deleted files until it writes over them."
