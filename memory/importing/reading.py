"""An export from its file to conversations, one after another. Blocks; holds one conversation at a time."""

import zipfile
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO

from memory.importing.archive import Part, parts_of
from memory.importing.chatgpt import read_chatgpt
from memory.importing.claude import read_claude
from memory.importing.elements import Fault, Parsed, conversations_in, decode, is_conversation, objects
from memory.importing.types import ImportedConversation, Limits, Progress, Read, Skipped, Unread
from memory.importing.values import Clean

_FAILURES = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
_DEFAULT = Limits()


def read_export(path: Path, clean: Clean, limits: Limits = _DEFAULT) -> Generator[Read, None, None]:
    """Conversations, what could not be read, and after each how far it is. Every text passes `clean`.

    Raises ImportRefused before the first one when there is nothing to read."""
    parts, unread = parts_of(path, limits)
    yield from unread
    total = sum(part.size for part in parts)
    before = 0
    for part in parts:
        meter = _Meter()
        for read in _of_part(part, meter, clean, limits):
            yield read
            yield Progress(done=min(before + meter.read, total), total=total, name=part.name)
        before += part.size
    yield Progress(done=total, total=total, name="")


class _Meter:
    """Counts what is pulled, and keeps what stopped it."""

    def __init__(self) -> None:
        self.read = 0
        self.stopped: str = ""

    def pull(self, file: BinaryIO, most: int) -> bytes:
        try:
            data = file.read(most)
        except _FAILURES as error:
            self.stopped = f"it is damaged from here on ({' '.join(str(error).split())[:100]})"
            return b""
        self.read += len(data)
        return data


def _of_part(part: Part, meter: _Meter, clean: Clean, limits: Limits) -> Iterator[Read]:
    try:
        with part.open() as file:
            for number, found in enumerate(objects(lambda most: meter.pull(file, most), longest=limits.longest), 1):
                where = f"{part.name}, number {number}"
                if isinstance(found, Fault):
                    yield Unread(where=where, why=meter.stopped or found.why)
                    meter.stopped = ""
                elif isinstance(found, Parsed):
                    yield _conversation(found.value, where, clean)
                else:
                    yield from _of_object(found, where, clean)
    except _FAILURES as error:
        yield Unread(where=part.name, why=f"it cannot be opened ({' '.join(str(error).split())[:100]})")
        return
    if meter.stopped:
        yield Unread(where=part.name, why=meter.stopped)


def _of_object(raw: bytes, where: str, clean: Clean) -> Iterator[Read]:
    value = decode(raw)
    if value is not None:
        yield _conversation(value, where, clean)
        return
    yield Unread(where=where, why="it is not valid JSON")
    for inside, _ in conversations_in(raw):
        yield _conversation(decode(inside), where, clean)


def _conversation(value: object, where: str, clean: Clean) -> ImportedConversation | Unread | Skipped:
    if not isinstance(value, dict) or not is_conversation(value):
        return Unread(where=where, why="it is no conversation")
    try:
        found = read_chatgpt(value, clean) if "mapping" in value else read_claude(value, clean)
    except (ValueError, RecursionError) as error:
        return Unread(where=where, why=str(error))
    return Skipped(where=where) if found is None else found
