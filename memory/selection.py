"""Which items belong where, and in which order. Pure; both stores answer with it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from memory.errors import NotFound
from memory.lookup import only
from memory.preferences import Filter, Item, Preference, PreferenceId, ReviewQueue, Scope
from memory.slots import SLOTS, slot
from memory.text import folded
from memory.upkeep import due_for_review

HEAD_SLOTS = tuple(name for name, row in SLOTS.items() if row.head)
_SLOT_ORDER = {name: place for place, name in enumerate(SLOTS)}


def no_memory(wanted: str) -> NotFound:
    return NotFound(f"There is no memory {wanted!r}.", "`steward memory list` shows what is remembered.")


def one_memory(wanted: str, fitting: Sequence[str]) -> PreferenceId:
    """Raises NotFound."""
    return PreferenceId(only(wanted, fitting, missing=no_memory(wanted), what="memories"))


def fits(preference: Preference, filter: Filter) -> bool:
    """The filter of the memory screen; text is looked for anywhere, without case and accents."""
    return (
        (not filter.statuses or preference.status in filter.statuses)
        and (not filter.domains or preference.domain in filter.domains)
        and (not filter.sources or preference.source in filter.sources)
        and (not filter.slot or preference.slot == filter.slot)
        and (filter.pinned is None or preference.pinned == filter.pinned)
        and (not filter.text or folded(filter.text) in folded(_searched(preference)))
    )


def _searched(preference: Preference) -> str:
    return "\n".join((preference.statement, preference.object, preference.slot, preference.domain))


def newest_first(preferences: Iterable[Preference]) -> tuple[Preference, ...]:
    return tuple(sorted(preferences, key=lambda one: (one.recorded_at, one.id), reverse=True))


def strongest_first(preferences: Iterable[Preference]) -> tuple[Preference, ...]:
    return tuple(sorted(preferences, key=lambda one: (-one.strength, -one.confidence, one.id)))


def in_scope(preference: Preference, scopes: Collection[Scope]) -> bool:
    """Global items hold everywhere, "until" ones until their date, the others where their scope is named."""
    return preference.scope.type in ("global", "until") or preference.scope in scopes


def belongs_in_head(preference: Preference, at: datetime, scopes: Collection[Scope]) -> bool:
    wanted = preference.pinned or preference.strength == 4 or slot(preference.slot).head
    return wanted and not preference.condition and preference.holds_at(at) and in_scope(preference, scopes)


def head_order(preferences: Iterable[Preference]) -> tuple[Preference, ...]:
    """Always the same order for the same items: hard limits, then the order of the slot table, then the id."""
    return tuple(
        sorted(preferences, key=lambda one: (one.strength != 4, _SLOT_ORDER.get(one.slot, len(_SLOT_ORDER)), one.id))
    )


def review_queue(items: Mapping[PreferenceId, Item], at: datetime, limit: int) -> ReviewQueue:
    """`items` holds the disputed, what they contest, the candidates and the active."""
    disputes: list[tuple[Item, Item]] = []
    candidates: list[Item] = []
    for item in items.values():
        contested = items.get(item.preference.contests) if item.preference.contests is not None else None
        if item.preference.status == "disputed" and contested is not None and contested.preference.status == "active":
            disputes.append((item, contested))
        elif item.preference.status in ("candidate", "disputed"):
            candidates.append(item)
    stale = [item for item in items.values() if due_for_review(item.preference, at)]
    candidates.sort(key=lambda item: (-len(item.evidence), item.preference.recorded_at, item.id))
    disputes.sort(key=lambda pair: (pair[0].preference.recorded_at, pair[0].id))
    stale.sort(key=lambda item: (item.preference.last_reinforced_at or item.preference.recorded_at, item.id))
    return ReviewQueue(
        disputes=tuple(disputes[:limit]), candidates=tuple(candidates[:limit]), stale=tuple(stale[:limit])
    )
