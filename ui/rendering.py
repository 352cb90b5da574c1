"""The last gate before the screen, and words for values. Text from anywhere passes `content`, `one_line` or `gate`.

Textual hands control characters in content to the terminal as they are (measured with 8.2.8), and reads markup in
strings given to widgets. So nothing reaches a widget as a string: it is a `Content` made of cleaned, literal text.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from textual.content import Content

from assistant.policies.cleaning import boundary, clean, clean_line
from ui.lines import PLAIN, Line, Look, width_of, wrap

LONGEST_SOURCE = 60_000  # characters of a user's message that are drawn
_LONG_QUERY = 64
_OPENABLE = ("http", "https", "mailto")


def gate(text: str) -> str:
    """Text for one row: no control character, no line break."""
    if text.isascii() and text.isprintable():
        return text
    return clean(text).replace("\n", " ").replace("\t", " ")


def content(text: str, style: str = "") -> Content:
    """Literal text for any widget; `style` is ours, such as "bold $error"."""
    return Content.styled(clean(text), style) if style else Content(clean(text))


def one_line(text: str, limit: int = 120) -> str:
    """For titles, labels and notices."""
    return clean_line(text, limit)


def fitted(text: str, cells: int) -> str:
    """For a row of a list: one line of at most `cells` cells, however wide its characters are."""
    line = one_line(text, max(cells, 1) * 4)  # a picture of several characters takes two cells
    if width_of(line) <= cells:
        return line
    used = 0
    for at, character in enumerate(line):
        used += width_of(character)
        if used > cells - 1:
            return line[: boundary(line, at)].rstrip() + "…"
    return line


def plain_rows(text: str, width: int, *, limit: int = LONGEST_SOURCE) -> list[Line]:
    """What somebody wrote, as they wrote it: no Markdown. The middle of a very long text is folded."""
    from ui.drawing.answer_lines import HEAD_ROWS, TAIL_ROWS, excerpt, fold_line

    head, skipped, tail = excerpt(text, limit)
    rows = _literal(head, width)
    after = _literal(tail, width) if skipped else []
    if not skipped and len(rows) <= HEAD_ROWS + TAIL_ROWS:
        return rows
    after = (rows[HEAD_ROWS:] + after)[-TAIL_ROWS:]
    hidden = skipped + max(len(rows) - HEAD_ROWS - TAIL_ROWS, 0)
    return [*rows[:HEAD_ROWS], fold_line(hidden), *after]


def _literal(text: str, width: int) -> list[Line]:
    return [row for line in text.expandtabs(4).split("\n") for row in wrap(((line, PLAIN),), width)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An address before it is opened. `warnings` are sentences for the user; not `openable`: copying is all."""

    address: str
    host: str
    openable: bool
    warnings: tuple[str, ...]


def look_at(address: str) -> Link:
    """Where an address leads and what is odd about it."""
    address = clean(address)
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return Link(address=address, host="", openable=False, warnings=("This is not a valid address.",))
    warnings: list[str] = []
    if parts.scheme not in _OPENABLE:
        warnings.append("Only web and mail addresses can be opened.")
    elif parts.scheme == "http":
        warnings.append("The connection is not encrypted (http).")
    if not host.isascii() or "xn--" in host:
        warnings.append("The name of the site has unusual letters; it may only look like one you know.")
    if "@" in parts.netloc:
        warnings.append(f"What stands before the @ is not the site. The site is {host}.")
    if len(parts.query) + len(parts.fragment) > _LONG_QUERY:
        warnings.append(
            f"It carries {len(parts.query) + len(parts.fragment):,} characters of data to the site; "
            "words from your conversation may be among them."
        )
    return Link(address=address, host=host, openable=parts.scheme in _OPENABLE, warnings=tuple(warnings))


def bytes_text(size: float) -> str:
    """Bytes for people, in powers of 1,000 as shops and disks count them."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1_000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1_000
    raise AssertionError("unreachable")


def seconds_text(seconds: float) -> str:
    """A duration for people: "8 s", "3 min", "2 h 5 min"."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def labelled(label: str, value: str, width: int) -> list[Line]:
    """A row "label  value" with the value wrapped beside it."""
    return wrap(((value, PLAIN),), width, lead=((f"{label:<14}", Look(tone="dim")),), hang=((" " * 14, PLAIN),))
