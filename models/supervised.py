"""The model child under its supervisor: carries out what models/supervisor.py decides.

Everything runs on one event loop. What the child says and what callers want become events of the machine; its
actions are carried out at once, except starting and remembering, which are tasks owned here and awaited in `close`.
"""

import asyncio
import itertools
import logging
import os
from collections import deque
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, assert_never

from models import launching, supervision, supervisor
from models.crash_memory import CrashMemory, CrashRecord, crash_memory_here
from models.endings import broken, buffers_note, ending, not_started
from models.jobs import AnswerFrame, WorkerJob, failure_of
from models.launching import Engine
from models.process import ChildProcess, Exit, Launch
from models.protocol import (
    MAX_LINE_BYTES,
    VERSION,
    Alive,
    Bye,
    CancelFrame,
    Chosen,
    Counted,
    Done,
    Failed,
    FromChild,
    Hello,
    Loaded,
    LoadProgress,
    Piece,
    ProtocolBroken,
    Reading,
    decode_from_child,
    encode,
)
from models.supervision import Limits, Machine
from models.types import Failure, GivenUp, Loading, ModelInfo, ModelStatus, Priority, Ready, Restarting

_LOG = logging.getLogger(__name__)

_TOO_LONG = Failure(
    kind="context_full",
    message="The request is too long to be sent to the model.",
    hint="Send less text at once.",
)


class SupervisedChild:
    """Takes jobs, one in the child at a time; `on_status` is called at every change of `status`."""

    def __init__(self, engine: Engine, limits: Limits, on_status: Callable[[ModelStatus], None]) -> None:
        self.status: ModelStatus = Loading(name=engine.name)
        self._engine = engine
        self._limits = limits
        self._on_status = on_status
        self._machine = Machine()
        self._inbox: deque[supervision.Event] = deque()
        self._feeding = False
        self._timer: asyncio.TimerHandle | None = None
        self._jobs: dict[int, WorkerJob] = {}
        self._ids = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._process: ChildProcess | None = None
        self._run: asyncio.Task[None] | None = None
        self._crashes: CrashMemory | None = None
        self._loaded: Loaded | None = None
        self._load_steps = (0, 0)
        self._read_up_to: dict[int, int] = {}

    # -- what callers want --

    def start(self) -> None:
        self._feed(supervision.StartAsked())

    def number(self) -> int:
        """For a new job's frame."""
        return next(self._ids)

    def submit(self, job: WorkerJob, priority: Priority) -> None:
        """The job ends exactly once, maybe at once."""
        number = job.frame.id
        self._jobs[number] = job
        self._feed(supervision.Wanted(job=supervision.Job(id=number, priority=priority)))
        if number in self._jobs and isinstance(self.status, Loading | Restarting):
            job.loading(*self._load_steps)

    def cancel(self, number: int) -> None:
        """Without effect on a job that has ended."""
        self._feed(supervision.CancelAsked(job_id=number))

    async def close(self) -> None:
        self._feed(supervision.QuitAsked())
        if self._process is not None:
            await self._process.leave(encode(Bye()), self._limits.farewell)
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self._limits.farewell / 2)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=self._limits.farewell / 4)

    # -- the machine --

    def _feed(self, event: supervision.Event) -> None:
        """Events that come up while one is handled wait for their turn."""
        self._inbox.append(event)
        if self._feeding:
            return
        self._feeding = True
        try:
            while self._inbox:
                self._step(self._inbox.popleft())
        finally:
            self._feeding = False
        self._arm()

    def _step(self, event: supervision.Event) -> None:
        now = asyncio.get_running_loop().time()
        taken = supervisor.step(self._machine, event, now, self._limits)
        self._machine = taken.machine
        for action in taken.actions:
            self._perform(action)
        self._publish()

    def _perform(self, action: supervision.Action) -> None:
        match action:
            case supervision.Spawn(child=child):
                self._load_steps, self._loaded = (0, 0), None
                process = ChildProcess(
                    on_line=lambda line: self._on_line(child, line),
                    on_flood=lambda: self._on_broken(child, "it sent a line without an end"),
                )
                self._process = process
                self._run = self._own(self._live(child, process, self._run))
            case supervision.Kill():
                if self._process is not None:
                    self._process.kill()
            case supervision.Send(job_id=number):
                self._send(number)
            case supervision.SendCancel(job_id=number):
                if self._process is not None:
                    self._process.send(encode(CancelFrame(id=number)))
            case supervision.EndJob(job_id=number, reason=reason, failure=failure):
                self._pop(number).ended(reason, failure)
            case supervision.Remember(signal=signal):
                self._own(self._remember(signal))
            case _:
                assert_never(action)

    def _send(self, number: int) -> None:
        line = encode(self._jobs[number].frame)
        if len(line) > MAX_LINE_BYTES:
            self._pop(number).ended("failed", _TOO_LONG)
            self._feed(supervision.Answered(child=self._machine.child, job_id=number))
        elif self._process is not None:
            self._process.send(line)

    def _pop(self, number: int) -> WorkerJob:
        self._read_up_to.pop(number, None)
        return self._jobs.pop(number)

    def _arm(self) -> None:
        """One timer; a deadline that moved away is looked at when the timer fires."""
        due = supervisor.deadline(self._machine, self._limits)
        if self._timer is not None and (due is None or due < self._timer.when()):
            self._timer.cancel()
            self._timer = None
        if due is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(due, self._on_timer, due)

    def _on_timer(self, scheduled: float) -> None:
        self._timer = None
        late = max(0.0, asyncio.get_running_loop().time() - scheduled)
        self._feed(supervision.Ticked(late=late))

    def _publish(self) -> None:
        status = self._describe()
        if status != self.status:
            self.status = status
            self._on_status(status)

    def _describe(self) -> ModelStatus:
        if self._machine.closed:
            return GivenUp(failure=supervisor.CLOSED)
        done, total = self._load_steps
        match self._machine.state:
            case supervision.Down() | supervision.Starting():
                return Loading(name=self._engine.name, done=done, total=total)
            case supervision.Ready() | supervision.Busy() | supervision.Cancelling() if self._loaded is not None:
                return Ready(info=self._info(self._loaded))
            case supervision.Backoff(reason=reason, attempt=attempt, delay=delay):
                return Restarting(reason=reason, attempt=attempt, delay=delay)
            case supervision.GivenUp(failure=failure):
                return GivenUp(failure=failure)
            case _:
                return Loading(name=self._engine.name)

    def _info(self, loaded: Loaded) -> ModelInfo:
        crash = self._machine.crash
        off = self._machine.extra_buffers == "off" and crash is not None
        note = (buffers_note(crash.signal, loaded.system_info),) if off and crash is not None else ()
        return ModelInfo(
            name=self._engine.name or loaded.name,
            path=str(self._engine.path),
            context_length=loaded.context_length,
            backend=loaded.backend,
            device=loaded.device,
            layers_total=loaded.layers_total,
            layers_on_gpu=loaded.layers_on_gpu,
            vram_free=loaded.vram_free,
            threads=loaded.threads,
            notes=loaded.notes + note,
        )

    # -- the process --

    def _own(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._disown)
        return task

    def _disown(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _LOG.error("a task around the model child failed", exc_info=task.exception())

    async def _live(self, child: int, process: ChildProcess, earlier: asyncio.Task[None] | None) -> None:
        """One child from before its start to after its end."""
        if earlier is not None:
            await asyncio.wait((earlier,))
        refusal, record = await asyncio.to_thread(self._look)
        if record is not None:
            self._feed(supervision.Recalled(signal=record.signal))
        if refusal is not None:
            self._feed(supervision.LoadRefused(child=child, failure=refusal))
            return
        extra_buffers = supervisor.uses_extra_buffers(self._machine)
        load = await asyncio.to_thread(launching.load_frame, self._engine, extra_buffers=extra_buffers)
        launch = Launch(
            command=launching.command_of(self._engine),
            environment=launching.environment_of(os.environ),
            log=self._engine.log,
        )
        try:
            gone = await process.run(launch, encode(load))
        except OSError as error:
            self._feed(supervision.Ended(child=child, failure=not_started(error)))
        else:
            self._feed(self._ended(child, gone))

    def _look(self) -> tuple[Failure | None, CrashRecord | None]:
        """Blocking: whether the file is there, and, the first time, what is known about this build."""
        refusal = None if self._engine.path.is_file() else _missing(self._engine)
        if self._crashes is not None:
            return refusal, None
        self._crashes = crash_memory_here(self._engine.crashes)
        return refusal, self._crashes.recall()

    def _ended(self, child: int, gone: Exit) -> supervision.Ended:
        log = str(self._engine.log)
        if gone.forced:
            return supervision.Ended(child=child, failure=broken("it closed its end of the pipe", log))
        loading = isinstance(self._machine.state, supervision.Starting)
        end = ending(gone.code, loading=loading, log=log)
        return supervision.Ended(child=child, failure=end.failure, crash=end.crash)

    async def _remember(self, signal: str) -> None:
        if self._crashes is None:
            return
        try:
            await asyncio.to_thread(self._crashes.remember, signal, datetime.now(UTC))
        except OSError as error:
            _LOG.warning("the crash of the extra-buffer kernels could not be remembered: %s", error)

    # -- what the child says --

    def _on_broken(self, child: int, what: str) -> None:
        self._feed(supervision.Broke(child=child, failure=broken(what, str(self._engine.log))))

    def _on_line(self, child: int, line: bytes) -> None:
        gone = supervision.Down | supervision.Backoff | supervision.GivenUp
        if child != self._machine.child or isinstance(self._machine.state, gone):
            return
        try:
            frame = decode_from_child(line)
        except ProtocolBroken as error:
            _LOG.debug("%s", error)
            self._on_broken(child, "it sent a line that is no frame")
            return
        self._on_frame(child, frame)

    def _on_frame(self, child: int, frame: FromChild) -> None:
        match frame:
            case Alive(work=work):
                self._feed(supervision.AliveSeen(child=child, work=work))
            case Reading() | Piece():
                self._on_news(child, frame)
            case Hello() | LoadProgress() | Loaded() | Failed(id=None):
                self._on_loading(child, frame)
            case Done() | Chosen() | Counted() | Failed():
                self._on_answer(child, frame)
            case _:
                assert_never(frame)

    def _on_loading(self, child: int, frame: Hello | LoadProgress | Loaded | Failed) -> None:
        match frame:
            case Hello(version=version):
                if version == VERSION:
                    self._feed(supervision.Greeted(child=child))
                else:
                    self._on_broken(child, f"it speaks version {version} of the protocol instead of {VERSION}")
            case LoadProgress(done=done, total=total):
                self._load_steps = (done, total)
                for job in self._jobs.values():
                    job.loading(done, total)
                self._feed(supervision.LoadMoved(child=child))
            case Loaded():
                self._loaded = frame
                self._feed(supervision.LoadEnded(child=child))
            case Failed():
                self._feed(supervision.LoadRefused(child=child, failure=failure_of(frame)))
            case _:
                assert_never(frame)

    def _on_news(self, child: int, frame: Reading | Piece) -> None:
        job = self._jobs.get(frame.id)
        if job is None or not self._is_current(frame.id):
            return
        decoded = True
        if isinstance(frame, Reading):
            decoded = frame.done > self._read_up_to.setdefault(frame.id, frame.done)
        if isinstance(self._machine.state, supervision.Busy):
            job.heard(frame)
        text = isinstance(frame, Piece)
        self._feed(supervision.Moved(child=child, job_id=frame.id, decoded=decoded, text=text))

    def _on_answer(self, child: int, frame: AnswerFrame) -> None:
        if frame.id is None or not self._is_current(frame.id):
            return
        self._pop(frame.id).answered(frame)
        decoded = isinstance(frame, Chosen) or (isinstance(frame, Done) and frame.usage.tokens_out > 0)
        self._feed(supervision.Answered(child=child, job_id=frame.id, decoded=decoded))

    def _is_current(self, number: int) -> bool:
        state = self._machine.state
        return isinstance(state, supervision.Busy | supervision.Cancelling) and state.job.id == number


def _missing(engine: Engine) -> Failure:
    return Failure(
        kind="model_missing",
        message=f"The model file {engine.path} is not there.",
        hint="See what there is with `steward models list`, or fetch one with `steward models pull`.",
    )
