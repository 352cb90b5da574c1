"""Text and Markdown as blocks under their headings (pure, linear)."""

import re
from typing import Final

from assistant.documents.types import Block, Parsed

_HEADING: Final = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*\s*$")
_FENCE: Final = re.compile(r"\s{0,3}(```|~~~)")
_UNDERLINE: Final = re.compile(r"\s{0,3}(=+|-+)\s*$")


def read_text(text: str) -> Parsed:
    """A form feed begins a page."""
    pages = text.split("\f")
    if len(pages) == 1:
        return Parsed(blocks=(Block(text=text),))
    return Parsed(blocks=tuple(Block(text=page, page=at) for at, page in enumerate(pages, start=1)), pages=len(pages))


def read_markdown(text: str) -> Parsed:
    """Headings of both kinds; what stands in a code fence is no heading."""
    outline = Outline()
    fence = ""
    for line in _without_front_matter(text.split("\n")):
        mark = _FENCE.match(line)
        if mark and (not fence or fence == mark[1]):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _HEADING.match(line)
        if heading:
            outline.open(len(heading[1]), heading[2])
        elif not fence and (underline := _UNDERLINE.match(line)) and outline.last_line():
            outline.open(1 if "=" in underline[1] else 2, outline.take_last_line())
        else:
            outline.add(line)
    return Parsed(blocks=outline.blocks())


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines and lines[0].strip() == "---":
        for at, line in enumerate(lines[1:200], start=1):
            if line.strip() in ("---", "..."):
                return lines[at + 1 :]
    return lines


class Outline:
    """Collects lines under the headings that are open."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._done: list[Block] = []

    def open(self, level: int, title: str) -> None:
        self._close()
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))

    def add(self, line: str) -> None:
        self._lines.append(line)

    def last_line(self) -> str:
        """The line before, where it could be a heading: not blank, and the first of its paragraph."""
        if not self._lines or (len(self._lines) > 1 and self._lines[-2].strip()):
            return ""
        line = self._lines[-1].strip()
        return line if line and line[0] not in "-*+>|#`" else ""

    def take_last_line(self) -> str:
        return self._lines.pop().strip()

    def blocks(self) -> tuple[Block, ...]:
        self._close()
        return tuple(self._done)

    def _close(self) -> None:
        text = "\n".join(self._lines)
        self._lines = []
        if text.strip():
            self._done.append(Block(text=text, heading=" › ".join(title for _, title in self._open)))
