"""Bringing an export of another assistant into the transcript: read in a thread, written in small transactions, while
the next ones are read.

What was written stays when it is stopped or killed, and is passed over the next time. Between two batches the event
loop and the database are free for whoever is being answered.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from assistant.policies.cleaning import clean, clean_line
from memory.import_store import ImportStore, Kept
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation, Limits, Progress, Read, Skipped, Unread
from models.types import Cancel

MOST_CONVERSATIONS, MOST_CHARACTERS = 128, 2_000_000  # of one transaction
_DEFAULT = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """`done` and `total` in bytes of text."""

    done: int
    total: int
    name: str
    conversations: int  # read so far
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What came in (or would); `unread` names what could not be read, `unread_count` says how many there were."""

    sources: tuple[str, ...] = ()
    new: int = 0
    grown: int = 0
    here: int = 0
    messages: int = 0
    empty: int = 0
    unread: tuple[Unread, ...] = ()
    unread_count: int = 0
    left_out: tuple[tuple[str, int], ...] = ()
    stopped: bool = False


@dataclass(slots=True)
class _Count:
    sources: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)
    unread_count: int = 0
    messages: int = 0
    empty: int = 0

    def kept(self, batch: Sequence[ImportedConversation], kept: Sequence[Kept]) -> None:
        for one, became in zip(batch, kept, strict=True):
            self.sources.add(one.source)
            self.outcomes[became.outcome] += 1
            self.messages += became.messages
            if became.outcome != "here":
                self.left_out.update(dict(one.left_out))

    def missed(self, read: Unread, most: int) -> None:
        self.unread_count += 1
        if len(self.unread) < most:
            self.unread.append(Unread(where=clean_line(read.where, 300), why=clean_line(read.why, 200)))

    def report(self, *, stopped: bool) -> ImportReport:
        return ImportReport(
            sources=tuple(sorted(self.sources)),
            new=self.outcomes["new"],
            grown=self.outcomes["grown"],
            here=self.outcomes["here"],
            messages=self.messages,
            empty=self.empty,
            unread=tuple(self.unread),
            unread_count=self.unread_count,
            left_out=tuple(sorted(self.left_out.items())),
            stopped=stopped,
        )


async def import_history(
    path: Path,
    store: ImportStore,
    *,
    at: datetime,
    watch: Callable[[ImportProgress], None] = lambda _: None,
    cancel: Cancel | None = None,
    dry_run: bool = False,
    limits: Limits = _DEFAULT,
) -> ImportReport:
    """Raises ImportRefused, before anything is written, for a file that is none; StoreError."""
    reads = read_export(path, clean, limits)
    count = _Count()
    ahead = asyncio.create_task(asyncio.to_thread(_some_of, reads))
    try:
        while not (cancel is not None and cancel.is_set):
            some = await asyncio.shield(ahead)
            if not some:
                return count.report(stopped=False)
            ahead = asyncio.create_task(asyncio.to_thread(_some_of, reads))
            batch = _note(some, count, limits)
            if batch:
                kept = await (store.compare(batch) if dry_run else store.add(batch, at=at))
                count.kept(batch, kept)
            watch(_progress(some, count))
        return count.report(stopped=True)
    finally:
        await asyncio.wait({ahead})  # nobody else may touch the reader before
        ahead.exception()
        reads.close()


def _progress(some: Sequence[Read], count: _Count) -> ImportProgress:
    last = next(read for read in reversed(some) if isinstance(read, Progress))  # they end with one
    return ImportProgress(
        done=last.done,
        total=last.total,
        name=clean_line(last.name, 100),
        conversations=count.outcomes.total(),
        messages=count.messages,
    )


def _some_of(reads: Iterator[Read]) -> list[Read]:
    """In a thread: as much as one transaction takes."""
    some: list[Read] = []
    conversations = characters = 0
    for read in reads:
        some.append(read)
        if isinstance(read, ImportedConversation):
            conversations += 1
            characters += read.characters
        full = conversations >= MOST_CONVERSATIONS or characters >= MOST_CHARACTERS
        if isinstance(read, Progress) and (full or len(some) >= 1_000):
            break
    return some


def _note(some: Sequence[Read], count: _Count, limits: Limits) -> list[ImportedConversation]:
    batch: list[ImportedConversation] = []
    for read in some:
        match read:
            case ImportedConversation():
                batch.append(read)
            case Unread():
                count.missed(read, limits.faults)
            case Skipped():
                count.empty += 1
            case Progress():
                pass
    return batch
