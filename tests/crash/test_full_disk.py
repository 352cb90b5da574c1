"""The disk is full in the middle of anything: what was accepted stays, the reason is said, and with room it goes on in
the same run.

STEWARD_FAULT_REPEATS sets how often more the room is taken away (a night: 12 sizes of room; before a release: 48).
"""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.small_disk import on_a_small_disk

pytestmark = [pytest.mark.crash, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux namespaces")]

SCRIPT = """
import asyncio, sys
from pathlib import Path
from assistant.importing import import_history
from memory.database import Database
from memory.errors import StoreFull
from memory.sqlite_imports import SqliteImports
from tests.crash.test_import_kills import CONVERSATIONS, an_export, broken, talks_in, texts_of
from tests.support.builders import kept_talk
from memory.sqlite_transcript import SqliteTranscript
from tests.support.clock import MONDAY
from tests.support.store_oracle import verify

place = Path(sys.argv[1])
export = an_export(place / "export.json", grown=True)
path = place / "steward.db"

async def bring():
    async with await Database.open(path) as database:
        await import_history(export, SqliteImports(database), at=MONDAY)

async def main():
    transcript = await SqliteTranscript.open(path)
    await kept_talk(transcript, ["Hello", "Hi"], title="My own")
    await transcript.close()
    ballast, refused = place / "ballast", 0
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    for _ in range(6):  # a little more room each time
        with ballast.open("r+b") as file:
            file.truncate(ballast.stat().st_size - 160 * 1024)
        try:
            await bring()
        except StoreFull as full:
            refused += 1
            assert "\\n" not in full.message
        verify(path)
        assert broken(talks_in(path)) == []
    ballast.unlink()
    await bring()
    verify(path)
    found = talks_in(path)
    assert found.pop("My own") == ["Hello", "Hi"]
    assert found == {f"Bird {number}": texts_of(number, grown=True) for number in range(CONVERSATIONS)}
    print(refused, "refused")

asyncio.run(main())
"""


def test_what_came_in_stays_whole_and_the_rest_follows(tmp_path: Path) -> None:
    printed = on_a_small_disk(tmp_path, SCRIPT, megabytes=6)
    assert int(printed.split()[0]) > 0


SIZES = 3 * int(os.environ.get("STEWARD_FAULT_REPEATS", "1"))
PLACES = """
import asyncio, json, sys
from datetime import timedelta
from pathlib import Path
from memory.backups import Backups
from memory.data_dir import Home, atomic_write
from memory.errors import StoreError
from memory.items import ItemChange, ItemId, Task
from memory.sqlite_items import SqliteItems
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_reminders import SqliteReminders
from memory.sqlite_transcript import SqliteTranscript
from memory.database import Database
from tests.support.clock import MONDAY
from tests.support.known_user import a_wish
from tests.support.reminders import added, an_instant
from tests.support.store_oracle import verify

SIZES = int(sys.argv[2])
home = Home.resolve(sys.argv[1], {})
home.make()
ballast = home.cache / "ballast"
tally = {}
said = {}

def fill(leave):
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(file.tell() - leave, 0))

async def tried(name, change):
    done, refused = tally.setdefault(name, [0, 0])
    try:
        made = await change
    except StoreError as error:
        assert error.message and chr(10) not in error.message
        tally[name][1] += 1
        return None
    tally[name][0] += 1
    return made

async def in_thread(work):
    return await asyncio.to_thread(work)

async def a_round(database, number, big):
    transcript = SqliteTranscript(database)
    session = await tried("conversation", transcript.create_session(at=MONDAY, title=f"talk {number}"))
    if session is not None:
        message = await tried("message", transcript.add_user_message(session.id, None, f"m{number} " * big, at=MONDAY))
        if message is not None:
            said[message.id] = f"m{number} " * big
            reply = await tried("answer", transcript.begin_reply(message.id, at=MONDAY, model="tiny"))
            if reply is not None:
                said[reply.id] = ["", f"a{number} " * big]
                kept = await tried("checkpoint", transcript.checkpoint_reply(reply.id, f"a{number} " * big))
    wish = a_wish(f"I hate thing{number}", "food.taste", f"thing{number}", -1)
    await tried("memory", SqlitePreferences(database).learn([wish], actor="user", at=MONDAY))
    one = an_instant(f"r{number:07}", at=MONDAY + timedelta(hours=number))
    await tried("reminder", SqliteReminders(database).apply(added(one), at=MONDAY))
    task = Task(id=ItemId(f"t{number:07}"), title="buy milk", created_at=MONDAY)
    await tried("task", SqliteItems(database).apply(ItemChange(operation="add", items=(task,)), at=MONDAY))
    await tried("export", in_thread(lambda: atomic_write(home.data / "export.md", (f"e{number} " * 20_000).encode())))
    await tried("backup", in_thread(lambda: Backups(home).make("by-hand", MONDAY)))
    for path in home.backups.glob("*.db"):
        verify(path)
        path.unlink()

async def main():
    async with await Database.open(home.database) as database:
        await a_round(database, 0, 10)
        assert all(refused == 0 for _, refused in tally.values()), tally
        before = {name: list(counts) for name, counts in tally.items()}
        for number in range(1, SIZES + 1):
            fill(leave=(number * 7 % 16) * 4096)
            await a_round(database, number, 2_000)
            ballast.unlink()
            await a_round(database, 1_000 + number, 10)  # in the same run, with room
        assert all(done >= SIZES + 1 for done, _ in tally.values()), tally
    verify(home.database, said)
    try:
        verify(home.database, {**said, 1_000_000: "never kept"})
    except AssertionError:
        print(json.dumps(tally))  # the control: what is not there is missed

asyncio.run(main())
"""


def test_every_place_that_writes_says_so_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    printed = on_a_small_disk(tmp_path, PLACES, str(SIZES), megabytes=8)
    tally = json.loads(printed)
    assert set(tally) >= {"message", "checkpoint", "memory", "reminder", "task", "export", "backup"}
    refused = {name for name, (_, refused) in tally.items() if refused}
    assert {"export", "backup"} <= refused, tally
    assert sum(refused for _, refused in tally.values()) >= 2 * SIZES, tally
