"""Profiles for tests: a store that knows one of everything, and what it looks like when it is taken out and in."""

from datetime import datetime, timedelta

from assistant.policies.cleaning import clean
from assistant.policies.imported import Gate
from memory.changes import Confirm, Deny, Edit, HistoryEntry, Pin
from memory.portable import own_json
from memory.portable.difference import Difference, compare_own
from memory.portable.own_json import OwnProfile
from memory.portable.text_in import json_of, text_of
from memory.preference_store import PreferenceStore
from memory.preferences import Preference, Scope
from memory.profile_state import Snapshot
from tests.support.clock import MONDAY
from tests.support.english import english
from tests.support.memories import a_candidate

LATER = MONDAY + timedelta(days=3)


async def fill(store: PreferenceStore) -> None:
    """One of every status and scope: replaced, pinned, edited, denied, disputed, inferred, ended, forgotten."""
    learn = [
        a_candidate("I'm vegetarian", "food.diet", "vegetarian", message=1),
        a_candidate("I hate coriander", object="coriander", polarity=-1, message=2, strength=4),
        a_candidate("Keep answers to three bullets", "reply_style.format", "3 bullets", message=None),
        a_candidate("I like fado", "music.taste", "fado", message=4, source="inferred"),
        a_candidate("I like jazz", "music.taste", "jazz", message=6, source="inferred"),
        a_candidate("For the thesis write formally", "writing.style", "formal", scope=Scope(type="project", value="t")),
        a_candidate("I like olives", object="olives", message=5),
        a_candidate("I like leeks", object="leeks", message=7),
    ]
    for step, candidate in enumerate(learn):
        await store.learn([candidate], actor="rules", at=MONDAY + timedelta(minutes=step))
    then = MONDAY + timedelta(hours=1)
    await store.learn(
        [
            a_candidate("I eat fish now", "food.diet", "pescatarian", message=11),
            a_candidate("coriander is great", object="coriander", message=12, source="inferred"),
            a_candidate("I no longer like olives", object="olives", message=13, stance="withdraws"),
        ],
        actor="rules",
        at=then,
    )
    one = {preference.object: preference for preference in await store.list(limit=100)}
    await store.apply([Pin(id=one["3 bullets"].id)], actor="user", at=then)
    await store.apply([Confirm(id=one["fado"].id)], actor="user", at=then)
    await store.apply([Deny(id=one["jazz"].id)], actor="user", at=then)
    await store.apply([Edit(id=one["fado"].id, statement="I love fado", strength=3)], actor="user", at=then)
    await store.undo(at=then + timedelta(minutes=1))
    await store.forget([one["leeks"].id], at=then + timedelta(minutes=2))


def document(snapshot: Snapshot, *, everything: bool = True) -> str:
    return own_json.write(snapshot, {}, everything=everything)


def read(text: str) -> OwnProfile:
    return own_json.read(json_of(text_of(text.encode())), clean)


async def compared(store: PreferenceStore, text: str, *, at: datetime = LATER) -> Difference:
    gate = Gate(language=english())
    return compare_own(await store.snapshot(), read(text), gate.unfit, at, reason="test")


async def taken_in(store: PreferenceStore, text: str, *, at: datetime = LATER) -> HistoryEntry | None:
    difference = await compared(store, text, at=at)
    return await store.take_in(difference.parcel, actor="user", at=at)


async def listed(store: PreferenceStore) -> tuple[Preference, ...]:
    return await store.list(limit=1_000)
