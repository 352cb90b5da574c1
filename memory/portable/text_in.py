"""The door of an import: bytes of a file or a paste become text or JSON within limits, or one line says why not. Pure.

Sizes are checked before anything is parsed; depth and numbers while it is. A file that is cut off or broken somewhere
is no reason to lose the rest: what stands whole on its own line can still be taken (`whole_lines`).
"""

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, NoReturn

MOST_BYTES = 64 * 1024 * 1024
DEEPEST = 24  # levels of nesting; our own documents have 9


_JSON = re.compile(r"\{|\[(?!\s?[xX]?\]\s|\[[A-Za-z]|\d{4}-)")


class Unreadable(ValueError):
    """Nothing can be taken from it. `hint` is the next step."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def text_of(content: bytes) -> str:
    """UTF-8, with or without a mark. Raises Unreadable."""
    if len(content) > MOST_BYTES:
        raise Unreadable(f"It is too large: {len(content):,} bytes, and at most {MOST_BYTES:,} are read.")
    if content[:4] in (b"PK\x03\x04", b"\x1f\x8b\x08\x00") or content[:2] == b"\x1f\x8b":
        raise Unreadable("It is an archive, not a profile.", "An export of conversations: steward history import FILE")
    if b"\x00" in content[:4096]:
        raise Unreadable("It is not text.", "A profile is JSON, Markdown, or a list of sentences in UTF-8.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"It is not UTF-8 text (byte {error.start:,}).", "Save it as UTF-8 and try again.") from error
    if not text.strip():
        raise Unreadable("It is empty.")
    return text


def looks_like_json(text: str) -> bool:
    """By its first sign; a list of boxes to tick, of dated lines or of links between notes is none."""
    return _JSON.match(text.lstrip()[:20]) is not None


def json_of(text: str) -> Any:
    """Raises Unreadable; the line and column of a mistake are named."""
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise Unreadable("It is nested too deeply.", f"At most {DEEPEST} levels are read.") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"It is no JSON: {error.msg} in line {error.lineno:,}, column {error.colno:,}.") from None
    except ValueError as error:
        raise Unreadable(f"It is no JSON: {str(error).partition(';')[0][:100]}.") from None
    if deeper_than(value, DEEPEST):
        raise Unreadable("It is nested too deeply.", f"At most {DEEPEST} levels are read.")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


def deeper_than(value: Any, levels: int) -> bool:
    """Level by level, so that no recursion of ours is needed."""
    layer = [value]
    for _ in range(levels):
        layer = [inner for one in layer if isinstance(one, dict | list) for inner in _inside(one)]
        if not layer:
            return False
    return True


def _inside(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def whole_lines(text: str) -> Iterator[dict[str, Any]]:
    """The objects that stand whole on a line of their own in a document that is broken elsewhere."""
    for line in text.splitlines():
        piece = line.strip().removesuffix(",")
        if not (piece.startswith("{") and piece.endswith("}")):
            continue
        try:
            value = json.loads(piece, parse_constant=_no_constant, parse_float=_finite)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and not deeper_than(value, DEEPEST):
            yield value
