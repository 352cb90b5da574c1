"""Small parts between the child and the caller: the mailbox, the count cache, the turnstile."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.count_cache import CountCache
from models.errors import Cancelled
from models.mailbox import Mailbox
from models.turnstile import Turnstile
from models.types import Cancel, ChatMessage, Delta, Finished, ModelEvent, Priority, Progress
from models.waiting import Watch, unless_cancelled

deltas = st.builds(lambda text, thought: Delta(text=text, thought=thought), st.text(), st.booleans())
progress = st.builds(lambda done: Progress(stage="reading", done=done, total=9), st.integers(0, 9))


def collect(events: list[ModelEvent], taken_after_each: list[int]) -> list[ModelEvent]:
    """What a reader gets who takes so many after each put, and the rest at the end."""

    async def run() -> list[ModelEvent]:
        mailbox, got = Mailbox(), list[ModelEvent]()
        for event, take in zip(events, taken_after_each, strict=True):
            mailbox.put(event)
            got += [await mailbox.get() for _ in range(min(take, len(mailbox)))]
        mailbox.put(Finished(reason="stop"))
        mailbox.put(Delta(text="after the end"))
        while not got or not isinstance(got[-1], Finished):
            got.append(await mailbox.get())
        return got

    return asyncio.run(run())


@given(st.lists(st.tuples(st.one_of(deltas, progress), st.integers(0, 2)), max_size=20))
def test_no_text_is_lost_or_reordered_however_slow_the_reader(puts: list[tuple[ModelEvent, int]]) -> None:
    events = [event for event, _ in puts]
    got = collect(events, [take for _, take in puts])

    def pieces(of: list[ModelEvent]) -> list[tuple[str, bool]]:
        return [(char, event.thought) for event in of if isinstance(event, Delta) for char in event.text]

    assert pieces(got) == pieces(events)
    assert sum(isinstance(event, Finished) for event in got) == 1


def test_a_reader_that_never_reads_costs_two_events() -> None:
    mailbox = Mailbox()
    for number in range(1_000):
        mailbox.put(Progress(stage="reading", done=number, total=1_000))
    for _ in range(1_000):
        mailbox.put(Delta(text="x"))
    assert len(mailbox) == 2


def test_the_least_recently_used_count_is_forgotten() -> None:
    cache = CountCache(capacity=2)
    one, two, three = (ChatMessage(role="user", content=str(number)) for number in range(3))
    cache.put(one, 1)
    cache.put(two, 2)
    assert cache.get(one) == 1
    cache.put(three, 3)
    assert (cache.get(one), cache.get(two), cache.get(three)) == (1, None, 3)


def test_a_count_belongs_to_role_and_content() -> None:
    cache = CountCache()
    cache.put(ChatMessage(role="user", content="x"), 1)
    assert cache.get(ChatMessage(role="assistant", content="x")) is None
    cache.put(ChatMessage(role="user", content="\ud800"), 2)
    assert cache.get(ChatMessage(role="user", content="\ud800")) == 2


async def test_the_turnstile_lets_users_go_first() -> None:
    turnstile, order = Turnstile(), list[str]()
    inside, leave = asyncio.Event(), asyncio.Event()

    async def pass_through(name: str, priority: Priority) -> None:
        async with turnstile.turn(priority, Cancel()):
            order.append(name)
            if name == "first":
                inside.set()
                await leave.wait()

    first = asyncio.create_task(pass_through("first", "user"))
    await inside.wait()
    rest = [
        asyncio.create_task(pass_through("later", "background")),
        asyncio.create_task(pass_through("second", "user")),
        asyncio.create_task(pass_through("third", "user")),
    ]
    await asyncio.sleep(0)
    leave.set()
    await asyncio.gather(first, *rest)
    assert order == ["first", "second", "third", "later"]


async def test_one_that_waits_can_leave_the_turnstile() -> None:
    turnstile, cancel = Turnstile(), Cancel()
    async with turnstile.turn("user", Cancel()):
        cancel.set()
        with pytest.raises(Cancelled):
            async with turnstile.turn("user", cancel):
                raise AssertionError("not its turn")
    async with turnstile.turn("user", Cancel()) as stop:
        assert not stop.is_set
        turnstile.stop_all()
        assert stop.is_set


async def test_what_is_not_wanted_any_more_is_cancelled() -> None:
    cancel, begun = Cancel(), asyncio.Event()
    ended = []

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    waiting = asyncio.create_task(unless_cancelled(work(), cancel))
    await begun.wait()
    cancel.set()
    with pytest.raises(Cancelled):
        await waiting
    assert ended == [True]


async def test_a_watch_ends_with_its_block() -> None:
    cancel, calls = Cancel(), []
    async with Watch(cancel, lambda: calls.append(1)):
        pass
    cancel.set()
    await asyncio.sleep(0)
    assert calls == []
