"""/undo: takes back whichever was last, something that was remembered or something that was done."""

from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from assistant.reports import CouldNot
from memory.changes import EntryId, HistoryEntry
from ui.acting_words import report_words
from ui.errors import UiError
from ui.memory_acts import MemoryActs

if TYPE_CHECKING:
    from memory.decision_store import DecisionStore
    from ui.deciding import Deciding

_LOOKED_THROUGH = 50  # changes of memory


async def undo_last(acts: MemoryActs, store: "DecisionStore", deciding: "Deciding") -> str:
    """In words, what was taken back. Raises UiError, StoreError."""
    deed = next((one for one in await store.effects() if one.state == "done" and one.undo_token), None)
    entry = await _last_change(acts)
    if entry is not None and (deed is None or entry.at > (deed.finished_at or deed.started_at)):
        return (await acts.undo(entry.id)).words
    if deed is None:
        raise UiError("There is nothing to take back.", "/decisions and /memory show what there is.")
    plan = await deciding.plan_of(deed.key)
    report = await (deciding.undo(deed.key) if plan is None else deciding.undo_plan(plan.id))
    if isinstance(report, CouldNot):
        raise UiError(report.message, report.hint)
    return report_words(report)


async def undo_change(acts: MemoryActs, number: str) -> str:
    """A change of memory by its number. Raises UiError, StoreError."""
    if not number.isdecimal():
        raise UiError(f"{clean_line(number, 20)} is no number of a change.", "/memory history numbers them.")
    return (await acts.undo(EntryId(int(number)))).words


async def _last_change(acts: MemoryActs) -> HistoryEntry | None:
    """The newest change by the user's hand or words that still stands."""
    for entry in await acts.store.history(limit=_LOOKED_THROUGH):
        theirs = entry.operation != "undo" and entry.actor in ("user", "rules")
        if theirs and entry.undoable and not entry.undone:
            return entry
    return None
