"""The ticker of speaking first: who is asked, what is marked, and when nothing happens."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from assistant.policies.when.zones import to_local
from assistant.proactive import ProactiveEngine
from assistant.proactive_facts import StoreLookout
from assistant.proactive_ticker import ProactiveTicker
from assistant.proactive_types import NOBODY, Digest, Presence, Spoken
from memory.suggestions import Settings
from memory.suggestions_in_memory import InMemorySuggestions
from memory.types import Message, MessageId
from tests.support.clock import MONDAY, FixedClock
from tests.support.suggestions import an_opportunity
from tests.support.waiting import eventually

HOUR = timedelta(hours=1)


def here() -> str:
    """Asked in a thread, where zones may be read."""
    to_local(MONDAY, "UTC")
    return "UTC"


class Nothing:
    async def after(self, id: MessageId, *, limit: int = 200) -> tuple[Message, ...]:
        return ()

    async def newest(self) -> MessageId:
        return MessageId(0)


@dataclass(slots=True)
class Ear:
    """A voice that writes down what it said."""

    at: Presence | None = NOBODY
    seen: bool = True
    said: list[Spoken] = field(default_factory=list)
    digests: list[Digest] = field(default_factory=list)

    def presence(self) -> Presence | None:
        return self.at

    async def spoken(self, spoken: tuple[Spoken, ...]) -> bool:
        self.said += spoken
        return self.seen

    async def digest(self, digest: Digest) -> None:
        self.digests.append(digest)


@dataclass(slots=True)
class Room:
    store: InMemorySuggestions
    clock: FixedClock
    ear: Ear

    def ticker(self) -> ProactiveTicker:
        """As of a process that just began."""
        engine = ProactiveEngine(self.store, StoreLookout(Nothing()), here)
        return ProactiveTicker(engine, self.clock, self.ear)


@pytest.fixture
async def room() -> Room:
    store = InMemorySuggestions()
    await store.save_settings(Settings(on=True, asked=True, quiet=None, morning=None))
    return Room(store, FixedClock(MONDAY + HOUR), Ear())


async def test_what_was_claimed_is_said_and_marked(room: Room) -> None:
    await room.store.keep([an_opportunity(need=0.95)])
    async with room.ticker().running():
        await eventually(lambda: bool(room.ear.said))
    (told,) = await room.store.list()
    assert told.suggestion.state == "shown"


async def test_what_nobody_saw_is_said_by_the_next_owner(room: Room) -> None:
    room.ear.seen = False
    await room.store.keep([an_opportunity(need=0.95)])
    await room.ticker().tick()
    assert [one.again for one in room.ear.said] == [False]
    room.ear.seen = True
    await room.ticker().tick()
    await room.ticker().tick()
    assert [one.again for one in room.ear.said] == [False, True]


async def test_nobody_to_say_it_to_means_that_nothing_is_looked_at(room: Room) -> None:
    room.ear.at = None
    await room.store.keep([an_opportunity(need=0.95)])
    version = await room.store.version()
    assert await room.ticker().tick() == ()
    assert await room.store.version() == version


async def test_a_digest_waits_for_somebody_who_is_not_typing(room: Room) -> None:
    await room.store.save_settings(Settings(on=True, asked=True, quiet=None, most_a_day=1))
    await room.store.keep([an_opportunity(need=0.4, value=0.5)])
    ticker = room.ticker()
    room.ear.at = Presence(typing=True)
    await ticker.tick()
    assert room.ear.digests == []
    room.ear.at = Presence()
    await ticker.tick()
    await ticker.tick()
    assert [digest.which for digest in room.ear.digests] == ["morning"]


async def test_waking_looks_at_once(room: Room) -> None:
    async with room.ticker().running() as ticker:
        await eventually(lambda: not ticker._woken.is_set())
        await room.store.keep([an_opportunity(need=0.95)])
        room.ear.at = Presence(breakpoint="return")
        ticker.wake()
        await eventually(lambda: bool(room.ear.said))
