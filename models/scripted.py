"""A model that says what it is told to, for tests and the demo. It keeps every promise of assistant.ports.ChatModel,
proven by the same contract suite as the real ones, and it is strict: what the script does not foresee fails."""

from asyncio import sleep
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import NoReturn, assert_never

from models.endings import CANCELLED, error_of
from models.errors import Cancelled
from models.status import StatusBoard
from models.supervisor import CLOSED
from models.turnstile import Turnstile
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    Delta,
    Failure,
    Finished,
    FinishReason,
    GenerationRequest,
    GivenUp,
    Loading,
    ModelEvent,
    ModelInfo,
    ModelStatus,
    Progress,
    Ready,
    Usage,
)

TEMPLATE_TOKENS = 4  # around each message

_TOO_LONG = Failure(kind="context_full", message="The prompt does not fit the context.", hint="Send less text.")


@dataclass(frozen=True, slots=True)
class Hang:
    """Say nothing more until cancelled."""


Step = str | Hang | Failure | Progress | Delta | Finished
Reply = str | Sequence[Step] | Callable[[GenerationRequest], "str | Sequence[Step]"]
Probabilities = tuple[tuple[float, ...], ...]
Choice = Probabilities | Failure | Hang | Callable[[ChoiceRequest], Probabilities]


class ScriptedModel:
    """Each stream takes the next of `replies`, each choose the next of `choices`.

    A text as a reply is said word by word; a text as a step is one Delta. A Failure ends the answer, a Finished
    ends it in its own way, the end of the steps is a "stop". Every Delta counts as a token.
    When the replies are used up, `otherwise` answers and choices are even; without it
    an unexpected call raises AssertionError, and `assert_done` does so again, should a caller have swallowed it.
    """

    def __init__(
        self,
        *replies: Reply,
        choices: Sequence[Choice] = (),
        otherwise: Reply | None = None,
        pace: Callable[[], Awaitable[None]] = lambda: sleep(0),
        context_length: int = 4_096,
        name: str = "scripted",
    ) -> None:
        self.requests: list[GenerationRequest] = []
        self.choice_requests: list[ChoiceRequest] = []
        self._replies = deque(replies)
        self._choices = deque(choices)
        self._otherwise = otherwise
        self._pace = pace
        self._surprises: list[str] = []
        self._turnstile = Turnstile()
        self._board = StatusBoard()
        self._ready = Ready(
            info=ModelInfo(
                name=name, path="", context_length=context_length, backend="scripted", device="no model is running"
            )
        )
        self._status: ModelStatus = Loading(name=name)

    @property
    def status(self) -> ModelStatus:
        return self._status

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        return self._board.listen(listener)

    def become(self, status: ModelStatus) -> None:
        """Tests drive the status with this; requests do not look at it, except GivenUp."""
        if status != self._status:
            self._status = status
            self._board.publish(status)

    async def start(self) -> None:
        if isinstance(self._status, Loading):
            self.become(self._ready)

    async def close(self) -> None:
        self._turnstile.stop_all()
        self.become(GivenUp(failure=CLOSED))

    async def context_length(self, cancel: Cancel) -> int:
        await self.start()
        info = await self._board.settled(lambda: self._status, cancel)
        return info.context_length

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        await self.start()
        self._raise_if_given_up()
        return tuple(map(words_in, messages))

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        await self.start()
        if isinstance(self._status, GivenUp):
            yield Finished(reason="failed", failure=self._status.failure)
            return
        try:
            async with (
                self._turnstile.turn(request.priority, cancel) as stop,
                aclosing(self._answer(request, stop)) as events,
            ):
                async for event in events:
                    yield event
        except Cancelled:
            yield Finished(reason="cancelled")

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> Probabilities:
        await self.start()
        self._raise_if_given_up()
        async with self._turnstile.turn(request.priority, cancel) as stop:
            self.choice_requests.append(request)
            choice = self._choices.popleft() if self._choices else self._any_choice(request)
            if isinstance(choice, Hang):
                await stop.wait()
            if stop.is_set or isinstance(choice, Hang):
                raise Cancelled(CANCELLED)
            if isinstance(choice, Failure):
                raise error_of(choice)
            chosen = choice(request) if callable(choice) else choice
            assert list(map(len, chosen)) == [len(one.options) for one in request.questions], "one number an option"
            return chosen

    def assert_done(self) -> None:
        """Raises AssertionError when the script was not followed to its end, or not at all."""
        assert not self._surprises, f"unexpected calls: {self._surprises}"
        assert not self._replies, f"{len(self._replies)} replies were not asked for"
        assert not self._choices, f"{len(self._choices)} choices were not asked for"

    def _raise_if_given_up(self) -> None:
        if isinstance(self._status, GivenUp):
            raise error_of(self._status.failure)

    def _any_choice(self, request: ChoiceRequest) -> Probabilities:
        if self._otherwise is None:
            self._surprised("choose", request)
        return tuple((1 / len(one.options),) * len(one.options) for one in request.questions)

    def _surprised(self, call: str, request: GenerationRequest | ChoiceRequest) -> NoReturn:
        what = f"{call}: {request.messages[-1].content[:60]!r}" if request.messages else call
        self._surprises.append(what)
        raise AssertionError(f"unexpected call of the scripted model, {what}")

    async def _answer(self, request: GenerationRequest, stop: Cancel) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        reply = self._replies.popleft() if self._replies else self._otherwise or self._surprised("stream", request)
        tally = _Tally(sum(map(words_in, request.messages)), self._ready.info.context_length)
        room = min(request.sampling.max_tokens, tally.total - tally.tokens_in)
        if room <= 0:
            yield Finished(reason="failed", failure=_TOO_LONG)
            return
        for step in _steps(reply, request):
            await self._pace()  # as with any other model, others run between two events
            if isinstance(step, Hang):
                await stop.wait()
            if stop.is_set or isinstance(step, Hang):
                yield tally.finished("cancelled")
                return
            event = tally.event(step)
            yield event
            if isinstance(event, Finished):
                return
            if tally.tokens_out >= room:
                yield tally.finished("length")
                return
        yield tally.finished("stop")


@dataclass(slots=True)
class _Tally:
    tokens_in: int
    total: int
    tokens_out: int = 0

    def event(self, step: str | Failure | Progress | Delta | Finished) -> ModelEvent:
        match step:
            case str():
                self.tokens_out += 1
                return Delta(text=step)
            case Delta():
                self.tokens_out += 1
                return step
            case Failure():
                return self.finished("failed", step)
            case Progress() | Finished():
                return step
            case _:
                assert_never(step)

    def finished(self, reason: FinishReason, failure: Failure | None = None) -> Finished:
        usage = Usage(
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            context_used=self.tokens_in + self.tokens_out,
            context_total=self.total,
        )
        return Finished(reason=reason, usage=usage, failure=failure)


def words_in(message: ChatMessage) -> int:
    """How the scripted model counts tokens."""
    return len(message.content.split()) + TEMPLATE_TOKENS


def words(text: str) -> tuple[str, ...]:
    """`text` in pieces of one word, spaces kept."""
    return tuple(word if index == 0 else f" {word}" for index, word in enumerate(text.split(" ")))


def _steps(reply: Reply, request: GenerationRequest) -> Sequence[Step]:
    said = reply(request) if callable(reply) else reply
    return words(said) if isinstance(said, str) else said
