"""The supervisor and kernels that crash: switched off, remembered, and not blamed for what others did."""

import pytest

from models import supervision as sv
from models.supervisor import uses_extra_buffers
from tests.support.supervisor_bench import Bench

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
