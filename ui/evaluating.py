"""Runs the suites of `steward evaluate memory` over what a chat uses: the real store, the real recall, a real session.

Everything lives in a temporary folder; the user's own memory is neither read nor changed.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.evaluation.chains import chains
from assistant.evaluation.demands import Demand, own_users, users_of
from assistant.evaluation.fixtures import never_stored, noticed, pairs, small_talk, stated, which_applies
from assistant.evaluation.living import Begin, Lived, Say, live, living
from assistant.evaluation.merging import merging, updating
from assistant.evaluation.noticing import noticing
from assistant.evaluation.reading import Format, read_locomo, read_memorycode, read_prefeval, read_profiles
from assistant.evaluation.recognising import recognising
from assistant.evaluation.results import Suite
from assistant.evaluation.retrieving import AT, Recalled, retrieving, searching
from assistant.events import TurnEvent
from assistant.learning import opinion_of
from assistant.policies.language import Language
from assistant.ports import ChatModel
from memory.database import Database
from memory.preferences import Candidate
from memory.recall import MemoryRecall
from models.embedder import MiniLmEmbedder
from models.types import Cancel
from ui.headless import walk
from ui.memory_wiring import recalling
from ui.wiring import (
    Services,
    build_session,
    kept_preferences,
    kept_transcript,
    load_language,
    load_prompts,
    no_preferences,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Living:
    """What is done with a model: how the simulated users live."""

    users: int
    sessions: int = 6
    questions: int = 2
    notice: bool = False  # also what the model notices in the background


class AdvancingClock:
    """Each look is a second later; `next_day` begins another session."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        self._at += timedelta(seconds=1)
        return self._at

    def next_day(self) -> None:
        self._at += timedelta(days=1)


class Evaluation:
    """`embedder` None: by words alone. Raises AssistantError for data that cannot be read."""

    def __init__(self, embedder: MiniLmEmbedder | None, language: Language) -> None:
        self._embed = None if embedder is None else CachedVectors(embedder).embed
        self._language = language

    @classmethod
    async def prepared(cls, embedder: MiniLmEmbedder) -> "Evaluation":
        here = await asyncio.to_thread(lambda: embedder.available)
        return cls(embedder if here else None, await asyncio.to_thread(load_language))

    async def own(self) -> tuple[Suite, ...]:
        """Our own fixtures, without a model."""
        return (
            await _timed(asyncio.to_thread(self._recognised, "recognising", "")),
            await _timed(asyncio.to_thread(self._recognised, "recognising, second set", "_second")),
            await _timed(asyncio.to_thread(self._recognised, "recognising, third set", "_third")),
            await _timed(asyncio.to_thread(self._recognised, "recognising, fourth set", "_fourth")),
            await _timed(asyncio.to_thread(self._recognised, "recognising, fifth set", "_fifth")),
            await _timed(asyncio.to_thread(lambda: merging(pairs()))),
            await _timed(asyncio.to_thread(lambda: updating(chains()))),
            await _timed(self._which_applies()),
        )

    def _recognised(self, name: str, suffix: str) -> Suite:
        wanted, unwanted = stated(f"stated{suffix}.txt"), never_stored(f"never_stored{suffix}.txt")
        return recognising(wanted, unwanted, self._language, name=name)

    async def _which_applies(self) -> Suite:
        asked = await asyncio.to_thread(which_applies, "which_applies_held_out.tsv")
        others = await asyncio.to_thread(which_applies, "which_applies.tsv")
        talk = await asyncio.to_thread(small_talk)
        return await retrieving(asked, others, talk, self._filled, name=f"which applies, {self._how}")

    @property
    def _how(self) -> str:
        return "words and meaning" if self._embed is not None else "words alone"

    async def given(self, data: Path, kind: Format) -> tuple[Suite, ...]:
        """A public benchmark; those that need no model."""
        match kind:
            case "locomo":
                talks = await asyncio.to_thread(read_locomo, data)
                return (await _timed(asyncio.to_thread(searching, talks, self._embed)),)
            case "prefeval":
                cases = await asyncio.to_thread(read_prefeval, data)
                return (await _timed(retrieving(cases, (), (), self._filled, name=f"prefeval, {self._how}")),)
            case "memorycode":
                found = await asyncio.to_thread(read_memorycode, data)
                return (await _timed(asyncio.to_thread(lambda: updating(found, name="memorycode"))),)
            case "multisessioncollab":
                return ()

    @asynccontextmanager
    async def _filled(self, candidates: Sequence[Candidate]) -> AsyncIterator[Recalled]:
        async with _database() as (database, folder):
            store = kept_preferences(database)
            await store.learn(candidates, actor="user", at=AT)
            async with recalling(store, database, folder, self._embed) as ranking:

                async def recall(question: str) -> list[str]:
                    return [one.preference.statement for one in await ranking.recall(question, at=AT)]

                yield recall

    # with a model

    async def lives(
        self, services: Services, model: ChatModel, how: Living, data: Path | None, told: Callable[[str], None]
    ) -> Suite:
        """The same users with memory and without."""
        users = own_users() if data is None else users_of(await asyncio.to_thread(read_profiles, data))
        chosen = users[: how.users]
        began = time.perf_counter()
        found: dict[bool, list[Lived]] = {True: [], False: []}
        for number, demands in enumerate(chosen, start=1):
            for memory in (True, False):
                lived = await self._life(services, model, demands, how, memory=memory)
                found[memory].append(lived)
                how_often = " ".join(map(str, lived.corrections))
                told(f"user {number} of {len(chosen)}, {'memory' if memory else 'no memory'}: {how_often}")
        return replace(living(found[True], found[False]), seconds=time.perf_counter() - began)

    async def noticing(self, services: Services, model: ChatModel) -> tuple[Suite, ...]:
        """What this model notices in the background; seconds for each of a hundred sentences."""
        loaded = services.prompts if services.prompts is not None else await asyncio.to_thread(load_prompts)
        prompts = loaded.learning
        if prompts is None:
            return ()
        found = []
        for file, name in (("noticed.txt", "noticing"), ("noticed_held_out.txt", "noticing, held out")):
            began = time.perf_counter()
            ask = partial(opinion_of, model=model, prompts=prompts, cancel=Cancel())
            suite = await noticing(await asyncio.to_thread(noticed, file), ask, self._language, name=name)
            found.append(replace(suite, seconds=time.perf_counter() - began))
        return tuple(found)

    async def _life(
        self, services: Services, model: ChatModel, demands: Sequence[Demand], how: Living, *, memory: bool
    ) -> Lived:
        @asynccontextmanager
        async def life(with_memory: bool) -> AsyncIterator[Begin]:
            async with _database() as (database, _):
                clock = AdvancingClock(AT)
                preferences = kept_preferences(database) if with_memory else no_preferences()
                ranking = MemoryRecall(store=preferences)
                transcript = kept_transcript(database)
                own = replace(services, transcript=transcript, preferences=preferences, ranking=ranking, clock=clock)

                async def begin() -> Say:
                    clock.next_day()
                    session = await asyncio.to_thread(build_session, own, model)
                    session.new("normal" if with_memory else "no_learn")

                    async def say(text: str) -> str:
                        return (await walk(session.say(text), _unseen)).ended.text

                    return say

                yield begin

        return await live(life, demands, memory=memory, sessions=how.sessions, questions=how.questions)


def _unseen(event: TurnEvent) -> None:
    """Nobody looks at the events of a simulated user."""


@asynccontextmanager
async def _database() -> AsyncIterator[tuple[Database, Path]]:
    temporary = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="steward-evaluation-")
    folder = Path(temporary.name)
    try:
        async with await Database.open(folder / "steward.db") as database:
            yield database, folder
    finally:
        await asyncio.to_thread(temporary.cleanup)


class CachedVectors:
    """Embeds each text once in a run. For use from one thread at a time."""

    def __init__(self, embedder: MiniLmEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


async def _timed(suite: Awaitable[Suite]) -> Suite:
    began = time.perf_counter()
    done = await suite
    return replace(done, seconds=time.perf_counter() - began)
