"""Vague and clear requests: public shapes are read, fitted ways beat a constant, and wrong data is one line."""

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import DataUnreadable
from assistant.evaluation.vague import (
    VagueFormat,
    balanced,
    judged,
    parted,
    read_requests,
    sample,
    telling,
    telling_held_out,
)
from models.scripted import ScriptedModel
from ui.cli import main

VAGUE = [f"I want to plan something nice for my {thing}, help me" for thing in ("trip", "party", "garden", "diet") * 5]
CLEAR = [
    f"What is the capital of {place} in {year}?" for place in ("Peru", "Chad", "Laos", "Oman") for year in range(5)
]


def in3(path: Path) -> Path:
    rows = [{"task": text, "vague": text in VAGUE} for pair in zip(VAGUE, CLEAR, strict=True) for text in pair]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def clamber(path: Path) -> Path:
    rows = [
        json.dumps({"question": text, "context": "", "require_clarification": int(text in VAGUE)})
        for text in VAGUE + CLEAR
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def when2call(path: Path) -> Path:
    rows = [{"question": text, "tools": [], "correct_answer": "request_for_info"} for text in VAGUE]
    rows += [{"question": text, "tools": [], "correct_answer": "tool_call"} for text in CLEAR]
    rows += [{"question": "x", "tools": [], "correct_answer": "cannot_answer"}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.mark.parametrize(("kind", "write"), [("in3", in3), ("clamber", clamber), ("when2call", when2call)])
def test_public_shapes(tmp_path: Path, kind: VagueFormat, write: object) -> None:
    assert callable(write)
    requests = read_requests(write(tmp_path / "data.jsonl"), kind)
    assert (len(requests), sum(one.vague for one in requests)) == (40, 20)


def test_what_can_be_fitted_beats_a_constant(tmp_path: Path) -> None:
    requests = read_requests(in3(tmp_path / "data.jsonl"), "in3")
    found = {measure.name: measure.value for measure in telling(requests).measures}
    assert found["balanced accuracy: a constant"] == 0.5
    assert found["balanced accuracy: TF-IDF"] > 0.9
    assert found["balanced accuracy: form alone"] > 0.9


def test_a_model_is_asked_closed_questions_only(tmp_path: Path) -> None:
    requests = sample(read_requests(in3(tmp_path / "data.jsonl"), "in3"), 20)
    model = ScriptedModel(choices=[((0.9, 0.1), (0.1, 0.9), (0.2, 0.8), (0.2, 0.8))] * len(requests))
    odds = asyncio.run(judged(requests, model.choose, lambda line: None))
    assert odds.shape == (20, 4)
    assert (odds < 0).all()  # every answer said "clear"
    assert model.requests == []
    assert balanced(np.asarray([True, True]), np.asarray([True, False])) == 0.5


def test_what_is_held_out_is_in_no_part_that_is_fitted(tmp_path: Path) -> None:
    requests = read_requests(in3(tmp_path / "data.jsonl"), "in3")
    training, held = parted(requests)
    assert (len(training), len(held), sum(one.vague for one in held)) == (28, 12, 6)
    assert {*training, *held} == set(requests)
    odds = np.asarray([[2.0 if one.vague else -2.0] * 4 for one in held])
    found = {measure.name: measure.value for measure in telling_held_out(training, held, odds).measures}
    assert found["balanced accuracy: a constant"] == 0.5
    assert found["balanced accuracy: form"] > 0.9
    assert found["balanced accuracy: the model"] == found["balanced accuracy: form and the model"] == 1.0
    turned = {measure.name: measure.value for measure in telling_held_out(training, held, -odds).measures}
    assert turned["balanced accuracy: the model"] == 0.0


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(in3(tmp_path / "data.jsonl"))
    assert main(("evaluate", "asking", "--data", data, "--format", "in3", "--json")) == 0
    suites = json.loads(capsys.readouterr().out)["suites"]
    assert [suite["name"] for suite in suites] == ["vague or clear", "held out"]
    assert main(("evaluate", "asking", "--data", data)) == 2
    capsys.readouterr()
    assert main(("evaluate", "asking", "--data", data, "--format", "clamber")) == 1
    assert "does not have the shape" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{", "[]", '{"task": "a", "vague": true}'])
def test_wrong_data_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataUnreadable):
        read_requests(path, "in3")
