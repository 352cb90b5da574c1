"""One memory as rows of the memory screen: what, why with quotes, history, and the answers it shaped. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from textual.content import Content

from memory.changes import HistoryEntry
from memory.indexer import IndexStatus
from memory.preferences import Filter, Item, Preference, Usage
from memory.types import MessageId
from ui.lines import DIM, EMPTY, PLAIN, Line, Look, wrap
from ui.memory_words import (
    OUTCOME,
    PLACE,
    SOURCE,
    STATUS,
    STRENGTH,
    deltas_words,
    entry_words,
    evidence_words,
    minute,
    scope_words,
    standing,
    statement,
)
from ui.rendering import content, fitted, labelled, one_line

_HEAD = Look(tone="heading", bold=True)
_MOST_HISTORY = 12
_MARKS = {"candidate": "?", "disputed": "!", "superseded": "-", "retracted": "-", "expired": "-"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """All there is to say about one memory. `places`: the title of the conversation each message is in."""

    item: Item
    history: tuple[HistoryEntry, ...] = ()
    uses: tuple[Usage, ...] = ()
    places: Mapping[MessageId, str] = field(default_factory=dict)


def list_row(one: Preference, width: int) -> Content:
    """A sign for its standing (words are in the panel), pin, words, domain."""
    mark = "*" if one.pinned else _MARKS.get(one.status, " ")
    domain = one.domain.replace("_", " ")
    room = max(width - len(domain) - 5, 12)
    words = fitted(statement(one, 1_000), room)
    style = "" if one.status == "active" else "$text-muted"
    gap = " " * max(room - content(words).cell_length + 1, 1)
    return Content.assemble(content(f"{mark} "), content(words, style), gap, content(domain, "$text-muted"))


def filter_words(filter: Filter) -> str:
    """What the list is narrowed to: "only food, noticed"."""
    parts = [*(name.replace("_", " ") for name in filter.domains)]
    parts += [SOURCE[source] for source in filter.sources]
    parts += [STATUS[status] for status in filter.statuses] if len(filter.statuses) == 1 else []
    return f"only {', '.join(parts)}" if parts else ""


def index_words(status: IndexStatus | None) -> str:
    """What the index is doing; "" while it has nothing to do."""
    match status:
        case IndexStatus(stage="embedding", total=total):
            return f"reading {total:,} for the index"
        case IndexStatus(stage="building", done=done, total=total):
            return f"building the index {done:,}/{total:,}"
        case _:
            return ""


def why_rows(known: Known, width: int) -> list[Line]:
    one = known.item.preference
    rows = wrap(((f"“{statement(one, 1_000)}”", Look(bold=True)),), width)
    rows += wrap(((standing(one), PLAIN),), width)
    rows += [EMPTY, *labelled("about", _about(one), width)]
    rows += labelled("holds", scope_words(one.scope, one.valid_to), width)
    if one.condition:
        rows += labelled("only", one_line(one.condition, 200), width)
    if one.sensitivity != "normal":
        rows += labelled("sensitivity", one.sensitivity, width)
    if one.superseded_by is not None:
        rows += labelled("replaced by", one.superseded_by, width)
    if one.contests is not None:
        rows += labelled("contradicts", one.contests, width)
    rows += labelled("id", one.id, width)
    return [*rows, EMPTY, *_quotes(known, width), EMPTY, *_history(known, width), EMPTY, *_uses(known, width)]


def _about(one: Preference) -> str:
    wants = {-1: "you avoid", 0: "about", 1: "you want"}[one.polarity] if one.object else ""
    thing = f", {wants} {one_line(one.object, 80)}" if one.object else ""
    return f"{one.slot}{thing}, {STRENGTH[one.strength]}" if one.polarity else f"{one.slot}{thing}"


def _quotes(known: Known, width: int) -> list[Line]:
    rows = [_title("Why", width)]
    for evidence in known.item.evidence:
        rows += wrap(((evidence_words(evidence), PLAIN),), width, hang=((" " * 18, PLAIN),))
        if evidence.message_id is not None:
            where = known.places.get(evidence.message_id, "a conversation that is gone")
            rows += wrap(((f"in “{one_line(where, 80)}”", DIM),), width, lead=((" " * 18, PLAIN),))
    if not known.item.evidence:
        rows += wrap((("The conversation it came from was deleted.", DIM),), width)
    return rows


def _history(known: Known, width: int) -> list[Line]:
    rows = [_title("History", width)]
    for entry in known.history[:_MOST_HISTORY]:
        rows += wrap(((f"{minute(entry.at)}  {entry_words(entry)}", PLAIN),), width, hang=((" " * 18, PLAIN),))
        if entry.operation in ("edit", "supersede", "undo", "merge"):
            for line in deltas_words(entry):
                rows += wrap(((line, DIM),), width, lead=((" " * 18, PLAIN),), hang=((" " * 20, PLAIN),))
    return rows


def _uses(known: Known, width: int) -> list[Line]:
    rows = [_title("Used in", width)]
    for use in known.uses:
        outcome = f", {OUTCOME[use.outcome]}" if OUTCOME[use.outcome] else ""
        where = f" of “{one_line(known.places[use.message_id], 60)}”" if use.message_id in known.places else ""
        words = f"{minute(use.at)}  an answer{where}: {PLACE[use.place]}{outcome}"
        rows += wrap(((words, PLAIN),), width, hang=((" " * 18, PLAIN),))
    if not known.uses:
        rows += wrap((("No answer yet.", DIM),), width)
    return rows


def empty_rows(anything: bool, width: int) -> list[Line]:
    if anything:
        return wrap((("Nothing fits.", DIM),), width)
    rows = wrap((("Nothing is remembered yet.", Look(bold=True)),), width)
    teach = (
        "Say it in the chat in plain words: “I'm vegetarian”, “keep answers short”, “call me Sam”, “remember that the "
        "car is in the garage on Mondays”. Each is confirmed with one line, and Ctrl+Z takes it back."
    )
    return [*rows, EMPTY, *wrap(((teach, PLAIN),), width)]


def _title(text: str, width: int) -> Line:
    return wrap(((text, _HEAD),), width)[0]


def used_messages(item: Item, uses: Sequence[Usage]) -> tuple[MessageId, ...]:
    """Messages whose conversation the panel names."""
    quoted = [evidence.message_id for evidence in item.evidence if evidence.message_id is not None]
    return tuple(dict.fromkeys([*quoted, *(use.message_id for use in uses)]))
