"""A child that cannot be had, and kernels that crash: said, given up where it must be, and remembered."""

import json
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from models.crash_memory import CrashMemory, crash_memory_here
from models.errors import ModelMissing, ModelRefused, WorkerDied
from models.launching import engine_of
from models.settings import ModelSettings
from models.supervision import Limits
from models.types import Cancel, GivenUp, Ready
from tests.models.contract import (
    SHORT,
    asking,
    end_of,
    everything,
)
from tests.support.fake_child import Life
from tests.support.workers import engine_at, running

pytestmark = pytest.mark.usefixtures("nothing_goes_wrong_unseen")


def first_bytes_of(whole: Path, size: int, target: Path) -> Path:
    target.write_bytes(whole.read_bytes()[:size])
    return target


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
