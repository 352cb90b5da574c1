"""What a user does with what is remembered: the same acts for the command line, line mode and the memory screen.

Every act is one transaction of the store and answers with a receipt, which exists only after the commit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches

from assistant.policies.cleaning import clean, clean_line
from assistant.ports import Clock
from memory.changes import Change, Confirm, Deny, Edit, EntryId, Ignore, Learned, Merge, Pin, Retract
from memory.errors import NotFound
from memory.preference_store import PreferenceStore
from memory.preferences import (
    DOMAINS,
    EVERYWHERE,
    Candidate,
    Evidence,
    Filter,
    ForgetMessages,
    Forgotten,
    Item,
    Polarity,
    Preference,
    PreferenceId,
    Scope,
    Status,
    Strength,
)
from memory.slots import SLOTS, slot
from ui.errors import UiError
from ui.memory_words import IGNORED, OPERATION, scope_words, statement

EVERY_STATUS: tuple[Status, ...] = ("active", "candidate", "disputed", "superseded", "retracted", "expired")
MOST_MATCHES = 20
_UNSORTED = "other.fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What the user said about a memory beside its words; None leaves a field as it is."""

    slot: str | None = None
    object: str | None = None
    polarity: Polarity | None = None
    strength: Strength | None = None
    scope: Scope | None = None
    condition: str | None = None
    until: datetime | None = None

    @property
    def given(self) -> bool:
        return self != Fields()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was stored, in words, and the change that `undo` takes back."""

    words: str
    entry: EntryId | None = None
    ids: tuple[PreferenceId, ...] = ()


class MemoryActs:
    """Raises UiError for what cannot be done, StoreError for the store's refusals."""

    def __init__(self, store: PreferenceStore, clock: Clock) -> None:
        self.store = store
        self._clock = clock

    async def add(self, text: str, fields: Fields = Fields()) -> Receipt:
        """What the user wants kept, in their own words."""
        now = self._clock.now()
        return _received(await self.store.learn([proposed(text, fields, now)], actor="user", at=now))

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
        """One item by its id, or all that fit the words. Raises UiError when there is none."""
        try:
            return (await self.store.find(wanted.strip()),)
        except NotFound:
            found = await self.matching(wanted)
        if not found:
            raise UiError(f"Nothing about {clean_line(wanted, 80)!r} is remembered.", "See: steward memory list")
        return found

    async def edit(self, item: Item, text: str | None, fields: Fields = Fields()) -> Receipt:
        """Other words, other fields, or both. The memory counts as the user's own word from now on."""
        words = None if text is None else _said(text)
        if words is None and not fields.given:
            raise UiError("There is nothing to change.", "Give the new words, or an option such as --avoid.")
        change = Edit(
            id=item.id,
            statement=words,
            domain=None if fields.slot is None else slot(fields.slot).domain,
            kind=None if fields.slot is None else slot(fields.slot).kind,
            slot=fields.slot,
            object=fields.object,
            polarity=fields.polarity,
            strength=fields.strength,
            scope=fields.scope,
            condition=fields.condition,
            valid_to=fields.until,
            reason="you rewrote it",
        )
        return await self._apply(change, "Saved", await self._after(change, item))

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

    async def _after(self, change: Edit, item: Item) -> Item:
        if change.statement is None:
            return item
        return replace(item, preference=replace(item.preference, statement=change.statement))

    async def _apply(self, change: Change, done: str, item: Item) -> Receipt:
        entries = await self.store.apply([change], actor="user", at=self._clock.now())
        words = f"“{statement(item.preference, 120)}”"
        if not entries:
            return Receipt(words=f"Nothing to change: {words} is so already.", ids=(item.id,))
        return Receipt(words=f"{done}: {words}", entry=entries[-1].id, ids=(item.id,))


def proposed(text: str, fields: Fields, now: datetime) -> Candidate:
    """A candidate of what the user typed to be kept, as they described it. Raises UiError for an empty text."""
    words = _said(text)
    row = slot(fields.slot or _UNSORTED)
    return Candidate(
        statement=words,
        kind=row.kind,
        domain=row.domain,
        slot=row.name,
        source="explicit",
        evidence=Evidence(quote=words, at=now, stop=len(words)),
        object=fields.object or "",
        polarity=1 if fields.polarity is None else fields.polarity,
        strength=fields.strength or 2,
        scope=fields.scope or EVERYWHERE,
        condition=fields.condition or "",
        sensitivity=row.sensitivity,
        valid_to=fields.until,
        requested=True,
        extractor="typed",
    )


def _said(text: str) -> str:
    words = " ".join(clean(text).split())
    if not words:
        raise UiError("There are no words to remember.", 'Say it in one sentence: steward memory add "I hate olives"')
    return words


def _received(learned: Learned) -> Receipt:
    """Raises UiError when nothing was stored."""
    for change in learned.changes:
        if isinstance(change, Ignore):
            raise UiError(*IGNORED[change.because])
    if not learned.entries:
        raise UiError(*IGNORED["already_known"])
    entry = learned.entries[-1]
    items = [delta.after for delta in entry.deltas if delta.after is not None]
    kept = [item for item in items if item.preference.status in ("active", "candidate", "disputed")]
    ended = [item for item in items if item.preference.status == "superseded"]
    words = "; ".join(f"“{statement(item.preference, 120)}”" for item in kept)
    if entry.operation == "dispute":
        return Receipt(
            words=f"Kept for review, because it contradicts what is protected: {words}",
            entry=entry.id,
            ids=tuple(item.id for item in kept),
        )
    if ended:
        words += f", in place of {'; '.join(f'“{statement(item.preference, 80)}”' for item in ended)}"
    label = "Known already, and noted again" if entry.operation in ("reinforce", "refine") else "Saved"
    return Receipt(words=f"{label}: {words}", entry=entry.id, ids=tuple(item.id for item in kept))


def parse_scope(text: str, now: datetime) -> tuple[Scope, datetime | None]:
    """ "global", "domain:food", "project:NAME", "person:NAME", "session:ID", "until:2026-05-01". Raises UiError."""
    kind, _, value = text.strip().partition(":")
    value = clean_line(value, 80)
    match kind.lower():
        case "global" | "everywhere" if not value:
            return EVERYWHERE, None
        case "domain" if value in DOMAINS:
            return Scope(type="domain", value=value), None
        case "domain":
            near = get_close_matches(value, DOMAINS, n=1)
            hint = f"Did you mean domain:{near[0]}?" if near else f"Domains: {', '.join(DOMAINS)}"
            raise UiError(f"There is no domain {value!r}.", hint)
        case "project" if value:
            return Scope(type="project", value=value), None
        case "person" if value:
            return Scope(type="person", value=value), None
        case "session" if value:
            return Scope(type="session", value=value), None
        case "until" if value:
            return Scope(type="until"), parse_day(value, now)
        case _:
            raise UiError(
                f"{clean_line(text, 60)!r} is no scope.",
                "Scopes: global, domain:NAME, project:NAME, person:NAME, session:ID, until:YYYY-MM-DD",
            )


def parse_day(text: str, now: datetime) -> datetime:
    """The end of that day where the user is, aware. Raises UiError."""
    try:
        wanted = date.fromisoformat(text.strip())
    except ValueError:
        raise UiError(f"{clean_line(text, 40)!r} is no date.", "Write it as YYYY-MM-DD.") from None
    end = datetime.combine(wanted + timedelta(days=1), time()).astimezone()
    if end <= now:
        raise UiError(f"{text.strip()} has passed.", "Give a day that is still to come.")
    return end


def parse_slot(name: str) -> str:
    """Raises UiError naming near ones."""
    wanted = name.strip().lower()
    if wanted in SLOTS:
        return wanted
    near = get_close_matches(wanted, SLOTS, n=3, cutoff=0.5)
    near = near or [known for known in SLOTS if known.partition(".")[2] == wanted]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Slots begin with a domain: {', '.join(DOMAINS)}"
    raise UiError(f"There is no slot {clean_line(name, 40)!r}.", hint)
