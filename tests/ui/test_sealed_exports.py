"""What leaves the home encrypted, and comes back with its passphrase."""

import asyncio
import io
import sys
from pathlib import Path

import pytest

from memory.sealed import is_sealed, unseal
from tests.support.command_line import Run
from tests.support.known_user import get_to_know
from tests.support.pilot import a_desk as a_screen_desk
from tests.support.pilot import a_home, opened
from tests.ui.test_plain import a_desk, chat
from tests.ui.test_profile_command import known, run
from ui.cli import main
from ui.screens.dialog import Choice, Secret
from ui.screens.profile_import import ProfileImport

__all__ = ["known", "run"]
SECRET = "seven green apples"


def told(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{words}\n"))


@pytest.mark.usefixtures("known")
def test_a_profile_goes_round_encrypted(
    run: Run, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "me.age", tmp_path / "other"
    told(monkeypatch, SECRET)
    code, out, _ = run("profile", "export", "--encrypt", "--passphrase-stdin", "--output", str(path), home=own_home)
    assert (code, "Encrypted." in out) == (0, True)
    assert is_sealed(path.read_bytes())
    assert b"coriander" not in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    told(monkeypatch, "another passphrase")
    code, _, err = run("profile", "import", str(path), "--passphrase-stdin", "--yes", home=other)
    assert code == 1
    assert "does not open this file" in err
    told(monkeypatch, SECRET)
    code, out, _ = run("profile", "import", str(path), "--passphrase-stdin", "--yes", home=other)
    assert (code, "Taken in:" in out) == (0, True)
    told(monkeypatch, "")
    code, _, err = run("profile", "import", str(path), "--yes", home=other)
    assert code == 1
    assert "A passphrase is needed" in err


@pytest.mark.usefixtures("known")
def test_conversations_leave_encrypted(
    run: Run, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, path = tmp_path / "plain.md", tmp_path / "all.age"
    assert run("sessions", "export", "--all", "--output", str(plain), home=own_home)[0] == 0
    told(monkeypatch, SECRET)
    arguments = ("sessions", "export", "--all", "--encrypt", "--passphrase-stdin", "--output", str(path))
    assert run(*arguments, home=own_home)[0] == 0
    assert unseal(path.read_bytes(), SECRET) == plain.read_bytes()
    told(monkeypatch, "short")
    assert main(["--home", str(own_home), *arguments[:-1], str(tmp_path / "no.age")]) == 1
    assert not (tmp_path / "no.age").exists()


async def test_line_mode_encrypts_a_profile_and_opens_it(tmp_path: Path) -> None:
    desk = await a_desk("Gladly.", tmp_path=tmp_path)
    await get_to_know(desk.conversation.preferences, desk.conversation.transcript)
    path = tmp_path / "me.age"
    out = await chat(
        desk,
        f"/profile export encrypted {path}",
        SECRET,
        "another passphrase",
        f"/profile export markdown encrypted {path}",
        SECRET,
        SECRET,
        f"/profile import {path}",
        "another passphrase",
        f"/profile import {path}",
        SECRET,
    )
    assert "nobody can open this file" in out
    assert "The two were not the same" in out
    assert "Encrypted." in out
    assert "does not open this file" in out
    assert "nothing to take in" in out
    assert SECRET not in out
    sealed = await asyncio.to_thread(path.read_bytes)
    assert "coriander" in (await asyncio.to_thread(unseal, sealed, SECRET)).decode()


async def test_the_screen_encrypts_a_profile_and_opens_it(tmp_path: Path) -> None:
    desk = a_screen_desk(await asyncio.to_thread(a_home, tmp_path / "home"), "Gladly.")
    await get_to_know(desk.conversation.preferences, desk.conversation.transcript)
    path = tmp_path / "me.age"
    async with opened(desk) as driver:

        async def answer(words: str) -> None:
            driver.app.screen.query_one("#line").value = words  # type: ignore[attr-defined]
            await driver.press("enter")

        await driver.send_command(f"/profile export json {path}")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("3")
        await driver.until(lambda: isinstance(driver.app.screen, Secret))
        await answer(SECRET)
        await driver.until(lambda: "once more" in driver.screen_text())
        assert SECRET not in driver.screen_text()
        await answer(SECRET)
        await driver.until(lambda: any("Encrypted." in str(note.message) for note in driver.app._notifications))
        assert is_sealed(await asyncio.to_thread(path.read_bytes))
        await driver.send_command(f"/profile import {path}")
        await driver.until(lambda: isinstance(driver.app.screen, Secret))
        await answer(SECRET)
        await driver.until(lambda: isinstance(driver.app.screen, ProfileImport))
