"""Steward's own profile over both stores: nothing lost, nothing twice, the same bytes, one undo."""

import json
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.changes import Add, Edit, Pin, Restore
from memory.data_dir import Home
from memory.errors import ChangeRefused, NotFound
from memory.portable import own_json
from memory.portable.shapes import ProfileShape
from memory.portable.text_in import Unreadable
from memory.preference_store import PreferenceStore
from memory.preferences import Candidate, Filter
from memory.preferences_in_memory import InMemoryPreferences
from memory.profile_state import Parcel, Snapshot
from tests.support.clock import MONDAY
from tests.support.memories import a_candidate, an_item, candidates
from tests.support.preference_stores import sqlite_preferences
from tests.support.profiles import LATER, compared, document, fill, listed, read, taken_in

SCHEMA = Path(__file__).parents[3] / "docs" / "profile.schema.json"


@pytest.fixture(params=["in_memory", "sqlite"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[PreferenceStore]]:
    """Three homes: the one that is exported, and two others."""
    if request.param == "in_memory":
        yield [InMemoryPreferences(), InMemoryPreferences(), InMemoryPreferences()]
        return
    opened = []
    for name in ("one", "other", "third"):
        home = Home.resolve(str(tmp_path / name), {})
        home.make()
        opened.append(await sqlite_preferences(home.database))
    yield [store for store, _ in opened]
    for _, database in opened:
        await database.close()


async def text_of(store: PreferenceStore) -> str:
    return document(await store.snapshot())


async def check_journey(here: PreferenceStore, there: PreferenceStore, text: str) -> None:
    """`text`, that `here` gave out, makes the same of an empty store."""
    entry = await taken_in(there, text)
    assert entry is not None
    assert entry.operation == "import"
    assert await listed(there) == await listed(here)
    for one in await listed(here):
        before, after = await here.item(one.id), await there.item(one.id)
        assert [(e.quote, e.at, e.stance) for e in after.evidence] == [
            (e.quote, e.at, e.stance) for e in before.evidence
        ]
        told = [(e.at, e.operation, e.actor, e.reason, e.undone) for e in await here.history(one.id)]
        assert [(e.at, e.operation, e.actor, e.reason, e.undone) for e in await there.history(one.id)][1:] == told
    assert await there.head(at=LATER) == await here.head(at=LATER)
    assert await text_of(there) == text


async def test_what_is_taken_in_is_what_was_taken_out(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await fill(here)
    await check_journey(here, there, await text_of(here))


def without_the_first(profile: dict[str, Any], part: str) -> dict[str, Any]:
    """One entry of a list of the document, or of its first memory, is lost."""
    sections = profile["sections"]
    owner = sections if part in sections else sections["memories"][0]
    owner[part] = owner[part][1:]
    return profile


@pytest.mark.parametrize("lose", ["memories", "evidence", "history", "forgotten", "words"])
async def test_a_profile_that_loses_something_is_found_out(stores: Sequence[PreferenceStore], lose: str) -> None:
    """The control."""
    here, there, _ = stores
    await fill(here)
    text = await text_of(here)
    lost = (
        text.replace("fado", "fade")
        if lose == "words"
        else json.dumps(without_the_first(json.loads(text), lose), ensure_ascii=False)
    )
    with pytest.raises((AssertionError, ChangeRefused, Unreadable)):
        await check_journey(here, there, lost)


async def test_taking_it_in_again_changes_nothing(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await fill(here)
    text = await text_of(here)
    await taken_in(there, text)
    known = await there.snapshot()
    again = await compared(there, text)
    assert again.parcel.empty
    assert {line.verdict for line in again.lines} == {"known"}
    assert await there.take_in(again.parcel, actor="user", at=LATER) is None
    assert await there.snapshot() == known
    assert (await compared(here, text)).parcel.empty


async def test_one_undo_takes_it_back_and_another_does_it_again(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await fill(here)
    await there.learn([a_candidate("I like tea", "food.drink", "tea")], actor="user", at=MONDAY)
    before = await listed(there)
    await taken_in(there, await text_of(here))
    everything = await listed(there)
    undone = await there.undo(at=LATER)
    assert await listed(there) == before
    await there.undo(undone.id, at=LATER)
    assert await listed(there) == everything


async def test_history_from_elsewhere_is_read_and_never_undone(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await fill(here)
    await taken_in(there, await text_of(here))
    await there.undo(at=LATER)
    with pytest.raises(NotFound):
        await there.undo(at=LATER)
    assert all(not entry.undoable for entry in await there.history(limit=1_000) if entry.at < LATER)


async def test_what_was_forgotten_there_is_not_learned_here(stores: Sequence[PreferenceStore]) -> None:
    here, there, third = stores
    await fill(here)
    text = await text_of(here)
    assert "leeks" not in text
    await taken_in(there, text)
    inferred = a_candidate("I like leeks", object="leeks", source="inferred")
    assert (await there.learn([inferred], actor="model", at=LATER)).entries == ()
    await third.learn([a_candidate("I like leeks", object="leeks")], actor="user", at=MONDAY)
    await taken_in(third, text)
    assert len(await third.list(Filter(text="leeks"))) == 1


async def test_what_was_forgotten_here_does_not_come_back(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await here.learn([a_candidate()], actor="user", at=MONDAY)
    await there.learn([a_candidate(message=None)], actor="user", at=MONDAY)
    await there.forget([(await listed(there))[0].id], at=MONDAY)
    difference = await compared(there, await text_of(here))
    assert [(line.verdict, line.why) for line in difference.lines] == [("refused", "you had it forgotten here")]
    assert difference.parcel.changes == ()
    assert difference.parcel.history == ()


async def test_the_same_thing_said_in_both_homes_stays_one(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await here.learn([a_candidate("I'm vegan", "food.diet", "vegan", message=1)], actor="user", at=MONDAY)
    await here.learn(
        [a_candidate("I'm vegetarian", "food.diet", "vegetarian", message=3)],
        actor="user",
        at=MONDAY + timedelta(hours=1),
    )
    await there.learn([a_candidate("I am a vegetarian", "food.diet", "vegetarian", message=1)], actor="user", at=MONDAY)
    difference = await compared(there, await text_of(here))
    assert sorted(line.verdict for line in difference.lines) == ["known", "new"]
    await taken_in(there, await text_of(here))
    vegan = (await there.list(Filter(text="vegan")))[0]
    mine = (await there.list(Filter(statuses=("active",))))[0]
    assert (vegan.status, vegan.superseded_by) == ("superseded", mine.id)


async def test_a_contradiction_is_asked_and_yours_stays(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await here.learn([a_candidate("I love coriander", object="coriander", message=1)], actor="user", at=MONDAY)
    await there.learn([a_candidate("I hate coriander", object="coriander", polarity=-1)], actor="user", at=MONDAY)
    text = await text_of(here)
    difference = await compared(there, text)
    (line,) = difference.lines
    assert (line.verdict, line.against) == ("conflicting", "I hate coriander")
    await taken_in(there, text)
    ((new, old),) = (await there.review(at=LATER)).disputes
    assert (new.preference.statement, old.preference.statement) == ("I love coriander", "I hate coriander")
    assert (await compared(there, text)).parcel.empty


async def test_the_newer_state_of_a_memory_wins(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await here.learn([a_candidate()], actor="user", at=MONDAY)
    old = await text_of(here)
    await taken_in(there, old)
    await here.apply([Pin(id=(await listed(here))[0].id)], actor="user", at=MONDAY + timedelta(hours=1))
    new = await text_of(here)
    assert [line.verdict for line in (await compared(there, new)).lines] == ["changed"]
    await taken_in(there, new)
    assert (await listed(there))[0].pinned
    back = await compared(there, old)
    assert [(line.verdict, line.why) for line in back.lines] == [("known", "what is here is newer")]
    assert back.parcel.changes == ()


async def test_two_homes_that_changed_one_memory_keep_their_own(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await here.learn([a_candidate()], actor="user", at=MONDAY)
    await taken_in(there, await text_of(here))
    id = (await listed(here))[0].id
    await here.apply([Pin(id=id)], actor="user", at=LATER)
    await there.apply([Edit(id=id, statement="I hate cilantro")], actor="user", at=LATER)
    (line,) = (await compared(there, await text_of(here))).lines
    assert (line.verdict, line.against) == ("conflicting", "I hate cilantro")


async def test_a_parcel_that_does_not_fit_changes_nothing(stores: Sequence[PreferenceStore]) -> None:
    here, *_ = stores
    await here.learn([a_candidate()], actor="user", at=MONDAY)
    before = await here.snapshot()
    item = an_item(a_candidate("I like tea", "food.drink", "tea", message=None))
    clash = an_item(a_candidate("I like coriander", object="coriander", message=None))
    parcel = Parcel(changes=(Restore(item=item), Restore(item=clash)), reason="test")
    with pytest.raises(ChangeRefused):
        await here.take_in(parcel, actor="user", at=LATER)
    with pytest.raises(ChangeRefused):
        await here.take_in(Parcel(changes=(Add(item=item),)), actor="import", at=LATER)
    assert await here.snapshot() == before


async def test_an_imported_memory_can_be_forgotten_whole(stores: Sequence[PreferenceStore]) -> None:
    here, there, _ = stores
    await fill(here)
    await taken_in(there, await text_of(here))
    await there.forget([one.id for one in await listed(there)], at=LATER)
    left = await text_of(there)
    assert await listed(there) == ()
    for words in ("vegetarian", "coriander", "bullets", "fado", "thesis", "olives"):
        assert words not in left


@given(st.lists(candidates(), max_size=12))
@settings(max_examples=500 if os.environ.get("STEWARD_ATTACKS") == "all" else 60, deadline=None)
async def test_any_profile_survives_the_journey(said: list[Candidate]) -> None:
    here, there = InMemoryPreferences(), InMemoryPreferences()
    for step, candidate in enumerate(said):
        source = "user" if candidate.source in ("explicit", "corrected", "confirmed") else "model"
        try:
            await here.learn([candidate], actor=source, at=MONDAY + timedelta(minutes=step))  # type: ignore[arg-type]
        except ChangeRefused:
            continue
    text = document(await here.snapshot())
    await taken_in(there, text)
    assert await listed(there) == await listed(here)
    assert document(await there.snapshot()) == text
    assert (await compared(there, text)).parcel.empty


def test_the_schema_in_the_docs_is_the_one_that_is_read() -> None:
    """`python -m tests.support.profile_schema` writes it anew."""
    assert json.loads(SCHEMA.read_text("utf-8")) == ProfileShape.model_json_schema()


async def test_a_document_fits_its_schema() -> None:
    import jsonschema  # type: ignore[import-untyped]

    store = InMemoryPreferences()
    await fill(store)
    text = document(await store.snapshot())
    jsonschema.validate(json.loads(text), json.loads(SCHEMA.read_text("utf-8")))
    assert ProfileShape.model_validate_json(text).includes == "everything"


def test_an_empty_profile_is_a_profile() -> None:
    text = document(Snapshot(), everything=False)
    assert read(text).items == ()
    assert "forgotten" not in text


@pytest.mark.parametrize("version", [0, 2, "1", None, 10**30])
def test_another_version_is_refused_with_a_line(version: object) -> None:
    with pytest.raises(Unreadable) as error:
        own_json.read({"format": own_json.FORMAT, "version": version, "sections": {}}, str)
    assert "version" in error.value.message


def test_what_is_dated_ahead_or_twice_is_refused() -> None:
    item = an_item(a_candidate(message=None))
    ahead = replace(item, preference=replace(item.preference, recorded_at=MONDAY + timedelta(days=900)))
    text = document(Snapshot(items=(ahead, ahead)))
    profile = read(text)
    assert [(one.where, one.why) for one in profile.refused] == [("memory 2", f"its id {item.id} stands there twice")]
    assert len(profile.items) == 1
