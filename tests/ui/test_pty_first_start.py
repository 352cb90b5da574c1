"""The first start of a new home, in a terminal: a model is fetched, and the chat answers on true llama.cpp."""

from pathlib import Path

import pytest

from tests.support.terminal import Screen, in_terminal
from tests.support.tiny_model import write_tiny
from tests.support.wheels import index_of, sha256

ENTRY = """
[[model]]
name = "{name}"
title = "{title}"
licence = "MIT"
good_for = "tests"
quantisation = "F32"
parameters = 100_000
context = 2048
layers = 1
kv_heads = 1
head_dimension = 8
rank = {rank}
[[model.files]]
name = "{name}.gguf"
size = {size}
sha256 = "{sha256}"
[[model.files.sources]]
{source}
"""


@pytest.fixture
def model(tmp_path: Path) -> bytes:
    return write_tiny(tmp_path / "tiny.gguf", context=2048).read_bytes()


def add(home: Path, name: str, title: str, rank: int, content: bytes, source: str) -> None:
    folder = home / "config"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "models.toml").open("a", encoding="utf-8") as file:
        facts = {"size": len(content), "sha256": sha256(content), "source": source}
        file.write(ENTRY.format(name=name, title=title, rank=rank, **facts))


def on_the_index(folder: Path, content: bytes) -> str:
    folder.mkdir()
    parts = index_of(folder, content, 2).parts
    listed = ", ".join(f'{{ distribution = "{part.distribution}", member = "{part.member}" }}' for part in parts)
    return f'kind = "package_index"\nparts = [{listed}]'


def at_the_hub(name: str) -> str:
    return f'kind = "hub"\nrepository = "someone/none-GGUF"\nfile = "{name}.gguf"'


def chat_answers(screen: Screen) -> None:
    screen.until_text("waiting for you │ tiny-b · CPU")
    screen.send("hello\r")
    screen.until(lambda text: "waiting for you" in text and "tok/s" in text, "an answer and its speed")
    screen.send("\x11")
    assert screen.ended() == 0


def test_enter_fetches_the_recommended_model_and_the_chat_answers(tmp_path: Path, model: bytes) -> None:
    home, index = tmp_path / "home", tmp_path / "index"
    add(home, "tiny-b", "Tiny B", 999, model, on_the_index(index, model))
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    with in_terminal("-m", "ui", "--home", str(home), env=env) as screen:
        screen.until_text("Recommended: Tiny B")
        assert str(home / "data") in "".join(screen.text().split())  # a long path goes over several rows
        assert "Nothing you write leaves this machine" in screen.text()
        screen.send("\r")
        chat_answers(screen)
    assert (home / "data" / "models" / "tiny-b.gguf").read_bytes() == model
    assert 'name = "tiny-b"' in (home / "config" / "config.toml").read_text()


def test_without_the_hub_another_model_is_offered(tmp_path: Path, model: bytes) -> None:
    home, index = tmp_path / "home", tmp_path / "index"
    add(home, "tiny-a", "Tiny A", 999, b"x" * 1_000, at_the_hub("tiny-a"))
    add(home, "tiny-b", "Tiny B", 998, model, on_the_index(index, model))
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index), "HF_HUB_OFFLINE": "1"}
    with in_terminal("-m", "ui", "--home", str(home), env=env) as screen:
        screen.until_text("Recommended: Tiny A")
        screen.send("\r")
        screen.until_text("Tiny B can be fetched from the package index instead")
        screen.send("\r")
        chat_answers(screen)


def test_a_file_of_ones_own(tmp_path: Path, model: bytes) -> None:
    home, own = tmp_path / "home", tmp_path / "tiny-b"
    own.write_bytes(model)
    with in_terminal("-m", "ui", "--home", str(home)) as screen:
        screen.until_text("Recommended:")
        screen.until_text("A file (GGUF) or a server")
        screen.send("\x1b[B")
        screen.send("\r")
        screen.until_text("Path of a GGUF file")
        screen.send(f"{tmp_path}/none.gguf\r")
        screen.until_text("there is no file")
        screen.send("\x1b[15~")  # F5
        screen.until_text("Recommended:")
        screen.send("\x1b[B\r")
        screen.until_text("Path of a GGUF file")
        screen.send(f"{own}\r")
        chat_answers(screen)


def test_looking_around_first(tmp_path: Path) -> None:
    with in_terminal("-m", "ui", "--home", str(tmp_path / "home")) as screen:
        screen.until_text("Look around first")
        screen.send("\x1b[B\x1b[B\r")
        screen.until_text("waiting for you │ demo (scripted)")
        screen.send("hello\r")
        screen.until_text("a scripted demo")
        screen.send("\x11")
        assert screen.ended() == 0
