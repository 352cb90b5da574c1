"""HTML as text under its headings, in the confined child. Scripts, styles and hidden parts say nothing; no address is
ever fetched."""

from html.parser import HTMLParser
from typing import Any, Final

from assistant.confined.child import Unreadable
from assistant.documents.markdown import Outline

_SILENT: Final = frozenset(
    {"script", "style", "template", "noscript", "svg", "math", "head", "iframe", "object", "nav"}
)
_VOID: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905
)
_BLOCKS: Final = frozenset(
    "p div section article header footer main aside ul ol table tr pre blockquote figure dl dd dt hr form".split()  # noqa: SIM905
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_MOST_DEPTH: Final = 2_000


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = Outline()
        self._line: list[str] = []
        self._silent: list[str] = []
        self._heading = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        hidden = "hidden" in given or given.get("aria-hidden") == "true" or _unseen(given.get("style"))
        if (self._silent or tag in _SILENT or hidden) and tag not in _VOID:
            if len(self._silent) < _MOST_DEPTH:
                self._silent.append(tag)
            return
        if tag in _HEADINGS:
            self._break(blank=True)
            self._heading = _HEADINGS[tag]
        elif tag == "li":
            self._break()
            self._line.append("- ")
        elif tag in ("td", "th"):
            self._line.append(" | ")
        elif tag == "br":
            self._break()
        elif tag in _BLOCKS:
            self._break(blank=True)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag in self._silent:
                while self._silent.pop() != tag:
                    pass
            return
        if tag in _HEADINGS and self._heading:
            title = " ".join("".join(self._line).split())
            self._line = []
            if title:
                self.outline.open(self._heading, title[:200])
            self._heading = 0
        elif tag in _BLOCKS or tag == "li":
            self._break(blank=tag != "li")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._line.append(data)

    def _break(self, *, blank: bool = False) -> None:
        text = " ".join("".join(self._line).split()).strip(" |")
        self._line = []
        self._heading = 0
        if text and text != "-":
            self.outline.add(text)
        if blank:
            self.outline.add("")

    def finish(self) -> Outline:
        self.close()
        self._break()
        return self.outline


def _unseen(style: str | None) -> bool:
    flat = (style or "").replace(" ", "").lower()
    return "display:none" in flat or "visibility:hidden" in flat or "font-size:0" in flat


def read_html(content: bytes) -> dict[str, Any]:
    """Raises Unreadable."""
    reader = _Reader()
    reader.feed(_decoded(content))
    blocks = [{"text": one.text, "page": 0, "heading": one.heading} for one in reader.finish().blocks()]
    if not blocks:
        raise Unreadable("there is no text in it")
    return {"blocks": blocks, "pages": 0, "left_out": ""}


def _decoded(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
