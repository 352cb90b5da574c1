"""The terminal: size, colours, text encoding, and what it says of itself."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ui.checks.result import Check, note, ok
from ui.terminal_probe import TerminalAnswers

SMALLEST = (60, 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalFacts:
    interactive: bool
    encoding: str
    columns: int
    lines: int
    answers: TerminalAnswers | None


def terminal_facts(answers: TerminalAnswers | None) -> TerminalFacts:
    columns, lines = shutil.get_terminal_size()
    return TerminalFacts(
        interactive=sys.stdin.isatty() and sys.stdout.isatty(),
        encoding=sys.stdout.encoding or "unknown",
        columns=columns,
        lines=lines,
        answers=answers,
    )


def check_terminal(facts: TerminalFacts, env: Mapping[str, str]) -> tuple[Check, ...]:
    if not facts.interactive:
        return (note("terminal", "this is a pipe or a file, so the terminal cannot be asked"),)
    return (_check_size(facts, env), _check_text(facts), _check_colour(env), *_check_answers(facts.answers))


def _check_size(facts: TerminalFacts, env: Mapping[str, str]) -> Check:
    kind = env.get("TERM", "")
    size = f"{kind or 'unnamed'}, {facts.columns}x{facts.lines}"
    if kind in ("", "dumb"):
        return note("terminal", f"{size}: no full screen here", "Set TERM, or use steward --plain.")
    if (facts.columns, facts.lines) < SMALLEST or facts.lines < SMALLEST[1]:
        return note("terminal", f"{size} is small", f"Make it {SMALLEST[0]}x{SMALLEST[1]} or larger, or use --plain.")
    return ok("terminal", size)


def _check_text(facts: TerminalFacts) -> Check:
    if facts.encoding.lower().replace("-", "") != "utf8":
        return note("text", f"encoding {facts.encoding}: some letters cannot be shown", "Set LANG to a UTF-8 locale.")
    cells = None if facts.answers is None else facts.answers.wide_cells
    if cells is not None and cells != 4:
        return note("text", f"two wide characters took {cells} cells instead of 4", "Lines with emoji may be ragged.")
    return ok("text", "UTF-8" if cells is None else "UTF-8, wide characters have two cells")


def _check_colour(env: Mapping[str, str]) -> Check:
    if env.get("NO_COLOR"):
        return ok("colour", "off (NO_COLOR)")
    if env.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ok("colour", "24 bit")
    if "256" in env.get("TERM", ""):
        return ok("colour", "256 colours; with COLORTERM=truecolor the themes are exact")
    return note("colour", "few colours", "Where your terminal has more: export COLORTERM=truecolor")


def _check_answers(answers: TerminalAnswers | None) -> tuple[Check, ...]:
    if answers is None or not answers.answers:
        return (note("keys", "the terminal does not say what it can do; Ctrl+J always breaks the line"),)
    keys = (
        ok("keys", "full keyboard protocol: Shift+Enter and Alt+Enter can be told from Enter")
        if answers.kitty_keys
        else ok("keys", "plain keyboard protocol: Ctrl+J and Alt+Enter break the line, Shift+Enter may not")
    )
    clipboard = (
        ok("clipboard", "the terminal takes text for the clipboard (OSC 52)")
        if answers.clipboard
        else ok("clipboard", "the terminal does not say that it takes OSC 52; over SSH copying may not work")
    )
    return keys, clipboard
