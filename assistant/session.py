"""The conversation in front of the user: one turn at a time, cancel, branches. Every front end drives this."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.deps import Prompts as Prompts
from assistant.errors import AssistantError, Busy, EmptyMessage, NotPossible
from assistant.events import ContextPlanned, Recalled, TurnEnded, TurnFailed, TurnStarted
from assistant.later import later
from assistant.policies.cleaning import clean, clean_line
from assistant.policies.intake import trim
from memory.errors import NotFound, StoreError
from models.types import Failure, Finished, Ready

if TYPE_CHECKING:
    from assistant.deps import Deps as Deps
    from assistant.events import TurnEvent
    from assistant.learning import Learner
    from assistant.mind import Mind
    from assistant.turn import Again, NewMessage, Turn
    from memory.types import Message, MessageId, Origin, SessionId, SessionMode
    from memory.types import Session as SessionRow

logger = logging.getLogger(__name__)

TITLE_LIMIT = 120
_BUG = Failure(
    kind="bug",
    message="Something went wrong inside Steward while it answered; what came is kept.",
    hint="Ask again. The details are in steward.log (`steward where` shows the folder).",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What shaped an answer, as far as it was made in this run."""

    model: str
    context: ContextPlanned
    recalled: Recalled | None = None  # what was known about the user


class Session:
    """Not for use from two tasks at once, except `cancel`."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._info: SessionRow | None = None
        self._mode: SessionMode = "normal"
        self._turn: Turn | None = None
        self._mind = later(lambda: _mind(deps))
        self._learner = later(lambda: _learner(deps))
        self._reading: asyncio.Task[None] | None = None  # background learning, between turns
        self._recalled: Recalled | None = None
        self._explanations: dict[MessageId, Explanation] = {}

    @property
    def info(self) -> SessionRow | None:
        """The stored session; None until the first message of a new one."""
        return self._info

    @property
    def mode(self) -> SessionMode:
        return self._info.mode if self._info else self._mode

    @property
    def busy(self) -> bool:
        return self._turn is not None

    def new(self, mode: SessionMode = "normal") -> None:
        """Begin another conversation; its row is made with the first message. Raises Busy."""
        self._refuse_if_busy()
        self._info, self._mode, self._mind = None, mode, later(lambda: _mind(self._deps))

    async def open(self, session_id: SessionId) -> None:
        """Raises Busy, NotFound, StoreError."""
        self._refuse_if_busy()
        self._info = await self._deps.transcript.session(session_id)
        self._mind = later(lambda: _mind(self._deps))

    async def refresh(self) -> None:
        """Read the session's row again, after something else changed it. Raises StoreError."""
        if self._info is not None:
            self._info = await self._deps.transcript.session(self._info.id)

    async def messages(self) -> tuple[Message, ...]:
        """Root to head. Raises StoreError."""
        return () if self._info is None else await self._deps.transcript.path(self._info.id)

    async def rename(self, title: str) -> None:
        """Raises EmptyMessage, NotPossible, StoreError."""
        line = clean_line(title, TITLE_LIMIT)
        if not line:
            raise EmptyMessage("A title needs at least one character.")
        if self._info is None:
            raise NotPossible("There is no conversation to name yet.", "Say something first.")
        await self._deps.transcript.rename(self._info.id, line)
        await self.refresh()

    def say(self, text: str, *, origin: Origin = "typed", cut_to_fit: bool = False) -> AsyncIterator[TurnEvent]:
        """One turn. The text is stored before the model is asked. With `cut_to_fit` a text that is too long is stored
        whole, and beside it its beginning, marked as cut, which is answered. Raises Busy, EmptyMessage."""
        from assistant.turn import NewMessage

        return self._start(NewMessage(text=_said(text), origin=origin, cut_to_fit=cut_to_fit))

    def edit(
        self, message_id: MessageId, text: str, *, origin: Origin = "typed", cut_to_fit: bool = False
    ) -> AsyncIterator[TurnEvent]:
        """Say `text` in place of one of the user's messages: a new branch, the old one stays. Raises as `say`, and
        NotFound, NotPossible at the first event."""
        from assistant.turn import NewMessage

        return self._start(NewMessage(text=_said(text), origin=origin, replaces=message_id, cut_to_fit=cut_to_fit))

    def regenerate(self, message_id: MessageId) -> AsyncIterator[TurnEvent]:
        """Another answer beside the old one. `message_id`: the answer, or the message it answers. Raises as `edit`."""
        from assistant.turn import Again

        return self._start(Again(message_id=message_id))

    def cancel(self) -> bool:
        """Stop the turn in progress; False when there is none. The turn ends with what came."""
        if self._turn is None:
            return False
        self._turn.cancel.set()
        return True

    async def close(self) -> None:
        """Before the store and the model are: background learning ends; what waits is read another time."""
        if self._reading is not None:
            self._learner.pause()
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None

    async def select_branch(self, message_id: MessageId, step: int) -> None:
        """Show the alternative `step` places after (or before) this message; at the ends nothing changes.
        Raises Busy, NotFound, StoreError."""
        self._refuse_if_busy()
        alternatives = [message.id for message in await self._deps.transcript.siblings(message_id)]
        index = alternatives.index(message_id) + step
        chosen = alternatives[min(max(index, 0), len(alternatives) - 1)]
        self._info = await self._deps.transcript.select_branch(chosen)

    def explanation(self, message_id: MessageId) -> Explanation | None:
        return self._explanations.get(message_id)

    def _refuse_if_busy(self) -> None:
        if self._turn is not None:
            raise Busy("An answer is being written.", "Stop it first, or wait for its end.")

    def _start(self, asked: NewMessage | Again) -> AsyncIterator[TurnEvent]:
        from assistant.turn import Turn

        self._refuse_if_busy()
        turn = Turn(self._deps, asked, session=self._info, mode=self.mode, mind=self._mind)
        return self._run(turn)

    async def _run(self, turn: Turn) -> AsyncGenerator[TurnEvent, None]:
        self._refuse_if_busy()
        self._turn = turn
        self._learner.pause()
        try:
            async with contextlib.aclosing(turn.events()) as events:
                async for event in events:
                    await self._note(turn, event)
                    yield event
        except (AssistantError, NotFound):
            raise
        except Exception:  # a bug in one turn must not end the program: told, logged, and the next turn goes on
            logger.exception("a turn failed")
            await turn.abandon("failed")
            ended = turn.ended(Finished(reason="failed", failure=_BUG))
            await self._note(turn, ended)
            yield TurnFailed(failure=_BUG)
            yield ended
            if self._deps.reraise_bugs:
                raise
        finally:
            await self._release(turn)

    async def _note(self, turn: Turn, event: TurnEvent) -> None:
        match event:
            case TurnStarted():
                self._info = turn.session
                self._recalled = None
            case Recalled():
                self._recalled = event
            case ContextPlanned():
                status = self._deps.model.status
                model = status.info.name if isinstance(status, Ready) else ""
                if turn.reply_id is not None:
                    self._explanations[turn.reply_id] = Explanation(model=model, context=event, recalled=self._recalled)
            case TurnEnded():
                await self._release(turn)
            case _:
                pass

    async def _release(self, turn: Turn) -> None:
        """Free for the next turn, with the session's row as it is now; once a turn."""
        if self._turn is not turn:
            return
        self._turn = None
        self._info = turn.session
        with contextlib.suppress(StoreError):
            await self.refresh()
        if turn.said is not None and self.mode == "normal" and self._learner.learns:
            await self._learner.queue(*turn.said, self.mode)
            if self._turn is None:
                self._reading = asyncio.create_task(self._learner.rest())


def _mind(deps: Deps) -> Mind:
    from assistant.mind import Mind

    return Mind(deps)


def _learner(deps: Deps) -> Learner:
    from assistant.learning import Learner

    return Learner(deps)


def _said(text: str) -> str:
    said = trim(clean(text))
    if not said:
        raise EmptyMessage("There is nothing to send.", "Write a message first.")
    return said
