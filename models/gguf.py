"""The header of a GGUF file, read with nothing but the standard library, before any C++ code sees the file.

Format: ggml's docs/gguf.md, versions 2 and 3, little-endian. Everything counted in the file is checked against its
length first, so that a damaged or hostile header ends in one `ModelRefused` and never in a large allocation.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from models.errors import ModelRefused
from models.types import Failure

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_HEADER_BYTES = 256 * 1024 * 1024  # the largest vocabularies need about 20 MB
MAX_TENSORS = 65_536
MAX_PAIRS = 65_536
MAX_KEY_BYTES = 65_535  # as the format says
MAX_DIMENSIONS = 4
MAX_TEXT_BYTES = 16 * 1024 * 1024  # chat templates are the longest, tens of kilobytes
MAX_NESTING = 3
MAX_LAYERS = 4096  # longer lists of numbers are vocabularies, not one number a layer

_STRING, _ARRAY = 8, 9
# value type -> struct code
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

# tensor type -> (weights a block, bytes a block), from ggml.h
_TENSOR_TYPES = {
    0: (1, 4),  # F32
    1: (1, 2),  # F16
    2: (32, 18),  # Q4_0
    3: (32, 20),  # Q4_1
    6: (32, 22),  # Q5_0
    7: (32, 24),  # Q5_1
    8: (32, 34),  # Q8_0
    9: (32, 36),  # Q8_1
    10: (256, 84),  # Q2_K
    11: (256, 110),  # Q3_K
    12: (256, 144),  # Q4_K
    13: (256, 176),  # Q5_K
    14: (256, 210),  # Q6_K
    15: (256, 292),  # Q8_K
    16: (256, 66),  # IQ2_XXS
    17: (256, 74),  # IQ2_XS
    18: (256, 98),  # IQ3_XXS
    19: (256, 50),  # IQ1_S
    20: (32, 18),  # IQ4_NL
    21: (256, 110),  # IQ3_S
    22: (256, 82),  # IQ2_S
    23: (256, 136),  # IQ4_XS
    24: (1, 1),  # I8
    25: (1, 2),  # I16
    26: (1, 4),  # I32
    27: (1, 8),  # I64
    28: (1, 8),  # F64
    29: (256, 56),  # IQ1_M
    30: (1, 2),  # BF16
    34: (256, 54),  # TQ1_0
    35: (256, 66),  # TQ2_0
    39: (32, 17),  # MXFP4
}

# general.file_type -> the name people use, from llama.h
_FILE_TYPES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
    38: "MXFP4",
}

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """What a GGUF file says of itself. Zero or "" where it says nothing. Text is untrusted: clean it before showing."""

    version: int
    architecture: str
    name: str
    parameters: int  # counted from the tensors
    context_length: int  # tokens, as trained
    layers: int
    heads: int
    kv_heads: int  # the largest of any layer
    head_dimension: int
    embedding_length: int
    quantisation: str  # "Q4_K_M"; "" when unknown
    has_chat_template: bool
    licence: str
    split_count: int  # 0 or 1: the whole model is in this file
    tensors: int
    file_bytes: int

    def kv_bytes_per_token(self, value_bytes: int = 2) -> int:
        """Keys and values of one token over all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dimension * value_bytes


def read_header(path: Path) -> GgufHeader:
    """Read and check the header of `path`. Raises ModelRefused: no GGUF, damaged, cut short, or out of bounds."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _Reader(file, size, str(path)).header()
    except OSError as error:
        raise _refused(str(path), f"cannot be read: {error.strerror}", "Check the path and the file's mode.") from error
    except _OutOfBounds as error:
        raise _refused(str(path), f"is damaged or cut short: {error}", "Fetch the file again.") from error


class _OutOfBounds(Exception):
    """Something counted in the header lies outside the file or outside what the format allows."""


def _refused(path: str, what: str, hint: str) -> ModelRefused:
    return ModelRefused(Failure(kind="model_refused", message=f"{path} {what}", hint=hint))


@dataclass(slots=True)
class _Tensor:
    weights: int
    start: int
    length: int | None  # bytes; None for a tensor type newer than this table


class _Reader:
    """A cursor over the header. `self._at` is the offset in the file; reads go through a window of whole blocks."""

    _BLOCK = 1 << 20

    def __init__(self, file: BinaryIO, size: int, path: str) -> None:
        self._file = file
        self._size = size
        self._path = path
        self._window = b""
        self._window_start = 0
        self._at = 0

    def header(self) -> GgufHeader:
        version = self._version()
        tensor_count, pair_count = self._number("Q"), self._number("Q")
        if tensor_count > MAX_TENSORS or pair_count > MAX_PAIRS:
            raise _OutOfBounds(f"it counts {tensor_count} tensors and {pair_count} properties")
        values: dict[str, Scalar] = {}
        for _ in range(pair_count):
            self._pair(values)
        alignment = _whole(values, "general.alignment") or 32
        if alignment > 65_536 or alignment & (alignment - 1):
            raise _OutOfBounds(f"alignment {alignment} is not a power of two")
        tensors = [self._tensor(alignment) for _ in range(tensor_count)]
        self._check_tensors(tensors, alignment)
        return _described(values, version, tensors, self._size)

    def _version(self) -> int:
        if self._size < 24 or self._take(4) != MAGIC:
            raise _refused(self._path, "is not a GGUF file", "Steward runs GGUF files, as used by llama.cpp.")
        raw = self._take(4)
        version = int.from_bytes(raw, "little")
        if version in VERSIONS:
            return version
        if int.from_bytes(raw, "big") in VERSIONS:
            raise _refused(self._path, "is a big-endian GGUF file", "Choose a file made for this kind of machine.")
        hint = "Convert it again with a current llama.cpp." if version < 2 else "A newer Steward may read it."
        raise _refused(self._path, f"is GGUF version {version}, which this Steward cannot read", hint)

    def _pair(self, values: dict[str, Scalar]) -> None:
        key = self._text(MAX_KEY_BYTES)
        kind = self._number("I")
        if kind == _ARRAY:
            length, largest = self._array(1)
            values[f"{key}#"] = length
            if largest is not None:
                values[f"{key}#max"] = largest
        elif kind == _STRING:
            values[key] = self._text(MAX_TEXT_BYTES)
        elif kind in _SCALARS:
            values[key] = self._scalar(kind)
        else:
            raise _OutOfBounds(f"property {key[:60]!r} has the unknown type {kind}")

    def _array(self, depth: int) -> tuple[int, int | None]:
        """Skip an array; its length, and its largest element where it is a short one of whole numbers."""
        kind, length = self._number("I"), self._number("Q")
        if kind in _SCALARS:
            code = _SCALARS[kind]
            if code not in "BbHhIiQq" or not 0 < length <= MAX_LAYERS:
                self._skip(length * struct.calcsize(code))
                return length, None
            raw = self._take(length * struct.calcsize(code))
            return length, int(max(struct.unpack(f"<{length}{code}", raw)))
        if length > self._size // 8:
            raise _OutOfBounds(f"an array of {length} elements")
        if kind == _STRING:
            self._skip_texts(length)
        elif kind == _ARRAY and depth < MAX_NESTING:
            for _ in range(length):
                self._array(depth + 1)
        else:
            raise _OutOfBounds(f"an array of the unknown type {kind}")
        return length, None

    def _skip_texts(self, count: int) -> None:
        # The one hot loop: vocabularies and merges have several hundred thousand strings.
        read = int.from_bytes
        for _ in range(count):
            offset = self._at - self._window_start
            head = self._window[offset : offset + 8]
            if len(head) < 8:
                head = self._take(8)
            else:
                self._at += 8
            self._at += read(head, "little")
            if self._at > self._size or self._at > MAX_HEADER_BYTES:
                raise _OutOfBounds("a string ends behind the file")

    def _tensor(self, alignment: int) -> _Tensor:
        name = self._text(MAX_KEY_BYTES)
        count = self._number("I")
        if not 0 < count <= MAX_DIMENSIONS:
            raise _OutOfBounds(f"tensor {name[:60]!r} has {count} dimensions")
        weights = 1
        shape = [self._number("Q") for _ in range(count)]
        for extent in shape:
            weights *= extent
        kind, start = self._number("I"), self._number("Q")
        if start % alignment:
            raise _OutOfBounds(f"tensor {name[:60]!r} is not aligned")
        length = None
        if kind in _TENSOR_TYPES:
            block, block_bytes = _TENSOR_TYPES[kind]
            if shape[0] % block:
                raise _OutOfBounds(f"rows of tensor {name[:60]!r} are not whole blocks")
            length = weights // block * block_bytes
        return _Tensor(weights, start, length)

    def _check_tensors(self, tensors: list[_Tensor], alignment: int) -> None:
        data = -(-self._at // alignment) * alignment
        end = 0
        for tensor in sorted(tensors, key=lambda tensor: tensor.start):
            if tensor.start < end:
                raise _OutOfBounds("two tensors overlap")
            end = tensor.start + (tensor.length or 0)
            if data + end > self._size:
                raise _OutOfBounds(f"tensors need {data + end:,} bytes, the file has {self._size:,}")

    def _scalar(self, kind: int) -> Scalar:
        code = _SCALARS[kind]
        raw = self._take(struct.calcsize(code))
        value = struct.unpack(f"<{code}", raw)[0]
        assert isinstance(value, (int, float, bool))
        return value

    def _number(self, code: str) -> int:
        return int.from_bytes(self._take(struct.calcsize(code)), "little")

    def _text(self, limit: int) -> str:
        length = self._number("Q")
        if length > limit:
            raise _OutOfBounds(f"a string of {length} bytes")
        return self._take(length).decode("utf-8", errors="replace")

    def _skip(self, length: int) -> None:
        end = self._at + length
        if end > self._size:
            raise _OutOfBounds("it ends in the middle of its header")
        if end > MAX_HEADER_BYTES:
            raise _OutOfBounds(f"its header is larger than {MAX_HEADER_BYTES >> 20} MB")
        self._at = end

    def _take(self, length: int) -> bytes:
        start = self._at
        self._skip(length)
        offset = start - self._window_start
        if offset < 0 or offset + length > len(self._window):
            self._file.seek(start)
            self._window = self._file.read(max(length, self._BLOCK))
            self._window_start = start
            offset = 0
        taken = self._window[offset : offset + length]
        if len(taken) < length:
            raise _OutOfBounds("it became shorter while it was read")
        return taken


def _described(values: dict[str, Scalar], version: int, tensors: list[_Tensor], size: int) -> GgufHeader:
    architecture = _words(values, "general.architecture")
    heads = _layerwise(values, f"{architecture}.attention.head_count")
    embedding = _whole(values, f"{architecture}.embedding_length")
    return GgufHeader(
        version=version,
        architecture=architecture,
        name=_words(values, "general.name"),
        parameters=sum(tensor.weights for tensor in tensors),
        context_length=_whole(values, f"{architecture}.context_length"),
        layers=_whole(values, f"{architecture}.block_count"),
        heads=heads,
        kv_heads=_layerwise(values, f"{architecture}.attention.head_count_kv") or heads,
        head_dimension=_whole(values, f"{architecture}.attention.key_length") or (embedding // heads if heads else 0),
        embedding_length=embedding,
        quantisation=_FILE_TYPES.get(_whole(values, "general.file_type", missing=-1), ""),
        has_chat_template=bool(_words(values, "tokenizer.chat_template")),
        licence=_words(values, "general.license"),
        split_count=_whole(values, "split.count"),
        tensors=len(tensors),
        file_bytes=size,
    )


def _whole(values: dict[str, Scalar], key: str, missing: int = 0) -> int:
    value = values.get(key, missing)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else missing


def _layerwise(values: dict[str, Scalar], key: str) -> int:
    """A number, or the largest of one number a layer."""
    return _whole(values, key) or _whole(values, f"{key}#max")


def _words(values: dict[str, Scalar], key: str) -> str:
    value = values.get(key, "")
    return value if isinstance(value, str) else ""
