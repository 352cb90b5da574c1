"""What a user does with what is remembered: the same acts for the command line, line mode and the memory screen.

Every act is one transaction of the store and answers with a receipt, which exists only after the commit.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches

from assistant.policies.cleaning import clean_line
from assistant.policies.language import Language
from assistant.ports import Clock
from assistant.remembering import meant_by
from memory.changes import (
    Change,
    Confirm,
    Delta,
    Deny,
    Edit,
    EntryId,
    HistoryEntry,
    Ignore,
    Learned,
    Merge,
    Pin,
    Retract,
)
from memory.errors import NotFound
from memory.preference_store import PreferenceStore
from memory.preferences import LIVE, Filter, ForgetMessages, Forgotten, Item, Preference, PreferenceId, Scope, Status
from memory.text import folded
from ui.errors import UiError
from ui.memory_typed import AS_IT_IS, Fields, edited, proposed
from ui.memory_words import IGNORED, OPERATION, scope_words, statement
from ui.wiring import load_language

EVERY_STATUS: tuple[Status, ...] = ("active", "candidate", "disputed", "superseded", "retracted", "expired")
MOST_MATCHES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was stored, in words, and the change that `undo` takes back."""

    words: str
    entry: EntryId | None = None  # the last, or None when nothing was changed
    entries: tuple[EntryId, ...] = ()  # all, when there are several
    ids: tuple[PreferenceId, ...] = ()


class MemoryActs:
    """Raises UiError for what cannot be done, StoreError for the store's refusals."""

    def __init__(self, store: PreferenceStore, clock: Clock) -> None:
        self.store = store
        self._clock = clock

    async def add(self, text: str, fields: Fields = AS_IT_IS) -> Receipt:
        """What the user wants kept, in their own words."""
        now = self._clock.now()
        candidates = proposed(text, fields, await self._language(), now)
        return _received(await self.store.learn(candidates, actor="user", at=now))

    async def find(self, wanted: str) -> Item:
        """By its id or the beginning of one. Raises UiError naming what may have been meant."""
        try:
            return await self.store.find(wanted.strip())
        except NotFound as error:
            near = await self._near(wanted)
            raise UiError(error.message, near or error.hint) from error

    async def _near(self, wanted: str) -> str:
        known: dict[str, Preference] = {one.id: one for one in await self.store.list(limit=2_000)}
        close = [known[id] for id in get_close_matches(wanted, known, n=2, cutoff=0.6)]
        close = close or [item.preference for item in (await self.matching(wanted))[:2]]
        return f"Did you mean {' or '.join(f'{one.id} ({statement(one, 60)})' for one in close)}?" if close else ""

    async def matching(self, text: str) -> tuple[Item, ...]:
        """Of every status: those with these very words in them, else those that share a word, the best first."""
        words = text.strip()
        if not words:
            return ()
        fitting = await self.store.list(Filter(text=words), limit=MOST_MATCHES)
        if not fitting:
            hits = await self.store.search(words, limit=MOST_MATCHES, statuses=EVERY_STATUS)
            fitting = tuple(hit.preference for hit in hits)
        order = {status: place for place, status in enumerate(EVERY_STATUS)}
        fitting = tuple(sorted(fitting, key=lambda one: order[one.status]))
        return tuple([await self.store.item(one.id) for one in fitting])

    async def meant(self, wanted: str) -> tuple[Item, ...]:
        """To be forgotten: one item by its id, or all that fit the words; where there are none, those of which only the
        history has the words, because they were undone. Raises UiError when there is none."""
        try:
            return (await self.store.find(wanted.strip()),)
        except NotFound:
            found = await self.matching(wanted) or await self._gone(wanted)
        if not found:
            raise UiError(f"Nothing about {clean_line(wanted, 80)!r} is remembered.", "See: steward memory list")
        return found

    async def _gone(self, wanted: str) -> tuple[Item, ...]:
        words = folded(" ".join(wanted.split()))
        past = await self.store.gone()
        named = [item for item in past if item.id == wanted.strip() or words in folded(item.preference.statement)]
        meant = set(meant_by(wanted, (item.preference for item in past)))
        found = named or [item for item in past if item.preference in meant]
        return tuple({item.id: item for item in reversed(found)}.values()) if words else ()

    async def edit(self, item: Item, text: str | None, fields: Fields = AS_IT_IS) -> Receipt:
        """Other words, other fields, or both. The memory counts as the user's own word from now on."""
        change = edited(item.id, text, fields, await self._language())
        after = item if change.statement is None else _reworded(item, change.statement)
        return await self._apply(change, "Saved", after)

    async def confirm(self, item: Item) -> Receipt:
        return await self._apply(Confirm(id=item.id, reason="you said yes"), "Confirmed", item)

    async def deny(self, item: Item) -> Receipt:
        return await self._apply(Deny(id=item.id, reason="you said no"), "Not kept", item)

    async def retire(self, item: Item) -> Receipt:
        """It held, and no longer does."""
        return await self._apply(Retract(id=item.id, reason="you said it no longer holds"), "Ended", item)

    async def pin(self, item: Item, pinned: bool) -> Receipt:
        return await self._apply(Pin(id=item.id, pinned=pinned), "Pinned" if pinned else "No longer pinned", item)

    async def rescope(self, item: Item, scope: Scope, until: datetime | None = None) -> Receipt:
        endless = until is None and item.preference.scope.type == "until"
        change = Edit(id=item.id, scope=scope, valid_to=until, endless=endless, reason="you changed where it holds")
        return await self._apply(change, f"Holds {scope_words(scope, until)}", item)

    async def merge(self, item: Item, absorbed: Sequence[Item]) -> Receipt:
        """The user says that these are one: `item` keeps its words and takes the evidence of the others."""
        ids = tuple(other.id for other in absorbed if other.id != item.id)
        if not ids:
            raise UiError("It takes two different memories to merge.", "steward memory merge KEPT OTHER")
        return await self._apply(Merge(id=item.id, absorbed=ids, reason="you said they are one"), "Merged into", item)

    async def undo(self, entry: EntryId | None = None) -> Receipt:
        made = await self.store.undo(entry, at=self._clock.now())
        undone = made.undo_of
        words = next((other for other in await self.store.history(limit=200) if other.id == undone), None)
        what = "" if words is None else f" ({OPERATION[words.operation]})"
        ids = tuple(delta.id for delta in made.deltas)
        return Receipt(words=f"Change {undone}{what} is undone.", entry=made.id, ids=ids)

    async def forget(self, items: Sequence[Item], messages: ForgetMessages) -> Forgotten:
        """Physically, and for good."""
        return await self.store.forget([item.id for item in items], messages=messages, at=self._clock.now())

    async def _language(self) -> Language:
        return await asyncio.to_thread(load_language)

    async def _apply(self, change: Change, done: str, item: Item) -> Receipt:
        entries = await self.store.apply([change], actor="user", at=self._clock.now())
        words = f"“{statement(item.preference, 120)}”"
        if not entries:
            return Receipt(words=f"Nothing to change: {words} is so already.", ids=(item.id,))
        return Receipt(words=f"{done}: {words}", entry=entries[-1].id, ids=(item.id,))


def _reworded(item: Item, words: str) -> Item:
    return replace(item, preference=replace(item.preference, statement=words))


def _received(learned: Learned) -> Receipt:
    """Raises UiError when nothing was stored."""
    if not learned.entries:
        ignored = next((change for change in learned.changes if isinstance(change, Ignore)), None)
        raise UiError(*IGNORED["already_known" if ignored is None else ignored.because])
    numbers = tuple(entry.id for entry in learned.entries)
    ids = tuple(delta.id for entry in learned.entries for delta in entry.deltas if _is_kept(delta))
    return Receipt(words="; ".join(map(_entry_words, learned.entries)), entry=numbers[-1], entries=numbers, ids=ids)


def _entry_words(entry: HistoryEntry) -> str:
    items = [delta.after.preference for delta in entry.deltas if delta.after is not None and _is_kept(delta)]
    ended = [delta.after.preference for delta in entry.deltas if delta.after is not None and not _is_kept(delta)]
    words = "; ".join(f"“{statement(one, 120)}”" for one in items)
    if entry.operation == "dispute":
        return f"Kept for review, because it contradicts what is protected: {words}"
    if entry.operation == "retract":
        return f"No longer used: {'; '.join(f'“{statement(one, 120)}”' for one in ended)}"
    if ended:
        words += f", in place of {'; '.join(f'“{statement(one, 80)}”' for one in ended)}"
    return f"{'Known already, and noted again' if entry.operation in ('reinforce', 'refine') else 'Saved'}: {words}"


def _is_kept(delta: Delta) -> bool:
    return delta.after is not None and delta.after.preference.status in LIVE
