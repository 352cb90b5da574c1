"""WorkerModel: a GGUF file as a ChatModel, run by llama.cpp in a supervised child process."""

from collections.abc import AsyncIterator, Callable, Sequence

from models.count_cache import CountCache
from models.endings import CANCELLED
from models.errors import Cancelled, ModelError
from models.jobs import AskJob, StreamJob
from models.launching import Engine
from models.protocol import Choose, Chosen, Count, Counted, Generate, MessageFrame, QuestionFrame, SamplingFrame
from models.status import StatusBoard
from models.supervised import SupervisedChild
from models.supervision import Limits
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    Failure,
    Finished,
    GenerationRequest,
    ModelEvent,
    ModelStatus,
    Priority,
    Sampling,
)
from models.waiting import Watch

_MISCOUNTED = Failure(
    kind="bug",
    message="The model process answered another number of questions than was asked.",
    hint="Ask again; if it happens again, please report it with the engine's log.",
)


class WorkerModel:
    """See assistant.ports.ChatModel. Building one costs nothing; needs a running event loop from `start` on.

    After the restarts are used up (`GivenUp`) a user's next request is one more try; background ones fail at once.
    `count` goes before background work, like a user request: the next reply waits for it.
    """

    def __init__(self, engine: Engine, limits: Limits | None = None) -> None:
        self._board = StatusBoard()
        self._child = SupervisedChild(engine, limits or Limits(), self._board.publish)
        self._counts = CountCache()

    @property
    def status(self) -> ModelStatus:
        return self._child.status

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        return self._board.listen(listener)

    async def start(self) -> None:
        self._child.start()

    async def close(self) -> None:
        await self._child.close()

    async def context_length(self, cancel: Cancel) -> int:
        self._child.start()
        info = await self._board.settled(lambda: self._child.status, cancel)
        return info.context_length

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        known = {message: self._counts.get(message) for message in messages}
        missing = tuple(message for message, count in known.items() if count is None)
        if missing:
            number = self._child.number()
            job = AskJob(Count(id=number, messages=_messages(missing)))
            answer = await self._ask(job, "user", Cancel())
            if not isinstance(answer, Counted) or len(answer.counts) != len(missing):
                raise ModelError(_MISCOUNTED)
            for message, count in zip(missing, answer.counts, strict=True):
                self._counts.put(message, count)
                known[message] = count
        return tuple(known[message] or 0 for message in messages)

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        if cancel.is_set:
            yield Finished(reason="cancelled")
            return
        number = self._child.number()
        job = StreamJob(_generate(request, number))
        self._child.submit(job, request.priority)
        try:
            async with Watch(cancel, lambda: self._child.cancel(number)):
                while True:
                    event = await job.mailbox.get()
                    yield event
                    if isinstance(event, Finished):
                        return
        finally:
            self._child.cancel(number)

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> tuple[tuple[float, ...], ...]:
        if cancel.is_set:
            raise Cancelled(CANCELLED)
        number = self._child.number()
        answer = await self._ask(AskJob(_choose(request, number)), request.priority, cancel)
        wanted = [len(question.options) for question in request.questions]
        if not isinstance(answer, Chosen) or [len(one) for one in answer.probabilities] != wanted:
            raise ModelError(_MISCOUNTED)
        return answer.probabilities

    async def _ask(self, job: AskJob, priority: Priority, cancel: Cancel) -> Chosen | Counted:
        number = job.frame.id
        self._child.submit(job, priority)
        try:
            async with Watch(cancel, lambda: self._child.cancel(number)):
                return await job.result
        finally:
            job.result.cancel()
            self._child.cancel(number)


def _generate(request: GenerationRequest, number: int) -> Generate:
    return Generate(
        id=number,
        messages=_messages(request.messages),
        sampling=_sampling(request.sampling),
        json_schema=None if request.json_schema is None else dict(request.json_schema),
        stable_messages=request.stable_messages,
        think=request.think,
    )


def _choose(request: ChoiceRequest, number: int) -> Choose:
    questions = tuple(
        QuestionFrame(prompt=_sendable(one.prompt), options=tuple(map(_sendable, one.options)))
        for one in request.questions
    )
    return Choose(id=number, messages=_messages(request.messages), questions=questions, calibrate=request.calibrate)


def _messages(messages: Sequence[ChatMessage]) -> tuple[MessageFrame, ...]:
    return tuple(MessageFrame(role=one.role, content=_sendable(one.content)) for one in messages)


def _sampling(sampling: Sampling) -> SamplingFrame:
    return SamplingFrame(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        min_p=sampling.min_p,
        repeat_penalty=sampling.repeat_penalty,
        max_tokens=sampling.max_tokens,
        seed=sampling.seed,
    )


def _sendable(text: str) -> str:
    """Lone surrogates have no UTF-8; a frame with one would be refused whole."""
    return text.encode("utf-8", "replace").decode()
