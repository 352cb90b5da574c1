"""`steward evaluate memory`: the table, the JSON, data of the user's, and simulated users on a scripted model."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from assistant.deps import Prompts
from assistant.settings import AssistantSettings
from models.scripted import ScriptedModel
from models.settings import ModelSettings
from models.types import GenerationRequest
from tests.assistant.evaluation.test_reading import DIALOGUE, LOCOMO, write
from tests.support.clock import FixedClock
from tests.support.command_line import Run
from tests.support.pilot import a_home
from ui.configuration import Configuration, UiSettings
from ui.evaluating import Evaluation, Living
from ui.wiring import Options, Services, find_embedder, in_memory


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "evaluate")


def test_our_own_cases_as_json(run: Run, own_home: Path) -> None:
    code, out, err = run("memory", "--json")
    assert (code, err) == (0, "")
    suites = {suite["name"]: suite for suite in json.loads(out)["suites"]}
    measures = {measure["name"]: measure for measure in suites["recognising"]["measures"]}
    assert measures["stored rightly"]["value"] >= 0.95
    assert measures["stored wrongly"]["value"] == 0
    assert suites["pairs"]["passed"]
    assert suites["updates"]["passed"]
    assert suites["which applies, words alone"]["measures"][0]["of"] > 100
    assert not own_home.exists()


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [("locomo", LOCOMO, "session any@10"), ("memorycode", DIALOGUE, "exact sets")],
)
def test_data_of_the_user(run: Run, tmp_path: Path, kind: str, value: object, words: str) -> None:
    code, out, err = run("memory", "--data", str(write(tmp_path / "data.json", value)), "--format", kind, "--misses")
    assert code == 0
    assert words in out
    assert "steward models pull all-minilm-l6-v2" in err


def test_preferences_of_the_user(run: Run, tmp_path: Path) -> None:
    items = [{"preference": f"I avoid thing{n}", "question": f"Where is thing{n}?"} for n in range(120)]
    code, out, _ = run(
        "memory", "--data", str(write(tmp_path / "lifestyle_dietary.json", items)), "--format", "prefeval", "--json"
    )
    assert code == 0
    found = {measure["name"]: measure for measure in json.loads(out)["suites"][0]["measures"]}
    assert found["any@5, 100 stored"]["of"] == 400


def test_wrong_use_and_wrong_data_are_one_line(run: Run, tmp_path: Path) -> None:
    assert run("memory", "--data", str(tmp_path))[0] == 2
    assert run("memory", "--format", "locomo")[0] == 2
    code, out, err = run("memory", "--data", str(write(tmp_path / "x.json", {"a": 1})), "--format", "locomo")
    assert (code, out) == (1, "")
    assert "does not have the shape of this benchmark" in err


def obedient(request: GenerationRequest) -> str:
    """Does what any message before it asked for; without a wish it chatters."""
    told = " ".join(message.content.lower() for message in request.messages)
    opening = "" if "pleasantries" in told or "no greeting" in told else "Great question!\n"
    answer = "- Use salt.\n- Wait an hour." if "bullet" in told else "Use salt. Wait an hour."
    return f"{opening}{answer}\nTL;DR: salt" if "tl;dr" in told else f"{opening}{answer}"


async def test_a_user_who_comes_back_repeats_less_with_memory(tmp_path: Path) -> None:
    home = await asyncio.to_thread(a_home, tmp_path)
    model = ScriptedModel(otherwise=obedient)
    services = Services(
        options=Options(),
        home=home,
        configuration=Configuration(model=ModelSettings(), assistant=AssistantSettings(), ui=UiSettings()),
        transcript=in_memory(),
        clock=FixedClock(),
        prompts=Prompts(system="You are Steward."),
    )
    evaluation = await Evaluation.prepared(find_embedder(home))
    told: list[str] = []
    suite = await evaluation.lives(services, model, Living(users=1, sessions=5, questions=2), None, told.append)
    found = {measure.name: measure.value for measure in suite.measures}
    assert found["corrections in session 1, memory"] == 3
    assert found["corrections in sessions 4 on, no memory"] == 3
    assert found["corrections in sessions 4 on, memory"] < 3
    assert found["more than without memory"] == 0
    assert told == ["user 1 of 1, memory: " + told[0].rpartition(": ")[2], "user 1 of 1, no memory: 3 3 3 3 3"]
