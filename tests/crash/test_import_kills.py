"""kill -9 between any two statements of an import of history: conversations are whole or not there, and it goes on.

Four times STEWARD_KILL_EVERY is the distance of the kills in statements (a night: 20).
"""

import asyncio
import os
import sqlite3
import sys
from itertools import count
from pathlib import Path

import pytest

from assistant.importing import import_history
from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_imports import SqliteImports
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.exports import as_json, chatgpt_conversation
from tests.support.statement_killer import killed_at
from tests.support.store_oracle import verify

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals"),
    pytest.mark.timeout(1_800),
]

EVERY = int(os.environ.get("STEWARD_KILL_EVERY", "41")) * 4
CONVERSATIONS = 150  # more than one transaction takes
GROWN = 20  # that went on in the second export


def texts_of(number: int, *, grown: bool) -> list[str]:
    longer = ["And then?", "Then it flew."] if grown and number < GROWN else []
    return [f"What is bird {number}?", f"A walrus {number}. " * (1 + number % 30) + "Yes.", *longer]


def an_export(path: Path, *, grown: bool) -> Path:
    talks = (
        chatgpt_conversation(str(number), texts_of(number, grown=grown), title=f"Bird {number}")
        for number in range(CONVERSATIONS if grown else CONVERSATIONS * 2 // 3)
    )
    path.write_bytes(as_json(talks))
    return path


async def bring(home: Home, export: Path) -> None:
    async with await Database.open(home.database) as database:
        await import_history(export, SqliteImports(database), at=MONDAY)


async def begin(home: Home, export: Path) -> None:
    """A home with a talk of its own and an earlier export, in which some talks were shorter and some are missing."""
    home.make()
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello", "Hi"], title="My own")
    await transcript.close()
    await bring(home, export)


def talks_in(path: Path) -> dict[str, list[str]]:
    """The texts of every session by its title."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute(
            "SELECT title, content FROM session JOIN message ON session_id = session.id ORDER BY message.id"
        ).fetchall()
    finally:
        connection.close()
    found: dict[str, list[str]] = {}
    for title, content in rows:
        found.setdefault(title, []).append(content)
    return found


def copied(source: Home, place: Path) -> Home:
    home = Home.resolve(str(place), {})
    home.make()
    home.database.write_bytes(source.database.read_bytes())
    home.database.chmod(0o600)
    return home


def broken(found: dict[str, list[str]]) -> list[str]:
    """Talks that are neither whole as they were nor whole as they are to be."""
    wrong = [] if found.pop("My own") == ["Hello", "Hi"] else ["My own"]
    for title, texts in found.items():
        number = int(title.removeprefix("Bird "))
        if texts not in (texts_of(number, grown=False), texts_of(number, grown=True)):
            wrong.append(title)
    return wrong


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("exports")
    return an_export(folder / "first.json", grown=False), an_export(folder / "second.json", grown=True)


@pytest.fixture(scope="module")
def begun(exports: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home.resolve(str(tmp_path_factory.mktemp("begun")), {})
    asyncio.run(begin(home, exports[0]))
    return home


def test_a_kill_leaves_whole_talks_and_the_next_import_brings_the_rest(
    begun: Home, exports: tuple[Path, Path], tmp_path: Path
) -> None:
    before = len(talks_in(begun.database))
    kills = partly = 0
    for attempt, statement in enumerate(count(1 + EVERY // 2, EVERY)):
        home = copied(begun, tmp_path / str(attempt))
        if not killed_at(statement, lambda home=home: asyncio.run(bring(home, exports[1]))):  # type: ignore[misc]
            break
        kills += 1
        verify(home.database)
        found = talks_in(home.database)
        partly += before < len(found) <= CONVERSATIONS
        assert broken(found) == []
        asyncio.run(bring(home, exports[1]))
        verify(home.database)
        after = talks_in(home.database)
        assert after.pop("My own") == ["Hello", "Hi"]
        assert after == {f"Bird {number}": texts_of(number, grown=True) for number in range(CONVERSATIONS)}
    assert kills > 2, "no statement was killed"
    assert partly, "no kill fell between two transactions"


def test_half_a_talk_would_be_noticed(begun: Home, tmp_path: Path) -> None:
    """The control: what an import that commits each row would leave."""
    home = copied(begun, tmp_path / "half")
    connection = sqlite3.connect(home.database)
    connection.execute("DELETE FROM message WHERE id = (SELECT max(id) FROM message)")
    connection.commit()
    connection.close()
    assert len(broken(talks_in(home.database))) == 1
