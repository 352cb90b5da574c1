"""Frames between Steward and the process that has Chroma open: a length, a JSON header, raw float32 vectors.

    4 bytes  length of the header, big-endian
    4 bytes  length of the body
    header   a question {"do": "open" | "stamps" | "upsert" | "delete" | "search" | "bye", ...}
             or an answer {"ok": true, ...} or {"ok": false, "error": ...}
    body     vectors one after another, or nothing

One answer for one question, in order.
"""

import json
import struct
from typing import Any

LENGTHS = struct.Struct(">II")
MOST_BYTES = 64 * 1024 * 1024

Header = dict[str, Any]


def frame(header: Header, body: bytes = b"") -> bytes:
    head = json.dumps(header, separators=(",", ":")).encode()
    return LENGTHS.pack(len(head), len(body)) + head + body


def sizes(lengths: bytes) -> tuple[int, int]:
    """Of header and body. Raises ValueError for what is no frame."""
    head, body = LENGTHS.unpack(lengths)
    if not 2 <= head <= MOST_BYTES or body > MOST_BYTES:
        raise ValueError(f"a frame of {head} and {body} bytes")
    return head, body


def header_of(head: bytes) -> Header:
    """Raises ValueError for what is no frame."""
    value = json.loads(head)
    if not isinstance(value, dict):
        raise ValueError("a header is an object")
    return value
