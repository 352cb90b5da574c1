"""One turn, from what the user said to the stored answer: the only place of its flow.

keep    the user's row is on disk before anything else happens, then an empty answer beside it
hear    what the message says about the user is stored, and receipted
act     what it asks to be done is done, raised as a decision, or looked up; the first two end the turn
recall  wait for the model; what is known about the user joins the prompt
speak   fit the conversation into the window, stream, save as it comes; check it against the user's wishes
settle  the final row, then [MemoryAsked] [TurnFailed] TurnEnded

Cancel and expected failure are data and walk the same way to the end; the partial answer is kept and marked.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from assistant.draft import Draft
from assistant.errors import NotPossible
from assistant.events import (
    ReplyDelta,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from assistant.forgetting import forgetting_words
from assistant.loading import window_of
from assistant.planning import MARGIN, characters_that_fit, cut_text
from assistant.policies.outcome import failure_of, is_retryable, status_of
from assistant.policies.titles import title_from
from assistant.ports import Taken
from assistant.recalling import NOTHING_KNOWN
from assistant.speaking import Speaker
from memory.errors import NotFound, StoreError
from memory.types import BY_RULE
from models.errors import Cancelled, ModelError
from models.types import (
    Cancel,
    Failure,
    Finished,
    Loading,
    Ready,
)

if TYPE_CHECKING:
    from assistant.deps import Deps
    from assistant.events import (
        TurnEvent,
    )
    from assistant.mind import Mind
    from assistant.remembering import Heard
    from memory.types import Message, MessageId, MessageStatus, Origin, Session, SessionMode
    from models.types import (
        FinishReason,
    )

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """Something said. With `replaces` it becomes a sibling of that message (edit and resend)."""

    text: str
    origin: Origin = "typed"
    replaces: MessageId | None = None
    cut_to_fit: bool = False  # send the beginning, marked as cut, if the whole does not fit


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Another answer to the same message; `message_id` is the message or one of its answers."""

    message_id: MessageId


class Turn:
    """Walks once; `events` is iterated once. `session` is None until the first message makes it."""

    def __init__(
        self,
        deps: Deps,
        asked: NewMessage | Again,
        *,
        session: Session | None,
        mode: SessionMode,
        mind: Mind,
    ) -> None:
        self.session = session
        self.cancel = Cancel()
        self._deps = deps
        self._asked = asked
        self._mode = mode
        self._user: Message | None = None
        self._reply: Message | None = None
        self._draft = Draft(deps.clock.now())
        self._mind = mind
        self._knowledge = NOTHING_KNOWN
        self._speaker = Speaker(deps, self._draft, self.cancel, self._save_if_due)
        self._finished: Finished | None = None
        self._settled = False
        self._by_rule = False
        self.said: tuple[Message, Sequence[Message]] | None = None  # something new, and the conversation before it

    @property
    def reply_id(self) -> MessageId | None:
        return self._reply.id if self._reply else None

    async def events(self) -> AsyncGenerator[TurnEvent, None]:
        """Raises NotFound and NotPossible before anything happened; everything else expected is an event."""
        try:
            async with contextlib.aclosing(self._walk()) as walk:
                async for event in walk:
                    yield event
        except (GeneratorExit, asyncio.CancelledError):
            await self.abandon("cancelled")
            raise

    async def abandon(self, reason: FinishReason) -> None:
        """Store what came and mark it, when the turn cannot walk to its end; harmless afterwards."""
        self.cancel.set()
        if self._settled or self._reply is None:
            return
        status: MessageStatus = "stopped" if reason == "cancelled" else "interrupted"
        with contextlib.suppress(StoreError):
            await self._store_answer(Finished(reason=reason), status)

    def ended(self, finished: Finished) -> TurnEnded:
        return TurnEnded(
            text=self._draft.text,
            finish_reason=finished.reason,
            usage=finished.usage,
            session_id=self.session.id if self.session else None,
            user_message_id=self._user.id if self._user else None,
            reply_message_id=self._reply.id if self._reply else None,
        )

    async def _walk(self) -> AsyncGenerator[TurnEvent, None]:
        try:
            started = await self._keep()
        except NotFound:
            raise
        except StoreError as error:
            self._settled = True
            yield TurnFailed(failure=_not_saved("Your message" if self._user is None else "The answer", error))
            yield self.ended(Finished(reason="failed"))
            return
        yield started
        try:
            async with contextlib.aclosing(self._answer()) as answer:
                async for event in answer:
                    yield event
        except Cancelled:
            self._finished = Finished(reason="cancelled")
        except ModelError as error:
            self._finished = Finished(reason="failed", failure=error.failure)
        except StoreError as error:
            self._finished = Finished(reason="failed", failure=_unreadable(error))
        for event in await self._settle():
            yield event

    # keep

    async def _keep(self) -> TurnStarted:
        match self._asked:
            case NewMessage():
                self._user = await self._keep_message(self._asked)
            case Again():
                self._user = await self._message_to_answer(self._asked.message_id)
            case _:
                assert_never(self._asked)
        deps = self._deps
        self._reply = await deps.transcript.begin_reply(self._user.id, at=deps.clock.now(), model=self._model_name())
        self._draft.mark_saved(deps.clock.now())
        return TurnStarted(
            session_id=self._user.session_id, user_message_id=self._user.id, reply_message_id=self._reply.id
        )

    async def _keep_message(self, asked: NewMessage) -> Message:
        now = self._deps.clock.now()
        replaced = await self._own_message(asked.replaces) if asked.replaces is not None else None
        if replaced is not None and replaced.role != "user":
            raise NotPossible("Only your own messages can be edited.", "Ask for another answer instead.")
        if self.session is None:
            self.session = await self._deps.transcript.create_session(
                at=now, title=title_from(asked.text), mode=self._mode
            )
        parent_id = replaced.parent_id if replaced is not None else self.session.head_id
        if asked.cut_to_fit and replaced is not None and replaced.content == asked.text:
            whole = replaced  # it was stored when it was refused
        else:
            whole = await self._deps.transcript.add_user_message(
                self.session.id, parent_id, asked.text, at=now, origin=asked.origin
            )
        self._user = whole
        return await self._keep_cut(whole) if asked.cut_to_fit else whole

    async def _keep_cut(self, whole: Message) -> Message:
        """The beginning of `whole` beside it, as its own row, so that nothing the user gave is lost."""
        try:
            total = await self._deps.model.context_length(self.cancel)
            fitting = await characters_that_fit(self._deps, whole, total, MARGIN)
        except ModelError:
            return whole  # said once, when the answer is tried
        if fitting in (0, len(whole.content)):
            return whole
        return await self._deps.transcript.add_user_message(
            whole.session_id,
            whole.parent_id,
            cut_text(whole.content, fitting),
            at=self._deps.clock.now(),
            origin=whole.origin,
        )

    async def _message_to_answer(self, message_id: MessageId) -> Message:
        message = await self._own_message(message_id)
        if message.role == "user":
            return message
        if message.parent_id is None:
            raise NotPossible("There is no message this could answer.")
        return await self._own_message(message.parent_id)

    async def _own_message(self, message_id: MessageId) -> Message:
        message = await self._deps.transcript.message(message_id)
        if self.session is None or message.session_id != self.session.id:
            raise NotPossible("That message belongs to another conversation.", "Open that conversation first.")
        return message

    def _model_name(self) -> str:
        match self._deps.model.status:
            case Ready(info=info):
                return info.name
            case Loading(name=name):
                return name
            case _:
                return ""

    # plan and speak

    async def _answer(self) -> AsyncGenerator[TurnEvent, None]:
        assert self._user is not None
        if (reminded := await self._remind(self._user)) is not None:
            yield self._said_by_rule(reminded)
            return
        path = (await self._deps.transcript.path(self._user.session_id))[:-1]
        heard = await self._hear(path)
        if heard.remembered is not None:
            yield heard.remembered
        taken = await self._act(path)
        for event in taken.events:
            yield event
        if taken.text:
            yield self._said_by_rule(taken.text)
            return
        if heard.only_forgets and heard.remembered is not None and taken.going is None:
            yield self._said_by_rule(forgetting_words(heard.remembered))
            return
        if taken.going is not None:
            async with contextlib.aclosing(taken.going) as going:
                async for event in going:
                    yield self._said_by_rule(event.text) if isinstance(event, ReplyDelta) else event
            if not taken.rest or self.cancel.is_set:
                return
            path = (*path[:-1], replace(path[-1], content=taken.rest))
        async with contextlib.aclosing(self._reply_to(path, heard, taken)) as reply:
            async for event in reply:
                yield event

    def _said_by_rule(self, text: str) -> ReplyDelta:
        """The whole answer, in which no model takes part."""
        self._by_rule = True
        self._finished = Finished(reason="stop")
        return ReplyDelta(text=self._draft.add_text(text))

    async def _reply_to(self, path: Sequence[Message], heard: Heard, taken: Taken) -> AsyncGenerator[TurnEvent, None]:
        """The model's answer, with what is known and what was looked up in front of it."""
        assert self._user is not None
        total = 0
        async with contextlib.aclosing(window_of(self._deps.model, self.cancel)) as window:
            async for news in window:
                if isinstance(news, int):
                    total = news
                else:
                    yield news
        if self.cancel.is_set:
            return
        self._knowledge = await self._mind.knowledge(
            self._user, heard, session_id=self._user.session_id, window=total, mode=self._mode
        )
        if taken.evidence:
            self._knowledge = replace(self._knowledge, evidence=taken.evidence)
        if heard.wants_it_again and len(path) > 1:
            self._knowledge = replace(self._knowledge, again=True)
        if (recalled := self._knowledge.event()) is not None:
            yield recalled
        rejected = path[-2].content if heard.corrects and len(path) > 1 else ""
        speech = self._speaker.answer(path, total, knowledge=self._knowledge, rejected=rejected)
        async with contextlib.aclosing(speech) as spoken:
            async for event in spoken:
                yield event
        if taken.sources and self._draft.text and not self.cancel.is_set:
            yield ReplyDelta(text=self._draft.add_text(_cited(taken.sources)))

    async def _act(self, path: Sequence[Message]) -> Taken:
        """What the message asked to be done or looked up. Once a message: another answer does nothing again."""
        if self._deps.acting is None or not isinstance(self._asked, NewMessage):
            return Taken()
        incognito = self._mode == "incognito"
        return await self._deps.acting.take(path[-1], path[:-1], self.cancel, incognito=incognito) or Taken()

    async def _remind(self, message: Message) -> str | None:
        """The answer to a wish to be reminded, which is kept by then: no model takes part. Once a message."""
        if self._deps.reminding is None or not isinstance(self._asked, NewMessage):
            return None
        return await self._deps.reminding.take(message, incognito=self._mode == "incognito")

    async def _hear(self, path: Sequence[Message]) -> Heard:
        """What was said is taken in once: an answer asked for again changes nothing in memory."""
        if not isinstance(self._asked, NewMessage):
            return await self._mind.hear(path[-1], path[:-1], "no_learn")
        self.said = (path[-1], path[:-1])
        heard = await self._mind.hear(path[-1], path[:-1], self._mode)
        if heard.corrects and len(path) > 1 and self._mode == "normal":
            await self._mind.turned_down(path[-2].id, heard)
        return heard

    async def _save_if_due(self) -> None:
        now = self._deps.clock.now()
        if self._reply is None or not self._draft.is_due(now):
            return
        self._draft.mark_saved(now)
        try:
            await self._deps.transcript.checkpoint_reply(self._reply.id, self._draft.text, self._draft.thought)
        except (
            StoreError
        ) as error:  # the answer goes on where it can be read; saving is tried again, and told at the end
            logger.warning("checkpoint of an answer failed: %s", error.message)

    # settle

    async def _settle(self) -> list[TurnEvent]:
        finished = self._finished or self._speaker.finished or Finished(reason="cancelled")
        failure = failure_of(finished, self._draft.text)
        try:
            await self._store_answer(finished, status_of(finished.reason, self._draft.text))
        except StoreError as error:
            failure = failure or _not_saved("The answer", error)
        ended: list[TurnEvent] = [self.ended(finished)]
        if failure:
            return [TurnFailed(failure=failure, retryable=is_retryable(failure)), *ended]
        assert self._reply is not None
        await self._mind.answered(self._knowledge, self._reply.id, self._speaker.broken, self._mode)
        asked = await self._mind.question(self._mode)
        return [asked, *ended] if asked is not None else ended

    async def _store_answer(self, finished: Finished, status: MessageStatus) -> None:
        assert self._reply is not None
        self._settled = True
        now, usage = self._deps.clock.now(), finished.usage
        seconds = usage.seconds_to_first_token + usage.seconds_generating
        await self._deps.transcript.finish_reply(
            self._reply.id,
            self._draft.text,
            thought=self._draft.thought,
            status=status,
            finish_reason=BY_RULE if self._by_rule else finished.reason,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            seconds=seconds or max((now - self._reply.created_at).total_seconds(), 0.0),
            at=now,
        )


def _cited(sources: Sequence[str]) -> str:
    return "\n\nFrom: " + "; ".join(sources) + "."


def _not_saved(what: str, error: StoreError) -> Failure:
    return Failure(kind="not_saved", message=f"{what} could not be saved: {error.message}", hint=error.hint)


def _unreadable(error: StoreError) -> Failure:
    return Failure(kind="not_saved", message=f"The conversation could not be read: {error.message}", hint=error.hint)
