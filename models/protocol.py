"""Frames between the parent (models/worker.py) and the child (models/child): one JSON object a line, UTF-8.

Parent to child: Load, then Generate / Choose / Count (answered in turn), Cancel at any time, Bye.
Child to parent: Hello first; LoadProgress*, Loaded or Failed(id=None); per request Reading*, Piece*, then
exactly one of Done, Chosen, Counted, Failed(id). Alive every ALIVE_SECONDS from a thread of its own:
`work` counts steps of the compute thread, so a stopped process (no Alive) and a stuck one (same `work`
while busy) can both be told from a slow one.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from models.types import FailureKind, FinishReason, Role

VERSION = 1
ALIVE_SECONDS = 1.0
MAX_LINE_BYTES = 64 * 1024 * 1024


class ProtocolBroken(ValueError):
    """A line that is no frame of this version."""


class _Frame(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MessageFrame(_Frame):
    role: Role
    content: str


class SamplingFrame(_Frame):
    temperature: float
    top_p: float
    top_k: int
    min_p: float
    repeat_penalty: float
    max_tokens: int
    seed: int | None


class QuestionFrame(_Frame):
    prompt: str
    options: tuple[str, ...]


class Load(_Frame):
    t: Literal["load"] = "load"
    path: str
    context_length: int  # 0: as trained, capped by the child's settings
    threads: int
    gpu_layers: int  # -1: all
    kv_type: Literal["f16", "q8_0"] = "f16"
    flash_attention: bool = True
    extra_buffers: bool = True  # False on builds whose AMX kernels crash
    state_dir: str = ""  # where prefix states are kept; "" keeps none
    state_limit_bytes: int = 512 * 1024 * 1024


class Generate(_Frame):
    t: Literal["generate"] = "generate"
    id: int
    messages: tuple[MessageFrame, ...]
    sampling: SamplingFrame
    json_schema: dict[str, Any] | None = None
    stable_messages: int = 0
    think: bool = False


class Choose(_Frame):
    t: Literal["choose"] = "choose"
    id: int
    messages: tuple[MessageFrame, ...]
    questions: tuple[QuestionFrame, ...]
    calibrate: bool = False


class Count(_Frame):
    t: Literal["count"] = "count"
    id: int
    messages: tuple[MessageFrame, ...]


class CancelFrame(_Frame):
    t: Literal["cancel"] = "cancel"
    id: int


class Bye(_Frame):
    t: Literal["bye"] = "bye"


class Hello(_Frame):
    t: Literal["hello"] = "hello"
    version: int
    pid: int
    engine: str  # "llama-cpp-python 0.3.36"


class LoadProgress(_Frame):
    t: Literal["load_progress"] = "load_progress"
    done: int
    total: int


class Loaded(_Frame):
    t: Literal["loaded"] = "loaded"
    name: str
    context_length: int
    backend: str
    device: str
    layers_total: int
    layers_on_gpu: int
    vram_free: int
    threads: int
    system_info: str  # llama.cpp's own line: which CPU kernels are compiled in
    notes: tuple[str, ...] = ()


class Reading(_Frame):
    t: Literal["reading"] = "reading"
    id: int
    done: int  # prompt tokens evaluated so far, cached ones included
    total: int


class Piece(_Frame):
    t: Literal["piece"] = "piece"
    id: int
    text: str
    thought: bool = False


class UsageFrame(_Frame):
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    seconds_to_first_token: float
    seconds_generating: float
    context_used: int
    context_total: int


class Done(_Frame):
    t: Literal["done"] = "done"
    id: int
    reason: FinishReason
    usage: UsageFrame


class Chosen(_Frame):
    t: Literal["chosen"] = "chosen"
    id: int
    probabilities: tuple[tuple[float, ...], ...]
    tokens_read: int = 0


class Counted(_Frame):
    t: Literal["counted"] = "counted"
    id: int
    counts: tuple[int, ...]


class Failed(_Frame):
    t: Literal["failed"] = "failed"
    id: int | None
    kind: FailureKind
    message: str
    hint: str


class Alive(_Frame):
    t: Literal["alive"] = "alive"
    work: int
    busy: bool


ToChild = Annotated[Load | Generate | Choose | Count | CancelFrame | Bye, Field(discriminator="t")]
FromChild = Annotated[
    Hello | LoadProgress | Loaded | Reading | Piece | Done | Chosen | Counted | Failed | Alive,
    Field(discriminator="t"),
]

_TO_CHILD: TypeAdapter[Any] = TypeAdapter(ToChild)
_FROM_CHILD: TypeAdapter[Any] = TypeAdapter(FromChild)


def encode(frame: BaseModel) -> bytes:
    """One line, newline included; JSON escapes keep control characters off the pipe. A lone surrogate becomes "?":
    no JSON reader would take the line."""
    text = json.dumps(frame.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def decode_to_child(line: bytes) -> Any:
    return _decode(_TO_CHILD, line)


def decode_from_child(line: bytes) -> Any:
    return _decode(_FROM_CHILD, line)


def _decode(adapter: TypeAdapter[Any], line: bytes) -> Any:
    try:
        return adapter.validate_json(line)
    except ValidationError as error:
        raise ProtocolBroken(f"not a frame: {line[:80]!r}") from error
