"""What each change does to the items it touches. Pure: states before in, states before and after out.

Both stores apply changes through `transition`, so they cannot differ in meaning, only in where they keep the result.
`items` must hold every item a change names, and the active items of their slots (see `named` and `places_touched`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import assert_never

from memory.changes import (
    Add,
    Change,
    Confirm,
    Contest,
    Delta,
    Demote,
    Deny,
    Dispute,
    Edit,
    Expire,
    Ignore,
    Merge,
    Pin,
    Promote,
    Refine,
    Reinforce,
    Restore,
    Retract,
    Supersede,
)
from memory.errors import ChangeRefused
from memory.keys import subject_key
from memory.preferences import LIVE, PRIOR, SPOKEN, Evidence, Item, Preference, PreferenceId, Source, Status
from memory.slots import slot

Items = Mapping[PreferenceId, Item]

DENIAL_WEIGHT = 20.0
AUTHORITY: dict[Source, int] = {"explicit": 4, "corrected": 3, "confirmed": 2, "imported": 1, "inferred": 0}


def same_place(one: Preference, other: Preference) -> bool:
    """Same slot, scope and condition: the only place where items can touch each other."""
    return one.slot == other.slot and one.scope == other.scope and one.condition == other.condition


def clash(one: Preference, other: Preference) -> bool:
    """They cannot both be active: the same subject, or two wanted values of a single-valued slot."""
    if not same_place(one, other):
        return False
    if subject_key(one) == subject_key(other):
        return True
    return slot(one.slot).cardinality == "single" and one.polarity >= 0 and other.polarity >= 0


def rivals(preference: Preference, items: Iterable[Item]) -> tuple[Item, ...]:
    """Active items that `preference` would displace, ordered by id."""
    found = (
        item
        for item in items
        if item.id != preference.id and item.preference.status == "active" and clash(preference, item.preference)
    )
    return tuple(sorted(found, key=lambda item: item.id))


def named(change: Change) -> tuple[PreferenceId, ...]:
    """Ids of the stored items a change names."""
    match change:
        case Add(item=item) | Restore(item=item):
            return (item.id,)
        case Dispute(item=item):
            return (item.id,) if item.preference.contests is None else (item.id, item.preference.contests)
        case Supersede(old_ids=old_ids, item=item):
            return (*old_ids, item.id)
        case Contest(id=key, against=against):
            return (key, against)
        case Merge(id=key, absorbed=absorbed):
            return (key, *absorbed)
        case Ignore():
            return ()
        case _:
            return (change.id,)


def places_touched(change: Change, items: Items) -> frozenset[tuple[str, str]]:
    """Slot and subject of everything `change` brings or names: `transition` has to see the active items there."""
    preferences = [items[key].preference for key in named(change) if key in items]
    contested = (items.get(one.contests) for one in preferences if one.contests is not None)
    preferences += [item.preference for item in contested if item is not None]
    match change:
        case Add(item=item) | Supersede(item=item) | Dispute(item=item) | Restore(item=item):
            preferences.append(item.preference)
        case Edit(id=key) if key in items:
            preferences.append(_rewritten(change, items[key].preference))
        case _:
            pass
    return frozenset((preference.slot, subject_key(preference)) for preference in preferences)


def transition(change: Change, items: Items, at: datetime) -> tuple[Delta, ...]:
    """The deltas of one change. Raises ChangeRefused when the items are not in a state it applies to."""
    match change:
        case Ignore():
            return ()
        case Add() | Dispute() | Supersede() | Restore():
            return _arrive(change, items, at)
        case Promote() | Refine() | Confirm() | Edit() | Merge():
            return _establish(change, items, at)
        case Reinforce(id=key, evidence=evidence):
            old = _known(key, items)
            return (_delta(old, _supported(old, evidence)),)
        case Demote() | Retract() | Contest() | Deny() | Pin() | Expire():
            return (_single(change, items, at),)
        case _:
            assert_never(change)


def _arrive(change: Add | Dispute | Supersede | Restore, items: Items, at: datetime) -> tuple[Delta, ...]:
    """The changes that bring an item whole."""
    match change:
        case Restore(item=item):
            check_standing((item.preference,), items.values())
            return (Delta(id=item.id, before=items.get(item.id), after=item),)
        case Add(item=item):
            return (_new(item, items),)
        case Dispute(item=item):
            _known(item.preference.contests or PreferenceId(""), items)
            return (_new(item, items),)
        case Supersede(old_ids=old_ids, item=item):
            ended = tuple(_end(_live(key, items), item.id, at) for key in old_ids)
            return (*ended, _new(item, items, ending=old_ids))
        case _:
            assert_never(change)


def _establish(change: Promote | Refine | Confirm | Edit | Merge, items: Items, at: datetime) -> tuple[Delta, ...]:
    """The changes after which an item is in force."""
    match change:
        case Promote(id=key):
            return _activate(_in(key, items, ("candidate",)), items, at, displace=False)
        case Refine():
            return _refine(change, items, at)
        case Confirm(id=key):
            return _confirm(_live(key, items), items, at)
        case Edit():
            return _edit(change, items, at)
        case Merge():
            return _merge(change, items, at)
        case _:
            assert_never(change)


def _single(change: Demote | Retract | Contest | Deny | Pin | Expire, items: Items, at: datetime) -> Delta:
    """The changes that alter one field or two of one item."""
    match change:
        case Demote(id=key):
            old = _in(key, items, ("active",))
            return _delta(old, _with(old, status="candidate"))
        case Retract(id=key, evidence=evidence):
            old = _live(key, items)
            seen = old if evidence is None else replace(old, evidence=_joined(old.evidence, (evidence,)))
            return _delta(old, _ended(seen, "retracted", at))
        case Contest(id=key, against=against):
            old = _in(key, items, ("candidate", "active"))
            return _delta(old, _with(old, status="disputed", contests=_known(against, items).id))
        case Deny(id=key):
            old = _live(key, items)
            no = Evidence(quote="", at=at, stance="contradicts", weight=DENIAL_WEIGHT)
            return _delta(old, _ended(_supported(old, no, bump=0), "retracted", at))
        case Pin(id=key, pinned=pinned):
            old = _live(key, items)
            return _delta(old, _with(old, pinned=pinned))
        case Expire(id=key):
            old = _live(key, items)
            return _delta(old, _ended(old, "expired", old.preference.valid_to or at))
        case _:
            assert_never(change)


def denied(item: Item) -> bool:
    """The user said no to it."""
    return item.preference.status == "retracted" and any(
        evidence.stance == "contradicts" and evidence.message_id is None for evidence in item.evidence
    )


def check_standing(changed: Iterable[Preference], active: Iterable[Item]) -> None:
    """No two active items of one place may clash. Raises ChangeRefused naming nothing but ids."""
    others = tuple(active)
    for preference in changed:
        if preference.status != "active":
            continue
        against = rivals(preference, others)
        if against:
            raise ChangeRefused(
                f"{preference.id} cannot be active beside {against[0].id}.",
                "Confirm the one that is right, or give one of them a narrower scope.",
            )


# --- states --------------------------------------------------------------------------------------------------


def _known(key: PreferenceId, items: Items) -> Item:
    item = items.get(key)
    if item is None:
        raise ChangeRefused(f"There is no memory {key}.", "See: steward memory list")
    return item


def _in(key: PreferenceId, items: Items, statuses: tuple[Status, ...]) -> Item:
    item = _known(key, items)
    if item.preference.status not in statuses:
        raise ChangeRefused(
            f"{key} is {item.preference.status}; this needs one that is {' or '.join(statuses)}.",
            f"See: steward memory show {key}",
        )
    return item


def _live(key: PreferenceId, items: Items) -> Item:
    return _in(key, items, LIVE)


def _delta(before: Item, after: Item) -> Delta:
    return Delta(id=before.id, before=before, after=after)


def _new(item: Item, items: Items, ending: tuple[PreferenceId, ...] = ()) -> Delta:
    if item.id in items:
        raise ChangeRefused(f"There is already a memory {item.id}.", f"See: steward memory show {item.id}")
    if item.preference.status == "active":
        check_standing((item.preference,), (other for key, other in items.items() if key not in ending))
    return Delta(id=item.id, before=None, after=item)


def _with(item: Item, **changed: object) -> Item:
    revision = item.preference.revision + 1
    return replace(item, preference=replace(item.preference, revision=revision, **changed))  # type: ignore[arg-type]


def _joined(old: tuple[Evidence, ...], new: Iterable[Evidence]) -> tuple[Evidence, ...]:
    together = list(old)
    for evidence in new:
        if not any(same_evidence(evidence, known) for known in together):
            together.append(evidence)
    return tuple(sorted(together, key=lambda evidence: evidence.at))


def same_evidence(one: Evidence, other: Evidence) -> bool:
    """The same words of the same message; without a message, the same words said at the same moment."""
    if (one.message_id, one.quote, one.stance) != (other.message_id, other.quote, other.stance):
        return False
    return one.message_id is not None or one.at == other.at


def _supported(item: Item, evidence: Evidence, *, bump: int = 1) -> Item:
    """With one more piece of evidence; counts change only when it is new."""
    if any(same_evidence(evidence, known) for known in item.evidence):
        return item
    preference = item.preference
    if evidence.stance == "supports":
        last = max(preference.last_reinforced_at or evidence.at, evidence.at)
        preference = replace(preference, alpha=preference.alpha + evidence.weight, last_reinforced_at=last)
    else:
        preference = replace(preference, beta=preference.beta + evidence.weight)
    preference = replace(preference, revision=preference.revision + bump)
    return Item(preference=preference, evidence=_joined(item.evidence, (evidence,)))


def _ended(item: Item, status: Status, at: datetime, by: PreferenceId | None = None) -> Item:
    until = item.preference.valid_to
    ends = at if until is None or until > at else until
    return _with(item, status=status, valid_to=ends, retracted_at=at, superseded_by=by, contests=None)


def _end(item: Item, by: PreferenceId, at: datetime) -> Delta:
    return _delta(item, _ended(item, "superseded", at, by))


def _activate(
    item: Item, items: Items, at: datetime, *, displace: bool, before: Item | None = None
) -> tuple[Delta, ...]:
    """Make `item` active; what it clashes with is superseded, or refused when it may not displace."""
    active = _with(item, status="active", contests=None)
    if not displace:
        check_standing((active.preference,), items.values())
    ended = tuple(_end(rival, item.id, at) for rival in rivals(active.preference, items.values()))
    return (*ended, _delta(before or item, active))


def _lifted(preference: Preference, source: Source, at: datetime) -> Preference:
    """Of a higher source, with at least the confidence such an item starts with."""
    better = source if AUTHORITY[source] > AUTHORITY[preference.source] else preference.source
    alpha, beta = PRIOR[source]
    last = max(preference.last_reinforced_at or at, at)
    return replace(
        preference,
        source=better,
        alpha=max(preference.alpha, alpha),
        beta=min(preference.beta, beta),
        last_reinforced_at=last,
    )


def _refine(change: Refine, items: Items, at: datetime) -> tuple[Delta, ...]:
    old = _live(change.id, items)
    seen = _supported(old, change.evidence, bump=0)
    strength = max(change.strength, old.preference.strength)
    lifted = replace(_lifted(seen.preference, change.source, change.evidence.at), strength=strength)
    return _activate(replace(seen, preference=lifted), items, at, displace=True, before=old)


def _confirm(old: Item, items: Items, at: datetime) -> tuple[Delta, ...]:
    """A contested item gives way. Confirming "it no longer holds" (already ended) ends the contested one for good."""
    lifted = replace(old, preference=_confirmed(old.preference, at))
    contested = items.get(old.preference.contests) if old.preference.contests is not None else None
    over = old.preference.valid_to is not None and old.preference.valid_to <= at
    if over:
        ended = () if contested is None else (_delta(contested, _ended(contested, "retracted", at)),)
        return (*ended, _delta(old, _with(lifted, status="retracted", retracted_at=at, contests=None)))
    deltas = _activate(lifted, items, at, displace=True, before=old)
    gone = {delta.id for delta in deltas}
    if contested is None or contested.id in gone or contested.preference.status not in LIVE:
        return deltas
    return (_end(contested, old.id, at), *deltas)


def _edit(change: Edit, items: Items, at: datetime) -> tuple[Delta, ...]:
    old = _live(change.id, items)
    edited = _confirmed(_rewritten(change, old.preference), at)
    return _activate(replace(old, preference=edited), items, at, displace=True, before=old)


def _rewritten(change: Edit, preference: Preference) -> Preference:
    own = ("id", "reason", "endless")
    given = {field.name: getattr(change, field.name) for field in fields(change) if field.name not in own}
    rewritten = replace(preference, **{name: value for name, value in given.items() if value is not None})
    return replace(rewritten, valid_to=None) if change.endless else rewritten


def _confirmed(preference: Preference, at: datetime) -> Preference:
    """What the user said outright stays explicit; anything else is confirmed from now on."""
    source: Source = preference.source if preference.source in SPOKEN else "confirmed"
    return replace(_lifted(preference, "confirmed", at), source=source)


def _merge(change: Merge, items: Items, at: datetime) -> tuple[Delta, ...]:
    """The user decides that they are one, so unlike everything else this may cross slots."""
    old = _live(change.id, items)
    if change.id in change.absorbed:
        raise ChangeRefused(f"{change.id} cannot be merged with itself.", "Name two different memories.")
    absorbed = tuple(_live(key, items) for key in dict.fromkeys(change.absorbed))
    merged = old
    for other in absorbed:
        for evidence in other.evidence:
            merged = _supported(merged, evidence, bump=0)
    merged = replace(merged, preference=_confirmed(merged.preference, at))
    ended = tuple(_end(other, old.id, at) for other in absorbed)
    gone = {delta.id for delta in ended}
    rest = {key: item for key, item in items.items() if key not in gone}
    return (*ended, *_activate(merged, rest, at, displace=True, before=old))
