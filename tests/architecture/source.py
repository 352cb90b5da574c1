"""The project's own Python files, parsed once, for the tests of its rules."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("assistant", "memory", "models", "ui")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    path: str  # from the root, with slashes
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def sources() -> tuple[Source, ...]:
    """Every module that ships."""
    return tuple(_read(path) for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py")))


@cache
def sources_of_tests() -> tuple[Source, ...]:
    """Every module of the tests."""
    return tuple(_read(path) for path in sorted((ROOT / "tests").rglob("*.py")))


def parse(text: str, path: str = "ui/planted.py") -> Source:
    """A source that is not on disk, to show that a rule can fail."""
    return Source(path=path, text=text, tree=ast.parse(text))


def imported(source: Source) -> Iterator[str]:
    """Names of the modules a file imports, at the top or in functions; those for type checking only do not count."""
    for node in _at_run_time(source.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from _at_run_time(child)


def _read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path=path.relative_to(ROOT).as_posix(), text=text, tree=ast.parse(text))
