"""The documents are true where code can say so: commands parse, links lead somewhere, nothing is left out."""

import re
import shlex
from pathlib import Path
from typing import get_args

import click
import pytest

import assistant.errors
import memory.errors
import models.errors
import ui.errors
from models.types import FailureKind
from tests.architecture.source import ROOT
from ui.cli import steward
from ui.keys import KEYS, shown
from ui.plain_commands import COMMANDS as TYPED

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
ANCHOR = re.compile(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
UNLINKED = {"README.md"}  # the index itself
ERRORS = (assistant.errors, memory.errors, models.errors, ui.errors)
BASES = {"AssistantError", "StoreError", "ModelError", "FetchError", "UiError"}
SHELL = re.compile(r"(?:^|[|;] *|&& *)steward(?: |$)")


def command_lines(text: str) -> list[str]:
    """What is written as a command: code in a line that begins with steward, and lines of a code block that do."""
    blocks = [line for block in FENCE.findall(text) for line in block.splitlines()]
    written = [*CODE.findall(FENCE.sub("", text)), *blocks]
    return [line.strip() for line in written if SHELL.search(line.strip())]


def words_of(line: str) -> list[str]:
    """The words after `steward`, without what follows in the same line: an explanation, a pipe, brackets of usage."""
    rest = SHELL.split(line, maxsplit=1)[1]
    rest = re.split(r" {2,}| \| |\s#\s| >", rest)[0]
    return shlex.split(re.sub(r"\[[^\]]*\]|\.\.\.", "", rest))


def broken(words: list[str]) -> str:
    """What click says of a command line; "" when it knows the command and every option. Nothing is run."""
    command: click.Command = steward
    while True:
        context = click.Context(command, info_name=command.name)
        try:
            _, words, _ = command.make_parser(context).parse_args(list(words))
        except click.ClickException as error:
            return error.format_message()
        if not isinstance(command, click.Group) or not words or words[0].isupper():
            return ""
        below = command.get_command(context, words[0])
        if below is None:
            return f"{command.name} has no command {words[0]}"
        command, words = below, words[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_line_is_one(page: Path) -> None:
    said = {line: broken(words_of(line)) for line in command_lines(page.read_text(encoding="utf-8"))}
    assert {line: what for line, what in said.items() if what} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_heading_finds_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = [((page.parent / path).resolve() if path else page, heading) for path, heading in ANCHOR.findall(text)]
    assert [heading for at, heading in named if heading not in headings(at)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_its_head_and_whole_rows(page: Path) -> None:
    assert torn_rows(FENCE.sub("", page.read_text(encoding="utf-8"))) == []


def headings(page: Path) -> set[str]:
    """As a link names them: lower case, hyphens for spaces, no other signs."""
    lines = [line.lstrip("#").strip() for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def torn_rows(text: str) -> list[str]:
    """Rows of tables that Markdown would show as text, or with a cell too many or too few."""
    torn, columns = [], 0
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith("|"):
            columns = 0
            continue
        if not columns and re.fullmatch(r"\|[-| :]+\|", below):
            columns = cells(line)
        if not columns or cells(line) != columns:
            torn.append(line)
    return torn


def cells(row: str) -> int:
    return re.sub(r"\\\|", "", row).rstrip().strip("|").count("|") + 1


def test_a_torn_table_is_seen() -> None:
    assert torn_rows("| a | b |\n|---|---|\n| 1 | 2 |\n") == []
    assert torn_rows("| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n") == ["| 3 | 4 |"]
    assert torn_rows("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n") == ["| 1 | 2 | 3 |"]


def test_a_wrong_command_line_is_seen() -> None:
    assert broken(["memry", "list"]) == "steward has no command memry"
    assert broken(["memory", "lst"]) == "memory has no command lst"
    assert "--nonsense" in broken(["memory", "list", "--nonsense"])
    assert broken(["memory", "list", "--json"]) == ""
    assert command_lines("`steward where` and\n```\nsteward ask - --json   one\nls\n```\n") == [
        "steward where",
        "steward ask - --json   one",
    ]


def test_the_index_names_every_document() -> None:
    linked = set(LINK.findall((DOCS / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in DOCS.glob("*.md")} - UNLINKED - linked == set()


def test_every_kind_of_error_has_its_next_step() -> None:
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    classes = {name for module in ERRORS for name, value in vars(module).items() if is_error(value, module.__name__)}
    assert {name for name in {*classes - BASES, *get_args(FailureKind)} if f"`{name}`" not in text} == set()


def is_error(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module


def test_the_page_of_every_day_names_keys_and_commands_that_exist() -> None:
    text = (DOCS / "everyday.md").read_text(encoding="utf-8")
    keys = {one for key in KEYS for one in shown(key.keys).split(", ")}
    assert set(re.findall(r"\b(?:F\d+|Ctrl\+[A-Z]|Alt\+[A-Z])", text)) - keys - {"Ctrl+C"} == set()
    assert set(re.findall(r"`/([a-z-]+)`", text)) - TYPED.keys() == set()
