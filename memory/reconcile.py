"""What becomes of a candidate, given what is already known. Pure: no clock, no I/O, no model, no similarity.

Embeddings place opposites closer than paraphrases ("I love coriander" / "I hate coriander" 0.82, true paraphrases
0.58 with MiniLM), so closeness never decides. Only items of the same slot, scope and condition can touch each other:

    same subject, same polarity            reinforce, keep the old words
    same subject, other polarity           the newer word of the user wins (supersede); anything less is a dispute
    single-valued slot, other value        likewise
    "no longer ..."                        retract
    old one pinned or a hard limit         never without asking: dispute
    anything else                          coexist (add)

What the user says is active at once. What is inferred or imported is a candidate until it was supported three times
in two sessions, or confirmed. A new fact is always stored, also when it loses.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from unicodedata import category

from memory.changes import (
    Add,
    Change,
    Contest,
    Dispute,
    Expire,
    Ignore,
    IgnoredBecause,
    Promote,
    Refine,
    Reinforce,
    Retract,
    Supersede,
)
from memory.keys import new_id, subject_key, tombstone_keys
from memory.preferences import LIVE, PRIOR, SPOKEN, Candidate, Item, Preference, PreferenceId, Status
from memory.slots import slot
from memory.transitions import denied, rivals, same_evidence, same_place, transition

STATEMENT_LIMIT = 300  # characters; a preference is a sentence
SUPPORTS_NEEDED = 3
SESSIONS_NEEDED = 2


def reconcile(
    known: Iterable[Item], candidates: Iterable[Candidate], tombstones: Collection[str], now: datetime
) -> tuple[Change, ...]:
    """The changes that take `candidates` in, in the order in which they were said; each gets at least one answer.

    `known` holds every item that shares a slot or its words with a candidate, whatever its status. `tombstones` are
    the keys of `memory.keys.tombstone_keys` that are in force. Applying the result and asking again gives only Ignore.
    """
    shelf = _Shelf(known)
    decided: list[Change] = []
    for candidate in map(_tidy, candidates):
        items = shelf.at(candidate)
        for change in _decide(candidate, items, tombstones, now):
            decided.append(change)
            for delta in transition(change, items, now):
                if delta.after is not None:
                    items[delta.id] = delta.after
    return tuple(decided)


class _Shelf:
    """Items by what can touch them: the whole of a single-valued slot, else one subject of a slot."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._places: dict[tuple[str, str], dict[PreferenceId, Item]] = {}
        for item in items:
            self.at(item.preference)[item.id] = item

    def at(self, one: Preference | Candidate) -> dict[PreferenceId, Item]:
        """The items there; what is put into it stays."""
        whole = slot(one.slot).cardinality == "single"
        return self._places.setdefault((one.slot, "" if whole else subject_key(one)), {})


def _tidy(candidate: Candidate) -> Candidate:
    """On one line, and in the domain its slot belongs to; "other" slots keep the candidate's own."""
    row = slot(candidate.slot)
    domain = candidate.domain if row.domain == "other" else row.domain
    evidence = replace(candidate.evidence, stance=candidate.stance)
    return replace(candidate, statement=" ".join(candidate.statement.split()), domain=domain, evidence=evidence)


def _decide(
    candidate: Candidate, items: dict[PreferenceId, Item], tombstones: Collection[str], now: datetime
) -> tuple[Change, ...]:
    refused = _refusal(candidate)
    if refused is not None:
        return (Ignore(candidate=candidate, because=refused),)
    if any(_is_told_by(candidate, item) for item in items.values()):
        return (Ignore(candidate=candidate, because="already_known"),)
    if candidate.stance == "withdraws":
        return _withdraw(candidate, items, now)
    lifted = tuple(key for key in tombstone_keys(candidate) if key in tombstones)
    if lifted and not candidate.requested:
        return (Ignore(candidate=candidate, because="forgotten"),)
    if candidate.source not in SPOKEN and any(_was_denied(candidate, item) for item in items.values()):
        return (Ignore(candidate=candidate, because="denied"),)
    overdue = tuple(_overdue(candidate, items, now))
    expired = tuple(Expire(id=item.id, reason="its time has passed") for item in overdue)
    rest = {key: item for key, item in items.items() if item not in overdue}
    same = _same(candidate, rest.values())
    if same is not None:
        return (*expired, *_again(candidate, same, rest, now))
    return (*expired, *_arrival(candidate, rest, lifted, now))


def _refusal(candidate: Candidate) -> IgnoredBecause | None:
    statement = candidate.statement
    if candidate.sensitivity == "secret":
        return "secret"
    if not any(character.isalnum() for character in statement):
        return "empty"
    if len(statement) > STATEMENT_LIMIT:
        return "too_long"
    strange = any(character == "\ufffd" or category(character) in ("Cc", "Cs", "Co") for character in statement)
    return "unreadable" if strange else None


def _is_told_by(candidate: Candidate, item: Item) -> bool:
    """The very words are evidence of this item already. What was only inferred from them may still be said outright."""
    preference = item.preference
    if candidate.source in SPOKEN and preference.source not in SPOKEN and preference.status in LIVE:
        return False
    if not any(same_evidence(candidate.evidence, evidence) for evidence in item.evidence):
        return False
    if not _same_place(candidate, preference):
        return False
    if candidate.stance == "withdraws":
        return True
    return preference.polarity == candidate.polarity and subject_key(preference) == subject_key(candidate)


def _was_denied(candidate: Candidate, item: Item) -> bool:
    same = _same_place(candidate, item.preference) and subject_key(candidate) == subject_key(item.preference)
    return same and item.preference.polarity == candidate.polarity and denied(item)


def _same_place(candidate: Candidate, preference: Preference) -> bool:
    place = (candidate.slot, candidate.scope, candidate.condition)
    return place == (preference.slot, preference.scope, preference.condition)


def _overdue(candidate: Candidate, items: dict[PreferenceId, Item], now: datetime) -> Iterable[Item]:
    """Live items in the candidate's way whose time has passed."""
    whole = slot(candidate.slot).cardinality == "single"
    for item in items.values():
        preference = item.preference
        until = preference.valid_to
        over = preference.status in LIVE and until is not None and until <= now and preference.contests is None
        if over and _same_place(candidate, preference) and (whole or subject_key(candidate) == subject_key(preference)):
            yield item


def _same(candidate: Candidate, items: Iterable[Item]) -> Item | None:
    """The live item that says this already; the one in force first."""
    fitting = [
        item
        for item in items
        if item.preference.status in LIVE
        and item.preference.polarity == candidate.polarity
        and _same_place(candidate, item.preference)
        and subject_key(candidate) == subject_key(item.preference)
    ]
    return min(fitting, key=lambda item: (item.preference.status != "active", item.id), default=None)


def _again(candidate: Candidate, old: Item, items: dict[PreferenceId, Item], now: datetime) -> tuple[Change, ...]:
    """It was said before. The user's own word makes a candidate active; enough inferred ones promote it."""
    reinforce = Reinforce(id=old.id, evidence=candidate.evidence, reason="said again")
    if candidate.source in SPOKEN:
        return _said_again(candidate, old, items, reinforce)
    (delta,) = transition(reinforce, items, now)
    after = delta.after
    if after is None or old.preference.status != "candidate" or not _proven(after):
        return (reinforce,)
    against = rivals(after.preference, items.values())
    if against:
        return (reinforce, Contest(id=old.id, against=against[0].id, reason="contradicts what is in force"))
    return (reinforce, Promote(id=old.id, reason="supported three times in two sessions"))


def _said_again(
    candidate: Candidate, old: Item, items: dict[PreferenceId, Item], reinforce: Reinforce
) -> tuple[Change, ...]:
    against = rivals(old.preference, items.values())
    contested = items.get(old.preference.contests) if old.preference.contests is not None else None
    standing = (*against, *((contested,) if contested is not None else ()))
    blocked = [item for item in standing if item.preference.protected or _said_before(candidate, item)]
    if blocked:
        if old.preference.status == "candidate":
            return (reinforce, Contest(id=old.id, against=blocked[0].id, reason="contradicts what is in force"))
        if any(same_evidence(candidate.evidence, evidence) for evidence in old.evidence):
            return (Ignore(candidate=candidate, because="already_known"),)
        return (reinforce,)
    stronger = candidate.strength > old.preference.strength
    if old.preference.status == "active" and not stronger and old.preference.source in SPOKEN:
        return (reinforce,)
    return (
        Refine(
            id=old.id,
            evidence=candidate.evidence,
            strength=candidate.strength,
            source=candidate.source,
            reason="said more strongly" if stronger else "said in so many words",
        ),
    )


def _proven(item: Item) -> bool:
    """Supported often enough to be used without a question; special categories always need the question."""
    supports = [evidence for evidence in item.evidence if evidence.stance == "supports"]
    sessions = {evidence.session_id for evidence in supports if evidence.session_id is not None}
    messages = {evidence.message_id for evidence in supports if evidence.message_id is not None}
    enough = len(messages) >= SUPPORTS_NEEDED and len(sessions) >= SESSIONS_NEEDED
    return enough and item.preference.source == "inferred" and item.preference.sensitivity in ("normal", "personal")


def _arrival(
    candidate: Candidate, items: dict[PreferenceId, Item], lifted: tuple[str, ...], now: datetime
) -> tuple[Change, ...]:
    """Nothing like it is live: store it, and settle what it clashes with."""
    spoken = candidate.source in SPOKEN
    item = _item(candidate, items, now, "active" if spoken else "candidate")
    clashing = rivals(item.preference, items.values())
    if not clashing:
        weaker = _weaker(item.preference, items.values()) if spoken else ()
        if weaker:
            ids = tuple(old.id for old in weaker)
            return (Supersede(old_ids=ids, item=item, lifts=lifted, reason="said in so many words"),)
        return (Add(item=item, lifts=lifted, reason=_why(candidate)),)
    newest = next((old for old in clashing if _said_before(candidate, old)), None)
    if newest is not None:
        return (Add(item=_past(item, newest, now), lifts=lifted, reason="said before what is in force"),)
    guarded = next((old for old in clashing if old.preference.protected), None)
    if guarded is not None or not spoken:
        against = (guarded or clashing[0]).id
        return (Dispute(item=_disputed(item, against), reason="contradicts what is in force"),)
    ended = (*clashing, *_weaker(item.preference, items.values()))
    return (
        Supersede(
            old_ids=tuple(old.id for old in ended), item=item, lifts=lifted, reason="replaces what was said before"
        ),
    )


def _weaker(preference: Preference, items: Iterable[Item]) -> tuple[Item, ...]:
    """Candidates and disputed items of the same subject that the user's word settles."""
    return tuple(
        item
        for item in items
        if item.preference.status in ("candidate", "disputed")
        and not item.preference.protected
        and same_place(item.preference, preference)
        and subject_key(item.preference) == subject_key(preference)
    )


def _said_before(candidate: Candidate, item: Item) -> bool:
    """Whether the candidate's words are older than the item's newest. Message numbers only grow; clocks may jump."""
    said = candidate.evidence
    numbers = [evidence.message_id for evidence in item.evidence if evidence.message_id is not None]
    if said.message_id is not None and numbers and said.message_id > max(numbers):
        return False
    if said.message_id is not None and numbers and said.message_id < max(numbers):
        return True
    return said.at < (item.preference.last_reinforced_at or item.preference.recorded_at)


def _is_of_one_message(candidate: Candidate, item: Item) -> bool:
    said = candidate.evidence.message_id
    return said is not None and any(evidence.message_id == said for evidence in item.evidence)


def _withdraw(candidate: Candidate, items: dict[PreferenceId, Item], now: datetime) -> tuple[Change, ...]:
    meant = [item for item in items.values() if _is_meant(candidate, item)]
    meant.sort(key=lambda item: (item.preference.status != "active", item.id))
    if not meant:
        if candidate.source not in SPOKEN or not candidate.object:
            return (Ignore(candidate=candidate, because="nothing_to_withdraw"),)
        ended = _item(candidate, items, now, "retracted")
        return (Add(item=ended, reason="over before it was known"),)
    if not candidate.object and len(meant) > 1:
        return (Ignore(candidate=candidate, because="unclear_withdrawal"),)
    if any(_said_before(candidate, item) or _is_of_one_message(candidate, item) for item in meant):
        return (Ignore(candidate=candidate, because="nothing_to_withdraw"),)
    guarded = next((item for item in meant if item.preference.protected), None)
    if candidate.source not in SPOKEN or guarded is not None:
        over = _disputed(_item(candidate, items, now, "disputed"), (guarded or meant[0]).id)
        return (Dispute(item=over, reason="says that it no longer holds"),)
    return tuple(Retract(id=item.id, evidence=candidate.evidence, reason="no longer holds") for item in meant)


def _is_meant(candidate: Candidate, item: Item) -> bool:
    """A withdrawal names the object; without one it means the value of a single-valued slot."""
    preference = item.preference
    if preference.status not in LIVE or not _same_place(candidate, preference):
        return False
    if candidate.polarity not in (0, preference.polarity):
        return False
    if not candidate.object:
        return slot(candidate.slot).cardinality == "single" and preference.polarity >= 0
    return subject_key(candidate) == subject_key(preference)


def _item(candidate: Candidate, items: dict[PreferenceId, Item], now: datetime, status: Status) -> Item:
    ordinal = 0
    while (key := new_id(candidate, now, ordinal)) in items:
        ordinal += 1
    alpha, beta = PRIOR[candidate.source]
    over = candidate.stance == "withdraws"
    preference = Preference(
        id=key,
        kind=candidate.kind,
        statement=candidate.statement,
        domain=candidate.domain,
        slot=candidate.slot,
        object=candidate.object,
        polarity=candidate.polarity,
        source=candidate.source,
        status=status,
        recorded_at=now,
        language=candidate.language,
        strength=candidate.strength,
        scope=candidate.scope,
        condition=candidate.condition,
        sensitivity=candidate.sensitivity,
        alpha=alpha,
        beta=beta,
        valid_from=None if over else candidate.valid_from,
        valid_to=candidate.evidence.at if over else candidate.valid_to,
        retracted_at=now if status == "retracted" else None,
        last_reinforced_at=candidate.evidence.at,
        extractor=candidate.extractor,
    )
    return Item(preference=preference, evidence=(candidate.evidence,))


def _disputed(item: Item, against: PreferenceId) -> Item:
    return replace(item, preference=replace(item.preference, status="disputed", contests=against))


def _past(item: Item, newest: Item, now: datetime) -> Item:
    """Stored as history: what replaced it was said later, though it was noticed earlier."""
    ended = newest.preference.valid_from or newest.preference.last_reinforced_at or newest.preference.recorded_at
    preference = replace(
        item.preference, status="superseded", superseded_by=newest.id, valid_to=ended, retracted_at=now
    )
    return replace(item, preference=preference)


def _why(candidate: Candidate) -> str:
    match candidate.source:
        case "explicit":
            return "you said so"
        case "corrected":
            return "you corrected an answer"
        case "confirmed":
            return "you confirmed it"
        case "imported":
            return "imported"
        case _:
            return "noticed in what you wrote"
