"""WorkerModel over a child: the contract with llama.cpp and a tiny model and with a scripted child, restarts,
priorities, counting, kernels that crash, and the way out."""

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from models.crash_memory import CrashMemory, crash_memory_here
from models.errors import Cancelled, ContextFull, ModelError, ModelMissing, ModelRefused, WorkerDied
from models.launching import Engine, engine_of, environment_of, load_frame
from models.settings import ModelSettings
from models.supervision import Limits
from models.types import Cancel, Delta, GivenUp, Loading, ModelStatus, Progress, Ready, Restarting
from models.worker import WorkerModel
from tests.models.contract import (
    CHOICE,
    SHORT,
    ChatModelContract,
    asking,
    end_of,
    everything,
    said,
    stream,
    text_of,
    until_text,
)
from tests.support.fake_child import FaultyChild, Life
from tests.support.tiny_model import write_tiny
from tests.support.waiting import eventually

HOLDING = Life(hold="token 5")


@pytest.fixture(autouse=True)
def nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """An error in a task that nobody awaits is only logged."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


def engine_at(folder: Path, *lives: Life) -> tuple[Engine, FaultyChild]:
    model = folder / "model.gguf"
    model.write_bytes(b"not read by the fake child")
    child = FaultyChild(folder=folder, lives=lives)
    engine = Engine(
        path=model,
        name="fake",
        log=folder / "state" / "engine.log",
        crashes=folder / "state" / "crashes.json",
        command=child.command,
    )
    return engine, child


@asynccontextmanager
async def running(engine: Engine, limits: Limits | None = None) -> AsyncIterator[WorkerModel]:
    model = WorkerModel(engine, limits)
    try:
        yield model
    finally:
        await model.close()


def first_bytes_of(whole: Path, size: int, target: Path) -> Path:
    target.write_bytes(whole.read_bytes()[:size])
    return target


def is_alive(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z"


class TestContractWithAScriptedChild(ChatModelContract):
    @pytest.fixture
    async def model(self, tmp_path: Path) -> AsyncIterator[WorkerModel]:
        engine, _ = engine_at(tmp_path, HOLDING, HOLDING, HOLDING)
        async with running(engine) as model:
            yield model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny.gguf", context=4_096)


class TestContractWithLlama(ChatModelContract):
    @pytest.fixture
    async def model(self, tiny: Path, tmp_path: Path) -> AsyncIterator[WorkerModel]:
        settings = ModelSettings(threads=1, gpu_layers=0, context_length=4_096)
        engine = engine_of(settings, tiny, "tiny", state=tmp_path / "state", cache=tmp_path / "cache")
        async with running(engine) as model:
            yield model


async def test_nothing_runs_before_it_is_wanted(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    model = WorkerModel(engine)
    assert model.status == Loading(name="fake")
    await model.close()
    assert child.journal() == []
    assert not engine.log.exists()


async def test_a_request_starts_the_child_and_says_that_it_loads(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(engine) as model:
        events = await everything(model, SHORT)
        assert events[0] == Progress(stage="loading", done=0, total=0)
        assert text_of(events) == "short: say hello short: "
        assert len(child.pids()) == 1


async def test_every_change_of_status_is_told(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path, Life(fault="KILL", at="load"))
    seen: list[ModelStatus] = []
    async with running(engine) as model:
        model.on_status(seen.append)
        await model.start()
        await eventually(lambda: isinstance(model.status, Ready))
    kinds = [type(status) for status in seen]
    assert kinds == [Loading, Restarting, Loading, Loading, Ready, GivenUp]
    assert seen[1] == Restarting(
        reason="The system ended the model process (SIGKILL) while it was loading the model; "
        "most likely memory ran out.",
        attempt=1,
        delay=0.0,
    )


async def test_the_child_gets_its_environment_and_the_settings(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    engine = replace(engine, threads=3, gpu_layers=5, kv_type="q8_0", context_length=1_024, prefixes=tmp_path / "kv")
    async with running(engine) as model:
        await model.context_length(Cancel())
    assert child.journal()[0]["environment"]["GOMP_SPINCOUNT"] == "1000"
    load = child.loads()[0]
    assert load["path"] == str(engine.path)
    assert [load[name] for name in ("threads", "gpu_layers", "kv_type", "context_length")] == [3, 5, "q8_0", 1_024]
    assert load["state_dir"] == str(tmp_path / "kv")


async def test_a_request_that_the_child_refuses_fails_alone(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path, Life(fault="REFUSE_JOB", at="count"))
    async with running(engine) as model:
        with pytest.raises(ContextFull, match="Too long"):
            await model.count((said("hello"),))
        assert end_of(await everything(model, SHORT)).reason == "length"
        assert len(child.pids()) == 1


async def test_an_answer_to_another_question_is_ours_to_report(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path, Life(fault="MISFIT", at="count"))
    async with running(engine) as model:
        with pytest.raises(ModelError, match="another number"):
            await model.count((said("hello"),))


async def test_text_for_nobody_is_not_shown_to_somebody(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path, Life(fault="WRONG_ID", at="token 1"))
    async with running(engine) as model:
        assert "not yours" not in text_of(await everything(model, SHORT))


async def test_each_message_is_counted_once(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(engine) as model:
        first = await model.count((said("one"), said("two words"), said("one")))
        assert first == (5, 6, 5)
        assert await model.count((said("two words"), said("three words now"))) == (6, 7)
        assert await model.count((said("three words now"),)) == (7,)
    assert [entry["count"] for entry in child.journal() if "count" in entry] == [2, 1]


async def test_counting_goes_before_background_work(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path, HOLDING)
    async with running(engine) as model:
        background = stream(model, asking("long", priority="background"), Cancel())
        async with aclosing(background):
            await until_text(background)
            assert await model.count((said("one"),)) == (5,)
            assert end_of([event async for event in background]).reason == "cancelled"


async def test_a_pre_empted_choice_says_so(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path, Life(hold="reading"))
    async with running(engine) as model:
        await model.context_length(Cancel())
        request = replace(CHOICE, messages=(said("long"),), questions=(replace(CHOICE.questions[0], prompt="long"),))
        choosing = asyncio.create_task(model.choose(request, Cancel()))
        await asyncio.sleep(0)
        assert end_of(await everything(model, SHORT)).reason == "length"
        with pytest.raises(Cancelled):
            await choosing


async def test_a_slow_reader_gets_longer_pieces_and_all_of_the_text(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path)
    async with running(engine) as model:
        slow = stream(model, asking("short a b c", tokens=60), Cancel())
        async with aclosing(slow):
            seen = await until_text(slow)
            await model.count((said("short"),))  # comes after the answer
            seen += [event async for event in slow]
    assert text_of(seen) == "short a b c " * 15
    assert sum(isinstance(event, Delta) for event in seen) < 60


# -- a child that cannot be had --


async def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(replace(engine, path=tmp_path / "gone.gguf")) as model:
        with pytest.raises(ModelMissing, match=r"gone\.gguf"):
            await model.context_length(Cancel())
        end = end_of(await everything(model, SHORT))
        assert end.failure is not None
        assert "steward models" in end.failure.hint
    assert child.pids() == []


async def test_a_refused_model_is_not_started_again_by_itself(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path, Life(fault="REFUSE", at="load"))
    async with running(engine) as model:
        with pytest.raises(ModelRefused, match="corrupt"):
            await model.context_length(Cancel())
        assert isinstance(model.status, GivenUp)
        assert end_of(await everything(model, asking("long", priority="background"))).reason == "failed"
        assert len(child.pids()) == 1
        assert end_of(await everything(model, SHORT)).reason == "length", "a user may ask once more"
        assert len(child.pids()) == 2


async def test_exit_at_every_load_is_given_up_and_said(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path, *[Life(fault="EXIT", at="load")] * 4)
    async with running(engine, Limits(delays=(0.0, 0.01, 0.02))) as model:
        end = end_of(await everything(model, SHORT))
        assert end.reason == "failed"
        assert end.failure is not None
        assert "4 times in a row" in end.failure.message
        assert "exit code 3" in end.failure.message
        assert len(child.pids()) == 4


async def test_running_out_of_memory_again_and_again_keeps_its_advice(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path, *[Life(fault="KILL", at="load")] * 4)
    async with running(engine, Limits(delays=(0.0, 0.0, 0.0))) as model:
        with pytest.raises(WorkerDied, match="memory ran out") as caught:
            await model.context_length(Cancel())
    assert "smaller" in caught.value.failure.hint


async def test_a_command_that_cannot_run_is_given_up(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path)
    broken = replace(engine, command=(str(tmp_path / "no-such-program"),))
    async with running(broken, Limits(delays=())) as model:
        with pytest.raises(WorkerDied, match="could not be started"):
            await model.context_length(Cancel())


async def test_corrupt_model_file_is_refused_by_llama(tiny: Path, tmp_path: Path) -> None:
    cut = first_bytes_of(tiny, 50_000, tmp_path / "cut.gguf")
    engine = engine_of(ModelSettings(gpu_layers=0), cut, "cut", state=tmp_path, cache=tmp_path)
    async with running(engine) as model:
        end = end_of(await everything(model, SHORT))
        assert end.reason == "failed"
        assert end.failure is not None
        assert end.failure.kind == "model_refused"
        assert isinstance(model.status, GivenUp)


# -- kernels that crash --

CRASHING = Life(fault="SEGV", at="load", only_with_extra_buffers=True)


@pytest.mark.parametrize("place", ["load", "reading"])
async def test_crashing_kernels_are_switched_off_and_the_request_answered(tmp_path: Path, place: str) -> None:
    engine, child = engine_at(tmp_path, *[replace(CRASHING, at=place)] * 3)
    async with running(engine) as model:
        assert end_of(await everything(model, SHORT)).reason == "length"
        assert [load["extra_buffers"] for load in child.loads()] == [True, False]
        assert isinstance(model.status, Ready)
        assert "AMX kernels crash" in model.status.info.notes[-1]
        assert "GGML_NATIVE=OFF" in model.status.info.notes[-1]
    record = crash_memory_here(engine.crashes).recall()
    assert record is not None
    assert record.signal == "SIGSEGV"
    assert stat.S_IMODE(engine.crashes.stat().st_mode) == 0o600
    async with running(engine) as again:
        assert end_of(await everything(again, SHORT)).reason == "length"
        assert [load["extra_buffers"] for load in child.loads()] == [True, False, False]
        assert isinstance(again.status, Ready)
        assert "AMX kernels crash" in again.status.info.notes[-1]


async def test_a_child_that_crashes_either_way_is_not_blamed_on_the_kernels(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path, *[Life(fault="SEGV", at="load")] * 2)
    async with running(engine) as model:
        assert end_of(await everything(model, SHORT)).reason == "length"
        assert [load["extra_buffers"] for load in child.loads()] == [True, False, True]
        assert isinstance(model.status, Ready)
        assert model.status.info.notes == ()
    assert crash_memory_here(engine.crashes).recall() is None


def test_what_is_remembered_is_for_this_build_and_machine(tmp_path: Path) -> None:
    path = tmp_path / "state" / "crashes.json"
    here = CrashMemory(path=path, build="b1", machine="m1")
    assert here.recall() is None
    at = datetime(2026, 3, 2, tzinfo=UTC)
    here.remember("SIGILL", at)
    here.remember("SIGSEGV", at)
    assert len(json.loads(path.read_text())["crashes"]) == 1
    found = here.recall()
    assert found is not None
    assert found.signal == "SIGSEGV"
    assert replace(here, build="b2").recall() is None
    assert replace(here, machine="m2").recall() is None
    assert [one.name for one in path.parent.iterdir()] == ["crashes.json"]
    here.forget()
    here.forget()
    assert here.recall() is None


@pytest.mark.parametrize("content", ["", "{", '{"version": 1, "crashes": [{"build": 1}]}', "\x00" * 10])
def test_a_damaged_memory_counts_as_empty_and_is_replaced(tmp_path: Path, content: str) -> None:
    memory = CrashMemory(path=tmp_path / "crashes.json", build="b", machine="m")
    memory.path.write_text(content)
    assert memory.recall() is None
    memory.remember("SIGSEGV", datetime(2026, 3, 2, tzinfo=UTC))
    assert memory.recall() is not None


# -- the way out --


async def test_close_leaves_no_process(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(engine, Limits(farewell=60.0)) as model:
        await everything(model, SHORT)
        await model.close()
    assert child.farewells() == 1, "it was asked to go, not killed"
    assert not any(map(is_alive, child.pids()))


@pytest.mark.parametrize("life", [Life(stubborn=True), Life(stubborn=True, fault="STOP", at="token 1")])
async def test_close_ends_a_child_that_does_not_want_to_go(tmp_path: Path, life: Life) -> None:
    engine, child = engine_at(tmp_path, life)
    async with running(engine, Limits(farewell=0.1)) as model:
        events = stream(model, SHORT, Cancel())
        async with aclosing(events):
            await until_text(events)
            await model.close()
    assert not any(map(is_alive, child.pids()))


async def test_close_while_it_loads(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path, Life(hold="load"))
    async with running(engine) as model:
        request = asyncio.create_task(everything(model, SHORT))
        await eventually(child.loads)
        await model.close()
        assert end_of(await request).reason == "cancelled"
    assert not any(map(is_alive, child.pids()))


async def test_close_right_after_start(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(engine) as model:
        await model.start()
    assert not any(map(is_alive, child.pids()))


async def test_the_log_is_private_and_rotated(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path)
    engine.log.parent.mkdir()
    engine.log.write_bytes(b"x" * 3_000_000)
    async with running(engine) as model:
        await model.context_length(Cancel())
    assert stat.S_IMODE(engine.log.stat().st_mode) == 0o600
    assert engine.log.stat().st_size < 100_000
    assert engine.log.with_name("engine.log.1").stat().st_size == 3_000_000


PARENT = """
import asyncio, sys
from pathlib import Path
from models.launching import Engine
from models.types import Cancel
from models.worker import WorkerModel

async def main(path, state, command):
    engine = Engine(path=Path(path), name="x", log=Path(state, "log"), crashes=Path(state, "c"), command=command)
    model = WorkerModel(engine)
    await model.context_length(Cancel())
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main(sys.argv[1], sys.argv[2], tuple(sys.argv[3:])))
"""


def misleading_folder(parent: Path) -> Path:
    """A place to stand in whose own `models` must not be taken for ours."""
    package = parent / "here" / "models"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('the wrong models')")
    return package.parent


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("real", [False, True], ids=["scripted child", "llama"])
async def test_a_killed_parent_leaves_no_orphan(tmp_path: Path, tiny: Path, real: bool) -> None:
    engine, _ = engine_at(tmp_path)
    command, path = ((), tiny) if real else (engine.command, engine.path)
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", PARENT, str(path), str(tmp_path), *command),
        stdout=asyncio.subprocess.PIPE,
        env=environment_of(os.environ),
        cwd=misleading_folder(tmp_path),
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"ready\n"
    (child,) = children_of(parent.pid)
    assert is_alive(child)
    parent.kill()
    await eventually(lambda: not is_alive(child))
    await parent.communicate()


# -- how it is started --


def test_settings_become_an_engine(tmp_path: Path) -> None:
    settings = ModelSettings(threads=2, gpu_layers=7, keep_prefix_states=True, prefix_states_mb=16)
    engine = engine_of(settings, tmp_path / "m.gguf", "m", state=tmp_path / "s", cache=tmp_path / "c")
    load = load_frame(engine, extra_buffers=False)
    assert (load.threads, load.gpu_layers, load.extra_buffers) == (2, 7, False)
    assert load.state_dir == str(tmp_path / "c" / "kv")
    assert load.state_limit_bytes == 16 * 1024 * 1024
    automatic = load_frame(replace(engine, threads=None, gpu_layers=-1, prefixes=None), extra_buffers=True)
    assert 1 <= automatic.threads <= max(1, (os.cpu_count() or 1))
    assert automatic.gpu_layers == -1
    assert automatic.state_dir == ""


def test_the_environment_is_set_before_libgomp_is_loaded() -> None:
    environment = environment_of({"OMP_WAIT_POLICY": "active", "PATH": "/bin", "PYTHONPATH": "/theirs"})
    assert environment["GOMP_SPINCOUNT"] == "1000"
    assert environment["HF_HUB_OFFLINE"] == "1"
    assert "OMP_WAIT_POLICY" not in environment
    assert environment["PATH"] == "/bin"
    assert environment["PYTHONPATH"].endswith("/theirs")


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("", True),
        ("qwen2.5-coder-1.5b", True),
        ("/models/my model.gguf", True),
        ("http://127.0.0.1:8080/v1", True),
        ("https://models.example.org/v1", True),
        ("http://user:secret@host/v1", False),
        ("ftp://host/model", False),
        ("http://host:99999/v1", False),
        ("http:///v1", False),
        ("http://host/v1?key=secret", False),
        ("two\nlines", False),
        ("\x1b[31m", False),
    ],
)
def test_a_model_name_is_checked(name: str, fits: bool) -> None:
    check: Callable[[], object] = lambda: ModelSettings(name=name)  # noqa: E731
    if fits:
        check()
    else:
        with pytest.raises(ValueError):
            check()


def test_every_setting_is_explained() -> None:
    for name, field in ModelSettings.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name
