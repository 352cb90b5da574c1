"""The model of a home that has none yet: every request ends with the reason, and how to get one."""

from collections.abc import AsyncIterator, Callable, Sequence

from models.errors import ModelMissing
from models.types import (
    Absent,
    Cancel,
    ChatMessage,
    ChoiceRequest,
    Failure,
    Finished,
    GenerationRequest,
    ModelEvent,
    ModelStatus,
)


class AbsentModel:
    """Implements assistant.ports.ChatModel; its status never changes."""

    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    @property
    def status(self) -> ModelStatus:
        return Absent(failure=self._failure)

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        return lambda: None

    async def start(self) -> None:
        """There is nothing to load."""

    async def close(self) -> None:
        """There is nothing to end."""

    async def context_length(self, cancel: Cancel) -> int:
        raise ModelMissing(self._failure)

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        raise ModelMissing(self._failure)

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        yield Finished(reason="failed", failure=self._failure)

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> tuple[tuple[float, ...], ...]:
        raise ModelMissing(self._failure)
