"""One piece of Markdown as rows. The source is untrusted: HTML is text, images are text, a link shows where it leads.

Only markdown-it parses here; its tokens become `Line`s directly, so there is no markup in between.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean
from ui.drawing.code_lines import code_lines
from ui.lines import DIM, EMPTY, Line, Look, Run, chop, wrap
from ui.table_lines import Align, Cell, Table, table_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_DEEPEST = 18  # markdown-it drops what is nested deeper: such a source is shown as it is
_MOST_BARS = 100  # in a line: a table of so many columns is no table that anybody reads
_LONGEST_TARGET = 500
_BARE = re.compile(r"https?://[^\s<>\"'`\])]+")
_CODE_SPAN = Look(tone="string")
_QUOTE: Run = ("│ ", Look(tone="rule"))


@lru_cache(maxsize=1)
def parser() -> "MarkdownIt":
    """CommonMark with tables and strike-through; HTML is text."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["reference"])  # a definition would be taken out of the text and shown nowhere


def markdown_lines(source: str, width: int) -> list[Line]:
    """Rows of at most `width` cells. Every visible character of the source is there, or drawn as what it stands for."""
    if not source.strip():
        return []
    if any(line.count("|") > _MOST_BARS for line in source.split("\n")):
        return _as_it_is(source, width)
    tokens = parser().parse(source)
    if any(token.level >= _DEEPEST for token in tokens):
        return _as_it_is(source, width)
    return _Blocks(width).of(tokens)


def _as_it_is(source: str, width: int) -> list[Line]:
    return [line for text in source.split("\n") for line in wrap(((text, Look()),), width)]


def fence_lines(code: str, info: str, width: int) -> list[Line]:
    """A fenced block: what stands behind its fence, then the code. The first word of `info` is the language."""
    return label_lines(info, width) + code_lines(code, language_of(info), width)


def label_lines(info: str, width: int) -> list[Line]:
    """What stands behind a fence, on rows of its own that are not copied with the code."""
    words = " ".join(info.split())
    return [replace(row, margin=len(row.text)) for row in chop([(words, DIM)], width)] if words else []


def language_of(info: str) -> str:
    words = info.split()
    return words[0] if words else ""


class _Blocks:
    """Walks the tokens once, keeping the prefixes (bullets, quote bars) that the next row begins with."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._rows: list[Line] = []
        self._prefixes: list[tuple[Run, Run]] = []  # before the first row, before the others
        self._fresh: list[bool] = []  # whether the first row of that prefix is still to come
        self._numbers: list[int | None] = []

    def of(self, tokens: Sequence["Token"]) -> list[Line]:
        index = 0
        while index < len(tokens):
            index = self._block(tokens, index)
        return self._rows

    def _block(self, tokens: Sequence["Token"], index: int) -> int:
        token = tokens[index]
        match token.type:
            case "paragraph_open":
                self._gap(token.hidden)
                self._text(tokens[index + 1], Look())
                return index + 3
            case "heading_open":
                self._gap(False)
                self._text(tokens[index + 1], Look(tone="heading", bold=True, underline=token.tag == "h1"))
                return index + 3
            case "fence" | "code_block":
                self._gap(False)
                self._code(token)
            case "hr":
                self._gap(False)
                lead = self._lead()
                self._rows.append(Line(runs=(*lead, ("─" * self._room(), Look(tone="rule")))))
            case "table_open":
                return self._table(tokens, index)
            case _:
                self._container(token)
        return index + 1

    def _container(self, token: "Token") -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._gap(bool(self._prefixes))
                self._numbers.append(_first_number(token))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._push(*self._bullet())
            case "blockquote_open":
                self._gap(False)
                self._push(_QUOTE, _QUOTE)
            case "list_item_close" | "blockquote_close":
                if self._fresh[-1]:
                    self._rows.append(Line(runs=self._lead()))
                self._prefixes.pop()
                self._fresh.pop()
            case _:
                if token.content:
                    self._emit([(token.content, Look())])

    def _bullet(self) -> tuple[Run, Run]:
        number = self._numbers[-1]
        if number is None:
            mark = "• "
        else:
            mark = f"{number}. "
            self._numbers[-1] = number + 1
        return (mark, Look(tone="accent")), (" " * len(mark), Look())

    def _push(self, first: Run, rest: Run) -> None:
        self._prefixes.append((first, rest))
        self._fresh.append(True)

    def _room(self) -> int:
        return max(self._width - sum(len(rest[0]) for _, rest in self._prefixes), 4)

    def _lead(self) -> tuple[Run, ...]:
        """What stands before the next row; each bullet is used up by it."""
        lead = tuple(first if fresh else rest for (first, rest), fresh in zip(self._prefixes, self._fresh, strict=True))
        self._fresh = [False] * len(self._fresh)
        return lead

    def _hang(self) -> tuple[Run, ...]:
        return tuple(rest for _, rest in self._prefixes)

    def _gap(self, tight: bool) -> None:
        """An empty row before a block, unless it is the first, or begins an item, or the list is tight."""
        if self._rows and not any(self._fresh) and not tight:
            self._rows.append(Line(runs=self._hang()) if self._prefixes else EMPTY)

    def _text(self, inline: "Token", base: Look) -> None:
        for runs in _inline_rows(inline, base):
            self._emit(runs)

    def _emit(self, runs: Sequence[Run]) -> None:
        lead = self._lead()
        self._rows.extend(wrap(runs, self._width, lead=lead, hang=self._hang()))

    def _code(self, token: "Token") -> None:
        lead, hang = self._lead(), self._hang()
        rows = fence_lines(token.content, token.info, self._room())
        for number, row in enumerate(rows):
            prefix = lead if number == 0 else hang
            size = sum(len(text) for text, _ in prefix)
            self._rows.append(Line(runs=prefix + row.runs, glue=row.glue, block=row.block, margin=row.margin + size))

    def _table(self, tokens: Sequence["Token"], index: int) -> int:
        self._gap(False)
        table, index = _read_table(tokens, index)
        lead, hang = self._lead(), self._hang()
        for number, row in enumerate(table_lines(table, self._room())):
            prefix = lead if number == 0 else hang
            size = sum(len(text) for text, _ in prefix)
            self._rows.append(Line(runs=prefix + row.runs, glue=row.glue, margin=row.margin + size))
        return index


def _read_table(tokens: Sequence["Token"], index: int) -> tuple[Table, int]:
    header: list[Cell] = []
    rows: list[tuple[Cell, ...]] = []
    aligns: list[Align] = []
    current: list[Cell] = []
    while tokens[index].type != "table_close":
        token = tokens[index]
        if token.type in ("th_open", "td_open"):
            cell = [run for row in _inline_rows(tokens[index + 1], Look()) for run in row]
            current.append(tuple(cell))
            if token.type == "th_open":
                aligns.append(_align(str(token.attrGet("style") or "")))
        elif token.type == "tr_close":
            if header:
                rows.append((*current, *(() for _ in range(len(header) - len(current))))[: len(header)])
            else:
                header = current
            current = []
        index += 1
    return Table(header=tuple(header), rows=tuple(rows), aligns=tuple(aligns)), index + 1


def _first_number(token: "Token") -> int | None:
    if token.type == "bullet_list_open":
        return None
    start = token.attrGet("start")
    return 1 if start is None else int(start)


def _align(style: str) -> Align:
    if "right" in style:
        return "right"
    return "center" if "center" in style else "left"


def _inline_rows(inline: "Token", base: Look) -> Iterator[list[Run]]:
    """The runs of a paragraph, one list for each line of its source: models mean their line breaks."""
    row: list[Run] = []
    looks = [base]
    targets: list[tuple[str, int]] = []
    for token in inline.children or ():
        look = looks[-1]
        match token.type:
            case "text":
                row.extend(_linked(clean(token.content), look))  # again: "&#x202e;" is a character only now
            case "code_inline":
                row.append((token.content, Look(tone=_CODE_SPAN.tone, bold=look.bold, link=look.link)))
            case "softbreak" | "hardbreak":
                yield row
                row = []
            case "em_open" | "strong_open" | "s_open":
                looks.append(_styled(look, token.type))
            case "em_close" | "strong_close" | "s_close":
                looks.pop()
            case "link_open":
                target = str(token.attrGet("href") or "")
                targets.append((target, len(row)))
                looks.append(Look(tone="link", underline=True, bold=look.bold, italic=look.italic, link=target))
            case "link_close":
                looks.pop()
                row.extend(_shown_target(*targets.pop(), row))
            case "image":
                row.extend(_image(token))
            case _:
                row.append((token.content, look))
    yield row


def _styled(look: Look, kind: str) -> Look:
    return Look(
        tone=look.tone,
        bold=look.bold or kind == "strong_open",
        italic=look.italic or kind == "em_open",
        strike=look.strike or kind == "s_open",
        underline=look.underline,
        link=look.link,
    )


def _linked(text: str, look: Look) -> Iterator[Run]:
    """Text, with the bare addresses in it marked as links; what is inside a link already stays."""
    at = 0
    if not look.link and "://" in text:
        for match in _BARE.finditer(text):
            address = match.group().rstrip(".,;:!?")
            if match.start() > at:
                yield text[at : match.start()], look
            yield address, Look(tone="link", underline=True, link=address)
            at = match.start() + len(address)
    if at < len(text):
        yield text[at:], look


def _shown_target(target: str, start: int, row: Sequence[Run]) -> list[Run]:
    """The address in brackets, unless the text of the link is the address."""
    text = "".join(part for part, _ in row[start:])
    if text in (target, target.removeprefix("mailto:")):
        return []
    shown = target if len(target) <= _LONGEST_TARGET else f"{target[:_LONGEST_TARGET]}… ({len(target):,} characters)"
    return [(f" ({shown})", Look(tone="dim", link=target))]


def _image(token: "Token") -> list[Run]:
    target = str(token.attrGet("src") or "")
    name = clean(token.content) or "no description"
    return [(f"[image: {name}]", Look(tone="dim")), *_shown_target(target, 0, ())]
