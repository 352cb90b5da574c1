"""Forgetting, the same in every store of preferences: gone, and not learned again unless asked for."""

import pytest

from memory.changes import Confirm, Deny, Edit
from memory.errors import ChangeRefused, NotFound
from memory.preference_store import PreferenceStore
from memory.preferences import PreferenceId
from memory.types import MessageId
from tests.support.clock import MONDAY
from tests.support.contract_items import CORIANDER, DIET, FISH, LATER, active, state, the
from tests.support.memories import a_candidate

# --- forgetting ----------------------------------------------------------------------------------------------


async def test_what_is_forgotten_is_nowhere_and_not_learned_again(preferences: PreferenceStore) -> None:
    await preferences.learn([DIET, CORIANDER], actor="rules", at=MONDAY)
    await preferences.learn([FISH], actor="rules", at=LATER)
    diet = await the(preferences, "I'm vegetarian")
    preview = await preferences.preview_forget([diet.id])
    assert [item.id for item in preview.items] == [diet.id]
    assert preview.history_entries == 2
    assert preview.sources == (MessageId(1),)
    gone = await preferences.forget([diet.id], at=LATER)
    assert (gone.items, gone.evidence, gone.history) == (1, 1, 2)
    with pytest.raises(NotFound):
        await preferences.item(diet.id)
    assert "vegetarian" not in repr(
        [
            await state(preferences),
            await preferences.history(),
            await preferences.search("vegetarian", statuses=("superseded",)),
        ]
    )
    fish = await the(preferences, "I eat fish now")
    assert fish.status == "active"
    again = await preferences.learn(
        [DIET, a_candidate("Vegetarian me", "food.diet", "vegetarian", message=9)], actor="rules", at=LATER
    )
    assert again.entries == ()
    with pytest.raises(ChangeRefused):
        await preferences.undo((await preferences.history())[1].id, at=LATER)


async def test_asking_to_remember_it_brings_it_back_for_good(preferences: PreferenceStore) -> None:
    await preferences.learn([CORIANDER], actor="rules", at=MONDAY)
    await preferences.forget([(await the(preferences, "I hate coriander")).id], at=LATER)
    asked = a_candidate("I hate coriander", object="coriander", polarity=-1, message=7, requested=True)
    assert len((await preferences.learn([asked], actor="rules", at=LATER)).entries) == 1
    other = a_candidate("coriander, yuck", object="coriander", polarity=-1, message=8, source="inferred")
    assert [entry.operation for entry in (await preferences.learn([other], actor="model", at=LATER)).entries] == [
        "reinforce"
    ]


async def test_earlier_wordings_are_barred_too(preferences: PreferenceStore) -> None:
    await preferences.learn([CORIANDER], actor="rules", at=MONDAY)
    one = await the(preferences, "I hate coriander")
    await preferences.apply(
        [Edit(id=one.id, statement="no cilantro", object="cilantro leaves")], actor="user", at=LATER
    )
    await preferences.forget([one.id], at=LATER)
    again = a_candidate("I hate coriander", object="", polarity=-1, message=9)
    assert (await preferences.learn([again], actor="rules", at=LATER)).entries == ()


async def test_forgetting_the_contested_item_leaves_a_dispute_that_can_be_settled(preferences: PreferenceStore) -> None:
    await preferences.learn([CORIANDER], actor="rules", at=MONDAY)
    await preferences.learn(
        [a_candidate("coriander!", object="coriander", message=5, source="inferred")], actor="model", at=LATER
    )
    await preferences.forget([(await the(preferences, "I hate coriander")).id], at=LATER)
    (waiting,) = (await preferences.review(at=LATER)).candidates
    assert waiting.preference.contests is None
    (denied,) = await preferences.apply([Deny(id=waiting.id)], actor="user", at=LATER)
    await preferences.undo(denied.id, at=LATER)
    await preferences.apply([Confirm(id=waiting.id)], actor="user", at=LATER)
    assert await active(preferences) == ["coriander!"]


async def test_forgetting_nothing_or_something_unknown(preferences: PreferenceStore) -> None:
    with pytest.raises(NotFound):
        await preferences.forget([PreferenceId("pnothere")], at=LATER)
    assert (await preferences.forget([], at=LATER)).items == 0
