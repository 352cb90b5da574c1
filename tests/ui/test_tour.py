"""`steward tour`: goes through to its end on any day, waits for Enter where somebody sits there, and keeps nothing."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.clock import FixedClock
from ui.cli import main
from ui.tour import TourReader, folded, run_tour
from ui.tour_steps import GOODBYE, STEPS
from ui.wiring import Options

SHOWS = (
    "A leap second is one second",
    "Saved: “I'm vegetarian”",
    "Remembered: I hate coriander",
    "This removes, for good:",
    "Reminder: call mum, ",
    "Done. Task: water the plants, ",
    "Taken back: Add the task: water the plants",
    "Decision 1: Send a mail (to: Ann, text: I am late)?",
    "Decision 1 is declined. Nothing was done.",
    "I would say",
    "data: ",
)


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


class Hand:
    """Whoever is asked to go on."""

    echoes = True

    def __init__(self, *answers: str | None) -> None:
        self.asked: list[str] = []
        self._answers = list(answers)

    async def read(self, prompt: str) -> str | None:
        self.asked.append(prompt)
        return self._answers.pop(0)


def test_the_command_shows_everything_and_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    home = tmp_path / "home"
    assert main(["--home", str(home), "tour"]) == 0
    said, wrong = capsys.readouterr()
    assert wrong == ""
    for shown in SHOWS:
        assert shown in said
    assert folded(GOODBYE) in said
    assert not home.exists()


@pytest.mark.parametrize("day", range(7))
@pytest.mark.parametrize("hour", [0, 9, 23])
async def test_it_goes_through_on_any_day(tmp_path: Path, day: int, hour: int) -> None:
    clock = FixedClock(datetime(2026, 3, 2, hour, 30, tzinfo=UTC) + timedelta(days=day))
    out = io.StringIO()
    assert await run_tour(Options(home_override=str(tmp_path)), stdin=io.StringIO(), out=out, clock=clock) == 0
    said = out.getvalue()
    assert "error:" not in said
    assert "nothing chosen" not in said
    assert "not in it" not in said  # the script has an answer to everything it is asked
    for shown in SHOWS:
        assert shown in said
    assert "renew my passport" in said.partition("I would say")[2]


async def typed(reader: TourReader) -> list[str]:
    lines = []
    while (line := await reader.read("you: ")) is not None:
        lines.append(line)
    return lines


async def test_enter_goes_on_and_q_ends() -> None:
    hand = Hand("", "q")
    lines = await typed(TourReader(io.StringIO(), hand))
    assert lines == [*STEPS[0].types, *STEPS[1].types]
    assert hand.asked == ["Enter goes on, q ends: "] * 2


async def test_the_end_of_input_ends_it() -> None:
    assert await typed(TourReader(io.StringIO(), Hand(None))) == list(STEPS[0].types)


async def test_nobody_is_asked_over_a_pipe() -> None:
    out = io.StringIO()
    assert await typed(TourReader(out, None)) == [line for step in STEPS for line in step.types]
    assert "Enter goes on" not in out.getvalue()


def test_every_line_fits_80_columns() -> None:
    for step in STEPS:
        assert all(len(line) <= 78 for line in folded(step.says).split("\n"))
