"""What goes to a model and what comes back, as frozen values.

Units: durations in seconds, sizes in bytes, context in tokens.
Cancel and expected failure are data: a stream always ends in exactly one `Finished`.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Priority = Literal["user", "background"]
Stage = Literal["loading", "reading"]
FinishReason = Literal["stop", "length", "cancelled", "repeating", "worker_died", "failed"]
FailureKind = Literal[
    "model_missing",  # no model chosen, or its file is gone
    "model_refused",  # the file is corrupt, or its architecture is unknown to this build
    "worker_died",  # the child process ended while it was answering
    "worker_hung",  # no sign of life within the limit
    "context_full",  # the prompt does not fit; the caller has to budget
    "bad_schema",  # the JSON schema cannot be turned into a grammar
    "unreachable",  # a server URL does not answer
    "cancelled",  # the caller asked, or a user request went first
    "empty_answer",  # the model ended without a word (or spent everything on thinking)
    "not_saved",  # the disk or the store refused a row (made by the assistant, never by a model)
    "bug",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    temperature: float = 0.7
    top_p: float = 0.95
    top_k: int = 40
    min_p: float = 0.05
    repeat_penalty: float = 1.05
    max_tokens: int = 1024
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """One completion. `stable_messages` leading messages never change between turns:
    their evaluated state may be written to disk and reused by the next process.
    With `json_schema` the answer is one JSON value that fits it (shape, not truth)."""

    messages: tuple[ChatMessage, ...]
    sampling: Sampling = field(default_factory=Sampling)
    json_schema: Mapping[str, Any] | None = None
    priority: Priority = "user"
    stable_messages: int = 1
    think: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedQuestion:
    """A question with a fixed set of answers; `prompt` is sent as the last user message."""

    prompt: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRequest:
    """Closed questions that share the prefix `messages`. With `calibrate` the scores of a
    content-free prompt ("N/A") are subtracted first (contextual calibration, Zhao et al. 2021)."""

    messages: tuple[ChatMessage, ...]
    questions: tuple[ClosedQuestion, ...]
    calibrate: bool = False
    priority: Priority = "background"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An expected failure in words a user can act on: what is wrong, and the next step."""

    kind: FailureKind
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    tokens_in: int = 0  # whole prompt
    tokens_cached: int = 0  # of those, taken from the KV cache
    tokens_out: int = 0
    seconds_to_first_token: float = 0.0
    seconds_generating: float = 0.0  # from the first token to the last
    context_used: int = 0
    context_total: int = 0

    @property
    def tokens_per_second(self) -> float:
        """Decode speed; 0.0 when fewer than two tokens came."""
        if self.tokens_out < 2 or self.seconds_generating <= 0:
            return 0.0
        return (self.tokens_out - 1) / self.seconds_generating


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Work that can be counted. `done` and `total` are tokens when reading, bytes or steps when loading;
    `total` 0 means unknown."""

    stage: Stage
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    text: str
    thought: bool = False  # inside <think>: shown folded, never stored as the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    reason: FinishReason
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None  # set when reason is "failed" or "worker_died"


ModelEvent = Progress | Delta | Finished


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What is loaded and where it runs; everything the status line and `doctor` show."""

    name: str
    path: str  # file, or the server's URL
    context_length: int
    backend: str  # "CPU", "CUDA", "Metal", "Vulkan", "server", "scripted"
    device: str
    layers_total: int = 0
    layers_on_gpu: int = 0
    vram_free: int = 0
    threads: int = 0
    leaves_process: bool = False  # text goes to another process or machine
    notes: tuple[str, ...] = ()  # e.g. "AMX kernels crash here; extra buffers are off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """No model is set up yet."""

    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    name: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    info: ModelInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarting:
    reason: str  # one line for the user
    attempt: int
    delay: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    failure: Failure


ModelStatus = Absent | Loading | Ready | Restarting | GivenUp


class Cancel:
    """A wish to stop, carried by value through a call. Setting it twice is harmless."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    async def wait(self) -> None:
        await self._event.wait()
