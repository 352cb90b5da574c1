"""Encryption from the data screen and in line mode: what is said first, what is typed, and that it opens again."""

import asyncio
import io
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from memory.data_dir import Home
from memory.key_file import is_encrypted, read_key_file
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.locked_homes import MemoryKeyring, found_in, stretch_little
from tests.support.pilot import Driver, a_desk, a_home, opened
from ui.encryption_words import DECRYPT_WORDS, ENCRYPT_WORDS
from ui.line_input import PipeReader, read_hidden
from ui.plain import run_plain
from ui.screens.data import DataScreen
from ui.screens.dialog import Choice, OneLine, Secret
from ui.widgets.bars import Rows
from ui.wiring import Options, owned

PASSPHRASE = "walrus-and-coriander"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    stretch_little(monkeypatch)


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    made = await asyncio.to_thread(a_home, tmp_path)
    await asyncio.to_thread(made.make)
    transcript = await SqliteTranscript.open(made.database)
    await kept_talk(transcript, ["I fly on Tuesday", "Have a canary flight"], title="canary")
    await transcript.close()
    return made


@pytest.fixture(autouse=True)
def ring() -> Iterator[MemoryKeyring]:
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def options_of(home: Home) -> Options:
    return Options(home_override=str(home.data.parent), plain=True, model="http://127.0.0.1:9/v1")


def foot(driver: Driver) -> str:
    return driver.app.screen.query_one("#data-foot", Rows).text


async def type_in(driver: Driver, text: str) -> None:
    await driver.press(*("space" if character == " " else character for character in text))
    await driver.press("enter")


async def at_encryption(driver: Driver) -> None:
    await driver.press("f12")
    await driver.until(lambda: isinstance(driver.app.screen, DataScreen) and "Esc closes" in foot(driver))
    await driver.until(lambda: "is not encrypted" in driver.screen_text() or "is encrypted" in driver.screen_text())
    await driver.press("c")
    await driver.until(lambda: isinstance(driver.app.screen, Choice))


def asks_for(driver: Driver, title: str) -> bool:
    return isinstance(driver.app.screen, Secret) and title in driver.screen_text()


async def test_with_a_passphrase_and_back(home: Home) -> None:
    options = options_of(home)
    async with opened(a_desk(home, options=options)) as driver:
        await at_encryption(driver)
        assert "Covered: conversations, memories" in " ".join(driver.screen_text().split())
        await driver.press("2")
        for title in ("A new passphrase", "The passphrase once more"):
            await driver.until(partial(asks_for, driver, title))
            assert "Nobody can open it without" in driver.screen_text()
            await type_in(driver, PASSPHRASE)
        await driver.until(lambda: "Backups in the clear" in driver.screen_text())
        await driver.press("2")
        await driver.until(lambda: isinstance(driver.app.screen, OneLine) and ENCRYPT_WORDS in driver.screen_text())
        assert PASSPHRASE not in driver.screen_text()
        await type_in(driver, ENCRYPT_WORDS)
        await driver.until(lambda: driver.app.afterwards is not None)
        afterwards = driver.app.afterwards
    assert afterwards is not None
    words = await asyncio.to_thread(afterwards)
    assert words is not None
    assert words.startswith("Encrypted, checked, and in its place: 1 conversation, 2 messages")
    assert await asyncio.to_thread(is_encrypted, home)
    assert await asyncio.to_thread(found_in, home.roots, ["canary"]) == {}
    async with owned(options) as services:
        assert [session.title for session in await services.transcript.sessions()] == ["canary"]
        async with opened(a_desk(services.home, options=options)) as driver:
            await at_encryption(driver)
            assert "Its key opens with your passphrase." in driver.screen_text()
            await driver.press("4")
            await driver.until(lambda: isinstance(driver.app.screen, OneLine))
            await type_in(driver, DECRYPT_WORDS)
            await driver.until(lambda: driver.app.afterwards is not None)
            afterwards = driver.app.afterwards
    assert afterwards is not None
    assert "Decrypted, checked" in str(await asyncio.to_thread(afterwards))
    assert not await asyncio.to_thread(is_encrypted, home)


@pytest.mark.parametrize("way", ["esc", "other passphrase", "other words"])
async def test_on_every_way_out_nothing_is_changed(home: Home, way: str) -> None:
    async with opened(a_desk(home, options=options_of(home))) as driver:
        await at_encryption(driver)
        if way == "esc":
            await driver.press("escape")
            await driver.until(lambda: isinstance(driver.app.screen, DataScreen))
            return
        await driver.press("2" if way == "other passphrase" else "3")
        if way == "other passphrase":
            for typed in (PASSPHRASE, "another"):
                await driver.until(lambda: isinstance(driver.app.screen, Secret))
                await type_in(driver, typed)
            await driver.until(lambda: "not the same" in foot(driver))
        else:
            await driver.until(lambda: "Backups in the clear" in driver.screen_text())
            await driver.press("1")
            await driver.until(lambda: isinstance(driver.app.screen, OneLine))
            await type_in(driver, "yes")
            await driver.until(lambda: "Nothing was changed" in foot(driver))
        assert driver.app.afterwards is None
    assert not await asyncio.to_thread(is_encrypted, home)


async def said_in_lines(options: Options, *lines: str) -> str:
    out = io.StringIO()
    with await asyncio.to_thread(tempfile.TemporaryFile, "w+", encoding="utf-8") as typed:
        await asyncio.to_thread(typed.write, "".join(f"{line}\n" for line in lines))
        await asyncio.to_thread(typed.seek, 0)
        await run_plain(options, stdin=typed, out=out)
    return out.getvalue()


async def test_line_mode_encrypts_and_goes_on(home: Home) -> None:
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]  # theirs has no types
    options = options_of(home)
    said = await said_in_lines(
        options, "/encryption", "/encryption on", PASSPHRASE, PASSPHRASE, "3", ENCRYPT_WORDS, "/sessions", "/quit"
    )
    assert "What is kept is not encrypted" in said
    assert "Nobody can open it without the passphrase" in said
    assert "status: Encrypted, checked, and in its place" in said
    assert "Removed: 1 in the clear" in said
    assert said.rindex("canary") > said.index("Encrypted, checked")
    assert PASSPHRASE not in said
    assert await asyncio.to_thread(found_in, home.roots, ["canary"]) == {}
    said = await said_in_lines(
        options, "/encryption", "/encryption change", "another-walrus", "another-walrus", "/quit"
    )
    assert "Its key opens with your passphrase." in said
    assert "status: Changed." in said
    said = await said_in_lines(options, "/encryption off", "no", "/encryption off", DECRYPT_WORDS, "/quit")
    assert "nothing was changed" in said
    assert "status: Decrypted, checked" in said


async def test_line_mode_with_the_keyring(home: Home, ring: MemoryKeyring) -> None:
    options = options_of(home)
    said = await said_in_lines(options, "/encryption on", "1", "1", ENCRYPT_WORDS, "/encryption", "/quit")
    assert "Its key is in the keyring of this system" in said
    assert "One backup is in the clear" in said
    assert (await asyncio.to_thread(read_key_file, home)).store == "keyring"
    said = await said_in_lines(options, "/encryption backups encrypt", "/encryption", "/encryption nonsense", "/quit")
    assert "Encrypted: one backup." in said
    assert "in the clear, and anybody" not in said
    assert "There is no such act" in said
    assert await asyncio.to_thread(found_in, home.roots, ["canary"]) == {}


async def test_passphrases_that_differ_change_nothing(home: Home) -> None:
    said = await said_in_lines(options_of(home), "/encryption on", "2", PASSPHRASE, "another", "/quit")
    assert "The two were not the same" in said
    assert not await asyncio.to_thread(is_encrypted, home)


async def test_a_hidden_line_comes_over_the_pipe_too(tmp_path: Path) -> None:
    path = tmp_path / "typed"
    path.write_text("one\ntwo\n")
    with path.open() as typed:
        reader = PipeReader(typed.fileno())
        assert [await read_hidden(reader, "passphrase: "), await reader.read("")] == ["one", "two"]
