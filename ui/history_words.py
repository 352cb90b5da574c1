"""An import in words and as JSON: what came in, what did not and why."""

from collections.abc import Iterator
from typing import Any

from assistant.importing import ImportProgress, ImportReport
from memory.importing.types import SOURCE_NAMES
from ui.history_acts import Imported
from ui.rendering import bytes_text

MOST_NAMED = 20


def progress_words(progress: ImportProgress) -> str:
    percent = progress.done * 100 // progress.total if progress.total else 100
    return (
        f"{percent} %, {bytes_text(progress.done)} of {bytes_text(progress.total)}, "
        f"{conversations(progress.conversations)}, {progress.messages:,} new messages"
    )


def report_lines(imported: Imported, *, dry_run: bool) -> Iterator[str]:
    """One thought a line; what could not be read is named."""
    report = imported.report
    names = " and ".join(SOURCE_NAMES.get(source, source) for source in report.sources)
    came = "would come in" if dry_run else "came in"
    from_whom = f" from {names}" if names else ""
    yield f"{conversations(report.new)}{from_whom} {came}, {report.messages:,} messages in all."
    if report.grown:
        yield f"{conversations(report.grown)} {'would have' if dry_run else 'have'} more messages than before."
    if report.here:
        yield f"{conversations(report.here)} {'was' if report.here == 1 else 'were'} here already."
    if report.empty:
        yield f"{conversations(report.empty)} without a message {'was' if report.empty == 1 else 'were'} left out."
    if report.left_out:
        yield f"A transcript has no place for: {', '.join(f'{count:,} {name}' for name, count in report.left_out)}."
    if report.unread_count:
        yield f"{report.unread_count:,} {'part' if report.unread_count == 1 else 'parts'} could not be read:"
        for one in report.unread[:MOST_NAMED]:
            yield f"  {one.where}: {one.why}"
        if report.unread_count > MOST_NAMED:
            yield f"  and {report.unread_count - MOST_NAMED:,} more; --json names them."
    if report.stopped:
        yield "Stopped. What came in stays; the same import goes on from there."
    if imported.backup is not None:
        yield f"What was here before is backed up: {imported.backup.name}"


def import_value(imported: Imported, *, dry_run: bool) -> dict[str, Any]:
    report: ImportReport = imported.report
    return {
        "dry_run": dry_run,
        "stopped": report.stopped,
        "sources": list(report.sources),
        "new": report.new,
        "grown": report.grown,
        "here": report.here,
        "empty": report.empty,
        "messages": report.messages,
        "left_out": dict(report.left_out),
        "unread_count": report.unread_count,
        "unread": [{"where": one.where, "why": one.why} for one in report.unread],
        "backup": None if imported.backup is None else str(imported.backup),
        "to_learn_from": imported.to_learn_from,
    }


def learned_words(read: int, proposed: int, review: str = "steward memory review") -> str:
    if not proposed:
        return f"{read:,} of your messages were read; nothing in them was new."
    things = "thing waits" if proposed == 1 else "things wait"
    return f"{read:,} of your messages were read; {proposed:,} {things} for your yes: {review}"


def conversations(count: int) -> str:
    return f"{count:,} conversation{'' if count == 1 else 's'}"
