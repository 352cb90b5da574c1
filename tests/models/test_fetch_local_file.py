from pathlib import Path

import pytest

from models.errors import FetchError, ModelRefused
from models.fetch.local_file import check, copy_in
from models.fetch.types import Fetched, FetchEvent, FetchSettings, Stopped
from tests.support.gguf_bytes import LLAMA, gguf_bytes

SETTINGS = FetchSettings(disk_margin=0)


def ignore(event: FetchEvent) -> None:
    pass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mine.gguf"
    path.write_bytes(gguf_bytes())
    return path


def test_a_chat_model_is_taken(path: Path) -> None:
    assert check(path).name == "Tiny"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (gguf_bytes({**LLAMA, "split.count": 3}), "one of 3 pieces"),
        (gguf_bytes({"general.type": "adapter"}), "architecture"),
        (gguf_bytes({"general.architecture": "llama"}), "no chat template"),
        (b"not a model at all, but long enough to look at", "not a GGUF file"),
    ],
    ids=["split", "no_architecture", "no_template", "other"],
)
def test_what_cannot_be_chatted_with_is_refused(path: Path, raw: bytes, said: str) -> None:
    path.write_bytes(raw)
    with pytest.raises(ModelRefused) as caught:
        check(path)
    assert said in caught.value.failure.message
    assert caught.value.failure.hint


def test_copied_whole(path: Path, tmp_path: Path) -> None:
    events: list[FetchEvent] = []
    outcome = copy_in(path, tmp_path / "models", "mine.gguf", SETTINGS, watch=events.append, cancelled=lambda: False)
    assert isinstance(outcome, Fetched)
    assert (tmp_path / "models" / "mine.gguf").read_bytes() == path.read_bytes()
    assert [entry.name for entry in (tmp_path / "models").glob("*.partial")] == []
    assert events
    with pytest.raises(FetchError) as caught:
        copy_in(path, tmp_path / "models", "mine.gguf", SETTINGS, watch=ignore, cancelled=lambda: False)
    assert "already" in caught.value.message


def test_a_copy_that_is_stopped_leaves_nothing(path: Path, tmp_path: Path) -> None:
    outcome = copy_in(path, tmp_path / "models", "mine.gguf", SETTINGS, watch=ignore, cancelled=lambda: True)
    assert isinstance(outcome, Stopped)
    assert [entry.name for entry in (tmp_path / "models").iterdir()] == [".fetch"]


def test_no_room_for_a_copy(path: Path, tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        copy_in(
            path,
            tmp_path / "models",
            "mine.gguf",
            FetchSettings(disk_margin=1 << 62),
            watch=ignore,
            cancelled=lambda: False,
        )
    assert "does not fit" in caught.value.message
