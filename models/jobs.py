"""Requests on the parent's side: each keeps its frame, takes what the child says about it, and ends exactly once."""

import asyncio
from typing import Protocol

from models.endings import CANCELLED, error_of
from models.mailbox import Mailbox
from models.protocol import Choose, Chosen, Count, Counted, Done, Failed, Generate, Piece, Reading
from models.types import Delta, Failure, Finished, FinishReason, Progress, Usage

AnswerFrame = Done | Chosen | Counted | Failed

_OUT_OF_TURN = Failure(
    kind="bug",
    message="The model process answered something else than was asked.",
    hint="Ask again; if it happens again, please report it with the engine's log.",
)


class WorkerJob(Protocol):
    @property
    def frame(self) -> Generate | Choose | Count: ...

    def loading(self, done: int, total: int) -> None: ...

    def heard(self, frame: Reading | Piece) -> None: ...

    def answered(self, frame: AnswerFrame) -> None: ...

    def ended(self, reason: FinishReason, failure: Failure | None) -> None:
        """Without an answer of the child."""
        ...


class StreamJob:
    """A generation; what arrives goes into `mailbox`, a Finished last."""

    def __init__(self, frame: Generate) -> None:
        self.frame = frame
        self.mailbox = Mailbox()

    def loading(self, done: int, total: int) -> None:
        self.mailbox.put(Progress(stage="loading", done=done, total=total))

    def heard(self, frame: Reading | Piece) -> None:
        if isinstance(frame, Reading):
            self.mailbox.put(Progress(stage="reading", done=frame.done, total=frame.total))
        elif frame.text:
            self.mailbox.put(Delta(text=frame.text, thought=frame.thought))

    def answered(self, frame: AnswerFrame) -> None:
        match frame:
            case Done(reason=reason, usage=usage):
                self.mailbox.put(Finished(reason=reason, usage=Usage(**usage.model_dump())))
            case Failed():
                self._fail(failure_of(frame))
            case Chosen() | Counted():
                self._fail(_OUT_OF_TURN)

    def ended(self, reason: FinishReason, failure: Failure | None) -> None:
        self.mailbox.put(Finished(reason=reason, failure=failure))

    def _fail(self, failure: Failure) -> None:
        if failure.kind == "cancelled":
            self.mailbox.put(Finished(reason="cancelled"))
        else:
            self.mailbox.put(Finished(reason="failed", failure=failure))


class AskJob:
    """A request with one answer: `result` gets the frame or a ModelError."""

    def __init__(self, frame: Choose | Count) -> None:
        self.frame = frame
        self.result: asyncio.Future[Chosen | Counted] = asyncio.get_running_loop().create_future()

    def loading(self, done: int, total: int) -> None:
        """Nobody watches."""

    def heard(self, frame: Reading | Piece) -> None:
        """Nobody watches."""

    def answered(self, frame: AnswerFrame) -> None:
        match frame, self.frame:
            case (Chosen() as answer, Choose()) | (Counted() as answer, Count()):
                if not self.result.done():
                    self.result.set_result(answer)
            case Failed(), _:
                self._fail(failure_of(frame))
            case Done(reason="cancelled"), _:
                self._fail(CANCELLED)
            case _:
                self._fail(_OUT_OF_TURN)

    def ended(self, reason: FinishReason, failure: Failure | None) -> None:
        self._fail(failure or CANCELLED)

    def _fail(self, failure: Failure) -> None:
        if not self.result.done():
            self.result.set_exception(error_of(failure))


def failure_of(frame: Failed) -> Failure:
    return Failure(kind=frame.kind, message=frame.message, hint=frame.hint)
