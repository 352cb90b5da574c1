"""An answer as rows, while it is written and afterwards: the same code, the same rows.

Finished pieces are drawn once; only the last one is drawn again when text comes. Very long answers are folded in the
middle, with a row that says how much is not shown.
"""

from collections.abc import Iterator

from ui.drawing.code_lines import code_lines
from ui.drawing.markdown_lines import label_lines, language_of, markdown_lines
from ui.drawing.pieces import FENCE, LONGEST_LINE, Piece, Splitter, closes
from ui.lines import DIM, EMPTY, Line

HEAD_ROWS = 200
TAIL_ROWS = 200
MOST_CHARACTERS = 60_000  # of a finished answer that are read for drawing, half from each end
_SLICE = 2_000
_KEPT_TAIL = 600


class AnswerLines:
    """`text` only ever grows; `width` is fixed (make a new one for another)."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._splitter = Splitter()
        self._taken = 0
        self._rest = ""
        self._done: list[Line] = []
        self._folded = 0
        self._fence_start = 0
        self._tail: list[Line] | None = None

    def grow(self, text: str, most: int | None = None) -> bool:
        """The text so far; what came since the last call is drawn, `most` characters of it. Whether that was all."""
        end = len(text) if most is None else min(self._taken + most, len(text))
        self._rest += text[self._taken : end]
        self._taken = end
        self._tail = None
        *whole, self._rest = self._rest.split("\n")
        for line in whole:
            self._add(self._shorten(line))
        self._rest = self._shorten(self._rest)
        return end == len(text)

    def draw(self, text: str) -> Iterator[None]:
        """Draws a finished answer, in slices of a few milliseconds; the middle of a very long one is left out."""
        head, skipped, tail = excerpt(text)
        for end in range(_SLICE, len(head) + _SLICE, _SLICE):
            self.grow(head[:end])
            yield
        if skipped:
            self.finish()
            self._folded += skipped
            self._splitter = Splitter()
            for end in range(_SLICE, len(tail) + _SLICE, _SLICE):
                self.grow(head + tail[:end])
                yield
        self.finish()

    def finish(self) -> None:
        """No more text will come."""
        if self._rest:
            self._add(self._rest)
            self._rest = ""
        for piece in self._splitter.finish():
            self._commit(piece)
        self._tail = None

    def rows(self) -> list[Line]:
        if self._tail is None:
            self._tail = self._draw_tail()
        if not self._folded and len(self._done) + len(self._tail) <= HEAD_ROWS + TAIL_ROWS:
            return self._done + self._tail
        head = self._done[:HEAD_ROWS]
        tail = (self._done[HEAD_ROWS:] + self._tail)[-TAIL_ROWS:]
        folded = self._folded + len(self._done) + len(self._tail) - len(head) - len(tail)
        return [*head, EMPTY, fold_line(folded), EMPTY, *tail]

    def _shorten(self, line: str) -> str:
        """Takes full stretches off the front of a line that is too long to be drawn at once."""
        while len(line) > LONGEST_LINE:
            cut = line.rfind(" ", LONGEST_LINE // 2, LONGEST_LINE)
            cut = LONGEST_LINE if cut < 0 else cut + 1
            self._add(line[:cut])
            line = line[cut:]
        return line

    def _add(self, line: str) -> None:
        for piece in self._splitter.add(line):
            self._commit(piece)
        if len(self._done) > HEAD_ROWS + 2 * _KEPT_TAIL:
            cut = len(self._done) - HEAD_ROWS - _KEPT_TAIL
            del self._done[HEAD_ROWS : HEAD_ROWS + cut]
            self._folded += cut
            self._fence_start = max(self._fence_start - cut, HEAD_ROWS)

    def _commit(self, piece: Piece) -> None:
        if piece.kind == "fence" and piece.part == 0:
            self._fence_start = len(self._done)
        if piece.whole is not None and piece.part:
            del self._done[self._fence_start :]
            piece = Piece(kind="fence", gap=self._fence_start > 0, language=piece.language, whole=piece.whole)
        self._done.extend(_draw(piece, self._width))

    def _draw_tail(self) -> list[Line]:
        trial = self._splitter.clone()
        pieces = trial.add(self._rest) if self._rest else []
        pieces += trial.finish()
        return [line for piece in pieces for line in _draw(piece, self._width)]


def answer_rows(text: str, width: int) -> list[Line]:
    """All rows of a finished answer at once."""
    answer = AnswerLines(width)
    for _ in answer.draw(text):
        pass
    return answer.rows()


def excerpt(text: str, limit: int = MOST_CHARACTERS) -> tuple[str, int, str]:
    """(beginning, lines left out, end) of a text too long to draw; a text within `limit` is all beginning."""
    if len(text) <= limit:
        return text, 0, ""
    half = limit // 2
    head_end = text.rfind("\n", 0, half) + 1 or half
    tail_start = text.find("\n", len(text) - half) + 1 or len(text) - half
    middle = text[head_end:tail_start]
    tail = text[tail_start:]
    opener = _open_fence(text[:tail_start])
    return text[:head_end], middle.count("\n") or 1, f"{opener}\n{tail}" if opener else tail


def fold_line(lines: int) -> Line:
    words = "line is" if lines == 1 else "lines are"
    return Line(runs=((f"⋯ {lines:,} {words} folded away here · o shows the whole text", DIM),))


def _open_fence(text: str) -> str:
    """The line that opened a code block still open at the end of `text`."""
    opened, marker = "", ""
    for line in text.split("\n"):
        if marker:
            if closes(line, marker):
                opened, marker = "", ""
        elif line[:4].lstrip().startswith(("`", "~")) and (match := FENCE.match(line)):
            opened, marker = line, match.group(2)
    return opened


def _draw(piece: Piece, width: int) -> list[Line]:
    gap = [EMPTY] if piece.gap else []
    if piece.kind == "fence":
        lines = piece.whole if piece.whole is not None else piece.lines
        label = [] if piece.part else label_lines(piece.language, width)
        return gap + label + (code_lines("\n".join(lines), language_of(piece.language), width) if lines else [])
    return gap + markdown_lines(piece.source, width)
