"""What the model gets to know about the user for one answer: a head that stays through the conversation, a few notes
beside the question, and the rules the answer is checked against."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.events import Recalled, RecalledItem
from assistant.policies.personalise import (
    BESIDE_TOKENS,
    HEAD_TOKENS,
    MOST_BESIDE,
    beside_text,
    head_text,
    is_fit_for_prompts,
    most_that_fit,
    note,
)
from assistant.policies.recognise import people_in
from assistant.policies.shunning import shun_rules
from assistant.policies.style import rules_from
from memory.preferences import Scope, Usage
from models.types import ChatMessage

if TYPE_CHECKING:
    from assistant.policies.language import Language
    from assistant.policies.personalise import (
        Note,
    )
    from assistant.policies.said import Said
    from assistant.policies.style import Rule
    from assistant.ports import ChatModel, PreferenceStore, Recall, Recollection
    from memory.preferences import Preference, PreferenceId
    from memory.types import MessageId, SessionId

STYLE = "reply_style."


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """For one answer. `head` belongs to the system text, `beside(...)` after the question."""

    head: str = ""
    notes: tuple[Note, ...] = ()
    rules: tuple[Rule, ...] = ()
    items: tuple[RecalledItem, ...] = ()
    again: bool = False  # the answer before is wanted again, in another form
    evidence: str = ""  # text of others that this answer is to rest on

    def beside(self, repeat: Sequence[Rule] = ()) -> str:
        """Wishes about form are repeated beside the question; what to leave out is in the notes already."""
        form = tuple(rule for rule in self.checked if rule.shuns is None)
        return self.evidence + beside_text(self.notes, form, repeat=repeat, again=self.again)

    @property
    def checked(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.checkable)

    def event(self) -> Recalled | None:
        return Recalled(items=self.items, checked=bool(self.checked)) if self.items else None


NOTHING_KNOWN = Knowledge()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """Frozen at the start of a conversation, so that the prompt's beginning stays the same."""

    text: str
    revisions: Mapping[PreferenceId, int]


@dataclass(slots=True)
class Recalling:
    """Of one conversation; asks the store, the ranking, and the model for counts."""

    store: PreferenceStore
    ranking: Recall
    model: ChatModel
    language: Language
    _head: _Head | None = field(default=None)

    async def knowledge(
        self,
        question: str,
        *,
        at: datetime,
        session_id: SessionId,
        window: int,
        for_now: Sequence[Said] = (),
        just_said: Collection[PreferenceId] = (),
    ) -> Knowledge:
        """`window`: tokens of the model; a small one gets less. `just_said`: what the question itself says needs no
        note beside it. Raises StoreError, ModelError."""
        scopes = (Scope(type="session", value=session_id), *people_in(question, self.language))
        current = tuple(one for one in await self.store.head(at=at, scopes=scopes) if is_fit_for_prompts(one))
        head = await self._frozen(current, min(HEAD_TOKENS, window // 8))
        late = tuple(one for one in current if one.id not in head.revisions)
        found = await self.ranking.recall(question, at=at, scopes=scopes, limit=MOST_BESIDE)
        found = tuple(hit for hit in found if hit.preference.id not in just_said)
        late = tuple(one for one in late if one.id not in just_said or one.slot.startswith(STYLE))
        notes, scores = await self._beside(late, found, head, min(BESIDE_TOKENS, window // 12))
        style = [one for one in current if one.slot.startswith(STYLE)]
        style += [
            one.preference for one in notes if one.preference.slot.startswith(STYLE) and one.preference not in style
        ]
        about_food = [one.preference for one in notes] + [one for one in current if one.id in head.revisions]
        return Knowledge(
            head=head.text,
            notes=tuple(one for one in notes if not one.preference.slot.startswith(STYLE)),
            rules=(*rules_from(style, for_now), *shun_rules(about_food, question, self.language)),
            items=_items(current, head, notes, scores),
        )

    async def _frozen(self, current: Sequence[Preference], limit: int) -> _Head:
        """The head of this conversation; made anew only when something in it ended or changed. What does not fit is
        left away from the end of the store's order, so hard limits never are."""
        revisions = {one.id: one.revision for one in current}
        if self._head is not None and all(revisions.get(id) == made for id, made in self._head.revisions.items()):
            return self._head
        lines = [_line(one) for one in current]
        held = current[: most_that_fit(await self._tokens(lines), limit)]
        facts = [note(one) for one in held if not one.slot.startswith(STYLE)]
        style = rules_from(one for one in held if one.slot.startswith(STYLE))
        self._head = _Head(text=head_text(facts, style), revisions={one.id: one.revision for one in held})
        return self._head

    async def _beside(
        self, late: Sequence[Preference], found: Sequence[Recollection], head: _Head, limit: int
    ) -> tuple[tuple[Note, ...], Mapping[PreferenceId, Recollection]]:
        """What was said since the head was frozen comes first, then what the question calls for."""
        scores = {one.preference.id: one for one in found}
        wanted = {one.id: one for one in (*late, *(hit.preference for hit in found)) if one.id not in head.revisions}
        notes = [note(one) for one in wanted.values() if is_fit_for_prompts(one)][:MOST_BESIDE]
        room = most_that_fit(await self._tokens([one.line for one in notes]), limit)
        return tuple(notes[:room]), scores

    async def _tokens(self, lines: Sequence[str]) -> tuple[int, ...]:
        if not lines:
            return ()
        return await self.model.count([ChatMessage(role="user", content=line) for line in lines])


def _line(one: Preference) -> str:
    return rules_from([one])[0].line if one.slot.startswith(STYLE) else note(one).line


def uses_of(knowledge: Knowledge, reply: MessageId, at: datetime, broken: Collection[Rule] = ()) -> tuple[Usage, ...]:
    """What to write down about the items behind an answer; a wish that could be checked says how it went."""
    violated = {rule.words for rule in broken}
    checked = {rule.words for rule in knowledge.checked}
    return tuple(
        Usage(
            preference_id=item.id,
            message_id=reply,
            place=item.place,
            at=at,
            score=item.score,
            outcome="violated"
            if item.statement in violated
            else "followed"
            if item.statement in checked
            else "unknown",
        )
        for item in knowledge.items
    )


def _items(
    current: Sequence[Preference], head: _Head, notes: Sequence[Note], scores: Mapping[PreferenceId, Recollection]
) -> tuple[RecalledItem, ...]:
    held = [
        RecalledItem(id=one.id, statement=one.statement, place="head", reason="always")
        for one in current
        if one.id in head.revisions
    ]
    beside = [
        RecalledItem(
            id=one.preference.id,
            statement=one.preference.statement,
            place="turn",
            score=scores[one.preference.id].score if one.preference.id in scores else 0.0,
            reason=scores[one.preference.id].reason if one.preference.id in scores else "said in this conversation",
        )
        for one in notes
    ]
    return (*held, *beside)
