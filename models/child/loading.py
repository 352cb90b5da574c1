"""Open a model so that it can answer: device, weights, context, template, first decode. Every refusal says why."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from models.child.cache import KvCache
from models.child.devices import Device, devices, layers_that_fit
from models.child.file_template import read_template
from models.child.link import Link
from models.child.native import (
    Context,
    ContextOptions,
    EngineBroken,
    EngineLog,
    Vocab,
    Weights,
    build,
    offloads,
    system_info,
)
from models.child.opened import Opened
from models.child.prompts import PromptMaker
from models.child.states import StateFiles, file_identity
from models.errors import ModelMissing, ModelRefused
from models.protocol import Load, Loaded, LoadProgress
from models.templates import GENERIC, GUESSABLE, Family, guess, recognise
from models.types import Failure

DEFAULT_CONTEXT = 8_192  # tokens, where the caller leaves it open and the model was trained on more
CPU_BATCH = 64  # a cancel and a progress line every 64 tokens; costs up to 3 % against 512
GPU_BATCH = 512
SEQUENCES = 16
_UNKNOWN_ARCHITECTURE = re.compile(r"unknown model architecture: '([^']*)'")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    weights: Weights
    context: Context
    gpu_layers: int
    forgets_parts: bool


def load(frame: Load, link: Link, log: EngineLog) -> Opened:
    """Sends LoadProgress and Loaded. Raises ModelMissing, ModelRefused."""
    path = Path(frame.path)
    size = _check_file(path)
    found = devices()
    gpu = next((device for device in found if device.kind == "gpu"), None) if offloads() else None
    tried = _try_all(frame, size, gpu, link, log)
    family, notes = _family(tried.weights)
    prompts = PromptMaker(tried.weights.vocab, family)
    files = _state_files(frame, path, tried.context)
    end_tokens, end_texts = _ends(tried.weights.vocab, family)
    opened = Opened(
        weights=tried.weights,
        context=tried.context,
        cache=KvCache(tried.context, files, forgets_parts=tried.forgets_parts),
        prompts=prompts,
        end_tokens=end_tokens,
        end_texts=end_texts,
    )
    link.send(_loaded(frame, opened, tried, gpu, [*notes, *_notes(frame, tried, gpu)]))
    return opened


def _check_file(path: Path) -> int:
    """Size in bytes of what at least begins like a GGUF file."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        size = path.stat().st_size
    except OSError as error:
        raise ModelMissing(
            Failure(
                kind="model_missing",
                message=f"The model file cannot be read: {path} ({error.strerror}).",
                hint="Choose another one with `steward models use`, or fetch it again.",
            )
        ) from error
    if magic != b"GGUF":
        raise _refused(
            f"{path.name} is not a GGUF file.",
            "Fetch it again, it may be damaged; or choose another: steward models use PATH",
        )
    return size


def _try_all(frame: Load, size: int, gpu: Device | None, link: Link, log: EngineLog) -> _Try:
    """With the planned number of layers on the GPU, then half as many, and so on down to none."""
    reason = ""
    for gpu_layers in _attempts(_planned_layers(frame, size, gpu)):
        log.recent.clear()
        tried = _try(frame, size, gpu_layers, link)
        if isinstance(tried, _Try):
            return tried
        reason = tried
        if _is_about_the_file(log):
            break
    raise _explained(Path(frame.path), reason, log)


def _planned_layers(frame: Load, size: int, gpu: Device | None) -> int:
    if gpu is None or frame.gpu_layers >= 0:
        return 0 if gpu is None else frame.gpu_layers
    header = Weights.open(frame.path, gpu_layers=0, extra_buffers=False, header_only=True)
    if header is None:
        return 0  # the real load will say why
    length = frame.context_length or DEFAULT_CONTEXT
    fit = layers_that_fit(
        header, file_bytes=size, context_length=length, kv_type=frame.kv_type, free=gpu.free or gpu.total
    )
    header.close()
    return fit


def _attempts(layers: int) -> Iterator[int]:
    while layers > 0:
        yield layers
        layers //= 2
    yield 0


def _try(frame: Load, size: int, gpu_layers: int, link: Link) -> _Try | str:
    """One attempt; what failed, in words, when it did."""
    weights = Weights.open(
        frame.path, gpu_layers=gpu_layers, extra_buffers=frame.extra_buffers, progress=_reporter(link, size)
    )
    if weights is None:
        return "llama.cpp could not load it"
    options = ContextOptions(
        length=_length(frame, weights),
        batch=GPU_BATCH if gpu_layers else CPU_BATCH,
        threads=frame.threads,
        sequences=SEQUENCES,
        kv_type=frame.kv_type,
        flash_attention=frame.flash_attention,
    )
    context = Context.open(weights, options, link.keep_going)
    if context is None and frame.kv_type != "f16":  # not with heads of this size, or not without flash attention
        context = Context.open(weights, replace(options, kv_type="f16"), link.keep_going)
    if context is None:
        weights.close()
        return f"there is no room for a context of {options.length} tokens"
    try:
        forgets_parts = _first_decode(weights.vocab, context)
    except EngineBroken as error:
        context.close()
        weights.close()
        return f"its first decode failed ({error})"
    return _Try(weights=weights, context=context, gpu_layers=gpu_layers, forgets_parts=forgets_parts)


def _reporter(link: Link, size: int) -> Callable[[float], None]:
    shown = -1

    def report(part: float) -> None:
        nonlocal shown
        link.step()
        if (step := int(part * 20)) > shown:
            shown = step
            link.send(LoadProgress(done=int(size * part), total=size))

    return report


def _length(frame: Load, weights: Weights) -> int:
    trained = weights.trained_context or DEFAULT_CONTEXT
    return min(frame.context_length or DEFAULT_CONTEXT, trained)


def _first_decode(vocab: Vocab, context: Context) -> bool:
    """Runs the kernels once, so that a build whose kernels crash dies here and not in the middle of an answer.
    Whether the cache can forget a part of what it read."""
    token = vocab.bos if vocab.bos >= 0 else 0
    if context.decode((token, token), (0, 1), (0, 0), (1,)) != "ok":
        raise EngineBroken("the first decode did not finish")
    forgets_parts = context.cut(1)
    context.clear()
    return forgets_parts


def _family(weights: Weights) -> tuple[Family, list[str]]:
    """Ours where we know the model's; else what its own template writes; plain headings when that fails."""
    if not weights.template:
        if (family := guess(_known_marks(weights.vocab))) is not None:
            return family, [f"The file has no chat template; {family.name} is taken from its vocabulary."]
        arch = weights.metadata("general.architecture") or "unknown"
        raise _refused(
            f"The model has no chat template, and its family ({arch}) is not one we know.",
            "Choose an instruct or chat version of the model: a base model only continues text.",
        )
    if (family := recognise(weights.template)) is not None:
        return family, []
    vocab = weights.vocab
    family = read_template(weights.template, vocab.text(vocab.eos) if vocab.eos >= 0 else "")
    if family is not None:
        return family, []
    return GENERIC, ["The file's own chat template cannot be used; plain headings are written instead."]


def _known_marks(vocab: Vocab) -> frozenset[str]:
    return frozenset(text for text in GUESSABLE if len(vocab.tokenize(text, special=True)) == 1)


def _ends(vocab: Vocab, family: Family) -> tuple[frozenset[int], tuple[str, ...]]:
    tokens: set[int] = set()
    texts: list[str] = []
    for stop in family.stops:
        ids = vocab.tokenize(stop, special=True, joined=True)
        if len(ids) == 1:
            tokens.add(ids[0])
        else:
            texts.append(stop)
    return frozenset(tokens), tuple(texts)


def _state_files(frame: Load, path: Path, context: Context) -> StateFiles | None:
    if not frame.state_dir:
        return None
    settings = f"{context.length} {context.options.kv_type} {frame.flash_attention} {build()}"
    return StateFiles(Path(frame.state_dir), f"{file_identity(path)} {settings}", frame.state_limit_bytes)


def _loaded(frame: Load, opened: Opened, tried: _Try, gpu: Device | None, notes: list[str]) -> Loaded:
    on_gpu = gpu is not None and tried.gpu_layers > 0
    present = [device for device in devices() if device.kind == ("gpu" if on_gpu else "cpu")]
    layers = opened.weights.layers + 1  # with the output layer
    return Loaded(
        name=opened.weights.metadata("general.name") or Path(frame.path).stem,
        context_length=opened.context.length,
        backend=gpu.backend if on_gpu and gpu else "CPU",
        device=present[0].name if present else "",
        layers_total=layers,
        layers_on_gpu=min(tried.gpu_layers, layers) if on_gpu else 0,
        vram_free=present[0].free if on_gpu and present else 0,
        threads=frame.threads,
        system_info=system_info(),
        notes=tuple(notes),
    )


def _notes(frame: Load, tried: _Try, gpu: Device | None) -> list[str]:
    notes: list[str] = []
    if frame.context_length > tried.context.length:
        notes.append(f"The context is {tried.context.length} tokens: the model was not trained on more.")
    if tried.context.options.kv_type != frame.kv_type:
        notes.append(f"A KV cache of type {frame.kv_type} does not work with this model; f16 is used.")
    if not tried.forgets_parts:
        notes.append("This model cannot keep a part of what it read; changed prompts are read again in full.")
    if gpu is not None and frame.gpu_layers > 0 and tried.gpu_layers < frame.gpu_layers:
        notes.append(f"Only {tried.gpu_layers} of {frame.gpu_layers} layers fit on the GPU.")
    return notes


def _is_about_the_file(log: EngineLog) -> bool:
    return any(_UNKNOWN_ARCHITECTURE.search(line) for line in log.recent)


def _explained(path: Path, reason: str, log: EngineLog) -> ModelRefused:
    for line in log.recent:
        if found := _UNKNOWN_ARCHITECTURE.search(line):
            return _refused(
                f"{path.name} is of the architecture {found[1]!r}, which this llama.cpp does not know.",
                "Update llama-cpp-python, or choose another model.",
            )
    sys.stderr.write(f"load failed: {reason}\n")
    detail = next((line for line in log.recent if "error" in line.lower() or "failed" in line.lower()), reason)
    detail = detail.rpartition("error loading model: ")[2][:200]
    hint = "Fetch the file again; it may be damaged." if "could not load" in reason else "Set a smaller context length."
    return _refused(f"{path.name} cannot be used: {detail}.", hint)


def _refused(message: str, hint: str) -> ModelRefused:
    return ModelRefused(Failure(kind="model_refused", message=message, hint=hint))
