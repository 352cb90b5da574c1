"""What is remembered: is it all found by its words, and by what it means."""

from memory.errors import StoreError
from memory.sqlite_memory_health import MemoryHealth
from ui.checks.result import Check, broken, note, ok
from ui.memory_lines import counted
from ui.memory_words import EMBEDDER_FIX, EMBEDDER_MISSING


def check_memory(found: MemoryHealth | StoreError | None, *, embedder: bool) -> Check:
    """`embedder`: whether the files of the sentence embedder are here. A damaged database is told of elsewhere."""
    match found:
        case None:
            return ok("memory", "nothing is remembered yet")
        case StoreError():
            return note("memory", "it cannot be looked at while the database is in trouble")
        case MemoryHealth():
            return _check(found, embedder)


def _check(health: MemoryHealth, embedder: bool) -> Check:
    what = (
        f"{health.in_force:,} in force, {health.to_review:,} to review, {health.tombstones:,} marks of forgotten words"
    )
    if health.unsearchable:
        return broken("memory", f"{what}; search misses {health.unsearchable:,}", "steward doctor --repair")
    if not embedder and health.in_force:
        return note("memory", f"{what}. {EMBEDDER_MISSING}", f"Fetch it: {EMBEDDER_FIX}")
    if health.failing:
        return note(
            "memory",
            f"{what}; {health.failing:,} could not be indexed after several tries; they are found by their words only",
            f"Fetch the model of the index again: steward models remove all-minilm-l6-v2, then {EMBEDDER_FIX}",
        )
    if health.owed:
        owed = counted(health.owed, "change")
        return note("memory", f"{what}; {owed} to be indexed, which happens while Steward runs")
    if health.missing or health.strangers:
        number = health.missing + health.strangers
        return note("memory", f"{what}; the index is out of step by {number:,} and is mended at the next start")
    index = f"index in step, {health.vectors:,} vectors, generation {health.generation}" if embedder else "no index yet"
    return ok("memory", f"{what}; {index}")
