"""The objects of a JSON array, one after another, without reading the whole: bytes in, bytes of one object out.

An object that reads as JSON up to where the next one seems to begin is passed on as its value. Of any other only
structure is looked at: brackets outside of strings are counted (RFC 8259), so an object whose inside is wrong is passed
on whole and the next one is found. Where brackets do not come out even, what looks like the beginning of a conversation
is tried instead.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memory.importing.seams import next_seam, opening_of

CHUNK = 1024 * 1024
_TRIES = 500  # beginnings that are tried in what does not come out even, and
_EFFORT = 4  # times its length that is looked at for that
_AHEAD = 2 * 1024 * 1024  # bytes in which the next object is looked for before brackets are counted
_LONGEST_OPENING = 2 * 1024  # bytes from one object's end to the next one's second key
_SLOW = 8 * 1024 * 1024  # bytes; what the strict parser refuses is read again by a patient one up to here

_BOM = b"\xef\xbb\xbf"
_BETWEEN = re.compile(rb"[\s,\[\]}]*+")
_WRAPPER = re.compile(rb'\s*+\{\s*+"conversations"\s*+:\s*+\[')
# Up to the next bracket outside of strings. Possessive: it never looks back, so it takes linear time.
_BRACKET = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+([{}\[\]])', re.DOTALL)
_BEGINNING = re.compile(rb'[,\[]\s*+(\{\s*+"(?:title|uuid|id|conversation_id|name|create_time|mapping)"\s*+:)')
_OPENING = (b"{", b"[")

Pull = Callable[[int], bytes]  # up to so many bytes; b"" at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    value: Any


def objects(pull: Pull, *, longest: int) -> Iterator[Parsed | bytes | Fault]:
    """The objects at the top, parsed or as bytes; a Fault for what is none. Holds `longest` bytes and a chunk at most.

    Raises what `pull` raises."""
    window = _Window(pull, longest)
    window.begin()
    while window.seek():
        parsed = window.parsed()
        if parsed is not None:
            yield parsed
            continue
        length = window.measure()
        if length is not None:
            yield window.take(length)
            continue
        rescued = list(conversations_in(window.rest))
        yield Fault(why="it is cut off" if window.ended else f"it is longer than {longest // 1024 // 1024} MB")
        yield from (raw for raw, _ in rescued)
        if window.ended:
            return
        if rescued:
            window.drop(rescued[-1][1])
        else:
            window.pass_over()
    if window.junk:
        yield Fault(why="it is no list of conversations")


def conversations_in(raw: bytes) -> Iterator[tuple[bytes, int]]:
    """What reads as a conversation inside of something broken, and where each ends."""
    at, effort = 1, _EFFORT * len(raw)
    for _ in range(_TRIES):
        found = _BEGINNING.search(raw, at)
        if found is None or effort <= 0:
            return
        start = found.start(1)
        end, _, depth = _scan(raw, start, 0)
        effort -= end - start
        if depth == 0 and is_conversation(decode(raw[start:end])):
            yield raw[start:end], end
            at = end
        else:
            at = start + 1


def decode(raw: bytes) -> Any:
    """The value, or None for what no parser reads. Lone surrogates, control characters, broken UTF-8 are let pass."""
    import orjson

    try:
        return orjson.loads(raw)
    except ValueError:
        if len(raw) > _SLOW:
            return None
    try:
        return json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


def is_conversation(value: Any) -> bool:
    return isinstance(value, dict) and ("mapping" in value or "chat_messages" in value)


def _scan(buffer: bytes, at: int, depth: int) -> tuple[int, int, int]:
    """From `at` on until the depth is 0 again: where that is, or how far it got; where to go on; the depth then."""
    match = _BRACKET.match
    while (found := match(buffer, at)) is not None:
        at = found.end()
        depth += 1 if found[1] in _OPENING else -1
        if depth <= 0:
            return at, at, 0
    return len(buffer), at, depth


class _Window:
    """A part of the stream, from the object that is being looked at on."""

    def __init__(self, pull: Pull, longest: int) -> None:
        self._pull = pull
        self._longest = longest
        self._buffer = b""
        self._at = 0
        self._pulled = self._guessed_in_vain = 0  # bytes
        self.ended = False
        self.junk = False

    @property
    def rest(self) -> bytes:
        return self._buffer[self._at :]

    def begin(self) -> None:
        self._more()
        if self._buffer.startswith(_BOM):
            self._at = len(_BOM)
        wrapper = _WRAPPER.match(self._buffer, self._at)
        if wrapper is not None:
            self._at = wrapper.end()

    def seek(self) -> bool:
        """To the next object; False at the end."""
        while True:
            between = _BETWEEN.match(self._buffer, self._at)
            assert between is not None, "it matches nothing as well"
            self._at = between.end()
            if self._at < len(self._buffer):
                here = self._buffer.find(b"{", self._at)
                self.junk = self.junk or here != self._at
                self._at = len(self._buffer) if here < 0 else here
                if here >= 0:
                    return True
            self._at = len(self._buffer)
            if not self._more():
                return False

    def parsed(self) -> Parsed | None:
        """The object here, if it reads as JSON and the next one begins as it does. All the bytes that are looked at in
        vain are no more than those that came."""
        import orjson

        if self._guessed_in_vain > self._pulled:
            return None
        end = self._seam()
        if end is not None:
            try:
                value = orjson.loads(memoryview(self._buffer)[self._at : end])
            except ValueError:
                self._guessed_in_vain += end - self._at
                return None
            self._at = end
            return Parsed(value=value)
        self._guessed_in_vain += len(self._buffer) - self._at
        return None

    def _seam(self) -> int | None:
        """Where the object here ends, as it seems."""
        if len(self._buffer) - self._at < _LONGEST_OPENING:
            self._more()
        opening, looked = opening_of(self._buffer, self._at), 1
        while opening is not None:
            end = next_seam(self._buffer, self._at + looked, opening)
            if end is not None:
                return end
            here = len(self._buffer) - self._at
            looked = max(here - _LONGEST_OPENING, 1)
            if here >= _AHEAD or not self._more():
                return None
        return None

    def measure(self) -> int | None:
        """The length of the object here; None when it does not end, or not within the limit."""
        at, depth = 0, 0
        while True:
            _, end, depth = _scan(self._buffer, self._at + at, depth)
            at = end - self._at
            if depth == 0 and at > 0:
                return at
            if len(self._buffer) - self._at > self._longest or not self._more():
                return None

    def take(self, length: int) -> bytes:
        self._at += length
        return self._buffer[self._at - length : self._at]

    def drop(self, length: int) -> None:
        self._at += length

    def pass_over(self) -> None:
        """To the end of an object that is too long, without keeping it."""
        depth = 0
        while True:
            _, end, depth = _scan(self._buffer, self._at, depth)
            self._at = end
            if depth == 0 or not self._more(most=self._longest):
                return

    def _more(self, most: int | None = None) -> bool:
        """Twice as much as before, so that looking again at what is here stays cheap."""
        kept = self._buffer[self._at :]
        if most is not None and len(kept) > most:
            kept = b'"'  # inside of a text that does not end: only that counts
        data = b"" if self.ended else self._pull(max(CHUNK, min(len(kept), self._longest)))
        self.ended = self.ended or not data
        self._pulled += len(data)
        self._buffer, self._at = kept + data, 0
        return bool(data)
