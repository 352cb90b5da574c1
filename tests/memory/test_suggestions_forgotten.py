"""Forgetting reaches what was made of the forgotten: opportunities, and the words of suggestions."""

import sqlite3

import pytest

from memory.data_dir import Home
from memory.suggestions import Evidence
from tests.support.clock import MONDAY
from tests.support.suggestions import DAY, an_opportunity, spoken, sqlite_suggestions

SECRET = "renew my passport"


@pytest.mark.parametrize(
    "act",
    ["DELETE FROM message WHERE id = 60", "UPDATE message SET content = '[forgotten]' WHERE id = 60"],
)
async def test_a_message_takes_with_it_what_rests_on_it(home: Home, act: str) -> None:
    async with sqlite_suggestions(home.database) as (store, database):
        first = Evidence(source="message", ref="60", quote=SECRET, at=MONDAY)
        second = Evidence(source="message", ref="2", quote="in June", at=MONDAY)
        one, other = an_opportunity(evidence=(first, second)), an_opportunity(message=3)
        await store.keep([one, other])
        (told,) = await store.claim([spoken(one)], channel="spoken", at=MONDAY)
        await store.word(told.suggestion.id, f"You wanted to {SECRET}.", "template")
        version = await store.version()
        await database.write(lambda connection: connection.execute(act).rowcount)
        assert [each.id for each in await store.open()] == [other.id]
        assert [(each.text, each.state) for each in await store.spoken_since(MONDAY)] == [("", "withdrawn")]
        assert await store.unshown() == ()
        assert await store.version() > version
        await database.write(
            lambda connection: connection.execute("DELETE FROM opportunity WHERE id = ?", (other.id,)).rowcount
        )
        left = await database.read(dump)
    assert SECRET not in left


def dump(connection: sqlite3.Connection) -> str:
    tables = ("opportunity", "opportunity_evidence", "suggestion", "suggestion_decision", "suggestion_note")
    return str([connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables])


async def test_what_rests_on_something_gone_is_not_kept(home: Home) -> None:
    async with sqlite_suggestions(home.database) as (store, _):
        gone = Evidence(source="preference", ref="nobody", quote="x", at=MONDAY)
        assert await store.keep([an_opportunity(message=999), an_opportunity(evidence=(gone,))]) == ()
        assert await store.open() == ()


async def test_an_old_thing_is_still_found_beside_many(home: Home) -> None:
    async with sqlite_suggestions(home.database) as (store, _):
        many = [an_opportunity(f"m{number:04}", closes_at=MONDAY + number * DAY) for number in range(1, 1_001)]
        assert len(await store.keep(many)) == 1_000
        assert len(await store.open()) == 1_000
        assert len((await store.open(limit=1_000))[0].evidence) == 1
