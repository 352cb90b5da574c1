"""The rules about restarts, hangs and priorities, without a process or a clock."""

from models import supervision as sv
from models.supervisor import CLOSED, DEAF, SILENT, SLOW_LOAD, STUCK, deadline, step
from tests.support.supervisor_bench import CRASH, LIMITS, REFUSED, Bench


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
