"""What an import would do, before it does it: each sentence is new, changed, conflicting, known or refused, and why.

Pure: known state and what was read go in, lines for the reader and changes for the store come out. Doing it and asking
again finds everything known. An import never counts as having said something again: it makes nothing more certain.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from memory.changes import Add, Change, Delta, Dispute, Edit, Expire, HistoryEntry, Ignore, IgnoredBecause, Restore
from memory.keys import content_hash, subject_key, tombstone_keys
from memory.portable.own_json import OwnProfile, Refused
from memory.preferences import LIVE, Candidate, Evidence, Item, Preference, PreferenceId
from memory.profile_state import Parcel, Snapshot
from memory.reconcile import reconcile
from memory.slots import slot
from memory.transitions import rivals

Unfit = Callable[[Item], str]  # why a memory must not come in; "" when it may
Verdict = Literal["new", "changed", "conflicting", "known", "refused"]
VERDICTS: tuple[Verdict, ...] = ("new", "changed", "conflicting", "known", "refused")
_AHEAD = timedelta(days=1)  # clocks differ; what is dated later would win over everything the user says
_IGNORED: Mapping[IgnoredBecause, str] = {
    "already_known": "known already",
    "forgotten": "you had it forgotten here",
    "denied": "you said no to it here",
    "message_gone": "its message is gone",
    "secret": "it looks like a password or a key",
    "empty": "there are no words in it",
    "too_long": "it is too long for one memory",
    "unreadable": "it is not readable text",
    "nothing_to_withdraw": "nothing like it is remembered",
    "unclear_withdrawal": "several memories could be meant",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`why`: in a few words. `against`: the words here that it differs from. `where`: its place in the file."""

    verdict: Verdict
    statement: str
    why: str = ""
    against: str = ""
    where: str = ""
    id: PreferenceId | None = None
    domain: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`parcel` does what the lines say. `own`: it comes from a profile of Steward's, and is taken over as it is."""

    lines: tuple[Line, ...] = ()
    parcel: Parcel = field(default_factory=Parcel)
    own: bool = False

    def count(self, verdict: Verdict) -> int:
        return sum(1 for line in self.lines if line.verdict == verdict)


@dataclass(slots=True)
class _Shelf:
    """Items by what can touch them, so that the cost does not grow with what is remembered."""

    items: dict[PreferenceId, Item] = field(default_factory=dict)
    places: dict[tuple[str, str], dict[PreferenceId, Item]] = field(default_factory=dict)

    def put(self, item: Item) -> None:
        old = self.items.get(item.id)
        if old is not None:
            self.at(old.preference).pop(item.id, None)
        self.items[item.id] = item
        self.at(item.preference)[item.id] = item

    def at(self, one: Preference | Candidate) -> dict[PreferenceId, Item]:
        whole = slot(one.slot).cardinality == "single"
        return self.places.setdefault((one.slot, "" if whole else subject_key(one)), {})


def _shelved(items: Iterable[Item]) -> _Shelf:
    shelf = _Shelf()
    for item in items:
        shelf.put(item)
    return shelf


# --- Steward's own profile -------------------------------------------------------------------------------------


def compare_own(here: Snapshot, there: OwnProfile, unfit: Unfit, now: datetime, *, reason: str) -> Difference:
    """What is not active goes first: nothing that ended in the profile stands in the way of what replaced it."""
    theirs = frozenset(item.id for item in there.items)
    own = frozenset(item.id for item in here.items) - theirs
    comparing = _Comparing(here=here, own=own, shelf=_shelved(here.items), unfit=unfit, now=now)
    order = sorted(there.items, key=lambda item: item.preference.status == "active")
    lines = {item.id: comparing.line(item) for item in order}
    barred = {key for item in here.items if item.preference.status in LIVE for key in tombstone_keys(item.preference)}
    parcel = Parcel(
        changes=tuple(comparing.changes(there.items)),
        history=tuple(comparing.history(there.history, theirs)),
        tombstones=tuple(sorted(set(there.forgotten) - here.tombstones - barred)),
        reason=reason,
    )
    shown = (*(lines[item.id] for item in there.items), *map(_refused_line, there.refused))
    return Difference(lines=shown, parcel=parcel, own=True)


@dataclass(slots=True)
class _Comparing:
    here: Snapshot
    own: Collection[PreferenceId]  # what is here and not in the profile
    shelf: _Shelf
    unfit: Unfit
    now: datetime
    taken: dict[PreferenceId, Item] = field(default_factory=dict)
    same_as: dict[PreferenceId, PreferenceId] = field(default_factory=dict)  # theirs -> the one here that says it

    def line(self, item: Item) -> Line:
        old = self.shelf.items.get(item.id)
        if old is not None and portable(item) == portable(old):
            return _line("known", item, "the same")
        why = self._cannot(item) or self.unfit(item)
        if why:
            return _line("refused", item, why)
        return self._fresh(item) if old is None else self._again(item, old)

    def _cannot(self, item: Item) -> str:
        one = item.preference
        if one.sensitivity == "secret":
            return _IGNORED["secret"]
        if not any(character.isalnum() for character in one.statement):
            return _IGNORED["empty"]
        if item.id not in self.shelf.items and any(key in self.here.tombstones for key in tombstone_keys(one)):
            return _IGNORED["forgotten"]
        dates = (one.recorded_at, one.last_reinforced_at, *(evidence.at for evidence in item.evidence))
        if any(at is not None and at > self.now + _AHEAD for at in dates):
            return "it is dated in the future"
        return ""

    def _fresh(self, item: Item) -> Line:
        one = item.preference
        if one.status in LIVE:
            same = self._same(one)
            if same is not None:
                self.same_as[item.id] = same.id
                return _line("known", item, "said here too")
        return self._arriving(item, "new", "")

    def _same(self, one: Preference) -> Item | None:
        """Said here in another memory; two memories of the profile stay two."""
        here = (item for item in self.shelf.at(one).values() if item.id in self.own)
        live = (item for item in here if item.preference.status in LIVE)
        return next((item for item in live if _says_the_same(item.preference, one)), None)

    def _again(self, item: Item, old: Item) -> Line:
        if item.preference.revision > old.preference.revision:
            merged = replace(item, evidence=_joined(old.evidence, item.evidence))
            return self._arriving(merged, "changed", old.preference.statement)
        newer = item.preference.revision < old.preference.revision or _was_put_aside(item, old)
        if newer:
            return _line("known", item, "what is here is newer")
        return _line("conflicting", item, "changed here and there; yours stays", against=old.preference.statement)

    def _arriving(self, item: Item, verdict: Verdict, against: str) -> Line:
        clashing = rivals(item.preference, self.shelf.at(item.preference).values())
        if item.preference.status != "active" or not clashing:
            self._take(item)
            return _line(verdict, item, against=against)
        first = clashing[0]
        self._take(replace(item, preference=replace(item.preference, status="disputed", contests=first.id)))
        words = first.preference.statement
        return _line("conflicting", item, "contradicts what is in force; you will be asked", against=words)

    def _take(self, item: Item) -> None:
        self.taken[item.id] = item
        self.shelf.put(item)

    def changes(self, order: Iterable[Item]) -> Iterator[Change]:
        """With links only to what is there: to the one here that says the same, or to none."""
        taken = [self.taken[item.id] for item in order if item.id in self.taken]
        for item in sorted(taken, key=lambda item: item.preference.status == "active"):
            one = item.preference
            linked = replace(one, superseded_by=self._link(one.superseded_by), contests=self._link(one.contests))
            yield Restore(item=replace(item, preference=linked), reason="from a profile")

    def history(self, theirs: Iterable[HistoryEntry], ids: Collection[PreferenceId]) -> Iterator[HistoryEntry]:
        """Changes that this home has not seen: of memories that are here now, and of those that were gone there."""
        seen = {_entry_key(entry) for entry in self.here.history}
        for entry in theirs:
            deltas = tuple(delta for delta in entry.deltas if self._may_tell(delta, ids))
            told = replace(entry, deltas=deltas)
            if _entry_key(told) not in seen and bool(deltas) == bool(entry.deltas):
                yield told

    def _may_tell(self, delta: Delta, ids: Collection[PreferenceId]) -> bool:
        states = [state for state in (delta.before, delta.after) if state is not None]
        there = delta.id in self.shelf.items or delta.id not in ids
        return there and not any(self.unfit(state) for state in states)

    def _link(self, id: PreferenceId | None) -> PreferenceId | None:
        if id is None:
            return None
        meant = self.same_as.get(id, id)
        return meant if meant in self.shelf.items else None


def _was_put_aside(item: Item, old: Item) -> bool:
    """It came in before, and waits here because it contradicts something."""
    waiting = old.preference.status == "disputed" and item.preference.status == "active"
    return waiting and old.preference.statement == item.preference.statement


def _says_the_same(one: Preference, other: Preference) -> bool:
    place = (one.slot, one.scope, one.condition, one.polarity, subject_key(one))
    return place == (other.slot, other.scope, other.condition, other.polarity, subject_key(other))


def portable(item: Item) -> Item:
    """As a profile holds it: without the messages its quotes came from."""
    evidence = tuple(
        Evidence(quote=one.quote, at=one.at, stance=one.stance, weight=one.weight) for one in item.evidence
    )
    return replace(item, evidence=evidence)


def _joined(old: Sequence[Evidence], new: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """What is here keeps its messages; what is only there comes along."""
    known = {(one.quote, one.at, one.stance) for one in old}
    together = (*old, *(one for one in new if (one.quote, one.at, one.stance) not in known))
    return tuple(sorted(together, key=lambda one: one.at))


def _entry_key(entry: HistoryEntry) -> tuple[object, ...]:
    return (entry.at, entry.operation, entry.actor, entry.reason, tuple(delta.id for delta in entry.deltas))


# --- anything else ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A sentence of a foreign file, understood. `known_id`: Steward's own Markdown names the memory it is about."""

    candidate: Candidate
    where: str
    known_id: PreferenceId | None = None
    ended: bool = False
    edit: Edit | None = None  # what the new words mean, when the memory is here and the words differ


def compare_proposals(
    here: Snapshot, proposals: Sequence[Proposal], refused: Sequence[Refused], now: datetime, *, reason: str
) -> Difference:
    """Every new sentence becomes a candidate that waits for a yes; an edited line of Steward's own Markdown an edit."""
    shelf = _shelved(here.items)
    words: dict[str, list[Item]] = {}
    for item in here.items:
        words.setdefault(content_hash(item.preference.statement), []).append(item)
    lines: list[Line] = []
    changes: list[Change] = []
    for proposal in proposals:
        old = None if proposal.known_id is None else shelf.items.get(proposal.known_id)
        line, made = _by_id(proposal, old) if old is not None else _by_words(proposal, here, shelf, words, now)
        lines.append(line)
        changes += made
        for change in made:
            if isinstance(change, Add | Dispute):
                shelf.put(change.item)
                words.setdefault(content_hash(change.item.preference.statement), []).append(change.item)
    return Difference(
        lines=(*lines, *map(_refused_line, refused)),
        parcel=Parcel(changes=tuple(changes), reason=reason),
    )


def _by_id(proposal: Proposal, old: Item) -> tuple[Line, tuple[Change, ...]]:
    same = " ".join(old.preference.statement.split()) == proposal.candidate.statement
    if same or proposal.edit is None:
        return _proposed("known", proposal, "the same"), ()
    if old.preference.status not in LIVE:
        return _proposed("refused", proposal, "it no longer holds here", old), ()
    return _proposed("changed", proposal, "", old), (proposal.edit,)


def _by_words(
    proposal: Proposal, here: Snapshot, shelf: _Shelf, words: Mapping[str, Sequence[Item]], now: datetime
) -> tuple[Line, tuple[Change, ...]]:
    candidate = proposal.candidate
    if proposal.ended:
        return _proposed("refused", proposal, "the file says that it no longer holds"), ()
    told = next(iter(words.get(content_hash(candidate.statement), ())), None)
    if told is not None:
        live = told.preference.status in LIVE
        return _proposed("known", proposal, "the same words" if live else "it held before, and ended", told), ()
    decided = reconcile(shelf.at(candidate).values(), (candidate,), here.tombstones, now)
    first = next(change for change in decided if not isinstance(change, Expire))
    match first:
        case Ignore():
            known = first.because in ("already_known", "nothing_to_withdraw")
            return _proposed("known" if known else "refused", proposal, _IGNORED[first.because]), ()
        case Add():
            return _proposed("new", proposal), (first,)
        case Dispute():
            old = shelf.items.get(first.item.preference.contests or PreferenceId(""))
            return _proposed("conflicting", proposal, "contradicts what is in force; you will be asked", old), (first,)
        case _:
            return _proposed("known", proposal, "said here too"), ()


def _proposed(verdict: Verdict, proposal: Proposal, why: str = "", old: Item | None = None) -> Line:
    one = proposal.candidate
    return Line(
        verdict=verdict,
        statement=one.statement,
        why=why,
        against="" if old is None or old.preference.statement == one.statement else old.preference.statement,
        where=proposal.where,
        id=None if old is None else old.id,
        domain=one.domain,
    )


def _line(verdict: Verdict, item: Item, why: str = "", *, against: str = "") -> Line:
    one = item.preference
    return Line(verdict=verdict, statement=one.statement, why=why, against=against, id=one.id, domain=one.domain)


def _refused_line(refused: Refused) -> Line:
    return Line(verdict="refused", statement="", why=refused.why, where=refused.where)
