"""Noticing, in the background: what the user lets slip is read by the model while nobody waits for it.

One message at a time, at low priority, never while an answer is written; what is interrupted is read again later. A
message is queued on disk, so nothing is lost with the process. The result is only ever a candidate.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.policies.notice import (
    DIRECTIONS,
    LASTING,
    MOST_NEW,
    SURE_IT_LASTS,
    TOPICS,
    Opinion,
    candidate_from,
    direction_of,
    domain_of,
    known_object,
    sentences_to_read,
    tells_apart,
)
from memory.changes import Add, Dispute
from memory.errors import NotFound, StoreError
from models.errors import ModelError
from models.types import Cancel, ChatMessage, ChoiceRequest, ClosedQuestion

if TYPE_CHECKING:
    from assistant.deps import Deps, LearningPrompts, ShownQuestion
    from assistant.policies.language import Language
    from assistant.ports import ChatModel, LearningQueue, PreferenceStore
    from memory.changes import HistoryEntry
    from memory.preferences import Candidate
    from memory.types import Message, MessageId, SessionId, SessionMode

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
        self._trusted: bool | None = None  # whether the model tells apart what lasts; None: not tried yet

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
        if parts is None or mode != "normal" or not self._deps.switch.on:
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
                if not await self._is_trusted(parts, cancel):
                    return False
                for message_id in waiting:
                    await self._read(message_id, parts, cancel)
        except ModelError as error:  # also when a user's request went first
            logger.info("background reading stopped: %s", error.failure.message)
        except StoreError as error:
            logger.warning("background reading stopped: %s", error.message)
        return False

    async def _is_trusted(self, parts: _Parts, cancel: Cancel) -> bool:
        """A model that does not understand the question would say yes to everything; the queue waits for a better."""
        if self._trusted is None:
            lasting = parts.prompts.lasting
            shares = {text: await lasts(text, self._deps.model, lasting, cancel) for text, _ in lasting.controls}
            always, once = ([shares[text] for text, label in lasting.controls if label == one] for one in LASTING)
            self._trusted = tells_apart(always, once)
            if not self._trusted:
                logger.info("this model does not tell lasting from passing remarks; nothing is learned from it")
        return self._trusted

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
            known = bool(known_object(sentence.text, parts.language))
            opinion = await opinion_of(sentence.text, self._deps.model, parts.prompts, cancel, topic_known=known)
            if (candidate := candidate_from(sentence, opinion, parts.language)) is not None:
                candidates.append(candidate)
        entries: tuple[HistoryEntry, ...] = ()
        if admitted := self._deps.switch.admitted(candidates):
            learned = await parts.store.learn(admitted, actor="model", at=self._deps.clock.now())
            self._new[message.session_id] += sum(isinstance(change, Add | Dispute) for change in learned.changes)
            entries = learned.entries
        await parts.queue.done([message_id])
        return entries


async def opinion_of(
    sentence: str, model: ChatModel, prompts: LearningPrompts, cancel: Cancel, *, topic_known: bool = False
) -> Opinion:
    """Does it last; only then, in which direction and, unless that is known, what it is about. Raises ModelError."""
    probability = await lasts(sentence, model, prompts.lasting, cancel)
    if probability < SURE_IT_LASTS:
        return Opinion(lasts=probability)
    directions = await _choose(sentence, DIRECTIONS, model, prompts.direction, cancel)
    if topic_known:
        return Opinion(lasts=probability, direction=direction_of(directions))
    topics = await _choose(sentence, tuple(TOPICS), model, prompts.topic, cancel)
    return Opinion(lasts=probability, direction=direction_of(directions), domain=domain_of(topics))


async def lasts(sentence: str, model: ChatModel, asked: ShownQuestion, cancel: Cancel) -> float:
    """The probability that it says what its writer is always like. Raises ModelError."""
    shares = await _choose(sentence, LASTING, model, asked, cancel)
    return shares[LASTING.index("always")]


async def _choose(
    sentence: str, options: tuple[str, ...], model: ChatModel, asked: ShownQuestion, cancel: Cancel
) -> tuple[float, ...]:
    """The examples are the same each time, so that the model reads them once for all sentences."""
    messages = [ChatMessage(role="system", content=asked.system)]
    for text, label in asked.examples:
        messages += [ChatMessage(role="user", content=text), ChatMessage(role="assistant", content=label)]
    ended = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."  # as the examples are: it matters much
    question = ClosedQuestion(prompt=ended, options=options)
    request = ChoiceRequest(messages=tuple(messages), questions=(question,), priority="background")
    return (await model.choose(request, cancel))[0]


async def _wait(seconds: float, cancel: Cancel) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await cancel.wait()


def _parts_of(deps: Deps) -> _Parts | None:
    prompts = deps.prompts.learning
    if deps.preferences is None or deps.language is None or deps.learning is None or prompts is None:
        return None
    return _Parts(store=deps.preferences, queue=deps.learning, language=deps.language, prompts=prompts)
