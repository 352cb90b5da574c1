import random
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import ModelRefused
from models.gguf import GgufHeader, read_header
from tests.support.gguf_bytes import ARRAY, LLAMA, STRING, TENSORS, Raw, TensorSpec, gguf_bytes, text
from tests.support.work import Calls

HUGE = 2**63


def read(raw: bytes, folder: Path) -> GgufHeader:
    path = folder / "model.gguf"
    path.write_bytes(raw)
    return read_header(path)


def test_reads_what_a_file_says_of_itself(tmp_path: Path) -> None:
    header = read(gguf_bytes(), tmp_path)
    assert (header.architecture, header.name, header.quantisation) == ("llama", "Tiny", "Q4_K_M")
    assert (header.layers, header.heads, header.kv_heads, header.head_dimension) == (2, 4, 2, 16)
    assert (header.context_length, header.parameters, header.tensors) == (2048, 512, 2)
    assert header.has_chat_template
    assert header.licence == "apache-2.0"
    assert header.kv_bytes_per_token() == 2 * 2 * 2 * 16 * 2


def test_takes_the_largest_of_one_number_a_layer(tmp_path: Path) -> None:
    values = {**LLAMA, "llama.attention.head_count_kv": [2, 0, 4]}
    assert read(gguf_bytes(values), tmp_path).kv_heads == 4


def test_says_nothing_where_the_file_says_nothing(tmp_path: Path) -> None:
    header = read(gguf_bytes({"general.architecture": "new"}), tmp_path)
    assert (header.layers, header.context_length, header.head_dimension) == (0, 0, 0)
    assert not header.has_chat_template
    assert header.quantisation == ""


def test_large_vocabulary_is_skipped_with_little_work(tmp_path: Path) -> None:
    values = {**LLAMA, "tokenizer.ggml.tokens": [f"token{number}" for number in range(150_000)]}
    raw = gguf_bytes(values)
    with Calls() as calls:
        assert read(raw, tmp_path).layers == 2
    assert calls.count < 150_000 * 5  # two reads a token, and nothing else


def nested(depth: int) -> bytes:
    """An array in an array, `depth` deep, then one byte."""
    return struct.pack("<IQ", ARRAY, 1) * depth + struct.pack("<IQB", 0, 1, 7)


WRONG = {
    "empty": b"",
    "no_gguf": b"PK\x03\x04" + bytes(100),
    "html_page": b"<!doctype html>" + b" " * 100,
    "cut_in_magic": b"GG",
    "cut_after_counts": gguf_bytes()[:24],
    "cut_in_properties": gguf_bytes()[:100],
    "cut_in_tensors": gguf_bytes()[:-2100],
    "data_cut_short": gguf_bytes()[:-1],
    "old_version": gguf_bytes(version=1),
    "next_version": gguf_bytes(version=4),
    "big_endian": gguf_bytes(version=0x03000000),
    "many_tensors": gguf_bytes(tensor_count=HUGE),
    "many_properties": gguf_bytes(pair_count=HUGE),
    "more_properties_than_there_are": gguf_bytes(pair_count=200),
    "string_of_2_63": gguf_bytes({"general.name": Raw(kind=STRING, data=struct.pack("<Q", HUGE))}),
    "key_of_2_63": gguf_bytes(pair_count=1, values={}) + struct.pack("<Q", HUGE),
    "array_of_2_63_numbers": gguf_bytes({"a": Raw(kind=ARRAY, data=struct.pack("<IQ", 4, HUGE))}),
    "array_of_2_63_strings": gguf_bytes({"a": Raw(kind=ARRAY, data=struct.pack("<IQ", STRING, HUGE))}),
    "array_of_unknown": gguf_bytes({"a": Raw(kind=ARRAY, data=struct.pack("<IQ", 99, 1))}),
    "array_nested_deep": gguf_bytes({"a": Raw(kind=ARRAY, data=nested(200))}),
    "unknown_property": gguf_bytes({"a": Raw(kind=77, data=b"")}),
    "no_dimensions": gguf_bytes(tensors=[TensorSpec(name="t", shape=())]),
    "five_dimensions": gguf_bytes(tensors=[TensorSpec(name="t", shape=(1, 1, 1, 1, 1))]),
    "zero_alignment_is_32_but_3_is_wrong": gguf_bytes({**LLAMA, "general.alignment": 3}),
    "huge_alignment": gguf_bytes({**LLAMA, "general.alignment": 2**31}),
    "tensor_beyond_the_end": gguf_bytes(tensors=[TensorSpec(name="t", shape=(64, 4), offset=1 << 40)]),
    "tensor_larger_than_file": gguf_bytes(tensors=[TensorSpec(name="t", shape=(64, HUGE))], data_bytes=1024),
    "tensor_not_aligned": gguf_bytes(tensors=[TensorSpec(name="t", shape=(64, 4), offset=7)], data_bytes=4096),
    "tensors_overlap": gguf_bytes(
        tensors=[TENSORS[0], TensorSpec(name="t", shape=(64, 4), offset=32)], data_bytes=8192
    ),
    "rows_not_whole_blocks": gguf_bytes(tensors=[TensorSpec(name="t", shape=(33, 4), kind=2)], data_bytes=8192),
    "unknown_tensor_beyond_the_end": gguf_bytes(tensors=[TensorSpec(name="t", shape=(1,), kind=250, offset=1 << 40)]),
}


@pytest.mark.parametrize("raw", WRONG.values(), ids=WRONG.keys())
def test_refuses_what_is_wrong_in_one_line(raw: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelRefused) as caught:
        read(raw, tmp_path)
    assert caught.value.failure.kind == "model_refused"
    assert "model.gguf" in caught.value.failure.message
    assert "\n" not in caught.value.failure.message
    assert caught.value.failure.hint


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.gguf", tmp_path):
        with pytest.raises(ModelRefused):
            read_header(path)


def mutated(seed: int) -> bytes:
    chance = random.Random(seed)
    raw = bytearray(gguf_bytes())
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(4 if chance.random() < 0.9 else 0, 700)
        match chance.randrange(4):
            case 0:
                raw[at] = chance.randrange(256)
            case 1:
                raw[at : at + 8] = struct.pack("<Q", chance.choice((0, 1, HUGE, 2**64 - 1, 2**31, len(raw))))
            case 2:
                del raw[at : at + chance.randrange(1, 200)]
            case _:
                raw[at:at] = chance.randbytes(chance.randrange(1, 40))
    return bytes(raw)


def check_header(raw: bytes, folder: Path, reader: Callable[[bytes, Path], GgufHeader]) -> None:
    """A header or one refusal, quickly."""
    with Calls() as calls:
        try:
            header = reader(raw, folder)
        except ModelRefused:
            header = None
    assert calls.count < 10_000, "it did too much"
    assert header is None or header.file_bytes == len(raw)


@pytest.mark.parametrize("seed", range(300))
def test_mutated_headers_are_read_or_refused(seed: int, tmp_path: Path) -> None:
    """K8: whatever is changed in a header, the answer is a header or one refusal, quickly and in little memory."""
    check_header(mutated(seed), tmp_path, read)


def believing(raw: bytes, folder: Path) -> GgufHeader:
    """Counts as many entries as the file says it has, whatever its length; here it gives up in the end."""

    def entry(number: int) -> int:
        return number + 1

    (count,) = struct.unpack_from("<Q", raw, 16)
    for number in range(min(count, 20_000)):
        entry(number)
    return read(raw, folder)


def test_a_reader_that_believes_the_counts_is_found_out(tmp_path: Path) -> None:
    """The control."""
    check_header(gguf_bytes(), tmp_path, believing)
    lying = bytearray(gguf_bytes())
    lying[16:24] = struct.pack("<Q", HUGE)
    check_header(bytes(lying), tmp_path, read)
    with pytest.raises(AssertionError, match="too much"):
        check_header(bytes(lying), tmp_path, believing)


@given(raw=st.binary(max_size=400))
def test_anything_behind_a_good_beginning_is_read_or_refused(
    raw: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with suppress(ModelRefused):
        assert read(gguf_bytes()[:24] + raw, tmp_path_factory.getbasetemp()).file_bytes == 24 + len(raw)


@given(length=st.integers(0, 3000))
def test_a_file_cut_anywhere_is_refused(length: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    raw = gguf_bytes()
    with pytest.raises(ModelRefused):
        read(raw[: min(length, len(raw) - 1)], tmp_path_factory.getbasetemp())


def test_untrusted_text_is_decoded_not_trusted(tmp_path: Path) -> None:
    raw = gguf_bytes({"general.name": Raw(kind=STRING, data=struct.pack("<Q", 3) + b"\xff\x1b[")})
    assert read(raw, tmp_path).name == "\ufffd\x1b["
    assert text("a") == b"\x01" + bytes(7) + b"a"
