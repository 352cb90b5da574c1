"""llama.cpp behind a narrow typed face: vocabulary, weights, context. Nothing here decides anything.

Goes straight to the C interface of llama-cpp-python. Its `Llama` class keeps a scores matrix of hundreds of
megabytes, redirects file descriptors while it loads, and cannot set several context parameters.
One thread may use these objects at a time; a second caller would abort the process.
"""

import ctypes
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.child.sampling import Logits

LIB: Any = llama_cpp.llama_cpp
ENGINE = f"llama-cpp-python {llama_cpp.__version__}"

Decoded = Literal["ok", "aborted", "full"]

MOST_OUTPUTS = 64  # rows of logits in one decode; room for them is set aside on the device

_WARNING, _ERROR, _CONTINUED = 3, 4, 5  # ggml_log_level
_SENTENCEPIECE = 1  # llama_vocab_type
_CONTROL = 8  # llama_token_attr
_KV_TYPES = {"f16": 1, "q8_0": 8}  # ggml_type
_ROWS = np.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])  # llama_token_data


class EngineBroken(RuntimeError):
    """llama.cpp answered with a code that means the context is no longer usable."""


class EngineLog:
    """Keeps llama.cpp's warnings for error messages and writes them to stderr, which is the log file."""

    def __init__(self) -> None:
        self.recent: deque[str] = deque(maxlen=20)
        self._level = 0
        self._callback = LIB.llama_log_callback(self._take)
        LIB.llama_log_set(self._callback, None)

    def _take(self, level: int, text: bytes, _data: object) -> None:
        self._level = self._level if level == _CONTINUED else level
        if self._level not in (_WARNING, _ERROR):
            return
        line = text.decode("utf-8", "replace")
        sys.stderr.write(line)
        if line.strip():
            self.recent.append(line.strip())


class Vocab:
    def __init__(self, handle: Any, *, space_prefix: bool) -> None:
        self._handle = handle
        self.size: int = LIB.llama_vocab_n_tokens(handle)
        self.bos: int = LIB.llama_vocab_bos(handle)
        self.eos: int = LIB.llama_vocab_eos(handle)
        self.adds_bos: bool = bool(LIB.llama_vocab_get_add_bos(handle)) and self.bos >= 0
        self._spaced = space_prefix and LIB.llama_vocab_type(handle) == _SENTENCEPIECE
        self._buffer = ctypes.create_string_buffer(256)
        self.is_control = lru_cache(maxsize=None)(self._is_control)
        self.is_end = lru_cache(maxsize=None)(self._is_end)
        self.piece = lru_cache(maxsize=20_000)(self._piece)

    @property
    def handle(self) -> Any:
        return self._handle

    def tokenize(self, text: str, *, special: bool, joined: bool = False) -> list[int]:
        """Token ids. With `special`, control tokens are read from the text. `joined`: the text goes on after
        other text, so a SentencePiece vocabulary must not put its leading space."""
        if not (joined and self._spaced):
            return self._tokenize(text.encode("utf-8", "replace"), special)
        anchored = self._tokenize(b"\n" + text.encode("utf-8", "replace"), special)
        anchor = self._tokenize(b"\n", False)
        if anchored[: len(anchor)] == anchor:
            return anchored[len(anchor) :]
        return self._tokenize(text.encode("utf-8", "replace"), special)

    def _tokenize(self, raw: bytes, special: bool) -> list[int]:
        room = len(raw) + 8
        ids = (ctypes.c_int32 * room)()
        count = LIB.llama_tokenize(self._handle, raw, len(raw), ids, room, False, special)
        if count < 0:
            ids = (ctypes.c_int32 * -count)()
            count = LIB.llama_tokenize(self._handle, raw, len(raw), ids, -count, False, special)
        return list(ids[:count])

    def text(self, token: int) -> str:
        """As written in the vocabulary: what a control token looks like in a template."""
        return bytes(LIB.llama_vocab_get_text(self._handle, token)).decode("utf-8", "replace")

    def _is_control(self, token: int) -> bool:
        return bool(LIB.llama_vocab_get_attr(self._handle, token) & _CONTROL)

    def _is_end(self, token: int) -> bool:
        return bool(LIB.llama_vocab_is_eog(self._handle, token))

    def _piece(self, token: int) -> bytes:
        """Bytes of a token's text; b"" for control tokens."""
        size = LIB.llama_token_to_piece(self._handle, token, self._buffer, len(self._buffer), 0, False)
        if size < 0:
            self._buffer = ctypes.create_string_buffer(-size)
            size = LIB.llama_token_to_piece(self._handle, token, self._buffer, len(self._buffer), 0, False)
        return self._buffer.raw[:size]


class Weights:
    """An opened model file. `open` returns None when llama.cpp refuses it (see the log for its reason)."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        prefix = self.metadata("tokenizer.ggml.add_space_prefix") or "true"
        self.vocab = Vocab(LIB.llama_model_get_vocab(handle), space_prefix=prefix == "true")

    @staticmethod
    def open(
        path: str,
        *,
        gpu_layers: int,
        extra_buffers: bool,
        header_only: bool = False,
        progress: Callable[[float], None] = lambda _part: None,
    ) -> "Weights | None":
        def report(part: float, _data: object) -> bool:
            progress(part)
            return True

        params = LIB.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        params.use_extra_bufts = extra_buffers
        params.vocab_only = header_only
        callback = LIB.llama_progress_callback(report)  # lives until the call below returns
        params.progress_callback = callback
        handle = LIB.llama_model_load_from_file(os.fsencode(path), params)
        return Weights(handle) if handle else None

    def close(self) -> None:
        LIB.llama_model_free(self.handle)

    def metadata(self, key: str) -> str | None:
        buffer = ctypes.create_string_buffer(4096)
        size = LIB.llama_model_meta_val_str(self.handle, key.encode(), buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace") if size >= 0 else None

    @property
    def template(self) -> str:
        raw = LIB.llama_model_chat_template(self.handle, None)
        return raw.decode("utf-8", "replace") if raw else ""

    @property
    def trained_context(self) -> int:
        return int(LIB.llama_model_n_ctx_train(self.handle))

    @property
    def layers(self) -> int:
        return int(LIB.llama_model_n_layer(self.handle))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOptions:
    length: int
    batch: int
    threads: int
    sequences: int
    kv_type: Literal["f16", "q8_0"]
    flash_attention: bool


class Context:
    """The KV cache and the compute graph. `keep_going` is asked hundreds of times a token; False stops a decode."""

    def __init__(self, handle: Any, weights: Weights, options: ContextOptions, abort: Any) -> None:
        self._handle = handle
        self._abort = abort  # the C side holds no reference
        self._memory = LIB.llama_get_memory(handle)
        self._vocab_size = weights.vocab.size
        self.options = options
        self.length: int = LIB.llama_n_ctx(handle)
        self._batch = _Batch(options.batch)

    @staticmethod
    def open(weights: Weights, options: ContextOptions, keep_going: Callable[[], bool]) -> "Context | None":
        def stop(_data: object) -> bool:
            return not keep_going()

        abort = LIB.ggml_abort_callback(stop)
        params = LIB.llama_context_default_params()
        params.n_ctx = options.length
        params.n_batch = params.n_ubatch = options.batch
        params.n_seq_max = options.sequences
        params.kv_unified = True
        params.n_outputs_max = min(options.batch, MOST_OUTPUTS)
        params.n_outputs_max_per_seq = 0  # choosing scores several positions of one sequence
        params.n_threads = params.n_threads_batch = options.threads
        params.flash_attn_type = int(options.flash_attention)
        params.type_k = params.type_v = _KV_TYPES[options.kv_type]
        params.abort_callback = abort
        handle = LIB.llama_init_from_model(weights.handle, params)
        return Context(handle, weights, options, abort) if handle else None

    def close(self) -> None:
        LIB.llama_free(self._handle)

    def decode(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], outputs: Sequence[int]
    ) -> Decoded:
        """Evaluate at most `options.batch` tokens. `outputs`: indices whose logits are wanted, MOST_OUTPUTS at most."""
        batch = self._batch.fill(tokens, positions, sequences, outputs)
        code = LIB.llama_decode(self._handle, batch)
        if code == 0:
            return "ok"
        if code == 1:
            return "full"
        if code == 2:
            return "aborted"
        raise EngineBroken(f"llama_decode returned {code}")

    def logits(self, index: int = -1) -> Logits:
        """Scores after the token at `index` of the last decode. A view: valid until the next decode."""
        pointer = LIB.llama_get_logits_ith(self._handle, index)
        return np.ctypeslib.as_array(pointer, shape=(self._vocab_size,))

    def clear(self) -> None:
        LIB.llama_memory_clear(self._memory, True)

    def cut(self, start: int, *, sequence: int = 0) -> bool:
        """Forget positions from `start` on. False: this model cannot forget a part (the cache is unchanged)."""
        return bool(LIB.llama_memory_seq_rm(self._memory, sequence, start, -1))

    def copy(self, source: int, target: int) -> None:
        LIB.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def snapshot(self) -> bytes:
        """The evaluated state of sequence 0; b"" when it cannot be had."""
        size = LIB.llama_state_seq_get_size(self._handle, 0)
        buffer = (ctypes.c_uint8 * size)()
        return bytes(memoryview(buffer)[: LIB.llama_state_seq_get_data(self._handle, buffer, size, 0)])

    def restore(self, state: bytes) -> bool:
        """Replace sequence 0. False when llama.cpp refuses the state; the cache is empty then."""
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        self.cut(0)
        if LIB.llama_state_seq_set_data(self._handle, buffer, len(state), 0) == len(state):
            return True
        self.clear()
        return False


class _Batch:
    """A llama_batch over arrays of ours, filled without allocation."""

    def __init__(self, room: int) -> None:
        self._tokens = np.zeros(room, np.int32)
        self._positions = np.zeros(room, np.int32)
        self._counts = np.ones(room, np.int32)
        self._sequences = np.zeros(room, np.int32)
        self._outputs = np.zeros(room, np.int8)
        item = ctypes.POINTER(ctypes.c_int32)
        first = self._sequences.ctypes.data
        self._pointers = (item * room)(*(ctypes.cast(first + 4 * index, item) for index in range(room)))
        self._batch = LIB.llama_batch(
            token=self._tokens.ctypes.data_as(item),
            pos=self._positions.ctypes.data_as(item),
            n_seq_id=self._counts.ctypes.data_as(item),
            seq_id=self._pointers,
            logits=self._outputs.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)),
        )

    def fill(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], outputs: Sequence[int]
    ) -> Any:
        size = len(tokens)
        self._tokens[:size] = tokens
        self._positions[:size] = positions
        self._sequences[:size] = sequences
        self._outputs[:size] = 0
        self._outputs[list(outputs)] = 1
        self._batch.n_tokens = size
        return self._batch


class GrammarState:
    """A grammar part-way through a text. `open` returns None when the grammar does not parse: using such a one
    would crash the process."""

    def __init__(self, handle: Any, vocab: Vocab) -> None:
        self._handle = handle
        self._one = (LIB.llama_token_data * 1)()
        self._one_array = LIB.llama_token_data_array(self._one, 1, -1, False)
        self._rows = np.zeros(vocab.size, _ROWS)

    @staticmethod
    def open(vocab: Vocab, grammar: str) -> "GrammarState | None":
        handle = LIB.llama_sampler_init_grammar(vocab.handle, grammar.encode(), b"root")
        return GrammarState(handle, vocab) if handle else None

    def close(self) -> None:
        LIB.llama_sampler_free(self._handle)

    def allows(self, token: int) -> bool:
        self._one[0] = LIB.llama_token_data(token, 1.0, 0.0)
        LIB.llama_sampler_apply(self._handle, ctypes.byref(self._one_array))
        return bool(self._one[0].logit != -np.inf)

    def mask(self, ids: npt.NDArray[np.intp], logits: Logits) -> Logits:
        """The scores of `ids` alone: -inf for what is not among them or not allowed. About 0.1 us a token."""
        rows = self._rows[: len(ids)]
        rows["id"] = ids
        rows["logit"] = logits[ids]
        data = rows.ctypes.data_as(ctypes.POINTER(LIB.llama_token_data))
        LIB.llama_sampler_apply(self._handle, ctypes.byref(LIB.llama_token_data_array(data, len(ids), -1, False)))
        masked = np.full(len(logits), -np.inf, np.float32)
        masked[rows["id"]] = rows["logit"]
        return masked

    def accept(self, token: int) -> None:
        """Only a token that `allows` said yes to: llama.cpp ends the process on any other."""
        LIB.llama_sampler_accept(self._handle, token)


def system_info() -> str:
    """llama.cpp's own line: which kernels are compiled in."""
    return bytes(LIB.llama_print_system_info()).decode("utf-8", "replace").strip(" |")


def build() -> str:
    """What a saved state belongs to: another build may lay its tensors out differently."""
    return f"{ENGINE} {bytes(LIB.llama_version()).decode()} {system_info()}"


def offloads() -> bool:
    return bool(LIB.llama_supports_gpu_offload())
