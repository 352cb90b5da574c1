"""A model whose tokens are words, for stories about turns: it says what it is told to and refuses what does not fit."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

from models.errors import ModelMissing
from models.types import (
    Absent,
    Cancel,
    ChatMessage,
    ChoiceRequest,
    Delta,
    Failure,
    Finished,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    ModelStatus,
    Progress,
    Ready,
    Usage,
)

TEMPLATE_TOKENS = 4  # around each message


@dataclass(frozen=True, slots=True)
class Thought:
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Hang:
    """Say nothing more until cancelled."""


Step = str | Thought | Reading | Hang | Finished | BaseException
Reply = Sequence[Step] | str


def words_in(message: ChatMessage) -> int:
    return len(message.content.split()) + TEMPLATE_TOKENS


def prompt_tokens(messages: Sequence[ChatMessage]) -> int:
    return sum(words_in(message) for message in messages)


def ready(window: int = 2_048, name: str = "words") -> Ready:
    return Ready(info=ModelInfo(name=name, path=name, context_length=window, backend="scripted", device="none"))


@dataclass(slots=True)
class WordModel:
    """Implements assistant.ports.ChatModel. An unexpected call is an error."""

    replies: list[Reply] = field(default_factory=list)
    window: int = 2_048
    status: ModelStatus = field(default_factory=ready)
    counts_wrong_by: int = 0  # tokens a prompt has more than `count` says, as with a server
    requests: list[GenerationRequest] = field(default_factory=list)
    counted: list[ChatMessage] = field(default_factory=list)
    started: bool = False
    closed: bool = False
    streams_open: int = 0
    _listeners: list[Callable[[ModelStatus], None]] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def become(self, status: ModelStatus) -> None:
        self.status = status
        for listener in tuple(self._listeners):
            listener(status)
        self._changed.set()

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    async def start(self) -> None:
        self.started = True

    async def close(self) -> None:
        self.closed = True

    async def context_length(self, cancel: Cancel) -> int:
        while not isinstance(self.status, Ready):
            if isinstance(self.status, Absent):
                raise ModelMissing(self.status.failure)
            self._changed.clear()
            await self._changed.wait()
        return self.window

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        self.counted.extend(messages)
        return tuple(words_in(message) for message in messages)

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        tokens_in = prompt_tokens(request.messages) + self.counts_wrong_by
        if tokens_in + request.sampling.max_tokens > self.window:
            failure = Failure(kind="context_full", message="The prompt does not fit.", hint="Send less.")
            yield Finished(reason="failed", failure=failure)
            return
        if not self.replies:
            raise AssertionError(f"unexpected request: {request.messages[-1].content[:60]!r}")
        reply = self.replies.pop(0)
        self.streams_open += 1
        try:
            async for event in _said(reply, tokens_in, self.window, cancel):
                yield event
        finally:
            self.streams_open -= 1

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> tuple[tuple[float, ...], ...]:
        raise AssertionError("unexpected call")


async def _said(reply: Reply, tokens_in: int, window: int, cancel: Cancel) -> AsyncGenerator[ModelEvent, None]:
    steps: Sequence[Step] = _words(reply) if isinstance(reply, str) else reply
    out = 0
    for step in steps:
        await asyncio.sleep(0)
        match step:
            case Hang():
                await cancel.wait()
            case Reading():
                yield Progress(stage="reading", done=step.done, total=step.total)
            case Thought():
                yield Delta(text=step.text, thought=True)
            case Finished():
                yield step
                return
            case BaseException():
                raise step
            case _:
                out += 1
                yield Delta(text=step)
        if cancel.is_set:
            yield Finished(reason="cancelled", usage=_usage(tokens_in, out, window))
            return
    yield Finished(reason="stop", usage=_usage(tokens_in, out, window))


def _words(text: str) -> list[str]:
    return [word if index == 0 else f" {word}" for index, word in enumerate(text.split(" "))]


def _usage(tokens_in: int, tokens_out: int, window: int) -> Usage:
    return Usage(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds_to_first_token=0.5,
        seconds_generating=1.0,
        context_used=tokens_in + tokens_out,
        context_total=window,
    )
