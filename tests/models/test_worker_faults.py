"""A child that dies, hangs, stops or talks nonsense at every moment: the request ends in time with what was said, the
status gives the reason in one line, and the next question is answered.

STEWARD_FAULT_REPEATS=16 makes it 320 faults. The controls are models that lose what was said, give no reason, tell
nobody or answer no more; they are shown one fault, with STEWARD_ATTACKS=all every kind at two moments (a night).
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from models.launching import Engine, engine_of
from models.settings import ModelSettings
from models.supervision import Limits
from models.types import (
    Cancel,
    Delta,
    Finished,
    GenerationRequest,
    ModelEvent,
    ModelStatus,
    Progress,
    Restarting,
)
from models.worker import WorkerModel
from tests.models.contract import LONG, SHORT, asking, end_of, everything, text_of
from tests.support.fake_child import FAULTS, PLACES, FaultyChild, Life
from tests.support.tiny_model import write_tiny
from tests.support.waiting import eventually

REPEATS = int(os.environ.get("STEWARD_FAULT_REPEATS", "1"))
EVERY = os.environ.get("STEWARD_ATTACKS") == "all"
SILENCE = 3.0  # seconds until a silent child counts as hung here; 15 for users
SOON = (0.0, 0.05, 0.1)
PATIENT = Limits(alive=60.0, work=60.0, cancel=60.0, delays=SOON)  # a busy machine is no fault
WATCHFUL = Limits(alive=SILENCE, work=SILENCE, delays=SOON)  # for a child that says nothing
SILENT = ("STOP", "DRIBBLE", "STUCK", "MUTE")

REASONS = {
    "KILL": "most likely memory ran out",
    "SEGV": "crashed (SIGSEGV)",
    "STOP": "no sign of life",
    "EXIT": "exit code 3",
    "GARBAGE": "could not be understood",
    "OVERSIZE": "a line without an end",
    "VERSION": "version 2 of the protocol",
    "DRIBBLE": "no sign of life",
    "MUTE": "no sign of life",
    "STUCK": "made no progress",
    "SHUT": "closed its end of the pipe",
}


@pytest.fixture(autouse=True)
def nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


@dataclass
class Watched:
    """A model, its child, and everything its status said."""

    model: WorkerModel
    child: FaultyChild
    statuses: list[ModelStatus] = field(default_factory=list)

    def restarts(self) -> list[Restarting]:
        return [status for status in self.statuses if isinstance(status, Restarting)]


@asynccontextmanager
async def watched(
    folder: Path, *lives: Life, limits: Limits = PATIENT, kind: type[WorkerModel] = WorkerModel
) -> AsyncIterator[Watched]:
    folder.mkdir(exist_ok=True)
    model_file = folder / "model.gguf"
    model_file.write_bytes(b"not read by the fake child")
    child = FaultyChild(folder=folder, lives=lives)
    engine = Engine(path=model_file, name="fake", log=folder / "log", crashes=folder / "crashes", command=child.command)
    found = Watched(kind(engine, limits), child)
    found.model.on_status(found.statuses.append)
    try:
        yield found
    finally:
        await found.model.close()


def limits_for(fault: str) -> Limits:
    return WATCHFUL if fault in SILENT else PATIENT


def tokens_before(place: str) -> int:
    return int(place.split()[1]) if place.startswith("token") else 0


def is_kernels_to_blame(fault: str, place: str) -> bool:
    """Nothing was shown and nothing decoded yet: the request goes to a child without the extra buffers."""
    return fault == "SEGV" and place == "reading"


async def check_fault(folder: Path, fault: str, place: str, kind: type[WorkerModel]) -> None:
    """The child fails once: what was said is kept, the reason is one line, the next question is answered."""
    async with watched(folder, Life(fault=fault, at=place), limits=limits_for(fault), kind=kind) as found:
        events = await everything(found.model, asking("short alpha beta gamma", tokens=60))
        end = end_of(events)
        if place == "load" or is_kernels_to_blame(fault, place):
            assert end.reason == "stop", "it waited for the next child"
            assert text_of(events) == "short alpha beta gamma " * 15
        else:
            assert end.reason == "worker_died"
            assert end.failure is not None
            assert end.failure.kind == ("worker_hung" if fault == "STOP" else "worker_died")
            assert REASONS[fault] in end.failure.message
            assert end.failure.hint
            assert text_of(events).split() == ("short alpha beta gamma " * 15).split()[: tokens_before(place)]
        (status, *more) = found.restarts()
        assert more == []
        assert REASONS[fault] in status.reason
        assert "\n" not in status.reason
        assert status.reason.isprintable()
        assert end_of(await everything(found.model, SHORT)).reason == "length"
        assert len(found.child.pids()) == 2


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("repeat", range(REPEATS))
async def test_fault(tmp_path: Path, fault: str, place: str, repeat: int) -> None:
    await check_fault(tmp_path, fault, place, WorkerModel)


class Forgetful(WorkerModel):
    """Loses what was said when the child ends."""

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        events = [event async for event in super().stream(request, cancel)]
        died = end_of(events).reason == "worker_died"
        for event in events:
            if not (died and isinstance(event, Delta)):
                yield event


class Unexplained(WorkerModel):
    """Ends with words that say nothing."""

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        async for event in super().stream(request, cancel):
            if isinstance(event, Finished) and event.failure is not None:
                yield replace(event, failure=replace(event.failure, message="Something went wrong."))
            else:
                yield event


class Secretive(WorkerModel):
    """Tells nobody that it starts again."""

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        return super().on_status(lambda status: None if isinstance(status, Restarting) else listener(status))


class Sulking(WorkerModel):
    """Answers no more once a child has ended."""

    ended: Finished | None = None

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        if self.ended is not None:
            yield self.ended
            return
        async for event in super().stream(request, cancel):
            if isinstance(event, Finished) and event.reason == "worker_died":
                self.ended = event
            yield event


class Pretending(WorkerModel):
    """Says that the answer is whole."""

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        async for event in super().stream(request, cancel):
            yield Finished(reason="stop") if isinstance(event, Finished) and event.failure is not None else event


@pytest.mark.parametrize("kind", [Forgetful, Unexplained, Secretive, Sulking, Pretending])
@pytest.mark.parametrize(
    ("fault", "place"),
    [(fault, place) for fault in FAULTS for place in ("token 1", "token 50")] if EVERY else [("KILL", "token 50")],
)
async def test_a_model_that_hides_a_fault_is_found_out(
    tmp_path: Path, fault: str, place: str, kind: type[WorkerModel]
) -> None:
    """The control."""
    with pytest.raises((AssertionError, ValueError)):
        await check_fault(tmp_path, fault, place, kind)


@pytest.mark.parametrize(
    ("fault", "place"),
    [
        ("VERSION", "hello"),
        ("OVERSIZE", "load"),
        ("OVERSIZE", "token 1"),
        ("DRIBBLE", "load"),
        ("DRIBBLE", "token 1"),
        ("STUCK", "token 1"),
        ("MUTE", "token 1"),
        ("SHUT", "reading"),
        ("SHUT", "load"),
    ],
)
async def test_strange_fault(tmp_path: Path, fault: str, place: str) -> None:
    async with watched(tmp_path, Life(fault=fault, at=place), limits=limits_for(fault)) as found:
        events = await everything(found.model, asking("short alpha", tokens=60))
        assert end_of(events).reason == ("worker_died" if place in ("reading", "token 1") else "stop")
        assert [status.attempt for status in found.restarts()] == [1]
        assert REASONS[fault] in found.restarts()[0].reason
        assert end_of(await everything(found.model, SHORT)).reason == "length"


async def test_a_child_that_stops_while_idle_is_replaced_before_anybody_asks(tmp_path: Path) -> None:
    async with watched(tmp_path, limits=WATCHFUL) as found:
        await found.model.context_length(Cancel())
        os.kill(found.child.pids()[0], signal.SIGSTOP)
        await eventually(lambda: len(found.child.loads()) == 2)
        assert end_of(await everything(found.model, SHORT)).reason == "length"


async def test_cancel_that_is_not_heard_ends_the_child(tmp_path: Path) -> None:
    limits = replace(PATIENT, cancel=0.5)
    async with watched(tmp_path, Life(hold="token 3", deaf=True), limits=limits) as found:
        cancel = Cancel()
        events: list[ModelEvent] = []
        async for event in found.model.stream(LONG, cancel):
            events.append(event)
            if isinstance(event, Delta):
                cancel.set()
        assert end_of(events).reason == "cancelled"
        assert text_of(events)
        assert "did not stop" in found.restarts()[0].reason
        assert end_of(await everything(found.model, SHORT)).reason == "length"


async def test_a_user_does_not_wait_for_deaf_background_work(tmp_path: Path) -> None:
    limits = replace(PATIENT, cancel=0.5)
    async with watched(tmp_path, Life(hold="token 3", deaf=True), limits=limits) as found:
        background = found.model.stream(asking("long", priority="background"), Cancel())
        async for event in background:
            if isinstance(event, Delta):
                break
        events = await everything(found.model, SHORT)
        assert end_of(events).reason == "length"
        assert [event.reason async for event in background if isinstance(event, Finished)] == ["cancelled"]
        assert len(found.child.pids()) == 2


async def test_a_slow_child_is_left_alone(tmp_path: Path) -> None:
    """It holds for longer than the limit, but its work goes on."""
    async with watched(tmp_path, Life(hold="token 3"), limits=WATCHFUL) as found:
        cancel = Cancel()
        async for event in found.model.stream(LONG, cancel):
            if isinstance(event, Delta):
                await asyncio.sleep(1.5 * SILENCE)
                cancel.set()
            elif isinstance(event, Finished):
                assert event.reason == "cancelled"
        assert found.restarts() == []


async def test_deaths_in_a_row_are_given_up_and_one_more_question_is_one_more_try(tmp_path: Path) -> None:
    lives = [Life(fault="KILL", at="token 1")] * 5
    async with watched(tmp_path, *lives) as found:
        ends = [end_of(await everything(found.model, SHORT)) for _ in range(6)]
        assert [end.reason for end in ends] == ["worker_died"] * 5 + ["length"]
        assert len(found.child.pids()) == 6


async def test_requests_that_wait_survive_the_death(tmp_path: Path) -> None:
    async with watched(tmp_path, Life(fault="KILL", at="token 1")) as found:
        first, second = await asyncio.gather(
            everything(found.model, asking("long one")), everything(found.model, asking("short two", tokens=4))
        )
        assert end_of(first).reason == "worker_died"
        assert end_of(second).reason == "length"
        assert isinstance(second[0], Progress)


# -- the true child --


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny.gguf", context=4_096)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP], ids=lambda one: one.name)
@pytest.mark.parametrize("repeat", range(REPEATS))
async def test_llama_killed_in_the_middle(tmp_path: Path, tiny: Path, number: signal.Signals, repeat: int) -> None:
    engine = engine_of(
        ModelSettings(threads=1, gpu_layers=0, context_length=4_096), tiny, "tiny", state=tmp_path, cache=tmp_path
    )
    model = WorkerModel(engine, Limits(alive=6.0 if number == signal.SIGSTOP else 60.0))
    try:
        await model.context_length(Cancel())
        events: list[ModelEvent] = []
        async for event in model.stream(LONG, Cancel()):
            if isinstance(event, Delta) and not any(isinstance(one, Delta) for one in events):
                (child,) = children_running(tiny)
                os.kill(child, number)
            events.append(event)
        assert end_of(events).reason == "worker_died"
        assert text_of(events)
        assert end_of(await everything(model, SHORT)).reason == "length"
    finally:
        await model.close()


def children_running(model: Path) -> list[int]:
    """Our children that have this model mapped."""
    mine = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in mine if str(model) in Path(f"/proc/{pid}/maps").read_text()]
