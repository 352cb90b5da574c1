"""What `make check-versions` compares with: it can fail."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.versions.bounds import lowest, pins
from tests.versions.homes import Steward, differences, rows_of


def test_what_is_gone_changed_or_empty_is_a_difference() -> None:
    before = {"plain": {"notes list": '[{"id": 1}]'}, "rows": {"note": "1 rows, ab", "task": "0 rows, e3"}}
    assert differences(before, before) == []
    empty = {"plain": {"notes list": "[]"}, "rows": before["rows"]}
    assert [line.split(":")[0] for line in differences(before, empty)] == ["/plain/notes list"]
    gone = {"plain": before["plain"], "rows": {"note": "1 rows, ab"}}
    assert [line.split(":")[0] for line in differences(before, gone)] == ["/rows/task"]
    more = {**before, "restored": {}}
    assert [line.split(":")[0] for line in differences(before, more)] == ["/restored"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.resolve(str(tmp_path / "home"), {})
    made.make()
    return made


async def test_a_row_that_changed_is_seen(home: Home, tmp_path: Path) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello", "Hi"])
    await transcript.close()
    before = rows_of(home.database)
    assert before["message"].startswith("2 rows, ")
    copy = Path(shutil.copy(home.database, tmp_path / "copy.db"))
    connection = sqlite3.connect(copy)
    connection.execute("UPDATE message SET tokens_out = 99 WHERE id = 2")
    connection.commit()
    connection.close()
    assert [line.split(":")[0] for line in differences(before, rows_of(copy))] == ["/message"]


def test_a_home_that_cannot_be_read_is_no_empty_one(home: Home, tmp_path: Path) -> None:
    home.database.write_bytes(b"SQLite format 3\0" + b"\xff" * 4_000)
    home.database.chmod(0o600)
    with pytest.raises(AssertionError, match="notes list"):
        Steward(tmp_path / "home")("notes", "list", "--json")


def test_a_library_without_a_lowest_version_is_refused() -> None:
    with pytest.raises(ValueError, match="numpy<3"):
        lowest(["click>=8.4", "numpy<3"])
    project = {"project": {"dependencies": ["click>=8.4,<9"]}, "dependency-groups": {"dev": ["types-Pygments>=2"]}}
    assert pins(project, "# tried\nclick==8.5.1\ntypes_Pygments==2.21\n") == ("click==8.4", "types_Pygments==2.21")
