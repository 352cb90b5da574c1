"""What misled a newcomer in the first hour: the next step that is said can be taken where it is said."""

from pathlib import Path

import pytest

from memory.data_dir import Home
from models.scripted import Hang
from models.types import Failure
from tests.support.pilot import a_desk, a_home, opened

MISSING = Failure(
    kind="model_missing",
    message="There is no model on this machine yet.",
    hint="Fetch the one that fits: steward models pull",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


async def test_the_key_that_asks_again_works_where_the_cursor_stands(home: Home) -> None:
    async with opened(a_desk(home, ["One ", Hang()], "Two.")) as driver:
        await driver.write("Count")
        await driver.press("enter")
        await driver.until(lambda: "One" in driver.transcript_text())
        await driver.press("escape")
        await driver.until(lambda: "F6 asks again" in driver.transcript_text())
        await driver.press("f6")
        await driver.until(lambda: "Two." in driver.transcript_text())


async def test_without_a_model_the_terminal_names_its_key_not_a_command_of_the_shell(home: Home) -> None:
    async with opened(a_desk(home, [MISSING])) as driver:
        await driver.send("hello")
        assert "no model on this machine" in driver.alert()
        assert "F5 shows the models, and fetches one." in driver.alert()
        assert "steward models" not in driver.alert()
