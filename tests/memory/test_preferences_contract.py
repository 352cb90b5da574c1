"""What every store of preferences keeps: one suite for the reference and for the one in SQLite."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from memory.changes import Add, Confirm, Deny, Edit, Merge, Pin, Promote, Retract, Supersede
from memory.data_dir import Home
from memory.errors import ChangeRefused, NotFound
from memory.preference_store import PreferenceStore
from memory.preferences import Filter, Preference, PreferenceId, Scope, Usage
from memory.preferences_in_memory import InMemoryPreferences
from memory.types import MessageId
from tests.support.clock import MONDAY
from tests.support.memories import a_candidate, an_item
from tests.support.preference_stores import sqlite_preferences

LATER = MONDAY + timedelta(hours=1)
DIET = a_candidate("I'm vegetarian", "food.diet", "vegetarian", message=1)
FISH = a_candidate("I eat fish now", "food.diet", "pescatarian", message=3)
CORIANDER = a_candidate("I hate coriander", object="coriander", polarity=-1, message=2)
LIKES_IT = a_candidate("coriander!", object="coriander", message=5, source="inferred")  # contradicts CORIANDER
THESIS = Scope(type="project", value="thesis")


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[PreferenceStore]:
    if request.param == "in_memory":
        yield InMemoryPreferences()
        return
    store, database = await sqlite_preferences(home.database)
    yield store
    await database.close()


async def active(store: PreferenceStore) -> list[str]:
    return sorted(one.statement for one in await store.list(Filter(statuses=("active",))))


async def state(store: PreferenceStore) -> list[object]:
    return [item async for item in store.export()]


async def the(store: PreferenceStore, statement: str) -> Preference:
    return next(one for one in await store.list(limit=100) if one.statement == statement)


async def test_what_is_learned_is_there_with_its_evidence(store: PreferenceStore) -> None:
    learned = await store.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    assert [entry.operation for entry in learned.entries] == ["add", "add"]
    assert await active(store) == ["I hate coriander", "I'm vegetarian"]
    one = await the(store, "I'm vegetarian")
    item = await store.item(one.id)
    assert item.evidence == (DIET.evidence,)
    assert await store.find(one.id[:6]) == item
    assert await store.count() == 2


async def test_nothing_is_no_change(store: PreferenceStore) -> None:
    assert (await store.learn([], actor="rules", at=MONDAY)).entries == ()
    assert await store.apply([], actor="user", at=MONDAY) == ()
    assert await store.history() == ()


async def test_the_same_again_is_no_change(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    before = await state(store)
    again = await store.learn([DIET], actor="rules", at=LATER)
    assert again.entries == ()
    assert len(again.changes) == 1
    assert await state(store) == before


async def test_a_new_diet_supersedes_and_undo_brings_the_old_one_back(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    before = await state(store)
    (entry,) = (await store.learn([FISH], actor="rules", at=LATER)).entries
    after = await state(store)
    assert await active(store) == ["I eat fish now"]
    history = await store.history()
    assert [one.operation for one in history] == ["supersede", "add"]
    undone = await store.undo(at=LATER)
    assert undone.undo_of == entry.id
    assert await state(store) == before
    assert [(one.operation, one.undone) for one in await store.history()] == [
        ("undo", False),
        ("supersede", True),
        ("add", False),
    ]
    redone = await store.undo(undone.id, at=LATER)
    assert redone.undo_of == undone.id
    assert sorted(map(str, await state(store))) == sorted(map(str, after))
    assert (await store.history())[2].undone is False


async def test_undo_walks_back_one_change_at_a_time(store: PreferenceStore) -> None:
    await store.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    await store.undo(at=LATER)
    assert await active(store) == ["I'm vegetarian"]
    await store.undo(at=LATER)
    assert await state(store) == []
    with pytest.raises(NotFound):
        await store.undo(at=LATER)


async def test_an_older_change_is_not_undone_from_under_a_newer_one(store: PreferenceStore) -> None:
    (added,) = (await store.learn([DIET], actor="rules", at=MONDAY)).entries
    await store.learn([FISH], actor="rules", at=LATER)
    before = await state(store)
    with pytest.raises(ChangeRefused):
        await store.undo(added.id, at=LATER)
    assert await state(store) == before


async def test_undo_does_not_put_two_values_in_force(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    one = await the(store, "I'm vegetarian")
    (retracted,) = await store.apply([Retract(id=one.id)], actor="user", at=LATER)
    await store.learn([FISH], actor="rules", at=LATER)
    with pytest.raises(ChangeRefused):
        await store.undo(retracted.id, at=LATER)
    assert await active(store) == ["I eat fish now"]


async def test_what_another_item_refers_to_is_not_undone_away(store: PreferenceStore) -> None:
    (added,) = (await store.learn([CORIANDER], actor="rules", at=MONDAY)).entries
    await store.learn([LIKES_IT], actor="model", at=LATER)
    with pytest.raises(ChangeRefused):
        await store.undo(added.id, at=LATER)


async def test_a_batch_happens_whole_or_not_at_all(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    before = await state(store)
    one = await the(store, "I'm vegetarian")
    with pytest.raises(ChangeRefused):
        await store.apply([Pin(id=one.id), Promote(id=one.id)], actor="user", at=LATER)
    assert await state(store) == before
    assert len(await store.history()) == 1


async def test_two_active_values_of_one_place_are_refused(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    with pytest.raises(ChangeRefused):
        await store.apply([Add(item=an_item(FISH))], actor="user", at=LATER)
    assert await active(store) == ["I'm vegetarian"]


@pytest.mark.parametrize("actor", ["model", "import", "upkeep", "rules"])
async def test_only_the_user_ends_a_pinned_item(store: PreferenceStore, actor: str) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    one = await the(store, "I'm vegetarian")
    await store.apply([Pin(id=one.id)], actor="user", at=MONDAY)
    for change in (Retract(id=one.id), Supersede(old_ids=(one.id,), item=an_item(FISH))):
        with pytest.raises(ChangeRefused):
            await store.apply([change], actor=actor, at=LATER)  # type: ignore[arg-type]
    await store.apply([Supersede(old_ids=(one.id,), item=an_item(FISH))], actor="user", at=LATER)
    assert await active(store) == ["I eat fish now"]


async def test_a_model_makes_nothing_active(store: PreferenceStore) -> None:
    with pytest.raises(ChangeRefused):
        await store.apply([Add(item=an_item(DIET))], actor="model", at=LATER)


async def test_confirming_a_disputed_item_ends_the_one_it_contests(store: PreferenceStore) -> None:
    await store.learn([CORIANDER], actor="rules", at=MONDAY)
    await store.learn(
        [a_candidate("coriander!", object="coriander", message=5, source="inferred")], actor="model", at=LATER
    )
    queue = await store.review(at=LATER)
    ((new, old),) = queue.disputes
    assert (new.preference.statement, old.preference.statement) == ("coriander!", "I hate coriander")
    await store.apply([Confirm(id=new.id)], actor="user", at=LATER)
    assert await active(store) == ["coriander!"]
    assert (await store.item(old.id)).preference.superseded_by == new.id
    assert (await store.item(new.id)).preference.source == "confirmed"
    assert (await store.review(at=LATER)).disputes == ()


async def test_denying_it_leaves_the_old_one(store: PreferenceStore) -> None:
    await store.learn([CORIANDER], actor="rules", at=MONDAY)
    await store.learn([LIKES_IT], actor="model", at=LATER)
    await store.apply([Deny(id=(await the(store, "coriander!")).id)], actor="user", at=LATER)
    assert await active(store) == ["I hate coriander"]
    learned = await store.learn(
        [a_candidate("more coriander", object="coriander", message=7, source="inferred")], actor="model", at=LATER
    )
    assert learned.entries == ()


async def test_confirming_the_end_of_a_pinned_item_ends_it(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    one = await the(store, "I'm vegetarian")
    await store.apply([Pin(id=one.id)], actor="user", at=MONDAY)
    over = a_candidate("not vegetarian any more", "food.diet", "vegetarian", message=9, stance="withdraws")
    await store.learn([over], actor="rules", at=LATER)
    assert await active(store) == ["I'm vegetarian"]
    await store.apply([Confirm(id=(await the(store, "not vegetarian any more")).id)], actor="user", at=LATER)
    assert await active(store) == []
    assert (await store.item(one.id)).preference.status == "retracted"


async def test_an_edit_takes_the_place_of_what_it_clashes_with(store: PreferenceStore) -> None:
    short = a_candidate("short answers", "reply_style.length", "short", message=1)
    tone = a_candidate("long answers", "reply_style.other", "long", message=2)
    await store.learn([short, tone], actor="rules", at=MONDAY)
    wrong = await the(store, "long answers")
    await store.apply([Edit(id=wrong.id, slot="reply_style.length", domain="reply_style")], actor="user", at=LATER)
    assert await active(store) == ["long answers"]
    await store.undo(at=LATER)
    assert await active(store) == ["long answers", "short answers"]


async def test_merging_joins_the_evidence_and_undo_parts_it_again(store: PreferenceStore) -> None:
    await store.learn([a_candidate("I like tea", object="tea", message=1)], actor="rules", at=MONDAY)
    await store.learn([a_candidate("green tea is great", object="green tea", message=2)], actor="rules", at=MONDAY)
    before = await state(store)
    first, second = await the(store, "I like tea"), await the(store, "green tea is great")
    await store.apply([Merge(id=first.id, absorbed=(second.id,))], actor="user", at=LATER)
    assert await active(store) == ["I like tea"]
    assert [one.quote for one in (await store.item(first.id)).evidence] == ["I like tea", "green tea is great"]
    await store.undo(at=LATER)
    assert await state(store) == before


async def test_listing_filters_and_pages(store: PreferenceStore) -> None:
    candidates = [
        a_candidate(f"I like fruit {number}", object=f"fruit {number}", message=number + 1) for number in range(9)
    ]
    for number, candidate in enumerate(candidates):
        await store.learn([candidate], actor="rules", at=MONDAY + timedelta(minutes=number))
    await store.learn([a_candidate("Ich mag CAFÉ", "food.drink", "Café", message=20)], actor="rules", at=LATER)
    assert [one.object for one in await store.list(Filter(slot="food.taste"), limit=2, offset=1)] == [
        "fruit 7",
        "fruit 6",
    ]
    assert [one.object for one in await store.list(Filter(text="cafe"))] == ["Café"]
    assert await store.count(Filter(text="FRUIT")) == 9
    assert await store.count(Filter(domains=("food",), statuses=("active",), sources=("explicit",))) == 10
    assert await store.count(Filter(domains=("music",))) == 0
    assert await store.count(Filter(pinned=True)) == 0


async def test_search_finds_any_word_and_only_what_is_in_force(store: PreferenceStore) -> None:
    await store.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    await store.learn([FISH], actor="rules", at=LATER)
    assert [hit.preference.statement for hit in await store.search("what about corianders and fish?")] != []
    assert await store.search("vegetarian") == ()
    (old,) = await store.search("vegetarian", statuses=("superseded",))
    assert old.preference.statement == "I'm vegetarian"
    assert old.score > 0
    for empty in ("", "the of and", "!?", "\x00", '"', "* OR NEAR(", "a" * 10_000):
        assert await store.search(empty) == ()


async def test_an_object_is_found_inside_a_text_without_spaces(store: PreferenceStore) -> None:
    chinese = a_candidate("我不吃香菜", object="香菜", polarity=-1)
    await store.learn([chinese, CORIANDER], actor="rules", at=MONDAY)
    assert [hit.preference.object for hit in await store.search("今晚的汤里要放香菜吗")] == ["香菜"]
    assert await store.search("今晚吃什么") == ()


async def test_the_head_holds_style_identity_limits_and_pins_in_one_order(store: PreferenceStore) -> None:
    await store.learn(
        [
            a_candidate("I like jazz", "music.taste", "jazz", message=1),
            a_candidate("three bullets", "reply_style.format", "bullets", message=2),
            a_candidate("call me Sam", "identity.name", "Sam", message=3),
            a_candidate("never nuts", "food.taste", "nuts", -1, strength=4, message=4),
            a_candidate("long for maths", "reply_style.length", "long", message=5, condition="maths"),
            a_candidate("short in the thesis", "reply_style.length", "short", message=6, scope=THESIS),
            a_candidate("terse today", "reply_style.tone", "terse", message=7, valid_to=LATER),
        ],
        actor="rules",
        at=MONDAY,
    )
    assert [one.statement for one in await store.head(at=MONDAY)] == [
        "never nuts",
        "three bullets",
        "terse today",
        "call me Sam",
    ]
    in_thesis = await store.head(at=LATER, scopes=[THESIS])
    assert [one.statement for one in in_thesis] == ["never nuts", "short in the thesis", "three bullets", "call me Sam"]
    jazz = await the(store, "I like jazz")
    await store.apply([Pin(id=jazz.id)], actor="user", at=MONDAY)
    assert jazz.id in [one.id for one in await store.head(at=MONDAY)]


async def test_items_of_domains_come_strongest_first(store: PreferenceStore) -> None:
    weak = a_candidate("I like jazz", "music.taste", "jazz", message=1, strength=1)
    strong = a_candidate("no techno, ever", "music.taste", "techno", -1, message=2, strength=3)
    await store.learn([weak, strong, DIET], actor="rules", at=MONDAY)
    assert [one.object for one in await store.in_domains(["music", "books"])] == ["techno", "jazz"]
    assert await store.in_domains([]) == ()


async def test_usage_says_which_items_shaped_a_reply(store: PreferenceStore) -> None:
    await store.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    diet, coriander = await the(store, "I'm vegetarian"), await the(store, "I hate coriander")
    reply = MessageId(10)
    uses = [
        Usage(preference_id=diet.id, message_id=reply, place="turn", at=MONDAY, score=0.4),
        Usage(preference_id=coriander.id, message_id=reply, place="turn", at=MONDAY, score=0.6),
        Usage(preference_id=PreferenceId("pgone"), message_id=reply, place="turn", at=MONDAY),
    ]
    await store.record_usage(uses)
    await store.mark_outcome(reply, [diet.id], "violated")
    assert [(use.preference_id, use.outcome) for use in await store.usage_of(reply)] == [
        (coriander.id, "unknown"),
        (diet.id, "violated"),
    ]
    assert [use.message_id for use in await store.uses(diet.id)] == [reply]


async def test_upkeep_ends_what_its_date_ended_and_can_be_undone(store: PreferenceStore) -> None:
    await store.learn(
        [a_candidate("short this week", "reply_style.length", "short", valid_to=LATER)], actor="rules", at=MONDAY
    )
    before = await state(store)
    assert await store.keep_up(at=MONDAY) == ()
    (entry,) = await store.keep_up(at=LATER)
    assert (entry.operation, entry.actor) == ("expire", "upkeep")
    assert await active(store) == []
    await store.undo(at=LATER)
    assert await state(store) == before


async def test_upkeep_demotes_what_was_only_inferred_and_never_what_was_said(store: PreferenceStore) -> None:
    noticed = [
        a_candidate(f"jazz {n}", "music.taste", "jazz", message=n, session=f"s{n % 2 + 1}", source="inferred")
        for n in (1, 2, 3)
    ]
    for candidate in noticed:
        await store.learn([candidate], actor="model", at=MONDAY)
    await store.learn([DIET], actor="rules", at=MONDAY)
    assert await active(store) == ["I'm vegetarian", "jazz 1"]
    await store.keep_up(at=MONDAY + timedelta(days=300))
    assert await active(store) == ["I'm vegetarian"]


async def test_unknown_names_are_said_not_to_exist(store: PreferenceStore) -> None:
    await store.learn([DIET], actor="rules", at=MONDAY)
    for name in ("", "p", "pnothere", "%", "_"):
        if name == "p":
            assert (await store.find(name)).preference.statement == "I'm vegetarian"
            continue
        with pytest.raises(NotFound):
            await store.find(name)
    with pytest.raises(NotFound):
        await store.item(PreferenceId("pnothere"))
    with pytest.raises(ChangeRefused):
        await store.apply([Pin(id=PreferenceId("pnothere"))], actor="user", at=LATER)


# --- forgetting ----------------------------------------------------------------------------------------------


async def test_what_is_forgotten_is_nowhere_and_not_learned_again(store: PreferenceStore) -> None:
    await store.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    await store.learn([FISH], actor="rules", at=LATER)
    diet = await the(store, "I'm vegetarian")
    preview = await store.preview_forget([diet.id])
    assert [item.id for item in preview.items] == [diet.id]
    assert preview.history_entries == 2
    assert preview.sources == (MessageId(1),)
    gone = await store.forget([diet.id], at=LATER)
    assert (gone.items, gone.evidence, gone.history) == (1, 1, 2)
    with pytest.raises(NotFound):
        await store.item(diet.id)
    assert "vegetarian" not in repr(
        [await state(store), await store.history(), await store.search("vegetarian", statuses=("superseded",))]
    )
    fish = await the(store, "I eat fish now")
    assert fish.status == "active"
    again = await store.learn(
        [DIET, a_candidate("Vegetarian me", "food.diet", "vegetarian", message=9)], actor="rules", at=LATER
    )
    assert again.entries == ()
    with pytest.raises(ChangeRefused):
        await store.undo((await store.history())[1].id, at=LATER)


async def test_asking_to_remember_it_brings_it_back_for_good(store: PreferenceStore) -> None:
    await store.learn([CORIANDER], actor="rules", at=MONDAY)
    await store.forget([(await the(store, "I hate coriander")).id], at=LATER)
    asked = a_candidate("I hate coriander", object="coriander", polarity=-1, message=7, requested=True)
    assert len((await store.learn([asked], actor="rules", at=LATER)).entries) == 1
    other = a_candidate("coriander, yuck", object="coriander", polarity=-1, message=8, source="inferred")
    assert [entry.operation for entry in (await store.learn([other], actor="model", at=LATER)).entries] == ["reinforce"]


async def test_earlier_wordings_are_barred_too(store: PreferenceStore) -> None:
    await store.learn([CORIANDER], actor="rules", at=MONDAY)
    one = await the(store, "I hate coriander")
    await store.apply([Edit(id=one.id, statement="no cilantro", object="cilantro leaves")], actor="user", at=LATER)
    await store.forget([one.id], at=LATER)
    again = a_candidate("I hate coriander", object="", polarity=-1, message=9)
    assert (await store.learn([again], actor="rules", at=LATER)).entries == ()


async def test_forgetting_the_contested_item_leaves_a_dispute_that_can_be_settled(store: PreferenceStore) -> None:
    await store.learn([CORIANDER], actor="rules", at=MONDAY)
    await store.learn(
        [a_candidate("coriander!", object="coriander", message=5, source="inferred")], actor="model", at=LATER
    )
    await store.forget([(await the(store, "I hate coriander")).id], at=LATER)
    (waiting,) = (await store.review(at=LATER)).candidates
    assert waiting.preference.contests is None
    (denied,) = await store.apply([Deny(id=waiting.id)], actor="user", at=LATER)
    await store.undo(denied.id, at=LATER)
    await store.apply([Confirm(id=waiting.id)], actor="user", at=LATER)
    assert await active(store) == ["coriander!"]


async def test_forgetting_nothing_or_something_unknown(store: PreferenceStore) -> None:
    with pytest.raises(NotFound):
        await store.forget([PreferenceId("pnothere")], at=LATER)
    assert (await store.forget([], at=LATER)).items == 0
