"""Noticing, in the background: what the user lets slip is read by the model while nobody waits for it.

One message at a time, at low priority, never while an answer is written; what is interrupted is read again later. A
message is queued on disk, so nothing is lost with the process. The result is only ever a candidate.
"""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from assistant.deps import Deps, LearningPrompts
from assistant.policies.language import Language
from assistant.policies.notice import (
    DIRECTIONS,
    LASTING,
    MOST_NEW,
    SURE_IT_LASTS,
    TOPICS,
    Opinion,
    candidate_from,
    sentences_to_read,
)
from assistant.ports import ChatModel, LearningQueue, PreferenceStore
from memory.changes import Add, Dispute, HistoryEntry
from memory.errors import NotFound, StoreError
from memory.preferences import Candidate
from memory.types import Message, MessageId, SessionId, SessionMode
from models.errors import ModelError
from models.types import Cancel, ChatMessage, ChoiceRequest, ClosedQuestion

logger = logging.getLogger(__name__)

QUIET_SECONDS = 60.0  # without a word before the queue is read, or
MANY = 6  # messages waiting
BATCH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    store: PreferenceStore
    queue: LearningQueue
    language: Language
    prompts: LearningPrompts


class Learner:
    """Of one conversation. After a turn `rest` is started as a task; the next turn calls `pause` first."""

    def __init__(self, deps: Deps, *, wait: Callable[[float, Cancel], Awaitable[None]] | None = None) -> None:
        self._deps = deps
        self._wait = wait or _wait
        self._parts = _parts_of(deps)
        self._cancel = Cancel()
        self._new: Counter[SessionId] = Counter()

    @property
    def learns(self) -> bool:
        return self._parts is not None

    def pause(self) -> None:
        """A turn begins: stop reading at once. What was begun is read again later."""
        self._cancel.set()

    async def rest(self) -> None:
        """The turn is over: wait for quiet, or for enough to read, then read what waits, until `pause`."""
        cancel = self._cancel = Cancel()
        if self._parts is None:
            return
        try:
            waiting = len(await self._waiting(self._parts))
            if waiting == 0:
                return
            if waiting < MANY:
                await self._wait(QUIET_SECONDS, cancel)
        except StoreError as error:
            logger.warning("background reading did not begin: %s", error.message)
            return
        if not cancel.is_set:
            await self.read_waiting()

    async def queue(self, message: Message, before: Sequence[Message], mode: SessionMode) -> None:
        """Keep the message for later if anything in it might be worth reading."""
        parts = self._parts
        if parts is None or mode != "normal":
            return
        earlier = [one.content for one in before if one.role == "user" and one.origin == "typed"]
        if not sentences_to_read(message, parts.language, earlier):
            return
        try:
            await parts.queue.put(message.id, at=self._deps.clock.now())
        except StoreError as error:
            logger.warning("a message could not be queued for reading: %s", error.message)

    async def read_waiting(self) -> bool:
        """Read what is queued, as far as nothing interrupts. Whether the queue is empty afterwards."""
        parts = self._parts
        if parts is None:
            return True
        cancel = self._cancel
        try:
            while not cancel.is_set:
                waiting = await self._waiting(parts)
                if not waiting:
                    return True
                for message_id in waiting:
                    await self._read(message_id, parts, cancel)
        except ModelError as error:  # also when a user's request went first
            logger.info("background reading stopped: %s", error.failure.message)
        except StoreError as error:
            logger.warning("background reading stopped: %s", error.message)
        return False

    async def _waiting(self, parts: _Parts) -> tuple[MessageId, ...]:
        return await parts.queue.waiting(limit=BATCH)

    async def _read(self, message_id: MessageId, parts: _Parts, cancel: Cancel) -> tuple[HistoryEntry, ...]:
        """All of one message or nothing of it."""
        try:
            message = await self._deps.transcript.message(message_id)
        except NotFound:
            await parts.queue.done([message_id])
            return ()
        candidates: list[Candidate] = []
        for sentence in sentences_to_read(message, parts.language):
            if self._new[message.session_id] + len(candidates) >= MOST_NEW:
                break
            opinion = await opinion_of(sentence.text, self._deps.model, parts.prompts, cancel)
            if (candidate := candidate_from(sentence, opinion, parts.language)) is not None:
                candidates.append(candidate)
        entries: tuple[HistoryEntry, ...] = ()
        if candidates:
            learned = await parts.store.learn(candidates, actor="model", at=self._deps.clock.now())
            self._new[message.session_id] += sum(isinstance(change, Add | Dispute) for change in learned.changes)
            entries = learned.entries
        await parts.queue.done([message_id])
        return entries


async def opinion_of(sentence: str, model: ChatModel, prompts: LearningPrompts, cancel: Cancel) -> Opinion:
    """Two small steps: does it last; and only then, what it is about and in which direction. Raises ModelError."""
    (lasting,) = await _choose(model, ((prompts.select, LASTING),), sentence, cancel)
    lasts = lasting[LASTING.index("yes")]
    if lasts < SURE_IT_LASTS:
        return Opinion(lasts=lasts)
    asked = ((prompts.polarity, DIRECTIONS), (prompts.domain, tuple(TOPICS)))
    directions, domains = await _choose(model, asked, sentence, cancel)
    direction = max(range(len(DIRECTIONS)), key=directions.__getitem__)
    domain = max(range(len(TOPICS)), key=domains.__getitem__)
    return Opinion(
        lasts=lasts,
        direction=DIRECTIONS[direction],
        direction_share=directions[direction],
        domain=TOPICS[domain],
        domain_share=domains[domain],
    )


async def _choose(
    model: ChatModel, asked: Sequence[tuple[str, tuple[str, ...]]], sentence: str, cancel: Cancel
) -> tuple[tuple[float, ...], ...]:
    words = sentence.replace('"', "'")
    questions = tuple(
        ClosedQuestion(prompt=prompt.replace("{sentence}", words).strip(), options=options) for prompt, options in asked
    )
    request = ChoiceRequest(
        messages=(ChatMessage(role="system", content="You classify sentences."),),
        questions=questions,
        calibrate=True,
        priority="background",
    )
    return await model.choose(request, cancel)


async def _wait(seconds: float, cancel: Cancel) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await cancel.wait()


def _parts_of(deps: Deps) -> _Parts | None:
    prompts = deps.prompts.learning
    if deps.preferences is None or deps.language is None or deps.learning is None or prompts is None:
        return None
    return _Parts(store=deps.preferences, queue=deps.learning, language=deps.language, prompts=prompts)
