"""Lines from a pipe."""

import os

import pytest

from ui.line_input import PipeReader


async def lines_of(data: bytes) -> list[str | None]:
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    reader = PipeReader(read)
    lines: list[str | None] = []
    try:
        while not lines or lines[-1] is not None:
            lines.append(await reader.read(""))
    finally:
        os.close(read)
    return lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", [None]),
        (b"one\ntwo\n", ["one", "two", None]),
        (b"one\n\nlast", ["one", "", "last", None]),
        ("\ufeffgrüße\n".encode(), ["grüße", None]),
        (b"bad \xff byte\n", ["bad \ufffd byte", None]),
        (b"crlf\r\n", ["crlf\r", None]),
        (b"x" * 60_000 + b"\ny", ["x" * 60_000, "y", None]),
    ],
)
async def test_every_line_comes_whole(data: bytes, lines: list[str | None]) -> None:
    assert await lines_of(data) == lines


async def test_a_character_split_over_two_reads_is_whole() -> None:
    read, write = os.pipe()
    reader = PipeReader(read)
    try:
        os.write(write, "ü".encode()[:1])
        reader._take(os.read(read, 10))
        os.write(write, "ü\n".encode()[1:])
        assert await reader.read("") == "ü"
    finally:
        os.close(write)
        os.close(read)


async def test_the_end_is_told_again_and_again() -> None:
    read, write = os.pipe()
    os.close(write)
    reader = PipeReader(read)
    assert [await reader.read(""), await reader.read("")] == [None, None]
    os.close(read)


async def test_a_descriptor_that_cannot_be_read_is_an_error() -> None:
    read, write = os.pipe()
    os.close(read)
    os.close(write)
    with pytest.raises(OSError, match="descriptor"):
        await PipeReader(read).read("")
