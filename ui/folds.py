"""Long pastes stand in the prompt as one short word; what they stand for is kept beside it and sent whole."""

import re
from collections.abc import Mapping

FOLD_CHARACTERS = 2_000
FOLD_LINES = 20
MOST_CHARACTERS = 4_000_000
UNFOLD_CHARACTERS = 50_000

_MARK = re.compile(r"\[pasted [\d,]+ (?:lines|characters) #\d+\]")


def is_long(text: str) -> bool:
    return len(text) > FOLD_CHARACTERS or text.count("\n") >= FOLD_LINES


def mark_for(text: str, number: int) -> str:
    """ "[pasted 12,345 lines #1]": unlike anything that people write, and numbered so that each is its own."""
    lines = text.count("\n") + 1
    size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
    return f"[pasted {size} #{number}]"


def whole(text: str, folds: Mapping[str, str]) -> str:
    """`text` with every fold in full."""
    if not folds:
        return text
    return _MARK.sub(lambda match: folds.get(match.group(), match.group()), text)


def mark_before(line: str, column: int, folds: Mapping[str, str]) -> int | None:
    """Where the fold that ends at `column` begins."""
    for match in _MARK.finditer(line):
        if match.end() == column and match.group() in folds:
            return match.start()
    return None


def mark_after(line: str, column: int, folds: Mapping[str, str]) -> int | None:
    """Where the fold that begins at `column` ends."""
    match = _MARK.match(line, column)
    return match.end() if match and match.group() in folds else None


def marks_in(text: str, folds: Mapping[str, str]) -> list[str]:
    return [match.group() for match in _MARK.finditer(text) if match.group() in folds]
