"""What a message changes in memory: recognised, reconciled and stored before the answer begins, then receipted.

The user's words are on disk before; a receipt exists only after the commit. No model takes part.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.events import ForgetOffer, Receipt, Refusal, RefusedBecause, Remembered
from assistant.learning_switch import LearningSwitch
from assistant.policies.language import Language
from assistant.policies.recognise import NOTHING, Forget, Recognition, recognise
from assistant.policies.said import Said, as_candidate
from assistant.policies.style import contradicts
from assistant.ports import Clock, PreferenceStore
from memory.changes import HistoryEntry, Ignore, IgnoredBecause, Learned, Retract
from memory.preferences import LIVE, Candidate, Evidence, Filter, Preference, PreferenceId
from memory.types import Message
from memory.words import stems_of

MOST_FORGOTTEN = 3  # items one "forget ..." may mean; more is a question
MOST_OFFERED = 1_000

_TOLD: dict[IgnoredBecause, RefusedBecause] = {
    "forgotten": "forgotten",
    "secret": "secret",
    "too_long": "too_long",
    "unclear_withdrawal": "unclear",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What was recognised in a message and what became of it."""

    recognition: Recognition = NOTHING
    remembered: Remembered | None = None

    @property
    def ids(self) -> tuple[PreferenceId, ...]:
        """Of the items it brought or changed."""
        return () if self.remembered is None else tuple(receipt.id for receipt in self.remembered.receipts)

    @property
    def corrects(self) -> bool:
        """Whether it turns the answer before down ("shorter")."""
        return any(one.source == "corrected" for one in (*self.recognition.said, *self.recognition.for_now))

    @property
    def only_forgets(self) -> bool:
        """Whether all it says is what is to be forgotten."""
        return self.remembered is not None and self.recognition.only_forget

    @property
    def wants_it_again(self) -> bool:
        """Whether all it says is how the answer before should have been."""
        return self.corrects and self.recognition.only_wishes


class Remembering:
    """The part of a conversation that listens. `language` is how this user is read."""

    def __init__(
        self, store: PreferenceStore, language: Language, clock: Clock, switch: LearningSwitch | None = None
    ) -> None:
        self._switch = switch or LearningSwitch()
        self._store = store
        self._language = language
        self._clock = clock

    def read(self, message: Message, before: Sequence[Message]) -> Recognition:
        """What the message says; `before` is the conversation up to it. Pasted text says nothing about the user."""
        if message.origin != "typed":
            return NOTHING
        earlier = [one.content for one in before if one.role == "user" and one.origin == "typed"]
        after_answer = bool(before) and before[-1].role == "assistant" and bool(before[-1].content.strip())
        return recognise(message.content, self._language, after_answer=after_answer, earlier=earlier)

    async def hear(self, message: Message, before: Sequence[Message]) -> Heard:
        """Read, and keep what lasts. Raises StoreError."""
        found = self.read(message, before)
        receipts: list[Receipt] = []
        refusals = [Refusal(because=one.because, words=one.words) for one in found.refused]
        if found.said:
            learned = await self._learn(found.said, message)
            receipts += receipts_of(learned.entries)
            refusals += [*self._held_back(found.said), *_refusals(learned)]
        offer: ForgetOffer | None = None
        for forget in found.forget:
            offer = await self._forget(forget, receipts, refusals) or offer
        if not (receipts or refusals or offer):
            return Heard(recognition=found)
        remembered = Remembered(receipts=tuple(receipts), refusals=tuple(refusals), forget=offer)
        return Heard(recognition=found, remembered=remembered)

    async def _learn(self, said: Sequence[Said], message: Message) -> Learned:
        candidates: list[Candidate] = []
        for one in said:
            candidate = candidate_of(one, message)
            if one.stance == "supports" and one.slot.startswith("reply_style."):
                known = await self._store.list(Filter(statuses=("active",), slot=one.slot))
                candidates += (_ending(candidate, old) for old in known if contradicts(one, old))
            candidates.append(candidate)
        admitted = self._switch.admitted(candidates)
        return await self._store.learn(admitted, actor="rules", at=self._clock.now())

    def _held_back(self, said: Sequence[Said]) -> Iterable[Refusal]:
        """What was asked to be kept while learning is off; what was only noticed is passed over in silence."""
        for one in said:
            if one.requested and not self._switch.admits(one.domain):
                yield Refusal(because="closed" if self._switch.on else "paused", words=one.quote)

    async def _forget(self, wanted: Forget, receipts: list[Receipt], refusals: list[Refusal]) -> ForgetOffer | None:
        """Out of use at once, undoably; what is erased for good is the user's next word."""
        if wanted.everything:
            past = {item.id: item.preference for item in await self._store.gone()}
            known = (*await self._store.list(Filter(statuses=LIVE), limit=MOST_OFFERED), *past.values())
            if known:
                return _offered(known)
            refusals.append(Refusal(because="nothing_found", words=wanted.about))
            return None
        found = await self._store.search(wanted.about, limit=50, statuses=LIVE)
        meant = meant_by(wanted.about, (hit.preference for hit in found))
        if not meant:
            gone = [item.preference for item in await self._store.gone()]
            past = {one.id: one for one in meant_by(wanted.about, gone)}
            if past:  # undone before, and still in the history
                return ForgetOffer(ids=tuple(past), statements=tuple(one.statement for one in past.values()))
        if wanted.whole and len(meant) > MOST_FORGOTTEN:
            return _offered(meant)
        if not 1 <= len(meant) <= MOST_FORGOTTEN:
            because: RefusedBecause = "unclear" if meant else "nothing_found"
            refusals.append(Refusal(because=because, words=wanted.about, ids=tuple(one.id for one in meant[:10])))
            return None
        changes = tuple(Retract(id=one.id, reason="you asked to forget it") for one in meant)
        receipts += receipts_of(await self._store.apply(changes, actor="user", at=self._clock.now()))
        return ForgetOffer(ids=tuple(one.id for one in meant), statements=tuple(one.statement for one in meant))


def _offered(known: Sequence[Preference]) -> ForgetOffer:
    """Many, that stay as they are until the user says so."""
    return ForgetOffer(
        ids=tuple(one.id for one in known), statements=tuple(one.statement for one in known), in_use=True
    )


def candidate_of(said: Said, message: Message) -> Candidate:
    """What memory is asked to keep of it, with the place in the message where it was said."""
    evidence = Evidence(
        quote=said.quote,
        at=message.created_at,
        message_id=message.id,
        session_id=message.session_id,
        start=said.start,
        stop=said.stop,
    )
    return as_candidate(said, evidence)


def meant_by(about: str, known: Iterable[Preference]) -> tuple[Preference, ...]:
    """The items that "forget ..." names: their words hold all of it, or it holds their object."""
    wanted = stems_of(about)
    if not wanted:
        return ()
    found = []
    for one in known:
        object_stems = stems_of(one.object)
        if (
            wanted == stems_of(one.domain)
            or wanted <= stems_of(f"{one.statement} {one.object}")
            or (object_stems and object_stems <= wanted)
        ):
            found.append(one)
    return tuple(found)


def receipts_of(entries: Iterable[HistoryEntry]) -> tuple[Receipt, ...]:
    return tuple(receipt for entry in entries for receipt in _receipt(entry))


def _receipt(entry: HistoryEntry) -> Iterable[Receipt]:
    """About the item that came or changed; what ended with it is named beside it."""
    kept = [delta for delta in entry.deltas if delta.after is not None]
    if not kept:
        return
    ended = [
        delta
        for delta in kept
        if delta.before is not None and delta.after is not None and delta.after.preference.status == "superseded"
    ]
    main = next((delta for delta in kept if delta not in ended), kept[0])
    assert main.after is not None
    preference = main.after.preference
    yield Receipt(
        entry=entry.id,
        operation=entry.operation,
        id=preference.id,
        statement=preference.statement,
        replaced=tuple(delta.before.preference.statement for delta in ended if delta.before and delta is not main),
        waits_for_yes=preference.status in ("candidate", "disputed"),
    )


def _refusals(learned: Learned) -> Iterable[Refusal]:
    for change in learned.changes:
        if not isinstance(change, Ignore):
            continue
        because = _TOLD.get(change.because)
        if because is not None:
            yield Refusal(because=because, words="" if because == "secret" else change.candidate.statement)


def _ending(candidate: Candidate, old: Preference) -> Candidate:
    """The new wish says that the old one no longer holds."""
    return Candidate(
        statement=candidate.statement,
        kind=old.kind,
        domain=old.domain,
        slot=old.slot,
        source=candidate.source,
        evidence=candidate.evidence,
        object=old.object,
        polarity=old.polarity,
        scope=old.scope,
        condition=old.condition,
        language=candidate.language,
        stance="withdraws",
        extractor=candidate.extractor,
    )
