"""The terminal UI: commands, help, own keys, themes, and every usual size of a terminal."""

import pytest

from memory.data_dir import Home
from models.scripted import ScriptedModel
from models.types import ModelInfo, Ready
from tests.support.clock import FixedClock
from tests.support.conversations import some_sessions
from tests.support.pilot import a_desk, opened
from ui.configuration import UiSettings
from ui.desk import Desk
from ui.errors import ConfigError
from ui.screens.help import Help
from ui.screens.sessions import SessionsScreen
from ui.screens.why import Context

# commands, help, themes, keys


async def test_commands_are_suggested_and_taken(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        await driver.press("slash", *"con")
        await driver.until(lambda: "/context" in driver.screen_text())
        await driver.press("tab")
        await driver.until(lambda: isinstance(driver.app.screen, Context))


async def test_a_command_that_needs_words_waits_for_them(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("Some talk")
        await driver.press("slash", *"ren", "tab")
        assert driver.chat.prompt.text == "/rename "
        await driver.press(*"Mine", "enter")
        await driver.until(lambda: "Mine" in driver.header())


async def test_an_unknown_command_is_not_sent(home: Home) -> None:
    model = ScriptedModel("It is a path.")
    async with opened(a_desk(home, model=model)) as driver:
        await driver.write("/contxt")
        await driver.press("enter")
        await driver.until(lambda: any("Did you mean /context?" in notice for notice in driver.notices()))
        assert driver.chat.prompt.text == "/contxt"
        await driver.send("/etc/hosts is empty, why?")
        assert "It is a path." in driver.transcript_text()


async def test_two_slashes_send_one(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("//context")
        assert "/context" in driver.transcript_text()
        assert "//context" not in driver.transcript_text()


async def test_help_lists_every_key(home: Home) -> None:
    async with opened(a_desk(home, ui=UiSettings(keys={"sessions": "ctrl+s"}))) as driver:
        await driver.press("f1")
        await driver.until(lambda: isinstance(driver.app.screen, Help))
        await driver.until(lambda: "Everywhere" in driver.screen_text())
        assert "Ctrl+S" in driver.screen_text()


async def test_a_question_mark_shows_the_keys_of_what_is_open(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        await driver.press("a", "?")
        assert driver.chat.prompt.text == "a?"  # in a text it is a letter
        for opens, title in (("f12", "On the data screen"), ("f10", "On the reminders screen")):
            await driver.press(opens)
            await driver.until(lambda: len(driver.app.screen_stack) == 2)
            for key in ("?", "f1"):
                await driver.press(key)
                await driver.until(lambda: isinstance(driver.app.screen, Help))
                await driver.until(lambda: "Esc closes" in driver.screen_text())
                assert driver.screen_text().split("\n")[1].strip() == title
                await driver.press("?", "f1")
                assert len(driver.app.screen_stack) == 3  # help is not piled upon help
                await driver.press("escape")
                await driver.until(lambda: len(driver.app.screen_stack) == 2)
            await driver.press("escape")
            await driver.until(lambda: len(driver.app.screen_stack) == 1)


async def test_own_keys_work(home: Home) -> None:
    desk = a_desk(home, transcript=await some_sessions(), ui=UiSettings(keys={"sessions": "ctrl+s", "newline": "f20"}))
    async with opened(desk) as driver:
        await driver.press(*"a", "f20", *"b")
        assert driver.chat.prompt.text == "a\nb"
        await driver.press("ctrl+s")
        await driver.until(lambda: isinstance(driver.app.screen, SessionsScreen))


def test_wrong_own_keys_are_refused_before_anything_is_drawn(home: Home) -> None:
    from ui.app import StewardApp

    with pytest.raises(ConfigError, match="no action 'sesions'"):
        StewardApp(a_desk(home, ui=UiSettings(keys={"sesions": "f2"})))


async def test_the_palette_finds_commands(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        await driver.press("ctrl+p")
        await driver.press(*"left out")
        await driver.until(lambda: "what was left out" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, Context))


async def test_themes_change_while_it_runs(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("Hello")
        await driver.press("f4")
        assert driver.app.theme == "light"
        await driver.until(lambda: driver.chat.transcript.palette.colours.background == "#fcfbf8")
        await driver.send_command("/theme high-contrast")
        await driver.until(lambda: driver.app.theme == "high-contrast")


async def test_a_server_is_shown_at_all_times(home: Home) -> None:
    model = ScriptedModel()
    async with opened(a_desk(home, model=model)) as driver:
        info = ModelInfo(
            name="big", path="http://h/v1", context_length=4_096, backend="server", device="", leaves_process=True
        )
        model.become(Ready(info=info))
        await driver.until(lambda: "text leaves this process" in driver.header())


# sizes


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (200, 60)])
async def test_every_usual_size_shows_what_matters(home: Home, size: tuple[int, int]) -> None:
    async with opened(a_desk(home, "A short answer."), size) as driver:
        await driver.send("A question")
        assert "A short answer." in driver.screen_text()
        assert "waiting for you" in driver.screen_text()
        assert "F1 help" in driver.screen_text()


async def test_a_terminal_too_small_says_so_in_one_line(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("Hello")
        await driver.pilot.resize_terminal(50, 10)
        await driver.until(lambda: "Steward needs 60×16; this is 50×10" in driver.screen_text())
        await driver.pilot.resize_terminal(80, 24)
        await driver.until(lambda: "Fine." in driver.screen_text())


async def test_a_new_width_draws_the_messages_anew(home: Home) -> None:
    words = "many words " * 30
    async with opened(a_desk(home, [words])) as driver:
        await driver.send("Long line")
        await driver.pilot.resize_terminal(70, 30)
        await driver.until(lambda: max(len(line) for line in driver.transcript_text().split("\n")) <= 68)
        assert driver.transcript_text().count("many") == 30


def test_the_clock_of_the_desk_is_the_one_given(home: Home) -> None:
    clock = FixedClock()
    assert a_desk(home, clock=clock).clock is clock
    assert isinstance(a_desk(home), Desk)
