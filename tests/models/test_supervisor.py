"""The rules about restarts, hangs, priorities and the extra-buffer suspicion, without a process or a clock."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import supervision as sv
from models.supervisor import CLOSED, DEAF, SILENT, SLOW_LOAD, STUCK, deadline, step, uses_extra_buffers
from models.types import Failure

LIMITS = sv.Limits()
CRASH = Failure(kind="worker_died", message="The model process crashed (SIGSEGV).", hint="Ask again.")
REFUSED = Failure(kind="model_refused", message="The file is corrupt.", hint="Fetch it again.")


@dataclass
class Bench:
    """A machine with the events fed to it and the actions it asked for."""

    machine: sv.Machine = field(default_factory=sv.Machine)
    now: float = 1_000.0
    actions: list[sv.Action] = field(default_factory=list)
    jobs: int = 0

    def feed(self, *events: sv.Event) -> list[sv.Action]:
        fresh: list[sv.Action] = []
        for event in events:
            taken = step(self.machine, event, self.now, LIMITS)
            self.machine = taken.machine
            fresh += taken.actions
        self.actions += fresh
        return fresh

    def wait(self, seconds: float) -> list[sv.Action]:
        """Time passes, timers fire when they are due."""
        end = self.now + seconds
        fresh: list[sv.Action] = []
        while (due := deadline(self.machine, LIMITS)) is not None and due <= end:
            self.now = max(self.now, due)
            fresh += self.feed(sv.Ticked())
        self.now = end
        return fresh

    def want(self, priority: str = "user") -> int:
        self.jobs += 1
        self.feed(sv.Wanted(job=sv.Job(id=self.jobs, priority="user" if priority == "user" else "background")))
        return self.jobs

    @property
    def child(self) -> int:
        return self.machine.child

    @property
    def state(self) -> sv.State:
        return self.machine.state

    def load(self) -> None:
        self.feed(sv.StartAsked(), sv.Greeted(child=self.child or 1), sv.LoadEnded(child=self.child or 1))
        assert isinstance(self.state, sv.Ready | sv.Busy)

    def reload(self) -> None:
        self.feed(sv.Greeted(child=self.child), sv.LoadEnded(child=self.child))

    def die(self, crash: str = "") -> list[sv.Action]:
        return self.feed(sv.Ended(child=self.child, failure=CRASH, crash=crash))

    def beat_for(self, seconds: float, work: int = 0) -> None:
        """The child lives, its work counter at `work`."""
        for _ in range(int(seconds)):
            self.wait(1.0)
            self.feed(sv.AliveSeen(child=self.child, work=work))

    def answer(self, job: int, *, decoded: bool = True) -> list[sv.Action]:
        return self.feed(sv.Answered(child=self.child, job_id=job, decoded=decoded))

    def ended(self, job: int) -> sv.EndJob | None:
        ends = [one for one in self.actions if isinstance(one, sv.EndJob) and one.job_id == job]
        assert len(ends) <= 1
        return ends[0] if ends else None

    def sent(self) -> list[int]:
        return [one.job_id for one in self.actions if isinstance(one, sv.Send)]

    def spawned(self) -> int:
        return sum(isinstance(one, sv.Spawn) for one in self.actions)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_nothing_is_spawned_until_something_is_wanted(bench: Bench) -> None:
    assert bench.feed(sv.Ticked(), sv.CancelAsked(job_id=1)) == []
    assert deadline(bench.machine, LIMITS) is None
    bench.want()
    assert bench.spawned() == 1
    assert bench.sent() == []


def test_requests_are_answered_in_turn_users_first(bench: Bench) -> None:
    late = bench.want("background")
    first, second = bench.want(), bench.want()
    later = bench.want("background")
    bench.load()
    for job in (first, second, late, later):
        assert bench.sent()[-1] == job
        bench.answer(job)
    assert bench.sent() == [first, second, late, later]
    assert isinstance(bench.state, sv.Ready)


def test_user_request_cancels_running_background_work(bench: Bench) -> None:
    bench.load()
    background = bench.want("background")
    user = bench.want()
    assert bench.actions[-1] == sv.SendCancel(job_id=background)
    bench.answer(background)
    assert bench.sent() == [background, user]


def test_user_request_waits_for_another_user(bench: Bench) -> None:
    bench.load()
    first = bench.want()
    second = bench.want()
    assert bench.sent() == [first]
    bench.answer(first)
    assert bench.sent() == [first, second]


def test_cancel_not_honoured_ends_the_child(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    bench.feed(sv.CancelAsked(job_id=job))
    assert bench.wait(1.9) == []
    actions = bench.wait(0.2)
    assert actions[:2] == [sv.Kill(child=1), sv.EndJob(job_id=job, reason="cancelled")]
    assert isinstance(bench.state, sv.Starting), "the first restart comes at once"
    assert bench.child == 2


def test_the_child_that_was_killed_is_not_heard_any_more(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    bench.feed(sv.CancelAsked(job_id=job))
    bench.wait(2.0)
    before = bench.machine
    assert bench.feed(sv.Answered(child=1, job_id=job), sv.Ended(child=1, failure=CRASH)) == []
    assert bench.machine == before


def test_a_waiting_request_is_cancelled_at_once(bench: Bench) -> None:
    job = bench.want()
    bench.feed(sv.CancelAsked(job_id=job))
    ended = bench.ended(job)
    assert ended is not None
    assert ended.reason == "cancelled"
    bench.load()
    assert bench.sent() == []


def test_death_ends_the_request_and_keeps_the_waiting_ones(bench: Bench) -> None:
    bench.load()
    running, waiting = bench.want(), bench.want()
    bench.feed(sv.Moved(child=1, job_id=running, decoded=True, text=True))
    bench.die("SIGSEGV")
    assert bench.ended(running) == sv.EndJob(job_id=running, reason="worker_died", failure=CRASH)
    assert isinstance(bench.state, sv.Backoff)
    bench.wait(0.0)
    bench.reload()
    assert bench.sent() == [running, waiting]
    assert bench.ended(waiting) is None


def test_restarts_come_after_0_1_and_4_seconds_then_it_is_given_up(bench: Bench) -> None:
    job = bench.want()
    for delay in (0.0, 1.0, 4.0):
        bench.die()
        assert isinstance(bench.state, sv.Backoff)
        assert bench.state.delay == delay
        assert bench.state.reason == CRASH.message
        count = bench.spawned()
        if delay:
            bench.wait(delay - 0.01)
            assert bench.spawned() == count
        bench.wait(0.02)
        assert bench.spawned() == count + 1
    bench.die()
    assert isinstance(bench.state, sv.GivenUp)
    assert "4 times in a row" in bench.state.failure.message
    ended = bench.ended(job)
    assert ended is not None
    assert ended.reason == "failed"
    assert deadline(bench.machine, LIMITS) is None


def test_deaths_are_forgotten_after_30_stable_seconds(bench: Bench) -> None:
    bench.load()
    for _ in range(8):
        bench.beat_for(31)
        bench.die()
        assert isinstance(bench.state, sv.Backoff)
        assert bench.state.attempt == 1
        bench.wait(0.0)
        bench.reload()


def test_deaths_within_30_seconds_count(bench: Bench) -> None:
    bench.load()
    for attempt in (1, 2, 3):
        bench.beat_for(20)
        bench.die()
        assert isinstance(bench.state, sv.Backoff)
        assert bench.state.attempt == attempt
        bench.wait(5.0)
        bench.reload()
    bench.beat_for(20)
    bench.die()
    assert isinstance(bench.state, sv.GivenUp)


def test_a_refused_model_is_given_up_at_once(bench: Bench) -> None:
    job = bench.want()
    actions = bench.feed(sv.LoadRefused(child=1, failure=REFUSED))
    assert actions == [sv.Kill(child=1), sv.EndJob(job_id=job, reason="failed", failure=REFUSED)]
    assert bench.state == sv.GivenUp(failure=REFUSED)


def test_after_giving_up_a_user_gets_one_more_try_and_background_none(bench: Bench) -> None:
    bench.want()
    bench.feed(sv.LoadRefused(child=1, failure=REFUSED))
    background = bench.want("background")
    ended = bench.ended(background)
    assert ended is not None
    assert ended.failure == REFUSED
    assert bench.spawned() == 1
    bench.want()
    assert bench.spawned() == 2
    bench.feed(sv.LoadRefused(child=2, failure=REFUSED))
    assert isinstance(bench.state, sv.GivenUp)
    assert bench.spawned() == 2


def test_one_more_try_after_too_many_deaths_is_one(bench: Bench) -> None:
    bench.want()
    for _ in range(4):
        bench.die()
        bench.wait(5.0)
    assert isinstance(bench.state, sv.GivenUp)
    bench.want()
    assert isinstance(bench.state, sv.Starting)
    bench.die()
    assert isinstance(bench.state, sv.GivenUp)


def test_silence_for_15_seconds_is_a_hang_in_every_state(bench: Bench) -> None:
    bench.load()
    assert bench.wait(14.9) == []
    assert bench.wait(0.2)[0] == sv.Kill(child=1)
    bench.reload()
    job = bench.want()
    bench.wait(15.0)
    assert bench.ended(job) == sv.EndJob(job_id=job, reason="worker_died", failure=SILENT)


def test_no_hello_within_its_limit_is_a_hang(bench: Bench) -> None:
    bench.feed(sv.StartAsked())
    assert bench.wait(29.9) == []
    assert bench.wait(0.2)[0] == sv.Kill(child=1)


def test_work_standing_still_for_30_seconds_is_a_hang(bench: Bench) -> None:
    bench.load()
    bench.feed(sv.AliveSeen(child=1, work=7))
    job = bench.want()
    bench.beat_for(29, work=7)
    assert bench.ended(job) is None
    bench.beat_for(2, work=7)
    assert bench.ended(job) == sv.EndJob(job_id=job, reason="worker_died", failure=STUCK)


def test_slow_work_is_not_a_hang(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    for work in range(5):
        bench.beat_for(29, work=work)
    for _ in range(5):
        bench.beat_for(29, work=9)
        bench.feed(sv.Moved(child=1, job_id=job, decoded=True))
    assert bench.ended(job) is None
    assert isinstance(bench.state, sv.Busy)


def test_an_idle_child_may_stand_still(bench: Bench) -> None:
    bench.load()
    bench.beat_for(100, work=3)
    assert isinstance(bench.state, sv.Ready)


def test_load_without_progress_is_a_hang_and_a_slow_load_is_not(bench: Bench) -> None:
    bench.feed(sv.StartAsked(), sv.Greeted(child=1))
    bench.beat_for(100)
    bench.feed(sv.LoadMoved(child=1))
    bench.beat_for(119)
    assert isinstance(bench.state, sv.Starting)
    assert bench.child == 1
    bench.beat_for(1)
    bench.wait(2)
    assert bench.child == 2
    assert SLOW_LOAD.message != SILENT.message


def test_a_parent_that_stood_still_does_not_blame_the_child(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    bench.now += 600
    assert bench.feed(sv.Ticked(late=585.0)) == []
    assert isinstance(bench.state, sv.Busy)
    assert bench.wait(15.0)[0] == sv.Kill(child=1), "and a child that stays silent is still found out"
    assert bench.ended(job) is not None


def test_garbage_ends_the_child(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    actions = bench.feed(sv.Broke(child=1, failure=CRASH))
    assert actions == [sv.Kill(child=1), sv.EndJob(job_id=job, reason="worker_died", failure=CRASH)]
    assert isinstance(bench.state, sv.Backoff)


def test_deaf_child_is_named_in_the_restart(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    bench.feed(sv.CancelAsked(job_id=job))
    bench.now += 2.0
    taken = step(bench.machine, sv.Ticked(), bench.now, LIMITS)
    assert isinstance(taken.machine.state, sv.Backoff)
    assert taken.machine.state.reason == DEAF.message


def test_quit_ends_everything_and_later_requests_fail(bench: Bench) -> None:
    bench.load()
    running, waiting = bench.want(), bench.want()
    bench.feed(sv.QuitAsked())
    for job in (running, waiting):
        ended = bench.ended(job)
        assert ended is not None
        assert ended.reason == "cancelled"
    late = bench.want()
    assert bench.ended(late) == sv.EndJob(job_id=late, reason="failed", failure=CLOSED)
    assert bench.feed(sv.StartAsked(), sv.Ended(child=1, failure=CRASH), sv.QuitAsked()) == []


# -- kernels that crash --


def test_crash_at_load_switches_extra_buffers_off_and_remembers(bench: Bench) -> None:
    job = bench.want()
    bench.feed(sv.Greeted(child=1))
    bench.die("SIGILL")
    assert not uses_extra_buffers(bench.machine)
    assert bench.machine.deaths == 0, "it does not count as a restart"
    bench.wait(0.0)
    bench.reload()
    assert sv.Remember(signal="SIGILL") in bench.actions
    assert bench.machine.extra_buffers == "off"
    assert bench.sent() == [job]


def test_crash_at_first_decode_sends_the_request_again_before_any_text(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    bench.feed(sv.Moved(child=1, job_id=job))
    bench.die("SIGSEGV")
    assert bench.ended(job) is None
    bench.wait(0.0)
    bench.reload()
    assert sv.Remember(signal="SIGSEGV") not in bench.actions, "not proven yet"
    assert bench.sent() == [job, job]
    bench.feed(sv.Moved(child=2, job_id=job, decoded=True))
    assert bench.actions.count(sv.Remember(signal="SIGSEGV")) == 1
    bench.answer(job)
    assert bench.actions.count(sv.Remember(signal="SIGSEGV")) == 1


def test_crash_without_them_too_clears_them(bench: Bench) -> None:
    bench.load()
    job = bench.want()
    bench.die("SIGSEGV")
    bench.wait(0.0)
    bench.reload()
    bench.die("SIGSEGV")
    assert bench.ended(job) is not None, "it is sent again only once"
    assert bench.machine.extra_buffers == "cleared"
    assert uses_extra_buffers(bench.machine)
    bench.wait(5.0)
    bench.reload()
    bench.want()
    bench.die("SIGSEGV")
    assert bench.machine.extra_buffers == "cleared"
    assert not any(isinstance(one, sv.Remember) for one in bench.actions)


@pytest.mark.parametrize("crash", ["", "SIGSEGV"])
def test_a_crash_after_the_first_decode_is_not_the_kernels(bench: Bench, crash: str) -> None:
    bench.load()
    first = bench.want()
    bench.answer(first)
    bench.want()
    bench.die(crash)
    assert bench.machine.extra_buffers == "on"


def test_what_was_remembered_is_used_from_the_first_start(bench: Bench) -> None:
    bench.feed(sv.StartAsked(), sv.Recalled(signal="SIGSEGV"))
    assert not uses_extra_buffers(bench.machine)
    bench.reload()
    assert not any(isinstance(one, sv.Remember) for one in bench.actions)


# -- whatever happens --


KINDS = (
    *("start", "user", "background", "cancel", "greeted", "load_moved", "loaded", "refused", "moved", "text"),
    *("answered", "alive", "work", "broke", "ended", "crash", "late", "tick"),
)


@st.composite
def lives(draw: st.DrawFn) -> list[tuple[float, str, int]]:
    one = st.tuples(st.sampled_from([0.0, 0.01, 1.0, 2.0, 16.0]), st.sampled_from(KINDS), st.integers(0, 3))
    return draw(st.lists(one, max_size=60))


def event_of(bench: Bench, kind: str, back: int) -> sv.Event:
    """`back` picks an older job or child now and then."""
    child = max(0, bench.child - (back == 3))
    job = max(0, bench.jobs - back)
    if isinstance(bench.state, sv.Busy | sv.Cancelling) and back < 2:
        job = bench.state.job.id
    events: dict[str, sv.Event] = {
        "start": sv.StartAsked(),
        "cancel": sv.CancelAsked(job_id=job),
        "greeted": sv.Greeted(child=child),
        "load_moved": sv.LoadMoved(child=child),
        "loaded": sv.LoadEnded(child=child),
        "refused": sv.LoadRefused(child=child, failure=REFUSED),
        "moved": sv.Moved(child=child, job_id=job),
        "text": sv.Moved(child=child, job_id=job, decoded=True, text=True),
        "answered": sv.Answered(child=child, job_id=job, decoded=True),
        "alive": sv.AliveSeen(child=child, work=0),
        "work": sv.AliveSeen(child=child, work=bench.jobs),
        "broke": sv.Broke(child=child, failure=CRASH),
        "ended": sv.Ended(child=child, failure=CRASH),
        "crash": sv.Ended(child=child, failure=CRASH, crash="SIGSEGV"),
        "late": sv.Ticked(late=10.0),
        "tick": sv.Ticked(),
    }
    return events[kind]


@given(lives())
def test_every_request_ends_once_and_the_child_has_one_at_a_time(life: list[tuple[float, str, int]]) -> None:
    bench = Bench()
    answered: set[int] = set()
    for seconds, kind, back in life:
        bench.wait(seconds)
        state = bench.state
        if kind in ("user", "background"):
            bench.want(kind)
        else:
            event = event_of(bench, kind, back)
            if isinstance(event, sv.Answered) and event.child == bench.child and is_running(state, event.job_id):
                answered.add(event.job_id)
            bench.feed(event)
        check(bench, answered)
    bench.feed(sv.QuitAsked())
    for job in range(1, bench.jobs + 1):
        assert (job in answered) != (bench.ended(job) is not None), f"request {job}"


def is_running(state: sv.State, job: int) -> bool:
    return isinstance(state, sv.Busy | sv.Cancelling) and state.job.id == job


def check(bench: Bench, answered: set[int]) -> None:
    state, queue = bench.state, bench.machine.queue
    priorities = [job.priority for job in queue]
    assert priorities == sorted(priorities, reverse=True), "users wait before background work"
    if isinstance(state, sv.Busy):
        assert state.job.priority == "user" or "user" not in priorities, "no user waits for background work"
        assert bench.sent()[-1] == state.job.id
    if isinstance(state, sv.Down | sv.Ready | sv.GivenUp):
        assert queue == ()
    assert (deadline(bench.machine, LIMITS) is None) == isinstance(state, sv.Down | sv.GivenUp), "every wait ends"
    spawns = [one.child for one in bench.actions if isinstance(one, sv.Spawn)]
    assert spawns == list(range(1, bench.child + 1))
    assert not answered & {one.job_id for one in bench.actions if isinstance(one, sv.EndJob)}
    assert sum(isinstance(one, sv.Remember) for one in bench.actions) <= 1


@given(st.lists(st.booleans(), max_size=30))
def test_without_being_asked_it_never_restarts_more_than_the_limit(crashes: list[bool]) -> None:
    bench = Bench()
    bench.feed(sv.StartAsked())
    for crash in crashes:
        bench.feed(sv.Greeted(child=bench.child))
        bench.die("SIGSEGV" if crash else "")
        bench.wait(10.0)
    assert bench.spawned() <= 1 + len(LIMITS.delays) + 1, "one more for the suspicion"
