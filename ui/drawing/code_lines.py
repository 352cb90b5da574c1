"""Code as rows: highlighted by Pygments, never wrapped in words, never lost at the edge."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ui.lines import Line, Look, Run, Tone, chop

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_TAB = "    "
_CODE = Look(tone="code")
_LONGEST_HIGHLIGHTED = 400  # characters: longer lines are data, and some lexers take long over them

# First match wins; a token type belongs to a row of the table when it is that type or below it.
_TONES: tuple[tuple[str, Tone], ...] = (
    ("Token.Comment", "comment"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Class", "name"),
    ("Token.Name.Decorator", "name"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Attribute", "name"),
    ("Token.Name.Builtin", "name"),
    ("Token.Generic.Inserted", "good"),
    ("Token.Generic.Deleted", "error"),
    ("Token.Operator", "operator"),
)


def code_lines(code: str, language: str, width: int, *, lead: tuple[Run, ...] = ()) -> list[Line]:
    """Every line of `code` (its last newline is no line), in rows of at most `width` cells."""
    rows: list[Line] = []
    for runs in _highlighted(code.expandtabs(len(_TAB)).removesuffix("\n"), language):
        rows.extend(chop(runs, width, lead=lead))
    return rows


def _highlighted(code: str, language: str) -> Iterator[list[Run]]:
    lexer = _lexer(language)
    if lexer is None or any(len(line) > _LONGEST_HIGHLIGHTED for line in code.split("\n")):
        yield from ([(line, _CODE)] for line in code.split("\n"))
        return
    current: list[Run] = []
    for _, token, value in lexer.get_tokens_unprocessed(code):
        look = _look(str(token))
        first, *others = value.split("\n")
        if first:
            current.append((first, look))
        for part in others:
            yield current
            current = [(part, look)] if part else []
    yield current


@lru_cache(maxsize=16)
def _lexer(language: str) -> "Lexer | None":
    if not language or len(language) > 30:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, ensurenl=False, stripnl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _look(token: str) -> Look:
    for prefix, tone in _TONES:
        if token == prefix or token.startswith(f"{prefix}."):
            return Look(tone=tone)
    return _CODE
