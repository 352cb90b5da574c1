"""A sentence embedder of a few words: an ONNX file that looks vectors up in a table, and a word tokenizer.

The ONNX file is protobuf written by hand, so that no converter is needed; onnxruntime loads it like any other.
"""

import random
import struct
from collections.abc import Sequence
from pathlib import Path

DIMENSIONS = 384
WORDS = ("[UNK]", "i", "like", "hate", "tea", "coffee", "the", "train", "leaves", "now")

_FLOAT, _INT64 = 1, 7


def write_embedder(model: Path, tokenizer: Path) -> None:
    """Both files. The vector of a word is fixed and random."""
    model.write_bytes(_onnx(vectors()))
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace

    words = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.normalizer = Lowercase()
    words.pre_tokenizer = Whitespace()
    words.enable_padding(length=64)  # as in some published files; the embedder must not be fooled by it
    words.save(str(tokenizer))


def vectors() -> list[list[float]]:
    chance = random.Random(7)
    return [[chance.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in WORDS]


def _onnx(table: Sequence[Sequence[float]]) -> bytes:
    """Gather(table, input_ids): token vectors of shape (texts, tokens, DIMENSIONS)."""
    raw = b"".join(struct.pack(f"<{DIMENSIONS}f", *row) for row in table)
    weights = _number(1, len(table)) + _number(1, DIMENSIONS) + _number(2, _FLOAT) + _text(8, "table") + _bytes(9, raw)
    node = _text(1, "table") + _text(1, "input_ids") + _text(2, "vectors") + _text(4, "Gather")
    graph = (
        _bytes(1, node)
        + _text(2, "tiny")
        + _bytes(5, weights)
        + _bytes(11, _value("input_ids", _INT64, ("texts", "tokens")))
        + _bytes(11, _value("attention_mask", _INT64, ("texts", "tokens")))
        + _bytes(12, _value("vectors", _FLOAT, ("texts", "tokens", DIMENSIONS)))
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, 13))


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    extents = b"".join(_bytes(1, _number(1, each) if isinstance(each, int) else _text(2, each)) for each in shape)
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, extents)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
