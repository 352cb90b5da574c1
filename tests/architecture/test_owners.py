"""One owner for every effect, and imports that go one way: ui -> assistant -> (memory | models)."""

import ast
from fnmatch import fnmatch

import pytest

from tests.architecture.source import Source, imported, parse, sources

DATABASE = ("memory/sqlite_*", "memory/database.py", "memory/migrations.py", "memory/m[0-9][0-9][0-9]_*")
# module -> the files that may import it
OWNERS = {
    "llama_cpp": ("models/child/*",),
    "sqlite3": DATABASE,
    "sqlite_utils": DATABASE,
    "chromadb": ("memory/vector_index.py",),
    "onnxruntime": ("models/embedder.py",),
    "orjson": (
        "memory/importing/elements.py",
        "memory/portable/own_json.py",
        "memory/portable/pam.py",
        "memory/sqlite_preference_rows.py",
    ),
    "apscheduler": ("assistant/scheduler.py",),
    "pyrage": ("memory/sealed.py",),
    "sqlcipher3": ("memory/sqlite_cipher.py",),
    "cryptography": ("memory/home_key.py", "memory/key_file.py", "memory/page_cipher.py"),
    "keyring": ("memory/system_keyring.py",),
    "icalendar": ("ui/reminder_ics.py", "assistant/calendar/ics_*.py"),
    "pypdf": ("assistant/documents/pdf.py",),
    "tzlocal": ("ui/local_zone.py",),
    "tokenizers": ("models/embedder.py",),
    "huggingface_hub": ("models/fetch*",),
    "mcp": ("assistant/tools/mcp/*",),
    "mcp_types": ("assistant/tools/mcp/*",),
    "httpx2": ("assistant/tools/mcp/web.py",),
    "textual": ("ui/*",),
    "rich": ("ui/*",),
    "click": ("ui/*",),
    "fcntl": ("memory/data_dir.py", "models/fetch/lock.py"),
    "pickle": (),
    "marshal": (),
    "shelve": (),
    "yaml": (),
}
MAY_USE = {
    "assistant": ("assistant", "memory", "models"),
    "memory": ("memory",),
    "models": ("models",),
    "ui": ("assistant", "memory", "models", "ui"),
}
IMPURE = ("asyncio", "logging", "os", "pathlib", "random", "secrets", "sqlite3", "subprocess", "threading", "time")
CONNECTING = ("sqlite3.connect", "sqlite3.dbapi2.connect")
PURE = ("assistant/policies/*", "memory/reconcile.py", "memory/rank.py", "models/supervisor.py", "ui/view.py")


def strangers(source: Source) -> list[str]:
    """Imports of this file that belong to somebody else."""
    return [
        f"{source.path} imports {name}"
        for name in imported(source)
        if (owners := OWNERS.get(name.split(".")[0])) is not None
        and not any(fnmatch(source.path, owner) for owner in owners)
    ]


def wrong_way(source: Source) -> list[str]:
    room = source.path.split("/")[0]
    return [
        f"{source.path} imports {name}"
        for name in imported(source)
        if (other := name.split(".")[0]) in MAY_USE and other not in MAY_USE[room]
    ]


def impure(source: Source) -> list[str]:
    if not any(fnmatch(source.path, pattern) for pattern in PURE):
        return []
    return [f"{source.path} imports {name}" for name in imported(source) if name.split(".")[0] in IMPURE]


def connects(source: Source) -> list[str]:
    """Only the driver knows which library reads a file: a connection made elsewhere could not read an encrypted one."""
    if source.path == "memory/sqlite_driver.py":
        return []
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    return [f"{source.path}:{call.lineno} connects" for call in calls if ast.unparse(call.func) in CONNECTING]


@pytest.mark.parametrize("rule", [strangers, wrong_way, impure, connects])
def test_every_file_obeys(rule) -> None:  # type: ignore[no-untyped-def]  # one of the three functions above
    assert [finding for source in sources() for finding in rule(source)] == []


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (strangers, "models/worker.py", "def f():\n    import llama_cpp"),
        (strangers, "assistant/turn.py", "from textual.app import App"),
        (strangers, "ui/app.py", "import pickle"),
        (wrong_way, "memory/x.py", "from models.types import Delta"),
        (wrong_way, "assistant/turn.py", "from ui import wiring"),
        (impure, "assistant/policies/x.py", "from time import time"),
        (impure, "models/supervisor.py", "import asyncio"),
        (connects, "memory/sqlite_x.py", "import sqlite3\nsqlite3.connect('x')"),
    ],
)
def test_a_breach_is_found(rule, path: str, text: str) -> None:  # type: ignore[no-untyped-def]  # as above
    assert rule(parse(text, path))


def test_imports_for_type_checking_do_not_count() -> None:
    assert list(imported(parse("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import textual"))) == [
        "typing",
        "typing.TYPE_CHECKING",
    ]
