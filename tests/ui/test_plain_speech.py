"""Words made for a screen, read out: no columns, no signs, and the commands that line mode has."""

import re
from pathlib import Path

import pytest

from tests.ui.test_plain import a_desk, chat
from ui.cli import COMMANDS as SHELL
from ui.plain_commands import COMMANDS
from ui.plain_help import GROUPS, help_lines
from ui.plain_speech import _HERE, said_here, spoken


@pytest.mark.parametrize(
    ("line", "heard"),
    [
        ("1  2026-12-02 10:31  added by you", ["1, 2026-12-02 10:31, added by you"]),
        ("    pdc25  + I like tea", ["pdc25, added: I like tea"]),
        ("pdc25  - I like tea", ["pdc25, gone: I like tea"]),
        ("* I like tea", ["pinned: I like tea"]),
        ("Steward may speak first  no", ["Steward may speak first, no"]),
        ("[x] 2 of 2: call mum (done)", ["2 of 2: call mum (done)"]),
        ("› first · second", ["first, second"]),
        ("one -> two", ["one -> two"]),
        ("hours, 0 to 23: " + " " * 8 + "▂█▃██", ["hours, 0 to 23: most at 9 and 11 to 12"]),
        ("", []),
        ("  ── ──", []),
        ("one\ntwo", ["one", "two"]),
    ],
)
def test_a_line_for_the_screen_is_read_out(line: str, heard: list[str]) -> None:
    assert list(spoken([line])) == heard


@pytest.mark.parametrize(
    ("hint", "here"),
    [
        (
            'Say it in one sentence: steward memory add "I hate olives"',
            "Say it in one sentence: /remember I hate olives",
        ),
        ("`steward memory list` shows what is remembered.", "/memory shows what is remembered."),
        ("See: steward memory history", "See: /memory history"),
        ("`steward decisions list --all` shows every one.", "/decisions all shows every one."),
        (
            "steward tools add-mcp NAME -- COMMAND... or steward tools add-mcp NAME --url URL",
            "/tools add NAME COMMAND... or /tools add NAME URL",
        ),
        ("Fetch the one that fits: steward models pull", "Fetch the one that fits: /model fetch"),
        ("in a shell: steward decisions answer 1", "in a shell: steward decisions answer 1"),
        ("steward data shows where", "/data shows where"),
        ("`steward doctor` says more.", "`steward doctor` says more."),
        ("steward daemon install", "steward daemon install"),
    ],
)
def test_a_hint_names_the_command_that_is_here(hint: str, here: str) -> None:
    assert said_here(hint) == here


@pytest.mark.parametrize(("shell", "slash"), sorted(_HERE.items()))
def test_what_a_shell_command_becomes_exists(shell: str, slash: str) -> None:
    assert shell.split()[0] in SHELL
    assert slash.removeprefix("/").split()[0] in COMMANDS


def test_every_command_stands_in_one_group_of_the_help() -> None:
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(COMMANDS)


def test_help_finds_by_name_and_by_word() -> None:
    uses = {"copy": "/copy: copy an answer", "code": "/code: copy a code block", "new": "/new: another"}
    assert help_lines(uses, "/new") == ("/new: another",)
    assert help_lines(uses, "copy a") == ("/copy: copy an answer", "/code: copy a code block")
    assert help_lines(uses, "submarine") == ()


LISTINGS = (
    "/help", "/help all", "/memory help", "/sessions", "/memory", "/memory history", "/reminders", "/calendar",
    "/tasks", "/notes", "/documents", "/tools", "/tools grants", "/decisions", "/decisions prices", "/plans", "/model",
    "/where", "/learning", "/profile", "/data", "/backups", "/encryption", "/calendar help", "/tools help", "/undo 99",
    "/decide 4", "/memory edit 9", "/remember", "/remind", "/plan", "/restore 7", "/model 99", "/import", "/tools add",
)  # fmt: skip


async def test_no_listing_and_no_error_has_a_line_of_signs_or_columns(tmp_path: Path) -> None:
    printed = await chat(await a_desk(tmp_path=tmp_path), *LISTINGS)
    for line in printed.splitlines():
        assert any(character.isalnum() for character in line), line
        assert not re.search(r"\S {2,}\S", line), line
        assert not re.search("[─-▟■-◿☀-➿\U0001f300-\U0001faff★✓✗→·›]", line), line


async def test_every_error_says_the_next_step_with_what_is_here(tmp_path: Path) -> None:
    printed = (await chat(await a_desk(tmp_path=tmp_path), *LISTINGS)).splitlines()
    errors = [number for number, line in enumerate(printed) if line.startswith("error: ")]
    assert len(errors) > 8
    for number in errors:
        assert printed[number + 1].startswith("next: "), printed[number]
        for shell in re.findall(r"(?<!shell: )\bsteward ([a-z]+)", printed[number + 1]):
            assert shell in ("config", "daemon", "doctor"), printed[number + 1]
