"""Public benchmarks from small files of our own in their shapes, and files that are something else."""

import json
from pathlib import Path

import pytest

from assistant.errors import DataUnreadable
from assistant.evaluation.merging import updating
from assistant.evaluation.reading import read_locomo, read_memorycode, read_prefeval, read_profiles
from assistant.evaluation.retrieving import searching

LOCOMO = [
    {
        "qa": [
            {"question": "What did Ida buy?", "answer": "a boat", "evidence": ["D1:2"], "category": 1},
            {"question": "Where is it moored?", "answer": "Lagos", "evidence": ["D2:1; D1:2"], "category": 2},
            {"question": "Does she sail?", "answer": "no", "evidence": [], "category": 5},
        ],
        "conversation": {
            "speaker_a": "Ida",
            "speaker_b": "Jo",
            "session_1_date_time": "1:00 pm on 1 May, 2023",
            "session_1": [
                {"speaker": "Jo", "dia_id": "D1:1", "text": "How was your week?"},
                {"speaker": "Ida", "dia_id": "D1:2", "text": "I bought a boat!", "blip_caption": "a red boat"},
            ],
            "session_2": [{"speaker": "Ida", "dia_id": "D2:1", "text": "The boat is moored in Lagos now."}],
        },
    }
]
DIALOGUE = {
    "sessions": [
        {"topic": ["start functions with f_"], "history_regex": [["function", "^f_.*"]], "text": "..."},
        {"topic": ["start functions with g_"], "history_regex": [["function", "^g_.*"]], "text": "..."},
        {"topic": ["a filler"], "history_regex": [["function", "^g_.*"]], "text": "..."},
    ]
}


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_locomo(tmp_path: Path) -> None:
    write(tmp_path / "locomo10.json", LOCOMO)
    (talk,) = read_locomo(tmp_path)
    assert [turn.id for turn in talk.turns] == ["D1:1", "D1:2", "D2:1"]
    assert talk.turns[1].text == "Ida: I bought a boat! [a red boat]"
    assert [asked.evidence for asked in talk.asked] == [{"D1:2"}, {"D2:1", "D1:2"}]
    found = {measure.name: measure.value for measure in searching([talk], None).measures}
    assert found["turn any@10"] == found["session any@10"] == 1.0


def test_prefeval(tmp_path: Path) -> None:
    item = {"preference": "I avoid gluten", "question": "Where shall I eat?", "explanation": "..."}
    write(tmp_path / "travel_restaurant.json", [item])
    write(tmp_path / "something_new.json", [item | {"preference": "I like quiet"}])
    cases = read_prefeval(tmp_path)
    assert {(one.domain, one.preference) for one in cases} == {("food", "I avoid gluten"), ("other", "I like quiet")}


@pytest.mark.parametrize("key", ["history_regex", "cumulative_regex"])
def test_memorycode(tmp_path: Path, key: str) -> None:
    sessions = [{key: session["history_regex"], "type": [], "topic": []} for session in DIALOGUE["sessions"]]
    write(tmp_path / "dialogue_1.json", {"sessions": sessions})
    (chain,) = read_memorycode(tmp_path)
    assert [step.say for step in chain.steps] == ["holds", "over", "holds"]
    assert updating([chain]).measures[0].value == 1.0


def test_profiles(tmp_path: Path) -> None:
    write(tmp_path / "user_profiles.json", [{"i": 0, "persona": "A baker", "preferences": ["short", "blunt"]}])
    (profile,) = read_profiles(tmp_path)
    assert (profile.persona, profile.preferences) == ("A baker", ("short", "blunt"))


@pytest.mark.parametrize("read", [read_locomo, read_prefeval, read_memorycode, read_profiles])
@pytest.mark.parametrize("value", ['{"a": 1}', "not json", "[1, 2]", '{"sessions": 3}', ""])
def test_another_file_is_refused_in_one_line(tmp_path: Path, read: object, value: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(value, encoding="utf-8")
    assert callable(read)
    with pytest.raises(DataUnreadable) as caught:
        read(path)
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_a_missing_file_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(DataUnreadable):
        read_locomo(tmp_path / "none.json")
    with pytest.raises(DataUnreadable):
        read_memorycode(tmp_path)
