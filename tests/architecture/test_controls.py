"""Every promise in docs/reliability.md names its control, and the control is there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
PROMISES = {f"R{number}" for number in range(1, 21)} | {f"K{number}" for number in range(1, 27)}
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows(text: str, heading: str) -> Iterator[tuple[set[str], str]]:
    """Of the table below a heading: the numbers a row is about, and the row."""
    (part,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    for line in part.splitlines():
        first = line.strip("|").split("|")[0].strip()
        if re.match(r"[RK]\d", first):
            yield set(numbers(first)), line


def numbers(cell: str) -> Iterator[str]:
    for kind, first, last in re.findall(r"([RK])(\d+)(?:-[RK](\d+))?", cell):
        for number in range(int(first), int(last or first) + 1):
            yield f"{kind}{number}"


def missing(text: str) -> set[str]:
    """Numbers without a control, and controls that are not there."""
    found: set[str] = set()
    covered: set[str] = set()
    for about, line in rows(text, "The controls"):
        named = NAMED.findall(line)
        covered |= about if named else set()
        found |= {f"{path}::{test}" for path, test in named if test not in names_in(ROOT / path)}
    return found | (PROMISES - covered)


def names_in(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def test_every_promise_is_tried_somewhere() -> None:
    assert set().union(*(about for about, _ in rows(TEXT, "Where each promise is tried"))) == PROMISES


def test_every_promise_has_a_control() -> None:
    assert missing(TEXT) == set()


def test_one_that_is_gone_is_noticed() -> None:
    renamed = TEXT.replace("::test_the_search_for_traces_finds_them", "::test_gone")
    assert missing(renamed) == {"tests/memory/test_forget.py::test_gone"}
    assert missing(re.sub(r"(?m)^\| K23 .*::.*\n", "", TEXT)) == {"K23"}
