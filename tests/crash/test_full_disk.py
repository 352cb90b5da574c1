"""The disk is full while a history comes in: whole conversations stay, the reason is said, and with room it goes on."""

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
