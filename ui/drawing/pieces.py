"""Cuts Markdown into pieces that can be drawn one by one: a paragraph, a list item, a heading, a code block.

An answer arrives letter by letter. Parsing it whole at every letter is quadratic (measured with Textual 8.2.8: 76 ms a
token at 500 tokens); parsing only its last piece is not. Where a piece ends depends on the lines before it and on
nothing else, so that any chunking of a stream gives the same pieces as the whole text.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["text", "list", "heading", "fence"]

LONGEST_LINE = 2_000  # characters; a longer one goes on in the next piece
_MOST_LINES = 60
_MOST_CHARACTERS = 4_000
_FENCE_PART = 32  # lines of a code block drawn at a time
_FENCE_WHOLE = 120  # up to here a closed block is highlighted once more as a whole

FENCE = re.compile(r"^( *)(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM = re.compile(r"^ ?(?:([-*+])|(\d{1,9})[.)])(?:\s|$)")
_RULE = re.compile(r"^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s|$)")
_TABLE_RULE = re.compile(r"^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


@dataclass(slots=True, kw_only=True)
class Piece:
    """`gap`: an empty row belongs before it. A long code block comes in parts; its last one is `closed` and, when the
    block is short enough, carries all its lines in `whole`, to replace the parts before."""

    kind: Kind
    gap: bool
    lines: list[str] = field(default_factory=list)
    language: str = ""  # what stands behind the fence; its first word is the language
    part: int = 0
    closed: bool = False
    whole: list[str] | None = None

    @property
    def source(self) -> str:
        return "\n".join(self.lines)


class Splitter:
    """Takes one complete line at a time and says which pieces are finished by it."""

    def __init__(self) -> None:
        self.open: Piece | None = None
        self._any = False  # whether there was a piece before
        self._blank = False  # whether the line before was empty
        self._last: Kind | None = None
        self._fence = ""  # the marker that closes the open code block
        self._inner = ""  # the same for one inside a list item
        self._fence_lines: list[str] | None = None

    def clone(self) -> "Splitter":
        """A copy to try a line on."""
        other = Splitter()
        other._any, other._blank, other._last = self._any, self._blank, self._last
        other._fence, other._inner = self._fence, self._inner
        other._fence_lines = None if self._fence_lines is None else list(self._fence_lines)
        if self.open is not None:
            piece = self.open
            other.open = Piece(
                kind=piece.kind, gap=piece.gap, lines=list(piece.lines), language=piece.language, part=piece.part
            )
        return other

    def add(self, line: str) -> list[Piece]:
        """The pieces that this line ends, in order."""
        if self._fence:
            return self._in_fence(line)
        done: list[Piece] = []
        if not line.strip():
            if self.open is not None and self.open.kind == "list":
                self.open.lines.append("")
            elif self.open is not None:
                self._end(done)
            self._blank = True
            return done
        if self.open is not None and self.open.kind == "list" and self._continues_item(line):
            self._track_inner(line)
            self.open.lines.append(line)
        else:
            self._outside(line, done)
        self._blank = False
        self._cut_long(done)
        return done

    def finish(self) -> list[Piece]:
        """The text is over: what was still open."""
        done: list[Piece] = []
        if self.open is not None:
            self._end(done)
        self._fence, self._fence_lines = "", None
        return done

    def _outside(self, line: str, done: list[Piece]) -> None:
        fence = FENCE.match(line)
        item = _ITEM.match(line) if not _RULE.match(line) else None
        if fence is not None and len(fence.group(1)) <= 3:
            self._end(done)
            self._fence = fence.group(2)
            self._fence_lines = []
            self._begin("fence", language=fence.group(3).strip())
        elif item is not None and self._may_begin_item(item):
            blank, previous = self._blank, self._last if self.open is None else self.open.kind
            self._end(done)
            self._begin("list", gap=blank or previous != "list").lines.append(line)
        elif _HEADING.match(line):
            self._end(done)
            self._begin("heading").lines.append(line)
            self._end(done)
        else:
            if self.open is None or self.open.kind != "text":
                self._end(done)
                self._begin("text")
            assert self.open is not None
            self.open.lines.append(line)

    def _may_begin_item(self, item: "re.Match[str]") -> bool:
        """A number in the middle of a paragraph ("... in\\n1986. That was") begins a list only when it is 1."""
        in_text = self.open is not None and self.open.kind == "text" and not self._blank
        return not in_text or item.group(2) in (None, "1")

    def _continues_item(self, line: str) -> bool:
        if self._inner or line.startswith(("  ", "\t")):
            return True
        starts_anew = _ITEM.match(line) or FENCE.match(line) or _HEADING.match(line) or _RULE.match(line)
        return not self._blank and not starts_anew

    def _track_inner(self, line: str) -> None:
        fence = FENCE.match(line)
        if self._inner:
            if closes(line, self._inner):
                self._inner = ""
        elif fence is not None:
            self._inner = fence.group(2)

    def _in_fence(self, line: str) -> list[Piece]:
        done: list[Piece] = []
        assert self.open is not None
        if closes(line, self._fence):
            self.open.closed, self.open.whole = True, self._fence_lines
            self._fence, self._fence_lines = "", None
            self._end(done)
            self._blank = False
            return done
        self.open.lines.append(line)
        if self._fence_lines is not None:
            self._fence_lines.append(line)
            if len(self._fence_lines) > _FENCE_WHOLE:
                self._fence_lines = None
        if len(self.open.lines) >= _FENCE_PART:
            language, part = self.open.language, self.open.part
            self._end(done)
            following = self._begin("fence", gap=False, language=language)
            following.part = part + 1
        return done

    def _cut_long(self, done: list[Piece]) -> None:
        """A piece without an end would be drawn again and again: go on in a new one."""
        piece = self.open
        if piece is None or piece.kind == "fence":
            return
        if len(piece.lines) < _MOST_LINES and sum(len(line) + 1 for line in piece.lines) < _MOST_CHARACTERS:
            return
        rule = next(
            (
                at
                for at in range(1, len(piece.lines))
                if "|" in piece.lines[at - 1] and _TABLE_RULE.match(piece.lines[at])
            ),
            0,
        )
        language, inner = "", self._inner
        self._end(done)
        if inner:
            self._inner = ""
            self._fence, self._fence_lines = inner, None
            self._begin("fence", gap=False, language=language).part = 1
        elif rule and piece.kind == "text":
            self._begin("text", gap=False).lines.extend(piece.lines[rule - 1 : rule + 1])
        elif piece.kind == "list":
            self._last = "list"

    def _begin(self, kind: Kind, *, gap: bool = True, language: str = "") -> Piece:
        self.open = Piece(kind=kind, gap=gap and self._any, language=language)
        self._any = True
        return self.open

    def _end(self, done: list[Piece]) -> None:
        if self.open is not None:
            while self.open.kind == "list" and self.open.lines and not self.open.lines[-1]:
                self.open.lines.pop()
            done.append(self.open)
            self._last = self.open.kind
            self._inner = ""
        self.open = None


def closes(line: str, fence: str) -> bool:
    """Whether `line` ends the code block that `fence` opened."""
    bare = line.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])
