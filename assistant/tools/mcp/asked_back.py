"""Servers that ask back in the middle of a call: each question is a decision on disk before anybody sees it, and the
call waits here for its answer. Only the process that is calling can pass it on: when it ends, the question is over.

    raised -> shown by whoever is there -> answered, declined | too late | the server did not wait | stopped
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from assistant.errors import ToolError
from assistant.ports import Clock
from assistant.reports import CouldNot, Found, Report, TurnedDown
from assistant.tools.mcp.question_cards import question_card, read_values, told
from assistant.tools.mcp.types import Dismissed, Elicitation, Elicited, Refused
from assistant.tools.types import Outcome
from memory.decision_store import DecisionStore
from memory.decisions import Decision, DecisionId, DecisionState
from memory.errors import StoreError

PATIENCE_S = 600.0
GONE = "Steward ended before it was answered; the server was told nothing."


class Asker(Protocol):
    """Whoever can put a question in front of the user now."""

    def present(self) -> bool:
        """Whether anybody may be asked: not in a conversation of which nothing is kept."""
        ...

    def asked(self, decision: Decision, /) -> None:
        """It is on disk, and the call waits for it."""
        ...

    def over(self, decision: Decision, words: str, /) -> None:
        """Nobody can answer it any more; `words` say why in one line, "" when it was answered."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    asked: Elicitation
    decision: Decision
    answer: "asyncio.Future[Elicited]"


class AskedBack:
    """Implements assistant.tools.mcp.types.Elicit. `asker` is set by whoever shows decisions; without one nobody is
    asked. `store` raises StoreError."""

    def __init__(self, store: Callable[[], DecisionStore], clock: Clock, *, patience_s: float = PATIENCE_S) -> None:
        self._store = store
        self._clock = clock
        self._patience = patience_s
        self._waiting: dict[DecisionId, _Waiting] = {}
        self.asker: Asker | None = None

    async def __call__(self, asked: Elicitation, /) -> Elicited:
        asker = self.asker
        if asker is None or not asker.present():
            return Dismissed(because="nobody")
        now = self._clock.now()
        card = question_card(asked, expires_at=now + timedelta(seconds=self._patience), patience=_words(self._patience))
        try:
            decision = await self._store().raise_decision(card, at=now)
        except StoreError:
            return Dismissed(because="nobody")
        waiting = _Waiting(asked=asked, decision=decision, answer=asyncio.get_running_loop().create_future())
        self._waiting[decision.id] = waiting
        try:
            asker.asked(decision)
            return await self._awaited(waiting, asker)
        finally:
            self._waiting.pop(decision.id, None)

    async def _awaited(self, waiting: _Waiting, asker: Asker) -> Elicited:
        decision, server = waiting.decision, waiting.asked.server
        try:
            async with asyncio.timeout(self._patience):
                answer = await waiting.answer
        except TimeoutError:
            answer = Dismissed(because="late")
            words = f"It is too late for an answer to {server}; it was told that nobody answered."
            await self._close(decision, "expired", words)
        except asyncio.CancelledError:
            words = f"{server} did not wait for the answer."
            await asyncio.shield(self._close(decision, "withdrawn", words))
            asker.over(decision, words)
            raise
        else:
            words = ""
            if isinstance(answer, Dismissed):
                await self._close(decision, "withdrawn", "stopped")
        asker.over(decision, words)
        return answer

    def waits(self, id: DecisionId) -> bool:
        return id in self._waiting and not self._waiting[id].answer.done()

    async def answer(self, id: DecisionId, text: str, *, source: str) -> Report:
        """For one that waits. What does not answer it is said, and it waits on. Raises NotFound, ChangeRefused."""
        waiting = self._waiting[id]
        try:
            answer = read_values(waiting.asked, text)
        except ToolError as error:
            return CouldNot(message=error.message, hint=error.hint, decision=id)
        words = told(waiting.asked, answer)
        if isinstance(answer, Refused):
            closed = await self._store().close_decision(id, "declined", at=self._clock.now(), result=words)
            self._settle(waiting, answer)
            return TurnedDown(decision=closed)
        await self._store().answer(id, text, source=source, at=self._clock.now())
        self._settle(waiting, answer)
        await self._close(waiting.decision, "done", words)
        return Found(tool="", outcome=Outcome(text=words, final=True))

    async def withdraw(self, id: DecisionId) -> Decision:
        """The server is told that nobody answered. Raises NotFound, ChangeRefused."""
        closed = await self._store().close_decision(id, "withdrawn", at=self._clock.now(), result="withdrawn")
        self._settle(self._waiting[id], Dismissed())
        return closed

    def stop(self) -> bool:
        """All that waits: the user stopped what they belong to. False when nothing waited."""
        waiting = [one for id, one in self._waiting.items() if self.waits(id)]
        for one in waiting:
            self._settle(one, Dismissed())
        return bool(waiting)

    async def close_left_over(self) -> tuple[Decision, ...]:
        """At start-up: questions of a process that is gone. Raises StoreError."""
        store, now = self._store(), self._clock.now()
        left = [one for one in await store.decisions(("open", "answered")) if one.asked.kind == "server"]
        gone = [one for one in left if one.id not in self._waiting]
        return tuple(
            [
                await store.close_decision(
                    one.id, "withdrawn" if one.state == "open" else "failed", at=now, result=GONE
                )
                for one in gone[::-1]
            ]
        )

    def _settle(self, waiting: _Waiting, answer: Elicited) -> None:
        if not waiting.answer.done():
            waiting.answer.set_result(answer)

    async def _close(self, decision: Decision, state: DecisionState, result: str) -> None:
        with contextlib.suppress(StoreError):  # it was swept, or withdrawn, in the same moment
            await self._store().close_decision(decision.id, state, at=self._clock.now(), result=result)


def _words(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes > 1 else "a minute" if minutes else f"{seconds:g} s"
