"""What misled a newcomer in the first hour: the next step that is said can be taken where it is said."""

from pathlib import Path

import pytest

from memory.data_dir import Home
from models.choice import Choice
from models.errors import ModelMissing, SourceUnavailable
from models.scripted import Hang, ScriptedModel
from models.types import Absent, Failure
from tests.support.decisions import a_mail
from tests.support.pilot import a_desk, a_home, opened
from tests.ui.test_decision_card import waits
from ui.pulling import chosen_entry
from ui.screens.dialog import OneLine
from ui.shelf import Shelf
from ui.widgets.decision_card import DecisionCard

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


async def test_a_question_without_options_takes_words_at_once(home: Home) -> None:
    """Letters typed on its card were keys, and "n" of "next Friday" said that the question was not needed."""
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("put the dentist in my calendar")
        await driver.press("f11")
        await driver.until(lambda: isinstance(driver.app.screen, OneLine))
        await driver.press(*"banana")
        await driver.press("enter")
        await driver.until(lambda: any("No time could be read in “banana”" in one for one in driver.notices()))
        (waiting,) = await driver.app.desk.services.decisions.decisions()
        assert waiting.asked.question == "No time could be read in “banana”. When is the dentist?"


@pytest.mark.parametrize("key", ["enter", "9"])
async def test_a_key_that_has_nothing_to_act_on_says_what_is_missing(home: Home, key: str) -> None:
    async with opened(a_desk(home)) as driver:
        await waits(driver, a_mail(), focus=True)
        await driver.press(key)
        await driver.until(lambda: any("1-2 marks one, then Enter answers." in one for one in driver.notices()))
        assert isinstance(driver.app.focused, DecisionCard)
        assert driver.app.focused.marked == ""


async def test_a_wrong_path_of_a_model_leads_back_to_the_models_by_their_key(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        driver.app.exchange_model("/nowhere/model.gguf")
        await driver.until(lambda: "there is no file /nowhere/model.gguf" in driver.alert())
        assert "Check the path, or see F5." in driver.alert()


def _unreachable(*_: object, **__: object) -> object:
    raise SourceUnavailable("the package index cannot be reached", "Check the network.")


async def test_in_a_low_terminal_without_a_network_the_choice_and_the_trouble_are_in_sight(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says above the list had pushed both below the edge: Enter seemed to do nothing."""
    monkeypatch.setattr("models.fetch.pull.pull", _unreachable)
    model = ScriptedModel()
    model.become(Absent(failure=MISSING))
    async with opened(a_desk(home, model=model), (60, 16)) as driver:
        await driver.until(lambda: "Look around first" in driver.screen_text())
        assert "Recommended:" in driver.screen_text()
        await driver.press("enter")
        await driver.until(lambda: "the package index cannot be reached" in driver.screen_text())
        await driver.until(lambda: "a GGUF file of yours" in driver.screen_text())
        assert "A file (GGUF)" in driver.screen_text()


async def test_where_no_model_fits_the_reason_and_the_way_out_are_said(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = "not even the smallest, Tiny, fits: it needs 0.6 GB on disk, 0.3 GB are free"
    monkeypatch.setattr("ui.screens.models.look", lambda home, settings: Shelf(offered=(), reason=short))
    model = ScriptedModel()
    model.become(Absent(failure=MISSING))
    async with opened(a_desk(home, model=model), (80, 24)) as driver:
        await driver.until(lambda: "No model can be fetched: not even the smallest" in driver.screen_text())
        assert "The first two of the list need none." in " ".join(driver.screen_text().split())


def test_a_full_disk_is_not_called_a_lack_of_memory() -> None:
    reason = "not even the smallest, Tiny, fits: it needs 0.6 GB on disk, 0.3 GB are free"
    with pytest.raises(ModelMissing) as caught:
        chosen_entry(Choice(entry=None, fit=None, reason=reason))
    assert caught.value.failure.hint.startswith("Make room on the disk")
