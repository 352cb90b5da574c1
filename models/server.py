"""ServerModel: any OpenAI-compatible server (llama-server, vLLM, Ollama) as a ChatModel.

Text leaves this process, and ModelInfo says so. Only this module speaks HTTP to it.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from models import server_answers as answers
from models.count_cache import CountCache
from models.errors import Cancelled, ModelError
from models.server_link import ServerLink
from models.server_stream import AnswerStream
from models.settings import ModelSettings
from models.status import StatusBoard
from models.supervisor import CLOSED
from models.turnstile import Turnstile
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    ClosedQuestion,
    Failure,
    Finished,
    GenerationRequest,
    GivenUp,
    Loading,
    ModelEvent,
    ModelInfo,
    ModelStatus,
    Progress,
    Ready,
    Sampling,
)
from models.waiting import Watch, unless_cancelled

OWN_SAMPLERS = frozenset({"llamacpp", "vllm", "library"})  # owned_by of servers that take more than OpenAI's fields
OWN_TEMPLATES = frozenset({"llamacpp", "vllm"})  # and those that pass fields on to the chat template
TEMPLATE_TOKENS = 8  # around each message, where the server does not count
BYTES_PER_TOKEN = 3  # fewer than any usual tokenizer needs, so that the estimate is rather too high
TOP_LOGPROBS = 20  # the most that servers give
CONTENT_FREE = ChatMessage(role="user", content="N/A")


class ServerModel:
    """See assistant.ports.ChatModel. `url` ends in the API's path, such as http://127.0.0.1:8080/v1.

    Where the server does not count tokens, `count` estimates, rather too high than too low.
    `choose` reads the first token's log-probabilities where the server gives them, else the answer to a
    constrained question counts as certain.
    A server that was given up is asked again at the next request.
    """

    def __init__(self, url: str, settings: ModelSettings, environment: Mapping[str, str] = os.environ) -> None:
        key = environment.get(settings.api_key_env) if settings.api_key_env else None
        self._lacks_key = bool(settings.api_key_env) and not key
        self._settings = settings
        self._link = ServerLink(url, key, settings.server_timeout)
        self._name = settings.server_model or self._link.url
        self._board = StatusBoard()
        self._status: ModelStatus = Loading(name=self._name)
        self._turnstile = Turnstile()
        self._counts = CountCache()
        self._tasks: set[asyncio.Task[None]] = set()
        self._probing = False
        self._maker = ""  # owned_by
        self._gives_logprobs = True
        self._closed = False

    @property
    def status(self) -> ModelStatus:
        return self._status

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        return self._board.listen(listener)

    async def start(self) -> None:
        self._probe()

    async def close(self) -> None:
        self._closed = True
        self._turnstile.stop_all()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._link.close()
        self._become(GivenUp(failure=CLOSED))

    async def context_length(self, cancel: Cancel) -> int:
        return (await self._info(cancel)).context_length

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        await self._info(Cancel())
        return tuple([await self._count(message) for message in messages])

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        try:
            if not isinstance(self._status, Ready):
                yield Progress(stage="loading", done=0, total=0)
            info = await self._info(cancel)
            async with (
                self._turnstile.turn(request.priority, cancel) as stop,
                aclosing(self._relay(request, info, stop)) as events,
            ):
                async for event in events:
                    yield event
        except Cancelled:
            yield Finished(reason="cancelled")
        except ModelError as error:
            yield Finished(reason="failed", failure=error.failure)

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> tuple[tuple[float, ...], ...]:
        await self._info(cancel)
        async with self._turnstile.turn(request.priority, cancel) as stop:
            return tuple([await unless_cancelled(self._choose(request, one), stop) for one in request.questions])

    # -- getting ready --

    def _become(self, status: ModelStatus) -> None:
        if status != self._status:
            self._status = status
            self._board.publish(status)

    def _own(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _probe(self) -> None:
        if self._closed or self._probing or isinstance(self._status, Ready):
            return
        self._probing = True
        self._become(Loading(name=self._name))
        self._own(self._look())

    async def _info(self, cancel: Cancel) -> ModelInfo:
        self._probe()
        return await self._board.settled(lambda: self._status, cancel)

    async def _look(self) -> None:
        """Which models are served, and how much context ours has."""
        try:
            self._become(Ready(info=await self._inspect()))
        except ModelError as error:
            self._become(GivenUp(failure=error.failure))
        finally:
            self._probing = False

    async def _inspect(self) -> ModelInfo:
        if self._lacks_key:
            raise ModelError(answers.no_key(self._settings.api_key_env))
        listing = await self._link.get(f"{self._link.url}/models", answers.Listing)
        wanted = self._settings.server_model
        served = next((one for one in listing.data if wanted in ("", one.id)), None)
        if served is None:
            names = ", ".join(one.id for one in listing.data[:8]) or "none"
            raise ModelError(
                answers.unreachable(self._link.url, f"does not serve {wanted or 'any model'}; it has {names}")
            )
        self._maker = served.owned_by
        known = await self._context_of(served)
        assumed = (
            f"The server does not say how long its context is; {self._settings.context_length} tokens are assumed."
        )
        return ModelInfo(
            name=served.id,
            path=self._link.url,
            context_length=min(known or self._settings.context_length, self._settings.context_length),
            backend="server",
            device=self._link.host,
            leaves_process=True,
            notes=() if known else (assumed,),
        )

    async def _context_of(self, served: answers.Listed) -> int | None:
        if self._maker == "llamacpp":
            try:
                props = await self._link.get(f"{self._link.root}/props", answers.Props)
            except ModelError:
                return served.meta.n_ctx_train if served.meta is not None else None
            return props.default_generation_settings.n_ctx or None
        return served.max_model_len

    # -- counting --

    async def _count(self, message: ChatMessage) -> int:
        known = self._counts.get(message)
        if known is None:
            known = TEMPLATE_TOKENS + await self._tokens_in(message.content)
            self._counts.put(message, known)
        return known

    async def _tokens_in(self, text: str) -> int:
        if self._maker == "llamacpp":
            counted = await self._link.post(f"{self._link.root}/tokenize", {"content": _sendable(text)}, answers.Tokens)
            return len(counted.tokens)
        return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)

    # -- answering --

    async def _relay(
        self, request: GenerationRequest, info: ModelInfo, stop: Cancel
    ) -> AsyncGenerator[ModelEvent, None]:
        """The answer, fetched in a task of its own, so that a cancel works at any moment."""
        answer = AnswerStream(self._link, self._wanted(request), self._lost)
        tokens_in = sum(self._counts.get(one) or _estimate(one) for one in request.messages)
        task = self._own(answer.run())
        task.add_done_callback(lambda task: answer.close(task, tokens_in=tokens_in, total=info.context_length))
        try:
            async with Watch(stop, task.cancel):
                while True:
                    event = await answer.mailbox.get()
                    yield event
                    if isinstance(event, Finished):
                        return
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _lost(self, failure: Failure) -> None:
        self._become(GivenUp(failure=failure))

    def _wanted(self, request: GenerationRequest) -> dict[str, Any]:
        payload = self._payload(request.messages, request.sampling)
        if request.json_schema is not None:
            payload["response_format"] = _format(request.json_schema)
        if self._maker in OWN_TEMPLATES:
            payload["chat_template_kwargs"] = {"enable_thinking": request.think}
        return payload

    # -- closed questions --

    async def _choose(self, request: ChoiceRequest, question: ClosedQuestion) -> tuple[float, ...]:
        scores = await self._scores(request.messages, question)
        if scores is None:
            return await self._certain(request.messages, question)
        if not request.calibrate:
            return scores
        leading = tuple(one for one in request.messages if one.role == "system")
        priors = await self._scores((*leading, CONTENT_FREE), question)
        return scores if priors is None else answers.calibrated(scores, priors)

    async def _scores(self, messages: Sequence[ChatMessage], question: ClosedQuestion) -> tuple[float, ...] | None:
        """From the first token's log-probabilities; None when the server gives none or they decide nothing."""
        if not self._gives_logprobs:
            return None
        payload = self._payload((*messages, _asked(question)), Sampling(temperature=0.0, max_tokens=1))
        payload |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        answer = await self._link.complete(payload)
        likely = answer.likely
        self._gives_logprobs = likely is not None
        return None if likely is None else answers.shares(question.options, likely)

    async def _certain(self, messages: Sequence[ChatMessage], question: ClosedQuestion) -> tuple[float, ...]:
        payload = self._payload((*messages, _asked(question)), Sampling(temperature=0.0, max_tokens=64))
        payload["response_format"] = _format(answers.answer_schema(question.options))
        answer = await self._link.complete(payload)
        chosen = answers.one_of(question.options, answer.text)
        if chosen is None:
            raise ModelError(answers.unreachable(self._link.url, "did not choose among the given answers"))
        return chosen

    def _payload(self, messages: Sequence[ChatMessage], sampling: Sampling) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self._status.info.name if isinstance(self._status, Ready) else self._settings.server_model,
            "messages": [{"role": one.role, "content": _sendable(one.content)} for one in messages],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        if sampling.seed is not None:
            payload["seed"] = sampling.seed
        if self._maker in OWN_SAMPLERS:
            name = "repetition_penalty" if self._maker == "vllm" else "repeat_penalty"
            payload |= {"top_k": sampling.top_k, "min_p": sampling.min_p, name: sampling.repeat_penalty}
        return payload


def _asked(question: ClosedQuestion) -> ChatMessage:
    return ChatMessage(role="user", content=question.prompt)


def _format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


def _estimate(message: ChatMessage) -> int:
    return TEMPLATE_TOKENS + len(message.content) // BYTES_PER_TOKEN


def _sendable(text: str) -> str:
    """Lone surrogates have no UTF-8."""
    return text.encode("utf-8", "replace").decode()
