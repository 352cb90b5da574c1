"""WorkerModel over a child: the contract with llama.cpp and with a scripted child, priorities, counting."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import Cancelled, ContextFull, ModelError
from models.launching import engine_of
from models.settings import ModelSettings
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
from tests.support.fake_child import Life
from tests.support.waiting import eventually
from tests.support.workers import engine_at, running

pytestmark = pytest.mark.usefixtures("nothing_goes_wrong_unseen")

HOLDING = Life(hold="token 5")


class TestContractWithAScriptedChild(ChatModelContract):
    @pytest.fixture
    async def model(self, tmp_path: Path) -> AsyncIterator[WorkerModel]:
        engine, _ = engine_at(tmp_path, HOLDING, HOLDING, HOLDING)
        async with running(engine) as model:
            yield model


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
