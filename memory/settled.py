"""What became of a letter, as its owner leaves it beside the letter for whoever asked."""

import json
from dataclasses import dataclass
from typing import Any

from memory.letters import Letters


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What the owner made of it: lines for the user, the same as JSON, and the exit code that goes with them."""

    lines: tuple[str, ...]
    value: Any
    code: int


def settle(letters: Letters, name: str, settled: Settled) -> None:
    """Blocks. Raises HomeUnusable, StoreFull."""
    answer = {"lines": list(settled.lines), "value": settled.value, "code": settled.code}
    letters.settle(name, json.dumps(answer).encode())


def read_settled(letters: Letters, name: str) -> Settled | None:
    """What became of it, once; None: it was settled without a word. Blocks."""
    try:
        text = letters.answer(name)
        if text is None:
            return None
        found: Any = json.loads(text)
        lines = tuple(str(line) for line in found["lines"])
        return Settled(lines=lines, value=found["value"], code=int(found["code"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Settled(lines=("What became of it cannot be read.",), value=None, code=1)
