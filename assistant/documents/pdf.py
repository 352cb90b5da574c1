"""PDF as text by pages, in the confined child. A page without text is counted and said: it is probably a picture."""

from io import BytesIO
from typing import Any, Final

from assistant.confined.child import Unreadable

MOST_PAGES: Final = 3_000
_MOST_CHARACTERS: Final = 20_000_000


def read_pdf(content: bytes) -> dict[str, Any]:
    """Raises Unreadable."""
    import logging

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every oddity
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("it is locked with a password")
        count = len(reader.pages)
    except PyPdfError as error:
        raise Unreadable("it is no PDF that can be read") from error
    blocks: list[dict[str, Any]] = []
    empty: list[int] = []
    room = _MOST_CHARACTERS
    for number in range(1, min(count, MOST_PAGES) + 1):
        text = _text_of(reader, number)[:room]
        room -= len(text)
        if text.strip():
            blocks.append({"text": text, "page": number, "heading": ""})
        else:
            empty.append(number)
    if not blocks:
        raise Unreadable("there is no text in it; it is probably scanned")
    return {"blocks": blocks, "pages": count, "left_out": _left_out(empty, count)}


def _text_of(reader: Any, number: int) -> str:
    """ "" for a page that is broken: the others are read all the same."""
    from pypdf.errors import PyPdfError

    try:
        return str(reader.pages[number - 1].extract_text())
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError):
        return ""


def _left_out(empty: list[int], count: int) -> str:
    parts = []
    if empty:
        shown = ", ".join(map(str, empty[:5])) + (" ..." if len(empty) > 5 else "")
        parts.append(f"no text on {len(empty)} of {count} pages ({shown})")
    if count > MOST_PAGES:
        parts.append(f"only the first {MOST_PAGES:,} of {count:,} pages")
    return "; ".join(parts)
