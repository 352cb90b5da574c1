"""What every store of preferences keeps: one suite for the reference and for the one in SQLite."""

from datetime import timedelta

import pytest

from memory.changes import Add, Confirm, Deny, Edit, Merge, Pin, Promote, Retract, Supersede
from memory.errors import ChangeRefused, NotFound
from memory.preference_store import PreferenceStore
from memory.preferences import Filter, PreferenceId, Scope, Usage
from memory.types import MessageId
from tests.support.clock import MONDAY
from tests.support.contract_items import CORIANDER, DIET, FISH, LATER, active, state, the
from tests.support.memories import a_candidate, an_item

LIKES_IT = a_candidate("coriander!", object="coriander", message=5, source="inferred")  # contradicts CORIANDER

THESIS = Scope(type="project", value="thesis")


async def test_what_is_learned_is_there_with_its_evidence(preferences: PreferenceStore) -> None:
    learned = await preferences.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    assert [entry.operation for entry in learned.entries] == ["add", "add"]
    assert await active(preferences) == ["I hate coriander", "I'm vegetarian"]
    one = await the(preferences, "I'm vegetarian")
    item = await preferences.item(one.id)
    assert item.evidence == (DIET.evidence,)
    assert await preferences.find(one.id[:6]) == item
    assert await preferences.count() == 2


async def test_nothing_is_no_change(preferences: PreferenceStore) -> None:
    assert (await preferences.learn([], actor="rules", at=MONDAY)).entries == ()
    assert await preferences.apply([], actor="user", at=MONDAY) == ()
    assert await preferences.history() == ()


async def test_the_same_again_is_no_change(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    before = await state(preferences)
    again = await preferences.learn([DIET], actor="rules", at=LATER)
    assert again.entries == ()
    assert len(again.changes) == 1
    assert await state(preferences) == before


async def test_a_new_diet_supersedes_and_undo_brings_the_old_one_back(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    before = await state(preferences)
    (entry,) = (await preferences.learn([FISH], actor="rules", at=LATER)).entries
    after = await state(preferences)
    assert await active(preferences) == ["I eat fish now"]
    history = await preferences.history()
    assert [one.operation for one in history] == ["supersede", "add"]
    undone = await preferences.undo(at=LATER)
    assert undone.undo_of == entry.id
    assert await state(preferences) == before
    assert [(one.operation, one.undone) for one in await preferences.history()] == [
        ("undo", False),
        ("supersede", True),
        ("add", False),
    ]
    redone = await preferences.undo(undone.id, at=LATER)
    assert redone.undo_of == undone.id
    assert sorted(map(str, await state(preferences))) == sorted(map(str, after))
    assert (await preferences.history())[2].undone is False


async def test_undo_walks_back_one_change_at_a_time(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    await preferences.undo(at=LATER)
    assert await active(preferences) == ["I'm vegetarian"]
    await preferences.undo(at=LATER)
    assert await state(preferences) == []
    with pytest.raises(NotFound):
        await preferences.undo(at=LATER)


async def test_an_older_change_is_not_undone_from_under_a_newer_one(preferences: PreferenceStore) -> None:
    (added,) = (await preferences.learn([DIET], actor="rules", at=MONDAY)).entries
    await preferences.learn([FISH], actor="rules", at=LATER)
    before = await state(preferences)
    with pytest.raises(ChangeRefused):
        await preferences.undo(added.id, at=LATER)
    assert await state(preferences) == before


async def test_undo_does_not_put_two_values_in_force(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    one = await the(preferences, "I'm vegetarian")
    (retracted,) = await preferences.apply([Retract(id=one.id)], actor="user", at=LATER)
    await preferences.learn([FISH], actor="rules", at=LATER)
    with pytest.raises(ChangeRefused):
        await preferences.undo(retracted.id, at=LATER)
    assert await active(preferences) == ["I eat fish now"]


async def test_what_another_item_refers_to_is_not_undone_away(preferences: PreferenceStore) -> None:
    (added,) = (await preferences.learn([CORIANDER], actor="rules", at=MONDAY)).entries
    await preferences.learn([LIKES_IT], actor="model", at=LATER)
    with pytest.raises(ChangeRefused):
        await preferences.undo(added.id, at=LATER)


async def test_a_batch_happens_whole_or_not_at_all(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    before = await state(preferences)
    one = await the(preferences, "I'm vegetarian")
    with pytest.raises(ChangeRefused):
        await preferences.apply([Pin(id=one.id), Promote(id=one.id)], actor="user", at=LATER)
    assert await state(preferences) == before
    assert len(await preferences.history()) == 1


async def test_two_active_values_of_one_place_are_refused(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    with pytest.raises(ChangeRefused):
        await preferences.apply([Add(item=an_item(FISH))], actor="user", at=LATER)
    assert await active(preferences) == ["I'm vegetarian"]


@pytest.mark.parametrize("actor", ["model", "import", "upkeep", "rules"])
async def test_only_the_user_ends_a_pinned_item(preferences: PreferenceStore, actor: str) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    one = await the(preferences, "I'm vegetarian")
    await preferences.apply([Pin(id=one.id)], actor="user", at=MONDAY)
    for change in (Retract(id=one.id), Supersede(old_ids=(one.id,), item=an_item(FISH))):
        with pytest.raises(ChangeRefused):
            await preferences.apply([change], actor=actor, at=LATER)  # type: ignore[arg-type]
    await preferences.apply([Supersede(old_ids=(one.id,), item=an_item(FISH))], actor="user", at=LATER)
    assert await active(preferences) == ["I eat fish now"]


async def test_a_model_makes_nothing_active(preferences: PreferenceStore) -> None:
    with pytest.raises(ChangeRefused):
        await preferences.apply([Add(item=an_item(DIET))], actor="model", at=LATER)


async def test_confirming_a_disputed_item_ends_the_one_it_contests(preferences: PreferenceStore) -> None:
    await preferences.learn([CORIANDER], actor="rules", at=MONDAY)
    await preferences.learn(
        [a_candidate("coriander!", object="coriander", message=5, source="inferred")], actor="model", at=LATER
    )
    queue = await preferences.review(at=LATER)
    ((new, old),) = queue.disputes
    assert (new.preference.statement, old.preference.statement) == ("coriander!", "I hate coriander")
    await preferences.apply([Confirm(id=new.id)], actor="user", at=LATER)
    assert await active(preferences) == ["coriander!"]
    assert (await preferences.item(old.id)).preference.superseded_by == new.id
    assert (await preferences.item(new.id)).preference.source == "confirmed"
    assert (await preferences.review(at=LATER)).disputes == ()


async def test_denying_it_leaves_the_old_one(preferences: PreferenceStore) -> None:
    await preferences.learn([CORIANDER], actor="rules", at=MONDAY)
    await preferences.learn([LIKES_IT], actor="model", at=LATER)
    await preferences.apply([Deny(id=(await the(preferences, "coriander!")).id)], actor="user", at=LATER)
    assert await active(preferences) == ["I hate coriander"]
    learned = await preferences.learn(
        [a_candidate("more coriander", object="coriander", message=7, source="inferred")], actor="model", at=LATER
    )
    assert learned.entries == ()


async def test_confirming_the_end_of_a_pinned_item_ends_it(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    one = await the(preferences, "I'm vegetarian")
    await preferences.apply([Pin(id=one.id)], actor="user", at=MONDAY)
    over = a_candidate("not vegetarian any more", "food.diet", "vegetarian", message=9, stance="withdraws")
    await preferences.learn([over], actor="rules", at=LATER)
    assert await active(preferences) == ["I'm vegetarian"]
    await preferences.apply(
        [Confirm(id=(await the(preferences, "not vegetarian any more")).id)], actor="user", at=LATER
    )
    assert await active(preferences) == []
    assert (await preferences.item(one.id)).preference.status == "retracted"


async def test_an_edit_takes_the_place_of_what_it_clashes_with(preferences: PreferenceStore) -> None:
    short = a_candidate("short answers", "reply_style.length", "short", message=1)
    tone = a_candidate("long answers", "reply_style.other", "long", message=2)
    await preferences.learn([short, tone], actor="rules", at=MONDAY)
    wrong = await the(preferences, "long answers")
    await preferences.apply(
        [Edit(id=wrong.id, slot="reply_style.length", domain="reply_style")], actor="user", at=LATER
    )
    assert await active(preferences) == ["long answers"]
    await preferences.undo(at=LATER)
    assert await active(preferences) == ["long answers", "short answers"]


async def test_merging_joins_the_evidence_and_undo_parts_it_again(preferences: PreferenceStore) -> None:
    await preferences.learn([a_candidate("I like tea", object="tea", message=1)], actor="rules", at=MONDAY)
    await preferences.learn(
        [a_candidate("green tea is great", object="green tea", message=2)], actor="rules", at=MONDAY
    )
    before = await state(preferences)
    first, second = await the(preferences, "I like tea"), await the(preferences, "green tea is great")
    await preferences.apply([Merge(id=first.id, absorbed=(second.id,))], actor="user", at=LATER)
    assert await active(preferences) == ["I like tea"]
    assert [one.quote for one in (await preferences.item(first.id)).evidence] == ["I like tea", "green tea is great"]
    await preferences.undo(at=LATER)
    assert await state(preferences) == before


async def test_listing_filters_and_pages(preferences: PreferenceStore) -> None:
    candidates = [
        a_candidate(f"I like fruit {number}", object=f"fruit {number}", message=number + 1) for number in range(9)
    ]
    for number, candidate in enumerate(candidates):
        await preferences.learn([candidate], actor="rules", at=MONDAY + timedelta(minutes=number))
    await preferences.learn([a_candidate("Ich mag CAFÉ", "food.drink", "Café", message=20)], actor="rules", at=LATER)
    assert [one.object for one in await preferences.list(Filter(slot="food.taste"), limit=2, offset=1)] == [
        "fruit 7",
        "fruit 6",
    ]
    assert [one.object for one in await preferences.list(Filter(text="cafe"))] == ["Café"]
    assert await preferences.count(Filter(text="FRUIT")) == 9
    assert await preferences.count(Filter(domains=("food",), statuses=("active",), sources=("explicit",))) == 10
    assert await preferences.count(Filter(domains=("music",))) == 0
    assert await preferences.count(Filter(pinned=True)) == 0


async def test_search_finds_any_word_and_only_what_is_in_force(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    await preferences.learn([FISH], actor="rules", at=LATER)
    assert [hit.preference.statement for hit in await preferences.search("what about corianders and fish?")] != []
    assert await preferences.search("vegetarian") == ()
    (old,) = await preferences.search("vegetarian", statuses=("superseded",))
    assert old.preference.statement == "I'm vegetarian"
    assert old.score > 0
    for empty in ("", "the of and", "!?", "\x00", '"', "* OR NEAR(", "a" * 10_000):
        assert await preferences.search(empty) == ()


async def test_an_object_is_found_inside_a_text_without_spaces(preferences: PreferenceStore) -> None:
    chinese = a_candidate("我不吃香菜", object="香菜", polarity=-1)
    await preferences.learn([chinese, CORIANDER], actor="rules", at=MONDAY)
    assert [hit.preference.object for hit in await preferences.search("今晚的汤里要放香菜吗")] == ["香菜"]
    assert await preferences.search("今晚吃什么") == ()


async def test_the_head_holds_style_identity_limits_and_pins_in_one_order(preferences: PreferenceStore) -> None:
    await preferences.learn(
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
    assert [one.statement for one in await preferences.head(at=MONDAY)] == [
        "never nuts",
        "three bullets",
        "terse today",
        "call me Sam",
    ]
    in_thesis = await preferences.head(at=LATER, scopes=[THESIS])
    assert [one.statement for one in in_thesis] == ["never nuts", "short in the thesis", "three bullets", "call me Sam"]
    jazz = await the(preferences, "I like jazz")
    await preferences.apply([Pin(id=jazz.id)], actor="user", at=MONDAY)
    assert jazz.id in [one.id for one in await preferences.head(at=MONDAY)]


async def test_items_of_domains_come_strongest_first(preferences: PreferenceStore) -> None:
    weak = a_candidate("I like jazz", "music.taste", "jazz", message=1, strength=1)
    strong = a_candidate("no techno, ever", "music.taste", "techno", -1, message=2, strength=3)
    await preferences.learn([weak, strong, DIET], actor="rules", at=MONDAY)
    assert [one.object for one in await preferences.in_domains(["music", "books"])] == ["techno", "jazz"]
    assert await preferences.in_domains([]) == ()


async def test_usage_says_which_items_shaped_a_reply(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    diet, coriander = await the(preferences, "I'm vegetarian"), await the(preferences, "I hate coriander")
    reply = MessageId(10)
    uses = [
        Usage(preference_id=diet.id, message_id=reply, place="turn", at=MONDAY, score=0.4),
        Usage(preference_id=coriander.id, message_id=reply, place="turn", at=MONDAY, score=0.6),
        Usage(preference_id=PreferenceId("pgone"), message_id=reply, place="turn", at=MONDAY),
    ]
    await preferences.record_usage(uses)
    await preferences.mark_outcome(reply, [diet.id], "violated")
    assert [(use.preference_id, use.outcome) for use in await preferences.usage_of(reply)] == [
        (coriander.id, "unknown"),
        (diet.id, "violated"),
    ]
    assert [use.message_id for use in await preferences.uses(diet.id)] == [reply]


async def test_upkeep_ends_what_its_date_ended_and_can_be_undone(preferences: PreferenceStore) -> None:
    await preferences.learn(
        [a_candidate("short this week", "reply_style.length", "short", valid_to=LATER)], actor="rules", at=MONDAY
    )
    before = await state(preferences)
    assert await preferences.keep_up(at=MONDAY) == ()
    (entry,) = await preferences.keep_up(at=LATER)
    assert (entry.operation, entry.actor) == ("expire", "upkeep")
    assert await active(preferences) == []
    await preferences.undo(at=LATER)
    assert await state(preferences) == before


async def test_upkeep_demotes_what_was_only_inferred_and_never_what_was_said(preferences: PreferenceStore) -> None:
    noticed = [
        a_candidate(f"jazz {n}", "music.taste", "jazz", message=n, session=f"s{n % 2 + 1}", source="inferred")
        for n in (1, 2, 3)
    ]
    for candidate in noticed:
        await preferences.learn([candidate], actor="model", at=MONDAY)
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    assert await active(preferences) == ["I'm vegetarian", "jazz 1"]
    await preferences.keep_up(at=MONDAY + timedelta(days=300))
    assert await active(preferences) == ["I'm vegetarian"]


async def test_unknown_names_are_said_not_to_exist(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET], actor="rules", at=MONDAY)
    for name in ("", "p", "pnothere", "%", "_"):
        if name == "p":
            assert (await preferences.find(name)).preference.statement == "I'm vegetarian"
            continue
        with pytest.raises(NotFound):
            await preferences.find(name)
    with pytest.raises(NotFound):
        await preferences.item(PreferenceId("pnothere"))
    with pytest.raises(ChangeRefused):
        await preferences.apply([Pin(id=PreferenceId("pnothere"))], actor="user", at=LATER)
