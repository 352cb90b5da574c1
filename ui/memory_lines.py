"""What is remembered as lines of text for the command line and line mode. Pure, but for the list of backups."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path

from assistant.policies.cleaning import clean_line
from memory.changes import HistoryEntry
from memory.preferences import ForgetMessages, ForgetPreview, Forgotten, Item, Preference, Usage
from memory.types import SessionId
from ui.memory_words import (
    OUTCOME,
    PLACE,
    STATUS,
    about,
    day,
    deltas_words,
    entry_words,
    evidence_words,
    minute,
    scope_words,
    since,
    standing,
    statement,
)
from ui.session_lines import fit, messages

Titles = Mapping[SessionId, str]


def list_lines(preferences: Sequence[Preference], zone: tzinfo | None, width: int | None) -> Iterator[str]:
    """A heading and one line a memory; * marks what is pinned."""
    rows = [("ID", "Since", "Status", "Domain", "In your words")]
    for one in preferences:
        pin = "* " if one.pinned else ""
        rows.append((one.id, day(since(one), zone), STATUS[one.status], one.domain, f"{pin}{statement(one)}"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [cell.ljust(size) for cell, size in zip(row[:-1], widths, strict=True)]
        yield fit("  ".join([*cells, row[-1]]), width)


def show_lines(
    item: Item, history: Sequence[HistoryEntry], uses: Sequence[Usage], titles: Titles, zone: tzinfo | None
) -> Iterator[str]:
    """Everything about one memory: what, why, since when, what happened to it, which answers it shaped."""
    one = item.preference
    yield statement(one, 1_000)
    yield f"{one.id}  {about(one)}; holds {scope_words(one.scope, one.valid_to)}"
    yield standing(one, zone)
    if one.sensitivity != "normal":
        yield f"sensitivity: {one.sensitivity}"
    if one.superseded_by is not None:
        yield f"replaced by {one.superseded_by}"
    if one.contests is not None:
        yield f"contradicts {one.contests}"
    yield ""
    yield "Why:"
    for evidence in item.evidence:
        yield f"  {evidence_words(evidence, zone)}{_where(evidence.session_id, evidence.message_id, titles)}"
    if not item.evidence:
        yield "  the conversation it came from was deleted"
    yield ""
    yield "History:"
    for entry in history:
        yield f"  {entry.id}  {minute(entry.at, zone)}  {entry_words(entry)}"
    yield ""
    yield "Used in:"
    for use in uses:
        outcome = f", {OUTCOME[use.outcome]}" if OUTCOME[use.outcome] else ""
        yield f"  {minute(use.at, zone)}  answer {use.message_id}: {PLACE[use.place]}{outcome}"
    if not uses:
        yield "  no answer yet"


def _where(session_id: SessionId | None, message_id: int | None, titles: Titles) -> str:
    if session_id is None:
        return "  (typed as a memory)"
    title = clean_line(titles.get(session_id, ""), 60)
    return f"  (message {message_id} of {session_id}{f', {title}' if title else ''})"


def history_lines(entries: Sequence[HistoryEntry], zone: tzinfo | None, width: int | None) -> Iterator[str]:
    """Newest first: the number that `undo` takes, when, what, and the words before and after."""
    for entry in entries:
        yield fit(f"{entry.id}  {minute(entry.at, zone)}  {entry_words(entry)}", width)
        for line in deltas_words(entry):
            yield fit(f"    {line}", width)


def preview_lines(preview: ForgetPreview, chosen: ForgetMessages) -> Iterator[str]:
    """Exactly what a forget would remove."""
    yield "This removes, for good:"
    for item in preview.items:
        quotes = counted(len(item.evidence), "quote")
        yield f"  {item.id}  {statement(item.preference, 120)}  [{STATUS[item.preference.status]}, {quotes}]"
    history, uses = counted(preview.history_entries, "change"), counted(preview.uses, "note")
    yield f"  {history} in the history, {uses} of use, the words in the index"
    going = _going(preview, chosen)
    if going:
        yield f"  the words of {messages(going)} (the conversation keeps its shape)"
    left = len({*preview.sources, *preview.mentions}) - going
    if left:
        yield f"It leaves {messages(left)} with the words in {'it' if left == 1 else 'them'}."


def _going(preview: ForgetPreview, chosen: ForgetMessages) -> int:
    if chosen == "keep":
        return 0
    return len(preview.sources) + (len(preview.mentions) if chosen == "mentions" else 0)


def forgotten_lines(done: Forgotten, backups: Sequence[str]) -> Iterator[str]:
    """What was removed, counted, and honestly what was not."""
    parts = [f"{done.items} memor{'y' if done.items == 1 else 'ies'}", counted(done.evidence, "quote")]
    parts += [counted(done.history, "change"), f"{counted(done.uses, 'note')} of use", counted(done.vectors, "vector")]
    yield f"Forgotten: {', '.join(parts)}{f', the words of {messages(done.messages)}' if done.messages else ''}."
    yield "The same words are not learned again unless you ask for it."
    if done.messages_left:
        yield f"{messages(done.messages_left)} still hold{'s' if done.messages_left == 1 else ''} the words."
    if done.log_held:
        yield "Another program is reading the database; old pages stay in its log until that ends."
    if backups:
        yield f"Backups made before still hold it: {', '.join(backups)}"


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def backups_of(data: Path) -> tuple[str, ...]:
    """Names of the dated copies beside the database. Looks at the disk."""
    folder = data / "backups"
    return tuple(sorted(path.name for path in folder.iterdir())) if folder.is_dir() else ()
