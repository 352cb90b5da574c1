"""`steward history` and /import in both modes: what a person sees, what a program reads."""

import asyncio
import io
import json
import stat
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_imports import SqliteImports
from memory.sqlite_transcript import SqliteTranscript
from models.scripted import ScriptedModel
from tests.support.command_line import Run
from tests.support.exports import as_json, as_zip, chatgpt_conversation, chatgpt_zip_2026, claude_zip
from tests.support.pilot import a_desk, a_home, opened
from tests.support.waiting import eventually
from ui.desk import Desk
from ui.plain import PlainChat
from ui.screens.dialog import Choice
from ui.widgets.bars import Rows


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "chatgpt.zip"
    path.write_bytes(chatgpt_zip_2026())
    return path


def value(run: Run, *args: str) -> dict[str, object]:
    code, out, err = run("history", "import", "--json", *args)
    assert code == 0, err
    assert err == ""
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


@pytest.mark.usefixtures("home")
def test_a_dry_run_then_the_import_then_again(run: Run, export: Path) -> None:
    dry = value(run, str(export), "--dry-run")
    assert (dry["new"], dry["messages"], dry["dry_run"]) == (6, 12, True)
    assert json.loads(run("sessions", "list", "--json")[1]) == []
    assert value(run, str(export))["new"] == 6
    listed = json.loads(run("sessions", "list", "--json")[1])
    assert {one["imported_from"] for one in listed} == {"chatgpt"}
    again = value(run, str(export))
    assert (again["new"], again["here"], again["messages"]) == (0, 6, 0)
    assert len(json.loads(run("sessions", "list", "--json")[1])) == 6


@pytest.mark.usefixtures("home")
def test_in_words_with_what_could_not_be_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mixed.zip"
    good, bad = as_json([chatgpt_conversation()]), as_json([chatgpt_conversation("2"), {"no": "chat"}, 5])[:-4]
    path.write_bytes(
        as_zip({"conversations-000.json": good, "conversations-001.json": bad, "../conversations.json": bad})
    )
    code, out, err = run("history", "import", str(path))
    assert (code, err) == (0, "")
    assert "2 conversations from ChatGPT came in, 4 messages in all." in out
    assert "../conversations.json: its name leads out of the archive" in out
    assert "conversations-001.json, number 2: it is no conversation" in out
    assert "steward history learn" in out
    assert "(from ChatGPT)" in run("sessions", "list")[1]


def test_a_backup_is_made_before_when_something_is_here(run: Run, export: Path, home: Home, tmp_path: Path) -> None:
    assert value(run, str(export))["backup"] is None
    other = tmp_path / "claude.zip"
    other.write_bytes(claude_zip())
    backup = Path(str(value(run, str(other))["backup"]))
    assert backup.parent == home.backups
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_a_file_that_is_no_export_costs_no_backup(run: Run, export: Path, home: Home, tmp_path: Path) -> None:
    value(run, str(export))
    for name, data in (("a.txt", b"hello"), ("b.zip", as_zip({"a.txt": b""})), ("c.json", None)):
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        code, out, err = run("history", "import", str(path))
        assert (code, out) == (1, "")
        assert err.startswith("steward: ")
        assert err.count("\n") == 2
    assert not home.backups.exists()


def test_a_file_with_nothing_but_faults_fails_and_names_them(run: Run, tmp_path: Path, home: Home) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'[{"a": 1}, {"b": 2}]')
    code, out, _ = run("history", "import", str(path))
    assert code == 1
    assert "2 parts could not be read" in out
    assert home.database.exists()


@pytest.mark.usefixtures("home")
def test_what_was_said_is_proposed_and_waits_for_a_yes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    said = ["I live in Lisbon. I love hiking.", "Nice.", "Remember that my password is hunter2", "No."]
    path.write_bytes(as_json([chatgpt_conversation("own", said)]))
    code, out, _ = run("history", "import", "--learn", str(path))
    assert code == 0
    assert "wait for your yes" in out
    found = json.loads(run("memory", "list", "--json")[1])
    assert found
    assert {one["status"] for one in found} == {"candidate"}
    assert {one["source"] for one in found} == {"imported"}
    assert "hunter2" not in json.dumps(found)
    code, out, _ = run("history", "learn", "--json")
    assert json.loads(out) == {"waited": 0, "read": 0, "proposed": 0}


@pytest.mark.usefixtures("home")
def test_a_run_that_keeps_nothing_takes_nothing_in(run: Run, export: Path) -> None:
    code, _, err = run("--incognito", "history", "import", str(export))
    assert code == 1
    assert "--incognito" in err


# in a conversation


@pytest.fixture
def plain_desk(tmp_path: Path) -> Desk:
    home = a_home(tmp_path / "home")
    home.make()
    return a_desk(home)


@pytest.fixture
async def desk(plain_desk: Desk) -> AsyncIterator[Desk]:
    plain = plain_desk.services
    async with await Database.open(plain.home.database) as database:
        services = replace(plain, transcript=SqliteTranscript(database), imports=SqliteImports(database))
        desk = await asyncio.to_thread(Desk, services, ScriptedModel())
        yield desk
        await desk.model.close()


class Typist:
    echoes = False

    def __init__(self, out: io.StringIO, lines: list[tuple[str, str]]) -> None:
        self._out = out
        self._lines = lines

    async def read(self, prompt: str) -> str | None:
        if not self._lines:
            return None
        line, after = self._lines.pop(0)
        await eventually(lambda: after in self._out.getvalue())
        return line


async def test_in_line_mode_the_chat_goes_on(desk: Desk, export: Path) -> None:
    out = io.StringIO()
    lines = [
        ("/import", ""),
        (f"/import {export}", "Which file?"),
        ("/sessions", "6 conversations from ChatGPT came in"),
        ("/import learn", "6. "),
        ("/import stop", "were read"),
        ("/quit", "No import is running"),
    ]
    chat = PlainChat(desk, Typist(out, lines), out)
    async with chat.history.running():
        await chat.run()
    assert "import: 6 conversations from ChatGPT came in, 12 messages in all." in out.getvalue()
    assert "the import runs" in out.getvalue()


async def test_in_line_mode_a_wrong_file_is_a_line(desk: Desk, tmp_path: Path) -> None:
    out = io.StringIO()
    chat = PlainChat(desk, Typist(out, [(f"/import {tmp_path / 'no.zip'}", ""), ("/quit", "There is no file")]), out)
    async with chat.history.running():
        await chat.run()


async def test_in_the_full_screen_it_ends_with_what_came_in_and_an_offer(desk: Desk, export: Path) -> None:
    async with opened(desk) as driver:
        await driver.write(f"/import {export}")
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("2")
        await driver.until(lambda: not isinstance(driver.app.screen, Choice))
        await driver.until(lambda: not driver.chat.query("#import"))
        assert desk.services.imports is not None
        await driver.press("f2")
        await driver.until(lambda: len(driver.app.screen_stack) == 2)
        assert len(await desk.conversation.transcript.sessions()) == 6


async def test_in_the_full_screen_a_wrong_file_is_said(desk: Desk, tmp_path: Path) -> None:
    async with opened(desk) as driver:
        await driver.write(f"/import {tmp_path / 'no.zip'}")
        await driver.press("enter")
        await driver.until(lambda: "There is no file" in _alert(driver.chat.query("#alert").first(Rows)))


def _alert(rows: Rows) -> str:
    return rows.text
