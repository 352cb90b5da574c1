"""Programs whose every call is recorded: `python -m tests.support.powered_writer WHAT FOLDER [--normal | --unsynced]`.

Each says on standard output what has been accepted, one JSON value a line, right after it was. The switches make a
program that promises too much: SQLite without a sync at each commit, files written in place.
"""

import asyncio
import json
import os
import sys
from datetime import timedelta
from pathlib import Path

from memory import database
from memory.backups import Backups
from memory.data_dir import Home, atomic_write
from memory.sqlite_transcript import SqliteTranscript
from tests.support.clock import MONDAY

COMMITS = 60


def text_of(number: int) -> str:
    return f"message {number} walrus 海象 " * (1 + number % 5 * 9)


def say(value: object) -> None:
    os.write(1, f"{json.dumps(value)}\n".encode())


async def messages(folder: Path) -> None:
    transcript = await SqliteTranscript.open(folder / "steward.db")
    session = await transcript.create_session(at=MONDAY)
    head = None
    for number in range(COMMITS):
        said = await transcript.add_user_message(session.id, head, text_of(number), at=MONDAY)
        say([said.id, text_of(number)])
        head = said.id
    os._exit(0)  # no orderly end


def export(folder: Path) -> None:
    for number in range(COMMITS):
        atomic_write(folder / f"export-{number % 3}.md", text_of(number).encode())
        say([number % 3, number])


async def backups(folder: Path) -> None:
    home = Home.resolve(str(folder), {})
    home.make()
    transcript = await SqliteTranscript.open(home.database)
    session = await transcript.create_session(at=MONDAY)
    for number in range(5):
        await transcript.add_user_message(session.id, None, text_of(number), at=MONDAY)
        path, _ = Backups(home).make("by-hand", MONDAY + timedelta(minutes=number))
        say([str(path.relative_to(folder)), number + 1])
    os._exit(0)


def promise_too_much(how: str) -> None:
    if how == "--normal":
        hasty = tuple(one.replace("=FULL", "=NORMAL") for one in database._WRITER_PRAGMAS)
        database._WRITER_PRAGMAS = hasty  # type: ignore[assignment]  # in this program only
    elif how == "--unsynced":
        os.fsync = lambda descriptor: None  # type: ignore[assignment]  # in this program only


def main(what: str, folder: Path, *how: str) -> None:
    for one in how:
        promise_too_much(one)
    match what:
        case "messages":
            asyncio.run(messages(folder))
        case "export":
            export(folder)
        case "backups":
            asyncio.run(backups(folder))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
