"""Rules about the text of the code that no linter we use knows."""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache

import pytest

from tests.architecture.source import Source, parse, sources, sources_of_tests

# Where a bug may be caught whole: the child's loop, the driver of a turn, the crash screens. Each says why.
# The MCP SDK raises groups of whatever a server provokes.
# tokenizers, in the embedder, and Chroma and the readers of files, in processes of their own, raise nothing narrower.
MAY_CATCH_ALL = (
    "models/child/*",
    "models/embedder.py",
    "memory/vector_index.py",
    "assistant/tools/mcp/connection.py",
    "assistant/confined/child.py",
    "assistant/session.py",
    "ui/cli.py",
    "ui/app.py",
)
FORBIDDEN_CALLS = {"eval", "exec", "__import__", "os.system", "os.popen", "yaml.load", "pickle.loads", "breakpoint"}
# Python 3.11 loses a cancel that comes just when the work is done: asyncio.timeout does not.
FORBIDDEN_CALLS |= {"asyncio.wait_for"}
MARKUP_PARSERS = ("from_markup", "render_markup", "escape_markup")
# Textual reads these texts as markup unless told not to.
MARKUP_WIDGETS = {"Static", "Label", "Button", "Checkbox", "RadioButton", "Link", "Option", "notify"}
MARKUP_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50
EMPTY_NAMES = {"utils", "helpers", "common", "manager", "misc"}


def catches_all(source: Source) -> Iterator[str]:
    if any(fnmatch(source.path, pattern) for pattern in MAY_CATCH_ALL):
        return
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ExceptHandler) or _raises_again(node):
            continue
        if _names(node.type) & {"", "Exception", "BaseException"}:
            yield f"{source.path}:{node.lineno} catches everything"


def dangerous_calls(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in FORBIDDEN_CALLS or any(_is(keyword, "shell", True) for keyword in node.keywords):
            yield f"{source.path}:{node.lineno} calls {name}"


def markup(source: Source) -> Iterator[str]:
    """Text that is built at run time must not meet a markup parser."""
    if not source.path.startswith("ui/"):
        return
    safe = _makes_content(source)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            owner, _, name = ast.unparse(node.func).rpartition(".")
            if name in MARKUP_PARSERS or any(_is(keyword, "markup", True) for keyword in node.keywords):
                yield f"{source.path}:{node.lineno} parses markup"
            plain = any(_is(keyword, "markup", False) for keyword in node.keywords)
            if (
                name in MARKUP_WIDGETS
                and owner != "click"
                and not plain
                and any(_built(argument, safe) for argument in node.args[:1])
            ):
                yield f"{source.path}:{node.lineno} gives built text to {name} without markup=False"
        if isinstance(node, ast.Assign) and _built(node.value, safe):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in MARKUP_ATTRIBUTES:
                    yield f"{source.path}:{node.lineno} gives built text to {target.attr}"


def too_long(source: Source) -> Iterator[str]:
    lines = sum(1 for line in source.text.splitlines() if line.strip())
    does_something = any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(source.tree))
    if lines > MAX_MODULE_LINES and does_something:  # a table may be as long as it must
        yield f"{source.path} has {lines} lines that are not blank"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            length = node.end_lineno - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{source.path}:{node.lineno} {node.name} has {length} lines"


def empty_names(source: Source) -> Iterator[str]:
    if EMPTY_NAMES & set(source.module.split(".")):
        yield f"{source.path} has a name that says nothing"
    if source.path.endswith("__init__.py") and source.text:
        yield f"{source.path} is not empty: importing one module would wake another"


def state(source: Source) -> Iterator[str]:
    """No module-level state: a `global` statement is always one."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Global):
            yield f"{source.path}:{node.lineno} changes a global"


RULES = [catches_all, dangerous_calls, markup, too_long, empty_names, state]
RULES_FOR_TESTS = [too_long, empty_names, state]


@pytest.mark.parametrize("rule", RULES)
def test_every_file_obeys(rule) -> None:  # type: ignore[no-untyped-def]  # one of RULES
    assert [finding for source in sources() for finding in rule(source)] == []


@pytest.mark.parametrize("rule", RULES_FOR_TESTS)
def test_the_tests_obey_too(rule) -> None:  # type: ignore[no-untyped-def]  # one of RULES_FOR_TESTS
    assert [finding for source in sources_of_tests() for finding in rule(source)] == []


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (catches_all, "ui/x.py", "try:\n    f()\nexcept Exception:\n    pass"),
        (catches_all, "ui/x.py", "try:\n    f()\nexcept:\n    pass"),
        (catches_all, "ui/x.py", "try:\n    f()\nexcept (ValueError, BaseException):\n    pass"),
        (dangerous_calls, "ui/x.py", "eval(text)"),
        (dangerous_calls, "ui/x.py", "subprocess.run(text, shell=True)"),
        (markup, "ui/x.py", "Static(f'hello {name}')"),
        (markup, "ui/x.py", "self.notify('hello ' + name)"),
        (markup, "ui/x.py", "self.notify(error.message)"),
        (markup, "ui/x.py", "Content.from_markup(text)"),
        (markup, "ui/x.py", "Static(text, markup=True)"),
        (markup, "ui/x.py", "Static(text if isinstance(text, Content) else text.title())"),
        (markup, "ui/x.py", "def row(text) -> str: ...\nOption(row(text))"),
        (markup, "ui/x.py", "Static(Content.from_markup(text))"),
        (markup, "ui/x.py", "self.border_title = session.title"),
        (too_long, "ui/x.py", "x = 1\n" * 500 + "def f(): ..."),
        (too_long, "ui/x.py", "def f():\n" + "    x = 1\n" * 60),
        (too_long, "ui/x.py", "class C:\n    async def f(self):\n" + "        x = 1\n" * 60),
        (too_long, "ui/x.py", "def f():\n    def g():\n" + "        x = 1\n" * 50),
        (empty_names, "ui/utils.py", ""),
        (empty_names, "ui/__init__.py", "import x"),
        (state, "ui/x.py", "def f():\n    global x\n    x = 1"),
    ],
)
def test_a_breach_is_found(rule, path: str, text: str) -> None:  # type: ignore[no-untyped-def]  # one of RULES
    assert list(rule(parse(text, path)))


@pytest.mark.parametrize(
    "text",
    [
        "Static('fixed words')",
        "Static(text, markup=False)",
        "Static(Content(text))",
        "Static(Content.styled(text, 'bold'))",
        "Static(text if isinstance(text, Content) else content(text))",
        "def row(text) -> Content: ...\nOption(row(text))",
        "self.notify(text, markup=False)",
    ],
)
def test_safe_text_is_let_through(text: str) -> None:
    assert list(markup(parse(text))) == []


def _names(node: ast.expr | None) -> set[str]:
    match node:
        case None:
            return {""}
        case ast.Tuple():
            return {ast.unparse(part) for part in node.elts}
        case _:
            return {ast.unparse(node)}


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Cleaning up and letting the error go on is not catching it."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _is(keyword: ast.keyword, name: str, value: object) -> bool:
    return keyword.arg == name and isinstance(keyword.value, ast.Constant) and keyword.value.value is value


def _makes_content(source: Source) -> set[str]:
    """Functions that give finished Content: the two classes, and whatever in ui says that it returns one."""
    return {"Content", "Text"} | _content_functions(source) | _all_content_functions()


@cache
def _all_content_functions() -> frozenset[str]:
    return frozenset(
        name for source in sources() if source.path.startswith("ui/") for name in _content_functions(source)
    )


def _content_functions(source: Source) -> set[str]:
    return {
        node.name
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef) and node.returns is not None and ast.unparse(node.returns) == "Content"
    }


def _built(node: ast.expr, safe: set[str]) -> bool:
    """Whether an argument may hold text from outside: anything but a literal and finished Content."""
    match node:
        case ast.Constant():
            return False
        case ast.IfExp():
            known = ast.unparse(node.test) == f"isinstance({ast.unparse(node.body)}, Content)"
            return (not known and _built(node.body, safe)) or _built(node.orelse, safe)
        case ast.Call():
            names = ast.unparse(node.func).split(".")
            return names[-1] in MARKUP_PARSERS or not safe & {names[0], names[-1]}
        case _:
            return True
