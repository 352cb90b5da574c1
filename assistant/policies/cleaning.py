"""Makes untrusted text safe to store and to show. Everything that enters passes here, and everything shown again.

A terminal acts on control characters wherever they come from: a model, a file name, a title, an error text.
Each one becomes U+FFFD, so that what was there stays visible and nothing is carried out.
"""

import re
import unicodedata

REPLACEMENT = "\ufffd"

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f"  # C0 without tab, newline; carriage returns are gone by then
    "\x7f-\x9f"  # DEL and C1
    "\ud800-\udfff"  # lone surrogates: no encoding of them exists
    "\u202a-\u202e\u2066-\u2069"  # bidi overrides and isolates: text that reads otherwise than it is
    "\ue000\ue001"  # search results mark their matches with these
    "\U000e0000-\U000e007f"  # Unicode tags: invisible text
    "]"
)
_UNSAFE_ASCII = bytes({*range(32), 127} - {9, 10})
_CARRIAGE_RETURN = re.compile("\r\n?")
_JOINS = {"\u200d", "\ufe0e", "\ufe0f"}  # zero-width joiner and variation selectors: never the first of a cut-off rest


def clean(text: str) -> str:
    """`text` with only printable characters, tabs and newlines; idempotent, in one linear pass."""
    if "\r" in text:
        text = _CARRIAGE_RETURN.sub("\n", text)
    if text.isascii() and len(text.encode().translate(None, _UNSAFE_ASCII)) == len(text):
        return text  # found out in a quarter of the time
    return _UNSAFE.sub(REPLACEMENT, text)


def clean_chunk(held: str, chunk: str) -> tuple[str, str]:
    """Cleans a stream piece by piece: what can be shown now, and what to hold until the next piece.

    Only a trailing carriage return is held, so that CRLF split over two pieces is still one newline.
    `held` of the last call goes to the next one; at the end `clean(held)` is what remains.
    """
    text = held + chunk
    if text.endswith("\r"):
        return clean(text[:-1]), "\r"
    return clean(text), ""


def clean_line(text: str, limit: int) -> str:
    """One line of at most `limit` characters for titles, names and errors; a cut is marked by an ellipsis."""
    line = " ".join(clean(text.lstrip()[: limit * 8 + 64]).split())
    return cut(line, limit)


def cut(line: str, limit: int) -> str:
    """The first `limit` characters, never ending inside a combined character; the ellipsis counts as one."""
    if len(line) <= limit:
        return line
    return line[: boundary(line, max(limit - 1, 0))].rstrip() + "…"


def boundary(text: str, end: int) -> int:
    """The last place at or before `end` that does not split a combined character."""
    while 0 < end < len(text) and (_belongs_to_previous(text[end]) or text[end - 1] == "\u200d"):
        end -= 1
    return end


def _belongs_to_previous(character: str) -> bool:
    return character in _JOINS or unicodedata.combining(character) != 0 or "\U0001f3fb" <= character <= "\U0001f3ff"
