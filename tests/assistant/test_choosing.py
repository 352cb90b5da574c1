"""Options that a tool found: picked where words or memory settle it, else the difference becomes a question."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.choosing import YOURS, Chooser
from assistant.errors import ToolError
from assistant.reports import Found, Waits
from assistant.tools.files_compare import FilesCompare
from assistant.tools.files_read import FilesReadArguments
from assistant.tools.types import CallContext, EffectKey, Outcome
from memory.decisions_in_memory import InMemoryDecisions
from tests.support.builders import a_message
from tests.support.clock import MONDAY, FixedClock

FLIGHTS = """flight,price,duration,stops,departure
LH 101,EUR 120,2h 10m,0,07:10
BA 202,EUR 90,2h 35m,0,09:45
AF 303,EUR 90,2h 05m,1,18:20
KL 404,EUR 150,1h 55m,0,13:00
"""
CONTEXT = CallContext(now=MONDAY, zone="UTC")


async def settled(text: str, said: str = "", outcome: Outcome | None = None) -> object:
    asked: list[str] = []

    async def remembered(query: str) -> Sequence[str]:
        asked.append(query)
        return (said,) if said and "stopovers" in query else ()  # found by what the options are about

    chooser = Chooser(InMemoryDecisions(), FixedClock(), remembered)
    found = Found(tool="files.compare", outcome=outcome or Outcome(text=FLIGHTS, untrusted=True))
    return await chooser.settle(found, a_message(1, text))


async def test_a_tie_becomes_a_question_that_names_the_difference() -> None:
    report = await settled("Pick the cheapest flight")
    assert isinstance(report, Waits)
    asked = report.decision.asked
    assert asked.kind == "choose"
    assert "equal on price" in asked.question
    assert "differ in stops, duration and departure." in asked.question
    assert {option.label for option in asked.options} == {"BA 202", "AF 303"}
    assert [one.name for one in asked.options[0].attributes] == ["price", "duration", "stops", "departure"]


async def test_what_the_user_once_said_settles_it_and_is_told() -> None:
    report = await settled("Pick the cheapest flight", "I hate stopovers")
    assert isinstance(report, Found)
    assert report.outcome.text.startswith("BA 202: price EUR 90")
    assert "you once said “I hate stopovers”" in report.outcome.text
    assert "- AF 303" in report.outcome.text
    assert report.outcome.final


async def test_a_pick_that_was_also_to_be_booked_says_that_nothing_was() -> None:
    booked = await settled("Pick the cheapest flight and book it", "I hate stopovers")
    picked = await settled("Pick the cheapest flight", "I hate stopovers")
    assert isinstance(booked, Found)
    assert isinstance(picked, Found)
    assert booked.outcome.text == f"{picked.outcome.text}\n{YOURS}"


@pytest.mark.parametrize("text", ["Read the file", "Where do these planes go to?"])
async def test_nothing_is_chosen_unasked(text: str) -> None:
    report = await settled(text)
    assert isinstance(report, Found)
    assert report.outcome.text == FLIGHTS


async def test_one_option_and_no_table_are_left_to_the_answer() -> None:
    for text in ("There is nothing today.", FLIGHTS.splitlines()[0] + "\nLH 101,EUR 120,2h 10m,0,07:10\n"):
        report = await settled("Pick the cheapest", outcome=Outcome(text=text))
        assert isinstance(report, Found)
        assert not report.outcome.final


async def test_a_file_is_compared_within_the_allowed_folders(tmp_path: Path) -> None:
    (tmp_path / "flights.csv").write_text(FLIGHTS, encoding="utf-8")
    (tmp_path / "poem.txt").write_text("Roses are red.", encoding="utf-8")
    tool = FilesCompare((str(tmp_path),))
    reading = tool.read(f"Pick the cheapest flight in {tmp_path}/flights.csv", CONTEXT)
    assert reading is not None
    assert reading.arguments is not None
    outcome = await tool.run(reading.arguments, EffectKey("message-1"), CONTEXT)
    assert [choice.label for choice in outcome.choices] == ["LH 101", "BA 202", "AF 303", "KL 404"]
    assert tool.read("Pick the cheapest flight", CONTEXT) is None
    assert tool.read(f"Read {tmp_path}/flights.csv", CONTEXT) is None
    poem = replace(reading, arguments=FilesReadArguments(path=str(tmp_path / "poem.txt"))).arguments
    assert poem is not None
    for arguments in (poem, FilesReadArguments(path="/etc/passwd")):
        with pytest.raises(ToolError):
            await tool.run(arguments, EffectKey("message-1"), CONTEXT)
