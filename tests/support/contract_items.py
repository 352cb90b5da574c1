"""What tests of every store of preferences put in, and look at."""

from datetime import timedelta

from memory.preference_store import PreferenceStore
from memory.preferences import Filter, Preference
from tests.support.clock import MONDAY
from tests.support.memories import a_candidate

LATER = MONDAY + timedelta(hours=1)

DIET = a_candidate("I'm vegetarian", "food.diet", "vegetarian", message=1)

FISH = a_candidate("I eat fish now", "food.diet", "pescatarian", message=3)

CORIANDER = a_candidate("I hate coriander", object="coriander", polarity=-1, message=2)


async def active(store: PreferenceStore) -> list[str]:
    return sorted(one.statement for one in await store.list(Filter(statuses=("active",))))


async def state(store: PreferenceStore) -> list[object]:
    return [item async for item in store.export()]


async def the(store: PreferenceStore, statement: str) -> Preference:
    return next(one for one in await store.list(limit=100) if one.statement == statement)
