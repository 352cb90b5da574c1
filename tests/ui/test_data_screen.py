"""What is kept, in the terminal UI and in line mode."""

import asyncio
import io
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from textual.widgets import OptionList

from memory.backups import Backups
from memory.data_dir import Home
from memory.errors import StoreDamaged, StoreError
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY, FixedClock
from tests.support.damage import corpus
from tests.support.pilot import Driver, a_desk, a_home, opened
from ui.desk import Desk
from ui.keeping import Keeper
from ui.plain import run_plain
from ui.screens.data import DataScreen
from ui.widgets.bars import Rows
from ui.wiring import Options


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    made = await asyncio.to_thread(a_home, tmp_path)
    await asyncio.to_thread(made.make)
    transcript = await SqliteTranscript.open(made.database)
    await kept_talk(transcript, ["I fly on Tuesday", "Have a good flight"])
    await transcript.close()
    return made


@pytest.fixture
def desk(home: Home) -> Desk:
    return a_desk(home)


def foot(driver: Driver) -> str:
    return driver.app.screen.query_one("#data-foot", Rows).text


def listed(driver: Driver) -> list[str]:
    options = driver.app.screen.query_one("#data-list", OptionList)
    return [str(options.get_option_at_index(number).prompt) for number in range(options.option_count)]


async def type_in(driver: Driver, text: str) -> None:
    await driver.press(*("space" if character == " " else character for character in text))


async def at_data(driver: Driver) -> None:
    await driver.press("f12")
    await driver.until(lambda: isinstance(driver.app.screen, DataScreen) and len(listed(driver)) > 8)


async def test_it_shows_where_things_are_and_backs_up(desk: Desk) -> None:
    async with opened(desk) as driver:
        await at_data(driver)
        assert any(line.startswith("  history ") for line in listed(driver))
        assert any("none yet" in line for line in listed(driver))
        await driver.press("b")
        await driver.until(lambda: "Backed up: 1 conversation, 2 messages" in foot(driver))
        await driver.until(lambda: any("made by you" in line for line in listed(driver)))
        await driver.press("escape")
        await driver.until(lambda: len(driver.app.screen_stack) == 1)


async def test_restoring_shows_what_goes_and_is_done_when_the_app_is_over(desk: Desk, home: Home) -> None:
    await asyncio.to_thread(Backups(home).make, "by-hand", MONDAY)
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Another"])
    await transcript.close()
    async with opened(desk) as driver:
        await at_data(driver)
        await driver.press("end", "enter")
        await driver.until(lambda: "Not in the backup: 1 conversation, 1 message" in driver.screen_text())
        await driver.press("enter")  # the first offer changes nothing
        await driver.until(lambda: isinstance(driver.app.screen, DataScreen))
        assert driver.app.afterwards is None
        await driver.press("enter")
        await driver.until(lambda: "Not in the backup" in driver.screen_text())
        await driver.press("2")
        await driver.until(lambda: driver.app.afterwards is not None)
        afterwards = driver.app.afterwards
    assert afterwards is not None
    words = await asyncio.to_thread(afterwards)
    assert words is not None
    assert words.startswith("Restored: 1 conversation, 2 messages")


async def test_an_encrypted_backup_wants_its_passphrase_twice(desk: Desk, home: Home) -> None:
    async with opened(desk) as driver:
        await at_data(driver)
        for second, said in (("correct house", "not the same"), ("correct horse", "Backed up")):
            await driver.press("e")
            await driver.until(lambda: "nobody can open this file" in driver.screen_text())
            await type_in(driver, "correct horse")
            assert "correct horse" not in driver.screen_text()
            await driver.press("enter")
            await driver.until(lambda: "once more" in driver.screen_text())
            await type_in(driver, second)
            await driver.press("enter")
            await driver.until(lambda said=said: said in foot(driver))  # type: ignore[misc]  # bound now
        assert [one.encrypted for one in await asyncio.to_thread(Backups(home).list)] == [True]


async def test_deleting_everything_wants_the_words(desk: Desk, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    await asyncio.to_thread(home.models.mkdir, exist_ok=True)
    await asyncio.to_thread((home.models / "a.gguf").write_bytes, b"weights")
    async with opened(desk) as driver:
        await at_data(driver)
        for typed in ("yes", "delete my data"):
            driver.app.say("something that was done")
            await driver.press("x")
            await driver.until(lambda: "go for good" in driver.screen_text())
            assert "something that was done" not in driver.screen_text()
            await driver.press("2")
            await driver.until(lambda: "There is no undo" in driver.screen_text())
            await type_in(driver, typed)
            await driver.press("enter")
            if typed == "yes":
                await driver.until(lambda: "Nothing was deleted" in foot(driver))
        await driver.until(lambda: driver.app.afterwards is not None)
        afterwards = driver.app.afterwards
    assert afterwards is not None
    assert await asyncio.to_thread(afterwards) is None
    assert not await asyncio.to_thread(home.database.exists)
    assert f"left but its models, in {home.models}" in capsys.readouterr().out


async def test_paused_learning_is_seen_at_all_times(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send_command("/learning off")
        await driver.until(lambda: "learning is off" in driver.screen_text())
        await driver.send_command("/learning on")
        await driver.until(lambda: "learning is off" not in driver.header())
        await driver.send_command("/learning off health")
        await driver.until(lambda: "not learning: 1 of the domains" in driver.screen_text())
    configured = await asyncio.to_thread(desk.home.config_file.read_text)
    assert 'learn_not = "health"' in configured


@pytest.mark.parametrize("command", ["/incognito", "/nolearn"])
async def test_the_mode_of_a_conversation_is_seen_at_all_times(desk: Desk, command: str) -> None:
    words = {"/incognito": "INCOGNITO", "/nolearn": "nothing is learned here"}[command]
    async with opened(desk) as driver:
        await driver.send_command(command)
        await driver.until(lambda: words in driver.header())


async def test_the_data_screen_in_a_run_that_keeps_nothing(home: Home) -> None:
    async with opened(a_desk(home, options=Options(incognito=True))) as driver:
        await driver.press("f12")
        await driver.until(lambda: any("Nothing is kept" in notice for notice in driver.notices()))


class TestKeeper:
    async def test_one_backup_a_day(self, home: Home) -> None:
        clock = FixedClock()
        keeper = Keeper(home, clock)
        first, second = await keeper.look(), await keeper.look()
        clock.advance(timedelta(days=1))
        third = await keeper.look()
        assert (first is None, second is None, third is None) == (False, True, False)

    async def test_trouble_is_told_once(self, home: Home) -> None:
        told: list[StoreError] = []
        keeper = Keeper(home, FixedClock())
        keeper.listener = told.append
        await asyncio.to_thread(corpus()["first page gone"], home.database)
        await keeper.look()
        await keeper.look()
        assert [type(error) for error in told] == [StoreDamaged]
        assert keeper.trouble is not None

    async def test_a_copy_is_let_go_of_at_the_end(self, home: Home) -> None:
        keeper = Keeper(home, FixedClock())
        keeper.end()
        assert await keeper.look() is None
        assert keeper.trouble is None
        assert await asyncio.to_thread(lambda: list(home.backups.iterdir())) == []


async def said_in_lines(home: Home, *lines: str) -> str:
    out = io.StringIO()
    options = Options(home_override=str(home.data.parent), plain=True, model="http://127.0.0.1:9/v1")
    with await asyncio.to_thread(tempfile.TemporaryFile, "w+", encoding="utf-8") as typed:
        await asyncio.to_thread(typed.write, "".join(f"{line}\n" for line in lines))
        await asyncio.to_thread(typed.seek, 0)
        await run_plain(options, stdin=typed, out=out)
    return out.getvalue()


async def test_in_line_mode_a_restore_goes_on_with_what_was_restored(home: Home) -> None:
    said = await said_in_lines(home, "/backup", "/backups", "/restore 1", "1", "/sessions", "/quit")
    assert "status: backed up: 1 conversation, 2 messages" in said
    assert "made by you" in said
    assert "status: Restored: 1 conversation" in said
    assert said.rindex("/open NUMBER opens one.") > said.index("Restored")


async def test_in_line_mode_everything_is_deleted_after_typing(home: Home) -> None:
    said = await said_in_lines(home, "/data", "/learning off", "/delete-everything", "no", "/quit")
    assert "status: Learning is off" in said
    assert "status: nothing was deleted" in said
    await said_in_lines(home, "/delete-everything", "delete my data")
    assert not await asyncio.to_thread(home.database.exists)
