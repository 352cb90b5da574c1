"""GGUF files made by hand, right or wrong in one chosen place."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

UINT32, INT32, BOOL, STRING, ARRAY, UINT64 = 4, 5, 7, 8, 9, 10
F32 = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A value written as it is: type number and bytes."""

    kind: int
    data: bytes


Value = int | str | bool | Raw | Sequence[int] | Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSpec:
    name: str
    shape: tuple[int, ...]
    kind: int = F32
    offset: int | None = None  # None: behind the one before


LLAMA: Mapping[str, Value] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.file_type": 15,
    "general.license": "apache-2.0",
    "llama.context_length": 2048,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["<s>", "a", "b", "\u00e9"],
    "tokenizer.ggml.scores": [1, 2, 3, 4],
    "tokenizer.chat_template": "{{ messages }}",
}
TENSORS = (TensorSpec(name="token_embd.weight", shape=(64, 4)), TensorSpec(name="output.weight", shape=(64, 4)))


def gguf_bytes(
    values: Mapping[str, Value] = LLAMA,
    tensors: Sequence[TensorSpec] = TENSORS,
    *,
    magic: bytes = b"GGUF",
    version: int = 3,
    tensor_count: int | None = None,
    pair_count: int | None = None,
    alignment: int = 32,
    data_bytes: int | None = None,
) -> bytes:
    """A file with these properties and tensors; the keyword arguments put one thing out of order."""
    out = bytearray(magic)
    out += struct.pack("<I", version)
    out += struct.pack("<Q", len(tensors) if tensor_count is None else tensor_count)
    out += struct.pack("<Q", len(values) if pair_count is None else pair_count)
    for key, value in values.items():
        out += text(key) + _value(value)
    offset = 0
    for tensor in tensors:
        size = 4
        for extent in tensor.shape:
            size *= extent
        start = offset if tensor.offset is None else tensor.offset
        out += text(tensor.name) + struct.pack("<I", len(tensor.shape))
        out += b"".join(struct.pack("<Q", extent & (2**64 - 1)) for extent in tensor.shape)
        out += struct.pack("<IQ", tensor.kind, start)
        offset += -(-size // alignment) * alignment
    out += bytes(-len(out) % alignment)
    out += bytes(offset if data_bytes is None else data_bytes)
    return bytes(out)


def text(words: str) -> bytes:
    raw = words.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Value) -> bytes:
    match value:
        case Raw():
            return struct.pack("<I", value.kind) + value.data
        case bool():
            return struct.pack("<IB", BOOL, value)
        case int():
            return struct.pack("<II", UINT32, value)
        case str():
            return struct.pack("<I", STRING) + text(value)
        case _:
            return struct.pack("<I", ARRAY) + _array(value)


def _array(items: Sequence[int] | Sequence[str]) -> bytes:
    if items and isinstance(items[0], str):
        return struct.pack("<IQ", STRING, len(items)) + b"".join(text(str(item)) for item in items)
    return struct.pack("<IQ", INT32, len(items)) + b"".join(struct.pack("<i", int(item)) for item in items)
