"""What `--json` prints is what the documents say: each field out of a lived-in home stands in its section."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.data_dir import Home
from tests.support.command_line import Run
from tests.support.exports import claude_zip
from tests.ui.test_cli import every_command
from tests.ui.test_suggestions_command import said

DOCS = Path(__file__).resolve().parents[2] / "docs"
CHANGED = "a change of memory", "a memory"
EVENT = ("an event, a task, a note",)
SUGGESTION = ("a suggestion",)
SERVER = ("tools, servers, permissions",)

# Arguments of the command and the headings its fields stand under, in docs/formats.md unless a page is named.
PRINTED: dict[str, tuple[str, ...]] = {
    "ask add a task to call Bo": ("events.md", "plans", "a decision"),
    "sessions list": ("a session",),
    "sessions search passport": ("a search hit", "a session", "a message"),
    "sessions show SESSION": ("an exported session", "a session", "a message"),
    "sessions export SESSION --format json": ("an exported session", "a session", "a message"),
    "history import EXPORT": ("an import of a history",),
    "history learn": ("an import of a history",),
    "memory add 'I like plums'": CHANGED,
    "memory list": ("a memory",),
    "memory search food": ("a memory",),
    "memory show MEMORY": ("a memory", "a change of memory"),
    "memory history": CHANGED,
    "memory review": CHANGED,
    "memory pin MEMORY": CHANGED,
    "memory unpin MEMORY": CHANGED,
    "memory scope MEMORY domain:food": CHANGED,
    "memory confirm MEMORY": CHANGED,
    "memory edit MEMORY 'I eat fish now'": CHANGED,
    "memory merge MEMORY OTHER": CHANGED,
    "memory undo": CHANGED,
    "memory forget --preview Bella": CHANGED,
    "memory deny MEMORY": CHANGED,
    "profile import PROFILE --dry-run": ("profile.md",),
    "remind call mum tomorrow at 6pm": ("a reminder",),
    "remind call mum on Sunday at 6": ("a reminder",),
    "reminders list": ("a reminder",),
    "reminders snooze REMINDER": ("a reminder",),
    "reminders edit REMINDER call dad": ("a reminder",),
    "reminders done REMINDER": ("a reminder",),
    "reminders undo": ("a reminder",),
    "reminders delete REMINDER": ("a reminder",),
    "daemon status": ("a reminder",),
    "suggestions settings --on": SUGGESTION,
    "suggestions rules add not before ten": SUGGESTION,
    "suggestions rules": SUGGESTION,
    "suggestions rules remove 1": SUGGESTION,
    "suggestions list": SUGGESTION,
    "suggestions preview": SUGGESTION,
    "suggestions why 1": SUGGESTION,
    "suggestions rate 1 y": SUGGESTION,
    "calendar add dentist on Friday at 10": EVENT,
    "calendar list": EVENT,
    "calendar import CALENDAR": EVENT,
    "calendar undo": EVENT,
    "calendar delete EVENT": EVENT,
    "tasks add renew the passport by Friday": EVENT,
    "tasks list": EVENT,
    "tasks edit TASK renew it": EVENT,
    "tasks done TASK": EVENT,
    "tasks undo": EVENT,
    "tasks delete TASK": EVENT,
    "notes add The key is here.": EVENT,
    "notes list": EVENT,
    "notes search key": EVENT,
    "notes show NOTE": EVENT,
    "notes edit NOTE The key is here.": EVENT,
    "notes undo": EVENT,
    "notes delete NOTE": EVENT,
    "documents add LEASE": ("a document and a passage",),
    "documents list": ("a document and a passage",),
    "documents search deposit": ("a document and a passage",),
    "documents remove lease.md": ("a document and a passage",),
    "decisions list --all": ("a decision",),
    "decisions show 1": ("a decision",),
    "decisions prices": ("the price of a question",),
    "plans list --all": ("plans",),
    "plans show 1": ("plans",),
    "plans stop 1": ("plans",),
    "plans resume 1": ("plans", "a decision", "what became of an answer"),
    "decisions cancel 2": ("a decision",),
    "plans undo 1": ("plans", "a decision", "what became of an answer"),
    "tools list": SERVER,
    "tools grants": SERVER,
    "models list": ("models.md",),
    "backup": ("backups.md",),
    "backups": ("backups.md",),
    "restore --preview latest": ("backups.md",),
    "data show": ("backups.md",),
    "doctor --privacy": ("backups.md",),
    "doctor": ("what works here",),
    "learning": ("backups.md",),
    "encryption status": ("privacy.md",),
    "config list": ("a setting",),
    "config get model.threads": ("a setting",),
    "where": ("where it is",),
}
NOT_RUN = {  # why not
    "decisions answer": "carries something out; what it prints is that of plans undo",
    "decisions reset": "forgets what was learned",
    "tools add-mcp": "starts a server",
    "tools approve": "starts a server",
    "tools grants revoke": "wants a permission",
    "models info": "wants a model",
    "models pull": "fetches",
    "models benchmark": "wants a model",
    "restore": "with --yes",
    "encryption on": "writes the home anew; tests/ui/test_encryption_command.py",
    "encryption off": "writes the home anew; tests/ui/test_encryption_command.py",
    "encryption change": "writes the home anew; tests/ui/test_encryption_command.py",
    "encryption backups": "writes the home anew; tests/ui/test_encryption_command.py",
    "evaluate memory": "minutes",
    "evaluate asking": "minutes",
    "evaluate deciding": "minutes",
    "evaluate proactive": "minutes",
}
KINDS = {
    "SESSION": "sessions",
    "MEMORY": "memory",
    "REMINDER": "reminders",
    "EVENT": "calendar",
    "TASK": "tasks",
    "NOTE": "notes",
}
EMPTY = {"decisions prices", "tools grants", "memory search food"}
MAPS = {
    "versions",
    "attributes",
    "fixed",
    "rows",
    "not_in_backup",
    "left_out",
    "input_schema",
    "places",
    "default",
}  # keys there are no fields


def documented(places: tuple[str, ...]) -> set[str]:
    """The words in code of these sections (of formats.md) and pages."""
    found: set[str] = set()
    for place in places:
        text = (DOCS / place).read_text(encoding="utf-8") if place.endswith(".md") else section(place)
        found |= {word for span in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", span)}
    return found


def section(title: str) -> str:
    parts = re.split(r"^## (.+)\n", (DOCS / "formats.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    named: dict[str, str] = dict(zip((head.lower() for head in parts[1::2]), parts[2::2], strict=True))
    return named[title]


def fields(value: Any) -> Iterator[str]:
    """The names of all fields, also of objects within."""
    if isinstance(value, list):
        for one in value:
            yield from fields(one)
    elif isinstance(value, dict):
        for name, below in value.items():
            yield name
            if name not in MAPS:
                yield from fields(below)


def test_every_command_with_json_is_looked_at() -> None:
    with_json = {
        name for name, command in every_command() if any("--json" in parameter.opts for parameter in command.params)
    }
    looked_at = {name for name in with_json for line in PRINTED if f"{line} ".startswith(f"{name} ")}
    assert with_json - looked_at - NOT_RUN.keys() == set()
    assert NOT_RUN.keys() - with_json == set()


@pytest.fixture
def lived_in(run: Run, home: Home, tmp_path: Path) -> dict[str, str]:
    """A home with something of everything, and the files that commands take by the word that stands for them."""
    run("ask", "plan my Saturday, I need to see the dentist and buy a passport")
    run("memory", "add", "our usual is Bella at 7")
    run("memory", "add", "I hate coriander")
    run("suggestions", "settings", "--on", "--quiet", "none")
    asyncio.run(said("renew the passport"))
    run("calendar", "add", "lunch on Monday at noon")
    files = {name: str(tmp_path / name.lower()) for name in ("EXPORT", "PROFILE", "CALENDAR", "LEASE")}
    files["LEASE"] += ".md"
    Path(files["LEASE"]).write_text("# Rent\nThe deposit is 900 euros.\n", encoding="utf-8")
    Path(files["EXPORT"]).write_bytes(claude_zip())
    run("profile", "export", "--yes", "--output", files["PROFILE"])
    run("calendar", "export", "--output", files["CALENDAR"])
    return files


def filled(line: str, files: dict[str, str], run: Run) -> list[str]:
    """The arguments, with an id of this home for each word that stands for one."""
    words = shlex.split(line)
    kind = next((kind for kind in KINDS if kind in words), None)
    ids = [str(one["id"]) for one in json.loads(run(KINDS[kind], "list", "--json")[1])] if kind else []
    of_home = {kind: ids[0], "OTHER": ids[-1]} if kind else {}
    return [{**files, **of_home}.get(word, word) for word in words]


def test_every_field_that_is_printed_stands_in_the_documents(lived_in: dict[str, str], run: Run) -> None:
    unknown: dict[str, list[str]] = {}
    for line, places in PRINTED.items():
        code, out, err = run(*filled(line, lived_in, run), "--json")
        assert out, (line, code, err)
        printed = [json.loads(one) for one in out.splitlines()] if line.startswith("ask ") else json.loads(out)
        assert printed or line in EMPTY, line
        if new := set(fields(printed)) - documented(places):
            unknown[line] = sorted(new)
    assert unknown == {}


def test_a_field_that_no_page_names_is_seen() -> None:
    printed = [{"id": 1, "steps": [{"number": 1, "colour": "red"}]}]
    assert set(fields(printed)) - documented(("plans",)) == {"colour"}
