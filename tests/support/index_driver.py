"""A Steward that learns, changes, undoes and forgets without pause, to be killed at any moment.

`python -m tests.support.index_driver DATABASE SEED exact|chroma` prints one line for every change that is on disk:
"kept ID", "ended ID" or "forgot ID".
"""

import asyncio
import random
import sys
from datetime import timedelta
from pathlib import Path

from memory.changes import Edit, Retract
from memory.index_folder import root_of
from memory.indexer import Indexer
from memory.preferences import Preference
from memory.sqlite_preferences import SqlitePreferences
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate
from tests.support.preference_stores import sqlite_preferences


async def live(path: Path, seed: int, *, use_chroma: bool) -> None:
    store, database = await sqlite_preferences(path)
    indexer = Indexer(
        database=database, root=root_of(path), embed=HashingEmbedder().embed, model="hashing", use_chroma=use_chroma
    )
    store.on_change = indexer.wake
    indexer.start()
    dice = random.Random(seed)
    number = 0
    while True:
        number += 1
        active = [one for one in await store.list(limit=500) if one.status == "active"]
        await step(store, dice, active, f"{seed} {number}")
        await asyncio.sleep(dice.choice((0, 0, 0.001, 0.01)))


async def step(store: SqlitePreferences, dice: random.Random, active: list[Preference], name: str) -> None:
    at = MONDAY + timedelta(hours=1)
    choice = dice.random()
    if choice < 0.5 or len(active) < 5:
        candidate = a_candidate(f"I like number {name}", "other.taste", f"number {name}", message=dice.randint(1, 50))
        (entry,) = (await store.learn([candidate], actor="rules", at=at)).entries
        say("kept", entry.deltas[0].id)
        return
    one = dice.choice(active)
    if choice < 0.65:
        await store.apply([Edit(id=one.id, statement=f"I like edition {name}")], actor="user", at=at)
        say("kept", one.id)
    elif choice < 0.8:
        await store.apply([Retract(id=one.id)], actor="user", at=at)
        say("ended", one.id)
        if dice.random() < 0.5:
            await store.undo(at=at)
            say("kept", one.id)
    else:
        await store.forget([one.id], at=at)
        say("forgot", one.id)


def say(what: str, id: str) -> None:
    sys.stdout.write(f"{what} {id}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), int(sys.argv[2]), use_chroma=sys.argv[3] == "chroma"))
