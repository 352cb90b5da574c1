"""Files that mean harm, handed to the commands a user would type: a line each, the readable rest kept, nothing written
elsewhere.

`steward calendar import`, `profile import` and `history import` get what their readers are tried on one by one. A
sample; STEWARD_ATTACKS=all hands in every one (a night).
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.hostile_archives import hostile_archives
from tests.support.hostile_calendars import hostile_calendars
from tests.support.hostile_json import hostile_jsons
from tests.support.hostile_profiles import GOOD as GOOD_MEMORY
from tests.support.hostile_profiles import hostile
from tests.support.naughty import raw_controls
from ui.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedIn:
    """`titles` have to be there afterwards; without any the file may be refused, in one line."""

    name: str
    command: tuple[str, ...]
    listing: tuple[str, ...]
    field: str
    file: str
    content: bytes
    titles: frozenset[str]


def handed_in() -> list[HandedIn]:
    return [*_calendars(), *_profiles(), *_histories(), *_archives()]


def _calendars() -> list[HandedIn]:
    listing = ("calendar", "list", "--from", "2099-03-01", "--to", "2099-03-31", "--json")
    return [
        HandedIn(
            name=f"calendar {one.name}",
            command=("calendar", "import"),
            listing=listing,
            field="title",
            file="hostile.ics",
            content=one.content,
            titles=frozenset({"Good"} if one.rest else ()),
        )
        for one in hostile_calendars()
    ]


def _profiles() -> list[HandedIn]:
    return [
        HandedIn(
            name=f"profile {one.name}",
            command=("profile", "import", "--yes"),
            listing=("memory", "list", "--json"),
            field="statement",
            file="hostile.json",
            content=one.content,
            titles=frozenset({GOOD_MEMORY} if one.rest else ()),
        )
        for one in hostile()
    ]


def _histories() -> list[HandedIn]:
    return [_history(f"history {one.name}", "hostile.json", one.data, one.titles) for one in hostile_jsons()]


def _archives() -> list[HandedIn]:
    return [
        _history(f"archive {one.name}", "hostile.zip", one.data, frozenset({"Good"} if one.good else ()))
        for one in hostile_archives()
    ]


def _history(name: str, file: str, content: bytes, titles: frozenset[str]) -> HandedIn:
    return HandedIn(
        name=name,
        command=("history", "import", "--no-learn"),
        listing=("sessions", "list", "--json"),
        field="title",
        file=file,
        content=content,
        titles=titles,
    )


FILES = handed_in()
CHOSEN = FILES if os.environ.get("STEWARD_ATTACKS") == "all" else FILES[::7]


def test_there_are_sixty_files_and_forty_archives() -> None:
    assert len([one for one in FILES if one.file != "hostile.zip"]) >= 60
    assert len([one for one in FILES if one.file == "hostile.zip"]) >= 40
    assert len({one.name for one in FILES}) == len(FILES)


def below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.parametrize("one", CHOSEN, ids=lambda one: one.name)
def test_a_command_answers_keeps_the_rest_and_writes_nothing_outside_of_the_home(
    one: HandedIn,
    tmp_path: Path,
    own_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    path = folder / one.file
    path.write_bytes(one.content)
    monkeypatch.chdir(folder)
    before = below(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr(os, "open", noting_what_is_written(opened))
    code = main([*one.command, str(path)])
    monkeypatch.undo()
    out, err = capfd.readouterr()
    assert code in ((0,) if one.titles else (0, 1)), err
    assert "Traceback" not in err
    assert [line for line in (out + err).splitlines() if raw_controls(line)] == []
    if code:
        message, *hint = err.strip().splitlines()
        assert message.startswith("steward: ")
        assert len(message) < 400
        assert len(hint) <= 1
    assert below(tmp_path) == before
    assert [name for name in opened if not name.startswith((str(own_home), "/dev/"))] == []
    assert main(list(one.listing)) == 0
    found = {row[one.field] for row in json.loads(capfd.readouterr().out)}
    assert one.titles <= found


def noting_what_is_written(opened: list[str]) -> Callable[..., int]:
    true_open = os.open

    def watched(name: str, flags: int, *rest: int, **more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and more.get("dir_fd") is None:
            opened.append(os.path.abspath(name))  # noqa: PTH100  as it was said, links and all
        return true_open(name, flags, *rest, **more)

    return watched
