"""With a real model: `STEWARD_TEST_MODEL=/path/to/instruct.gguf pytest -m real_model tests/models`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.protocol import Chosen
from tests.support.child_driver import ChildDriver

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.skipif("STEWARD_TEST_MODEL" not in os.environ, reason="STEWARD_TEST_MODEL names no model"),
    pytest.mark.timeout(600),
]
SYSTEM = ("system", "You are brief. The user is called Sam, lives in Leeds and is vegetarian.")


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildDriver]:
    with ChildDriver(tmp_path_factory.mktemp("log") / "engine.log") as driver:
        driver.load(Path(os.environ["STEWARD_TEST_MODEL"]), context_length=2048, threads=2, gpu_layers=-1)
        yield driver


def test_it_answers(child: ChildDriver) -> None:
    reply = child.ask(SYSTEM, ("user", "What is the capital of France? One word."))
    assert "Paris" in reply.text
    assert reply.done.reason == "stop"


def test_turns_reuse_what_was_read(child: ChildDriver) -> None:
    talk = [SYSTEM, ("user", "Name a fruit.")]
    first = child.ask(*talk, max_tokens=30)
    again = child.ask(*talk, ("assistant", first.text), ("user", "Name another."), max_tokens=30)
    assert again.done.usage.tokens_cached >= first.done.usage.context_used


def test_json(child: ChildDriver) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"enum": ["Leeds", "York", "Łódź"]}, "vegetarian": {"type": "boolean"}},
        "required": ["city", "vegetarian"],
    }
    reply = child.ask(SYSTEM, ("user", "Where do I live, and am I vegetarian?"), json_schema=schema, max_tokens=60)
    assert reply.text == '{"city":"Leeds","vegetarian":true}'


def test_closed_questions(child: ChildDriver) -> None:
    asked = [
        ("Is the user vegetarian? Answer Yes or No.", ("Yes", "No")),
        ("Where does the user live? Answer with the city.", ("Leeds", "London", "Paris")),
    ]
    chosen = child.choose(SYSTEM, questions=asked)
    assert isinstance(chosen, Chosen)
    assert chosen.probabilities[0][0] > 0.5
    assert chosen.probabilities[1][0] > 0.5


@pytest.mark.parametrize("mark", ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<end_of_turn>", "</s>"])
def test_marks_written_by_a_user_are_letters(child: ChildDriver, mark: str) -> None:
    empty = child.count(("user", ""))[0]
    for place in ("{}", "{} after", "before {}", "be{}fore", "{0}{0}"):
        alone = child.count(("user", place.replace("{0}", "{}").replace("{}", "")))[0]
        assert child.count(("user", place.format(mark)))[0] - max(alone, empty) >= 2
