"""docs/cases.md: every case and what proves it. `make fix` writes it anew: python -m tests.cases.listing"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.cases.elsewhere import ELSEWHERE
from tests.cases.not_yet import NOT_YET
from tests.cases.register import GROUPS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "cases.md"
NUMBERED = re.compile(r"test_((?:[A-Z]\d\d_)+)")
WITH_MODEL = "test_with_model.py"

_HEAD = """# Known cases, and what proves each

Written by `python -m tests.cases.listing`. A case is a fault that users of other assistants or of the libraries beneath
reported, or that we saw; its right behaviour is held by the tests beside it.
Run one with `make test ARGS="PATH::NAME"`, all with `make test ARGS=tests/cases`.

Those with a star also depend on what a model says: `tests/cases/test_with_model.py` runs them five times on a real one
(`make evaluate` with `STEWARD_TEST_MODEL` set; what came out is in [reliability.md](reliability.md#known-cases)).
"""


def names_in(path: Path) -> Iterator[str]:
    """Names of its tests, those in classes as "Class::name"."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        before = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for one in inside:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                yield before + one.name


def numbers_of(name: str) -> tuple[str, ...]:
    found = NUMBERED.match(name)
    return tuple(found[1].strip("_").split("_")) if found else ()


def with_model() -> frozenset[str]:
    """The numbers of CASES in the file of those that need a real model."""
    text = (HERE / WITH_MODEL).read_text(encoding="utf-8")
    return frozenset(re.findall(r'"([A-Z]\d\d)": [a-z]\d\d', text))


def proofs() -> Mapping[str, tuple[str, ...]]:
    """Of each case its tests, as pytest names them."""
    found: dict[str, list[str]] = {case: text.split() for case, text in ELSEWHERE.items()}
    for path in sorted(HERE.glob("test_*.py")):
        for name in names_in(path):
            for number in numbers_of(name):
                found.setdefault(number, []).append(f"{path.relative_to(ROOT).as_posix()}::{name}")
    return {case: tuple(tests) for case, tests in found.items()}


def page() -> str:
    found, starred, lines = proofs(), with_model(), [_HEAD]
    for group, ids in GROUPS.items():
        lines += [f"## {group}", "", "| case | proof |", "|---|---|"]
        for id in ids.split():
            tests = "<br>".join(f"`{test}`" for test in found.get(id, ())) or NOT_YET[id]
            lines.append(f"| {id}{' *' if id in starred else ''} | {tests} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
