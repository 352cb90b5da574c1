"""The child as a process: its frames, its end, and what it refuses to load."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from models.launching import environment_of
from models.protocol import (
    VERSION,
    Alive,
    Bye,
    CancelFrame,
    Done,
    Failed,
    Generate,
    Hello,
    Load,
    Loaded,
    LoadProgress,
    Reading,
    encode,
)
from tests.support.child_driver import ChildDriver, messages, sampling
from tests.support.tiny_model import CHATML_TOKENS, write_chain, write_recurrent, write_tiny

LOOP = ("<0x0A>", "a", "b", "c")  # says abcabcabc... for ever


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Path:
    return write_tiny(folder / "tiny.gguf")


@pytest.fixture
def child(tmp_path: Path) -> Iterator[ChildDriver]:
    with ChildDriver(tmp_path / "engine.log") as driver:
        yield driver


def test_hello_progress_loaded(child: ChildDriver, tiny: Path) -> None:
    child.send_line(encode(load_frame(tiny)))
    hello, *progress, loaded = child.until(Loaded, Failed).frames
    assert isinstance(hello, Hello)
    assert (hello.version, hello.pid) == (VERSION, child.process.pid)
    assert hello.engine.startswith("llama-cpp-python ")
    assert all(isinstance(frame, LoadProgress) for frame in progress)
    steps = [frame.done for frame in progress]
    assert steps == sorted(steps)
    assert steps[-1] == progress[-1].total == tiny.stat().st_size
    assert isinstance(loaded, Loaded)
    assert (loaded.name, loaded.context_length, loaded.threads) == ("tiny-random", 512, 1)
    assert (loaded.backend, loaded.layers_on_gpu) == ("CPU", 0)
    assert "=" in loaded.system_info


def load_frame(path: Path, **changes: Any) -> Load:
    return Load.model_validate({"path": str(path), "context_length": 0, "threads": 1, "gpu_layers": -1} | changes)


def test_alive_comes_by_itself_and_counts_work(child: ChildDriver, tiny: Path) -> None:
    beats = (frame for frame in child.frames(alive=True) if isinstance(frame, Alive))
    first = next(beats)
    assert not first.busy
    child.send_line(encode(load_frame(tiny)))
    assert next(beat.work for beat in beats if beat.work > first.work)


def test_end_of_input_is_the_end(child: ChildDriver, tiny: Path) -> None:
    child.load(tiny)
    assert child.process.stdin
    child.process.stdin.close()
    assert child.process.wait(timeout=60) == 0


def test_bye_is_the_end_even_while_it_speaks(child: ChildDriver, folder: Path) -> None:
    child.load(write_chain(folder / "loop.gguf", LOOP, then={"c": "a"}))
    child.start(("user", "go"), max_tokens=4_000)
    child.until(Reading)
    child.send(Bye())
    assert child.process.wait(timeout=60) == 0


def test_nobody_reads_is_the_end(child: ChildDriver, tiny: Path) -> None:
    """The pipe to the parent breaks."""
    process = subprocess.Popen(
        (sys.executable, "-P", "-m", "models.child"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment_of(os.environ),
    )
    with process:
        assert process.stdout
        process.stdout.close()
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux")
def test_it_dies_with_its_parent(folder: Path) -> None:
    """Also when the pipes stay open in somebody else's hands."""
    script = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-P', '-m', 'models.child'], stdout=subprocess.PIPE)\n"
        "p.stdout.readline()\n"
        "print(p.pid, flush=True)\n"
        "sys.stdin.readline()\n"
    )
    held, kept = os.pipe()
    parent = subprocess.Popen(
        (sys.executable, "-c", script),
        stdin=held,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment_of(os.environ),
    )
    with parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        wait_until_gone(child)
    os.close(held)
    os.close(kept)


def wait_until_gone(pid: int) -> None:
    """A killed process of somebody else may stay as a zombie: that is gone as well."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (FileNotFoundError, ProcessLookupError):
            return
    raise AssertionError(f"{pid} lives on")


def test_ctrl_c_of_the_terminal_is_not_for_it(child: ChildDriver, tiny: Path) -> None:
    child.load(tiny)
    child.process.send_signal(signal.SIGINT)
    assert child.ask(("user", "still there?")).done.reason in ("stop", "length")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux")
def test_no_core_is_ever_dumped(child: ChildDriver) -> None:
    child.until(Hello)
    limits = Path(f"/proc/{child.process.pid}/limits").read_text().splitlines()
    core = next(line for line in limits if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]


def test_a_line_that_is_no_frame_is_reported_and_skipped(child: ChildDriver, tiny: Path) -> None:
    child.send_line(b"\xff{garbage\n")
    failed = child.until(Failed).failed
    assert (failed.id, failed.kind) == (None, "bug")
    child.load(tiny)


def test_nothing_is_loaded_yet(child: ChildDriver) -> None:
    failed = child.ask(("user", "hi")).failed
    assert failed.kind == "model_missing"


def test_a_cancel_takes_a_waiting_request_out_at_once(child: ChildDriver, folder: Path) -> None:
    child.load(write_chain(folder / "letters.gguf", ("<0x0A>", *"abcdefghij"), then={"j": "a"}))
    wanted = {1: 100, 2: 2, 3: 2}  # tokens
    asked = [
        Generate(id=number, messages=messages(("user", "x")), sampling=sampling(max_tokens=tokens))
        for number, tokens in wanted.items()
    ]
    child.send(*asked, CancelFrame(id=2), CancelFrame(id=99))  # 99 is unknown: nothing happens
    ends = [child.until(Done, Failed).done for _ in range(3)]
    assert {end.id: end.reason for end in ends} == {1: "length", 2: "cancelled", 3: "length"}


def test_another_model_can_follow(child: ChildDriver, tiny: Path, folder: Path) -> None:
    child.load(tiny)
    child.load(write_recurrent(folder / "mamba.gguf"))
    assert child.ask(("user", "hi")).done.usage.tokens_out


@pytest.mark.parametrize("length", [200, 5_000])
def test_context_length(child: ChildDriver, tiny: Path, length: int) -> None:
    loaded = child.load(tiny, context_length=length)
    assert loaded.context_length == (256 if length == 200 else 512)  # llama.cpp rounds up to 256
    assert bool(loaded.notes) == (length > 512)


# --- refusals: what is wrong, and what to do


@pytest.fixture(scope="module")
def spare(folder: Path) -> Iterator[ChildDriver]:
    """Refuses one file after another and lives on."""
    with ChildDriver(folder / "engine.log") as driver:
        yield driver


def refused(child: ChildDriver, path: Path) -> Failed:
    answer = child.try_load(path)
    assert isinstance(answer, Failed), answer
    assert answer.id is None
    assert answer.hint
    return answer


def test_a_missing_file(spare: ChildDriver, tmp_path: Path) -> None:
    failed = refused(spare, tmp_path / "none.gguf")
    assert failed.kind == "model_missing"
    assert "none.gguf" in failed.message


@pytest.mark.parametrize("damage", ["text", "short", "header", "empty"])
def test_a_damaged_file(spare: ChildDriver, tiny: Path, tmp_path: Path, damage: str) -> None:
    good = tiny.read_bytes()
    bad = {
        "text": b"<html>404</html>",
        "short": good[: len(good) // 2],
        "header": good[:200] + b"\xff" * 200 + good[400:],
        "empty": b"",
    }[damage]
    path = tmp_path / "bad.gguf"
    path.write_bytes(bad)
    failed = refused(spare, path)
    assert failed.kind == "model_refused"
    assert failed.message.startswith("bad.gguf ")
    spare.load(tiny)  # and it is not broken by that


def test_an_unknown_architecture_is_named(spare: ChildDriver, tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "new.gguf", architecture="gpt5000")
    failed = refused(spare, path)
    assert failed.kind == "model_refused"
    assert "'gpt5000'" in failed.message
    assert "Update llama-cpp-python" in failed.hint


def test_no_template_and_an_unknown_family(spare: ChildDriver, tmp_path: Path) -> None:
    failed = refused(spare, write_tiny(tmp_path / "base.gguf", template=None))
    assert failed.kind == "model_refused"
    assert "no chat template" in failed.message
    assert "instruct" in failed.hint


def test_no_template_but_a_vocabulary_we_know(spare: ChildDriver, tmp_path: Path) -> None:
    loaded = spare.load(write_tiny(tmp_path / "x.gguf", template=None, controls=CHATML_TOKENS))
    assert "chatml" in loaded.notes[0]


def test_what_c_code_prints_goes_to_the_log(tmp_path: Path, tiny: Path) -> None:
    log = tmp_path / "engine.log"
    with ChildDriver(log) as child:
        refused(child, write_tiny(tmp_path / "new.gguf", architecture="gpt5000"))
        child.load(tiny)
    assert "gpt5000" in log.read_text()


def test_an_engine_that_cannot_be_loaded_is_reported(tmp_path: Path, tiny: Path) -> None:
    broken = tmp_path / "llama_cpp"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise RuntimeError('libllama.so: undefined symbol')")
    path = os.pathsep.join((str(tmp_path), environment_of(os.environ).get("PYTHONPATH", "")))
    with ChildDriver(tmp_path / "engine.log", {"PYTHONPATH": path}) as child:
        failed = refused(child, tiny)
        assert failed.kind == "model_refused"
        assert "undefined symbol" in failed.message
        assert child.process.wait(timeout=60) == 1


@pytest.mark.parametrize("spins", ["1000", "0"])
def test_it_works_with_the_parents_spin_count(tmp_path: Path, tiny: Path, spins: str) -> None:
    with ChildDriver(tmp_path / "engine.log", {"GOMP_SPINCOUNT": spins}) as child:
        child.load(tiny, threads=2)
        assert child.ask(("user", "hi")).done.usage.tokens_out
