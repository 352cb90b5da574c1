"""A model that is asked each thing once: six users and four ways read the same sentence the same way."""

from collections.abc import AsyncIterator, Callable, Sequence

from assistant.ports import ChatModel
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    Finished,
    GenerationRequest,
    ModelEvent,
    ModelStatus,
)


class RememberingModel:
    """Implements ChatModel around another. `tokens_out`: decoded so far, each request counted once."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._said: dict[str, list[ModelEvent]] = {}
        self._chosen: dict[str, tuple[tuple[float, ...], ...]] = {}
        self.tokens_out = 0

    @property
    def status(self) -> ModelStatus:
        return self._model.status

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        return self._model.on_status(listener)

    async def start(self) -> None:
        await self._model.start()

    async def close(self) -> None:
        await self._model.close()

    async def context_length(self, cancel: Cancel) -> int:
        return await self._model.context_length(cancel)

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        return await self._model.count(messages)

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        key = repr(request)
        if key not in self._said:
            events: list[ModelEvent] = []
            async for event in self._model.stream(request, cancel):
                events.append(event)
                if isinstance(event, Finished):
                    self.tokens_out += event.usage.tokens_out
            self._said[key] = events
        for event in self._said[key]:
            yield event

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> tuple[tuple[float, ...], ...]:
        key = repr(request)
        if key not in self._chosen:
            self._chosen[key] = await self._model.choose(request, cancel)
        return self._chosen[key]
