"""The supervisor, whatever happens: every request ends once, and restarts stop."""

from hypothesis import given
from hypothesis import strategies as st

from models import supervision as sv
from models.supervisor import deadline
from tests.support.supervisor_bench import CRASH, LIMITS, REFUSED, Bench

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
