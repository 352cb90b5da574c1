"""How quick a model is here: reading prompts and writing answers, through the same door as a chat."""

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from assistant.ports import ChatModel
from models.errors import ModelError
from models.types import Cancel, ChatMessage, Finished, GenerationRequest, GivenUp, ModelInfo, Ready, Sampling, Usage

_TOPICS = ("harbour", "orchard", "railway", "library", "glacier", "market", "lighthouse", "workshop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    tokens_in: int
    tokens_read: int  # of those, not taken from the cache
    reading_seconds: float  # to the first token
    tokens_out: int
    tokens_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Speeds are medians over the runs, in tokens a second."""

    info: ModelInfo
    load_seconds: float
    runs: tuple[Run, ...]

    @property
    def reading(self) -> float:
        return statistics.median(run.tokens_read / run.reading_seconds for run in self.runs)

    @property
    def writing(self) -> float:
        return statistics.median(run.tokens_per_second for run in self.runs)

    @property
    def first_token_seconds(self) -> float:
        return statistics.median(run.reading_seconds for run in self.runs)


async def measure(model: ChatModel, *, runs: int, sentences: int, tokens: int, say: Callable[[str], None]) -> Measured:
    """Load the model, read `runs` different prompts of so many sentences, and write up to `tokens` tokens after each.

    Raises ModelError."""
    began = time.perf_counter()
    await model.start()
    try:
        await model.context_length(Cancel())
        load_seconds = time.perf_counter() - began
        info = _info(model)
        done = []
        for number in range(1, runs + 1):
            say(f"run {number} of {runs}")
            done.append(await _run(model, number, sentences, tokens))
        return Measured(info=info, load_seconds=load_seconds, runs=tuple(done))
    finally:
        await model.close()


def _info(model: ChatModel) -> ModelInfo:
    match model.status:
        case Ready(info=info):
            return info
        case GivenUp(failure=failure):
            raise ModelError(failure)
        case other:
            raise AssertionError(f"loaded, yet {other}")


async def _run(model: ChatModel, number: int, sentences: int, tokens: int) -> Run:
    request = GenerationRequest(
        messages=(ChatMessage(role="user", content=prompt(number, sentences)),),
        sampling=Sampling(temperature=0.0, repeat_penalty=1.0, max_tokens=tokens, seed=number),
        stable_messages=0,
    )
    async for event in model.stream(request, Cancel()):
        if isinstance(event, Finished):
            if event.failure is not None:
                raise ModelError(event.failure)
            return _of(event.usage)
    raise AssertionError("a stream ends in Finished")


def _of(usage: Usage) -> Run:
    return Run(
        tokens_in=usage.tokens_in,
        tokens_read=max(1, usage.tokens_in - usage.tokens_cached),
        reading_seconds=max(usage.seconds_to_first_token, 1e-9),
        tokens_out=usage.tokens_out,
        tokens_per_second=usage.tokens_per_second,
    )


def prompt(number: int, sentences: int) -> str:
    """A text that begins differently in every run, so that none of it is in the cache, and asks for a long answer."""
    lines = [
        f"Note {number}.{line}: the {_TOPICS[(line + number) % len(_TOPICS)]} opened at {line % 12 + 1} o'clock."
        for line in range(1, sentences + 1)
    ]
    return "\n".join((*lines, "Count from one to two hundred in words, one number a line."))


def as_table(measured: Measured) -> list[tuple[str, str]]:
    info, first = measured.info, measured.runs[0]
    layers = f", {info.layers_on_gpu} of {info.layers_total} layers on it" if info.layers_on_gpu else ""
    return [
        ("model", info.name),
        ("runs on", f"{info.backend}: {info.device}{layers}, {info.threads} threads"),
        ("loading", f"{measured.load_seconds:.1f} s"),
        ("reading", f"{measured.reading:.1f} tokens a second ({first.tokens_read} tokens)"),
        ("first token", f"after {measured.first_token_seconds:.1f} s"),
        ("writing", f"{measured.writing:.1f} tokens a second ({first.tokens_out} tokens)"),
        ("runs", f"{len(measured.runs)}, medians"),
    ]


def as_json_object(measured: Measured) -> dict[str, Any]:
    """Stable fields, documented in docs/models.md."""
    info = measured.info
    return {
        "model": info.name,
        "backend": info.backend,
        "device": info.device,
        "threads": info.threads,
        "layers_on_gpu": info.layers_on_gpu,
        "context": info.context_length,
        "load_seconds": measured.load_seconds,
        "reading_tokens_per_second": measured.reading,
        "writing_tokens_per_second": measured.writing,
        "first_token_seconds": measured.first_token_seconds,
        "runs": [asdict(run) for run in measured.runs],
    }
