"""What the documents quote is what the program has: messages, slash commands, keys, settings, files."""

import ast
import functools
import re
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.architecture.test_documents import CODE, DOCS, FENCE, PAGES
from ui.actions import COMMANDS as FULL_SCREEN
from ui.configuration import entries
from ui.keys import KEYS, shown
from ui.plain_commands import COMMANDS as TYPED

SOURCES = ("assistant", "memory", "models", "ui")
MADE = {"rooms.md", "cases.md", "keys.md"}  # written by code from what they speak of
READ = [page for page in PAGES if page.name not in MADE]
SLASH = re.compile(r"^/([a-z]+(?:-[a-z]+)*)(?: |$)")
KEY = re.compile(r"(?<![\w+])(?:F\d+|Ctrl\+[A-Z]|Alt\+[A-Z]|Alt\+Enter)(?![\w+])")
SYSTEMS = {"Ctrl+C", "Ctrl+D"}  # of every terminal
FILE = re.compile(r"^(?:assistant|memory|models|ui|tests|docs)/(?![\w./-]*CODE)[\w./-]*\w$")  # CODE: any language
SETTING = re.compile(r"^(?:model|assistant|reminders|ui|suggestions|memory)\.[a-z_]+$")
VARIES = "…"


@functools.cache
def words_of_the_program() -> str:
    """Every text constant, those inside f-strings with … between them; adjacent ones are one, as Python reads them."""
    found: list[str] = []
    for path in (path for source in SOURCES for path in (ROOT / source).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                found.append(_joined(node))
    return "\n".join(found)


def _joined(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else VARIES for part in node.values)


def first_cells(text: str) -> list[str]:
    """Code in the first column of tables, and after "doctor" elsewhere."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return [span for row in rows for span in CODE.findall(row)]


def missing(quoted: str) -> str:
    """The first part of a quoted message that the program does not have; "" when it has all."""
    parts = [part.strip() for part in quoted.split(VARIES)]
    return next((part for part in parts if re.search("[a-z]{3}", part) and part not in words_of_the_program()), "")


def test_every_quoted_message_is_printed() -> None:
    quoted = first_cells((DOCS / "troubleshooting.md").read_text(encoding="utf-8"))
    assert len(quoted) > 35
    assert {span: part for span in quoted if (part := missing(span))} == {}


def test_a_message_that_is_gone_is_seen() -> None:
    assert missing("The moon … cannot be read") == "The moon"
    assert missing("The history … cannot be read: …") == ""


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_slash_commands_exist(page: Path) -> None:
    spans = CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    named = {match[1] for span in spans if (match := SLASH.match(span))}
    assert named - TYPED.keys() - {command.name for command in FULL_SCREEN} == set()


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_keys_exist(page: Path) -> None:
    there_are = {one for key in KEYS for one in shown(key.keys).split(", ")} | SYSTEMS
    assert set(KEY.findall(page.read_text(encoding="utf-8"))) - there_are == set()


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_settings_exist(page: Path) -> None:
    spans = CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    files = {span for span in spans if FILE.match(span)}
    assert {file for file in files if not (ROOT / file).exists()} == set()
    assert {span for span in spans if SETTING.match(span)} - settings() == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_targets_of_make_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = "\n".join([*CODE.findall(FENCE.sub("", text)), *FENCE.findall(text)])
    named = set(re.findall(r"(?:^|&& )make ([a-z][a-z-]*)", code, re.MULTILINE))
    there_are = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert named - {*there_are} == set()


@functools.cache
def settings() -> frozenset[str]:
    return frozenset(entry.key for entry in entries(ROOT / "no" / "config.toml"))
