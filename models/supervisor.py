"""What to do about the model child, as a pure state machine: (machine, event, now) -> machine and actions.

Down -> Starting -> Ready <-> Busy -> Cancelling -> Ready, and from anywhere over Backoff back to Starting,
or to GivenUp once the child ended too often in a row. It reads no clock and does no I/O: models/worker.py
carries out the actions and feeds the events, so every rule about restarts, hangs and priorities is here.
"""

from dataclasses import replace
from typing import assert_never

from models.endings import RESTARTED, given_up
from models.supervision import (
    Action,
    AliveSeen,
    Answered,
    Backoff,
    Broke,
    Busy,
    CancelAsked,
    Cancelling,
    ChildEvent,
    Crash,
    Down,
    Ended,
    EndJob,
    Event,
    ExtraBuffers,
    GivenUp,
    Greeted,
    Job,
    Kill,
    Limits,
    LoadEnded,
    LoadMoved,
    LoadRefused,
    Machine,
    Moved,
    Pulse,
    QuitAsked,
    Ready,
    Recalled,
    Remember,
    Send,
    SendCancel,
    SignOfLife,
    Spawn,
    StartAsked,
    Starting,
    State,
    Step,
    Ticked,
    Wanted,
)
from models.types import Failure

SILENT = Failure(
    kind="worker_hung",
    message="The model process gave no sign of life and was stopped.",
    hint=f"{RESTARTED} If it happens often, run `steward doctor`.",
)
STUCK = replace(SILENT, message="The model process made no progress and was stopped.")
DEAF = replace(SILENT, message="The model did not stop when asked, so its process was ended.")
SLOW_LOAD = replace(SILENT, message="The model stopped making progress while it was loading.")
CLOSED = Failure(kind="worker_died", message="The model has been closed.", hint="Start Steward again.")


def step(machine: Machine, event: Event, now: float, limits: Limits) -> Step:
    """The next machine and what to do, in order. Total: an event that means nothing now changes nothing."""
    if machine.closed:
        refused = (_refusal(event.job, CLOSED),) if isinstance(event, Wanted) else ()
        return Step(machine=machine, actions=refused)
    match event:
        case StartAsked():
            return _start(machine, now)
        case Wanted(job=job):
            return _want(machine, job, now)
        case CancelAsked(job_id=job_id):
            return _cancel(machine, job_id, now)
        case QuitAsked():
            return _quit(machine)
        case Recalled(signal=signal):
            crash = Crash(signal=signal, loading=False)
            return Step(machine=replace(machine, extra_buffers="off", crash=crash))
        case Ticked(late=late):
            return _tick(machine, late, now, limits)
        case _:
            return _heard(machine, event, now, limits) if event.child == machine.child else Step(machine=machine)


def deadline(machine: Machine, limits: Limits) -> float | None:
    """When `Ticked` is due; None: there is nothing to wait for."""
    match machine.state:
        case Down() | GivenUp():
            return None
        case Backoff(until=until):
            return until
        case Starting(greeted=False, since=since):
            return since + limits.hello
        case Starting(alive=alive, moved=moved):
            return min(alive + limits.alive, moved + limits.load)
        case Ready(pulse=pulse):
            return pulse.alive + limits.alive
        case Busy(pulse=pulse, moved=moved):
            return min(pulse.alive + limits.alive, moved + limits.work)
        case Cancelling(asked=asked):
            return asked + limits.cancel
        case _:
            assert_never(machine.state)


def uses_extra_buffers(machine: Machine) -> bool:
    return machine.extra_buffers in ("on", "cleared")


# -- what the owner wants --


def _start(machine: Machine, now: float) -> Step:
    """After GivenUp the deaths stay counted, so this is one more try and no more."""
    if not isinstance(machine.state, Down | GivenUp):
        return Step(machine=machine)
    return _spawn(machine, now)


def _spawn(machine: Machine, now: float) -> Step:
    child = machine.child + 1
    starting = replace(machine, state=Starting(since=now, alive=now, moved=now), child=child)
    return Step(machine=starting, actions=(Spawn(child=child),))


def _want(machine: Machine, job: Job, now: float) -> Step:
    state = machine.state
    if isinstance(state, GivenUp) and job.priority == "background":
        return Step(machine=machine, actions=(_refusal(job, state.failure),))
    waiting = replace(machine, queue=_enqueue(machine.queue, job))
    match state:
        case Down() | GivenUp():
            return _spawn(waiting, now)
        case Ready(pulse=pulse):
            return _next(waiting, pulse, now)
        case Busy(job=running) if running.priority == "background" and job.priority == "user":
            return _interrupt(waiting, state, now)
        case Starting() | Busy() | Cancelling() | Backoff():
            return Step(machine=waiting)
        case _:
            assert_never(state)


def _enqueue(queue: tuple[Job, ...], job: Job) -> tuple[Job, ...]:
    if job.priority == "background":
        return (*queue, job)
    users = sum(one.priority == "user" for one in queue)
    return (*queue[:users], job, *queue[users:])


def _next(machine: Machine, pulse: Pulse, now: float) -> Step:
    """The child is free: send it the first waiting request, if any."""
    if not machine.queue:
        return Step(machine=replace(machine, state=Ready(pulse=pulse)))
    job, *rest = machine.queue
    busy = replace(machine, state=Busy(pulse=pulse, job=job, moved=now), queue=tuple(rest))
    return Step(machine=busy, actions=(Send(job_id=job.id),))


def _interrupt(machine: Machine, busy: Busy, now: float) -> Step:
    cancelling = replace(machine, state=Cancelling(pulse=busy.pulse, job=busy.job, asked=now))
    return Step(machine=cancelling, actions=(SendCancel(job_id=busy.job.id),))


def _cancel(machine: Machine, job_id: int, now: float) -> Step:
    rest = tuple(job for job in machine.queue if job.id != job_id)
    if rest != machine.queue:
        ended = EndJob(job_id=job_id, reason="cancelled")
        return Step(machine=replace(machine, queue=rest), actions=(ended,))
    if isinstance(machine.state, Busy) and machine.state.job.id == job_id:
        return _interrupt(machine, machine.state, now)
    return Step(machine=machine)


def _quit(machine: Machine) -> Step:
    running = (machine.state.job,) if isinstance(machine.state, Busy | Cancelling) else ()
    ends = tuple(EndJob(job_id=job.id, reason="cancelled") for job in running + machine.queue)
    return Step(machine=replace(machine, state=Down(), queue=(), closed=True), actions=ends)


def _refusal(job: Job, failure: Failure) -> EndJob:
    return EndJob(job_id=job.id, reason="failed", failure=failure)


# -- time --


def _tick(machine: Machine, late: float, now: float, limits: Limits) -> Step:
    """A parent that stood still itself (stopped by job control) may not blame the child for the silence."""
    if late > limits.lag:
        return Step(machine=replace(machine, state=_forgiven(machine.state, late, now)))
    due = deadline(machine, limits)
    if due is None or now < due:
        return Step(machine=machine)
    state = machine.state
    match state:
        case Backoff():
            return _spawn(machine, now)
        case Starting(greeted=True, alive=alive) if now < alive + limits.alive:
            return _die(machine, SLOW_LOAD, now, limits, kill=True)
        case Starting() | Ready():
            return _die(machine, SILENT, now, limits, kill=True)
        case Busy(pulse=pulse):
            silent = now >= pulse.alive + limits.alive
            return _die(machine, SILENT if silent else STUCK, now, limits, kill=True)
        case Cancelling():
            return _die(machine, DEAF, now, limits, kill=True)
        case Down() | GivenUp():
            return Step(machine=machine)
        case _:
            assert_never(state)


def _forgiven(state: State, late: float, now: float) -> State:
    def later(moment: float) -> float:
        return min(now, moment + late)

    match state:
        case Down() | GivenUp() | Backoff():
            return state
        case Starting(since=since, alive=alive, moved=moved):
            return replace(state, since=later(since), alive=later(alive), moved=later(moved))
        case Ready(pulse=pulse):
            return Ready(pulse=replace(pulse, alive=later(pulse.alive)))
        case Busy(pulse=pulse, moved=moved):
            return replace(state, pulse=replace(pulse, alive=later(pulse.alive)), moved=later(moved))
        case Cancelling(pulse=pulse, asked=asked):
            return replace(state, pulse=replace(pulse, alive=later(pulse.alive)), asked=later(asked))
        case _:
            assert_never(state)


# -- what the child says --


def _heard(machine: Machine, event: ChildEvent, now: float, limits: Limits) -> Step:
    state = machine.state
    if isinstance(state, Down | Backoff | GivenUp):
        return Step(machine=machine)  # it is being ended already
    match event:
        case Ended(failure=failure, crash=crash):
            return _die(machine, failure, now, limits, crash=crash)
        case Broke(failure=failure):
            return _die(machine, failure, now, limits, kill=True)
        case LoadRefused(failure=failure) if isinstance(state, Starting):
            return _give_up(machine, failure, (Kill(child=machine.child),))
        case LoadRefused(failure=failure):
            return _die(machine, failure, now, limits, kill=True)
        case _:
            if isinstance(state, Starting):
                return _loading(machine, state, event, now)
            return _working(machine, state, event, now)


def _loading(machine: Machine, state: Starting, event: SignOfLife, now: float) -> Step:
    match event:
        case Greeted() | LoadMoved():
            moved = replace(state, greeted=True, alive=now, moved=now)
            return Step(machine=replace(machine, state=moved))
        case AliveSeen(work=work):
            moved_at = now if work != state.work else state.moved
            return Step(machine=replace(machine, state=replace(state, alive=now, moved=moved_at, work=work)))
        case LoadEnded():
            settled = (
                _convict(machine) if machine.crash is not None and machine.crash.loading else Step(machine=machine)
            )
            following = _next(settled.machine, Pulse(since=now, alive=now), now)
            return Step(machine=following.machine, actions=settled.actions + following.actions)
        case Moved() | Answered():
            return Step(machine=replace(machine, state=replace(state, alive=now)))
        case _:
            assert_never(event)


def _working(machine: Machine, state: Ready | Busy | Cancelling, event: SignOfLife, now: float) -> Step:
    pulse = replace(state.pulse, alive=now)
    settled = Step(machine=machine)
    if isinstance(event, Moved | Answered) and event.decoded:
        pulse = replace(pulse, decoded=True)
        settled = _convict(machine)
    if isinstance(event, AliveSeen):
        pulse = replace(pulse, work=event.work)
    machine = settled.machine
    match state:
        case Busy() | Cancelling() if isinstance(event, Answered) and event.job_id == state.job.id:
            following = _next(machine, pulse, now)
            return Step(machine=following.machine, actions=settled.actions + following.actions)
        case Busy():
            following_state: State = _advanced(state, pulse, event, now)
        case Ready() | Cancelling():
            following_state = replace(state, pulse=pulse)
        case _:
            assert_never(state)
    return Step(machine=replace(machine, state=following_state), actions=settled.actions)


def _advanced(state: Busy, pulse: Pulse, event: SignOfLife, now: float) -> Busy:
    mine = isinstance(event, Moved) and event.job_id == state.job.id
    moved = mine or pulse.work != state.pulse.work
    spoke = state.spoke or (isinstance(event, Moved) and mine and event.text)
    return replace(state, pulse=pulse, moved=now if moved else state.moved, spoke=spoke)


# -- how it ends --


def _die(
    machine: Machine, failure: Failure, now: float, limits: Limits, *, crash: str = "", kill: bool = False
) -> Step:
    """The child is gone or about to be: end what it was doing, and start another one unless that is hopeless."""
    actions: tuple[Action, ...] = (Kill(child=machine.child),) if kill else ()
    verdict = _judge(machine, crash)
    blamed = verdict == "suspected" and machine.extra_buffers == "on"
    kept, ends = _release(machine, failure, again=blamed)
    actions += ends
    suspicion = Crash(signal=crash, loading=isinstance(machine.state, Starting)) if blamed else machine.crash
    judged = replace(kept, extra_buffers=verdict, crash=suspicion)
    if blamed:
        reason = f"{failure.message} Trying without its fastest processor kernels."
        pause = Backoff(until=now, delay=0.0, attempt=judged.deaths + 1, reason=reason)
        return Step(machine=replace(judged, state=pause), actions=actions)
    deaths = 1 if _was_stable(machine.state, now, limits) else machine.deaths + 1
    counted = replace(judged, deaths=deaths)
    if deaths > len(limits.delays):
        return _give_up(counted, given_up(failure, deaths), actions)
    delay = limits.delays[deaths - 1]
    pause = Backoff(until=now + delay, delay=delay, attempt=deaths, reason=failure.message)
    return Step(machine=replace(counted, state=pause), actions=actions)


def _judge(machine: Machine, crash: str) -> ExtraBuffers:
    """Whether this crash speaks against the extra-buffer kernels: the child had not decoded anything yet."""
    match machine.state:
        case Starting(greeted=greeted):
            early = greeted
        case Ready(pulse=pulse) | Busy(pulse=pulse) | Cancelling(pulse=pulse):
            early = not pulse.decoded
        case _:
            early = False
    if not crash or not early:
        return machine.extra_buffers
    match machine.extra_buffers:
        case "on":
            return "suspected"
        case "suspected":
            return "cleared"
        case "off" | "cleared":
            return machine.extra_buffers


def _convict(machine: Machine) -> Step:
    """A child without extra buffers got past the place where one with them crashed."""
    if machine.extra_buffers != "suspected" or machine.crash is None:
        return Step(machine=machine)
    return Step(machine=replace(machine, extra_buffers="off"), actions=(Remember(signal=machine.crash.signal),))


def _release(machine: Machine, failure: Failure, *, again: bool) -> tuple[Machine, tuple[Action, ...]]:
    """End the request in flight. Only when the kernels are to blame (`again`) and no text was shown
    it goes back to the head of the queue; the status says that the model restarts."""
    match machine.state:
        case Busy(job=job, spoke=False) if again:
            return replace(machine, queue=(job, *machine.queue)), ()
        case Busy(job=job):
            return machine, (EndJob(job_id=job.id, reason="worker_died", failure=failure),)
        case Cancelling(job=job):
            return machine, (EndJob(job_id=job.id, reason="cancelled"),)
        case _:
            return machine, ()


def _was_stable(state: State, now: float, limits: Limits) -> bool:
    return isinstance(state, Ready | Busy | Cancelling) and now - state.pulse.since >= limits.stable


def _give_up(machine: Machine, failure: Failure, actions: tuple[Action, ...]) -> Step:
    refusals = tuple(_refusal(job, failure) for job in machine.queue)
    return Step(machine=replace(machine, state=GivenUp(failure=failure), queue=()), actions=actions + refusals)
