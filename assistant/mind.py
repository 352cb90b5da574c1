"""Memory's part in one conversation: what is kept of a message, what is recalled for an answer, how the answer went.

In a conversation with mode "no_learn" it only reads; in an incognito one it does nothing at all.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.events import MemoryAsked, Refusal, Remembered
from assistant.recalling import NOTHING_KNOWN, Recalling, uses_of
from assistant.remembering import Heard, Remembering
from memory.errors import StoreError
from memory.recall import MemoryRecall

if TYPE_CHECKING:
    from assistant.deps import Deps
    from assistant.events import RefusedBecause
    from assistant.policies.recognise import Recognition
    from assistant.policies.style import Rule
    from assistant.recalling import Knowledge
    from memory.types import Message, MessageId, SessionId, SessionMode

logger = logging.getLogger(__name__)

NOTHING_HEARD = Heard()


class Mind:
    """Of one conversation, as long as the program runs. A store that fails costs memory, never the answer."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._asked = False
        self._recalling: Recalling | None = None
        self._remembering: Remembering | None = None
        if deps.preferences is not None and deps.language is not None:
            self._remembering = Remembering(deps.preferences, deps.language, deps.clock, deps.switch)
            ranking = deps.ranking or MemoryRecall(store=deps.preferences)
            self._recalling = Recalling(
                store=deps.preferences, ranking=ranking, model=deps.model, language=deps.language
            )

    async def hear(self, message: Message, before: Sequence[Message], mode: SessionMode) -> Heard:
        """Keeps what the message says about the user. What holds for this answer only is heard in every mode."""
        if self._remembering is None:
            return NOTHING_HEARD
        if mode != "normal":
            return _unkept(self._remembering.read(message, before))
        try:
            return await self._remembering.hear(message, before)
        except StoreError as error:
            logger.warning("what was said could not be kept: %s", error.message)
            return _unkept(self._remembering.read(message, before), because="not_saved")

    async def knowledge(
        self, question: Message, heard: Heard, *, session_id: SessionId, window: int, mode: SessionMode
    ) -> Knowledge:
        """Raises ModelError."""
        if self._recalling is None or mode == "incognito":
            return NOTHING_KNOWN
        try:
            return await self._recalling.knowledge(
                question.content,
                at=self._deps.clock.now(),
                session_id=session_id,
                window=window,
                for_now=heard.recognition.for_now,
                just_said=heard.ids,
            )
        except StoreError as error:
            logger.warning("nothing could be recalled: %s", error.message)
            return NOTHING_KNOWN

    async def answered(
        self, knowledge: Knowledge, reply: MessageId, broken: Collection[Rule], mode: SessionMode
    ) -> None:
        """Write down which items shaped the answer, and which wishes it broke in spite of everything."""
        if self._deps.preferences is None or mode == "incognito" or not knowledge.items:
            return
        try:
            await self._deps.preferences.record_usage(uses_of(knowledge, reply, self._deps.clock.now(), broken))
        except StoreError as error:
            logger.warning("the use of memory could not be noted: %s", error.message)

    async def turned_down(self, reply: MessageId, heard: Heard) -> None:
        """The user corrected an answer: wishes of the same kind that were in front of the model were not followed."""
        store = self._deps.preferences
        slots = {one.slot for one in heard.recognition.said if one.source == "corrected"}
        if store is None or not slots:
            return
        try:
            shown = await store.by_ids([use.preference_id for use in await store.usage_of(reply)])
            await store.mark_outcome(reply, [one.id for one in shown if one.slot in slots], "corrected")
        except StoreError as error:
            logger.warning("a correction could not be noted: %s", error.message)

    async def question(self, mode: SessionMode) -> MemoryAsked | None:
        """A contradiction for the user to settle, at most one a conversation."""
        if self._deps.preferences is None or self._asked or mode != "normal":
            return None
        try:
            queue = await self._deps.preferences.review(at=self._deps.clock.now(), limit=1)
        except StoreError:
            return None
        if not queue.disputes:
            return None
        self._asked = True
        new, old = (item.preference for item in queue.disputes[0])
        return MemoryAsked(new=new.id, new_statement=new.statement, old=old.id, old_statement=old.statement)


def _unkept(found: Recognition, *, because: RefusedBecause = "not_kept") -> Heard:
    """Obeyed in this answer and not kept. The user hears of it where keeping was asked for, or should have worked."""
    wanted = [one.quote for one in found.said if one.requested or because == "not_saved"]
    wanted += [one.about for one in found.forget]
    refusals = tuple(Refusal(because=because, words=words) for words in dict.fromkeys(wanted))
    return Heard(
        recognition=replace(found, said=(), for_now=(*found.said, *found.for_now)),
        remembered=Remembered(refusals=refusals) if refusals else None,
    )
