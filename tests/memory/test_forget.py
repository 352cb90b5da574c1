"""Forgetting is physical: afterwards no file of the home has the words or the vector, also after a restart."""

import random
import sqlite3
import string
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory.changes import Edit
from memory.data_dir import Home
from memory.database import Database
from memory.index_folder import root_of
from memory.indexer import Indexer
from memory.preferences import Evidence, ForgetMessages, Preference, Source, Usage
from memory.preferences_in_memory import InMemoryPreferences
from memory.profile_state import Parcel
from memory.reconcile import reconcile
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_transcript import SqliteTranscript
from memory.sqlite_vectors import packed
from memory.types import Message
from tests.support.builders import finished_reply, kept_talk
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate

LATER = MONDAY + timedelta(hours=1)
# Random letters, so that no stored word shares a beginning with them: an index leaves out the letters a word shares
# with the one before.
CANARY = "qzkwvxjhptrlm"
EDITED = "wjxqzgkfvbnds"


@dataclass(slots=True)
class House:
    home: Home
    database: Database
    store: SqlitePreferences
    transcript: SqliteTranscript
    embedder: HashingEmbedder

    async def says(self, text: str, answer: str = "Noted.", title: str = "A talk") -> tuple[Message, ...]:
        session, talk = await kept_talk(self.transcript, [text], title=title)
        await finished_reply(self.transcript, talk[-1].id, answer)
        return await self.transcript.path(session.id)

    async def remembers(self, statement: str, object: str, message: Message) -> Preference:
        candidate = a_candidate(statement, object=object, polarity=-1)
        evidence = replace(candidate.evidence, message_id=message.id, session_id=message.session_id)
        learned = await self.store.learn([replace(candidate, evidence=evidence)], actor="rules", at=MONDAY)
        (entry,) = learned.entries
        return (await self.store.item(entry.deltas[0].id)).preference

    async def index(self) -> None:
        """Everything embedded, and Chroma in step."""
        indexer = Indexer(
            database=self.database, root=root_of(self.home.database), embed=self.embedder.embed, model="hashing"
        )
        indexer.start()
        await indexer.settled()
        assert indexer.status.stage in ("ready", "exact")
        await indexer.close()

    def traces(self, *needles: bytes) -> list[str]:
        """Files of the home that contain one of them."""
        return [
            path.name
            for path in self.home.data.rglob("*")
            if path.is_file() and any(needle in path.read_bytes() for needle in needles)
        ]


@pytest.fixture
async def house(home: Home) -> AsyncIterator[House]:
    """With enough else in it that indexes have several segments and the file many pages."""
    database = await Database.open(home.database)
    store, transcript = SqlitePreferences(database), SqliteTranscript(database)
    made = House(home=home, database=database, store=store, transcript=transcript, embedder=HashingEmbedder())
    for number in range(20):
        (message, *_) = await made.says(f"I like thing {number}, " * 10, "fine " * 50, f"Talk {number}")
        await made.remembers(f"I like thing {number}", f"thing {number}", message)
    yield made
    await database.close()


def words(*texts: str) -> tuple[bytes, ...]:
    """As they are written, without case, and their ends, which an index may store alone."""
    return tuple({form.encode() for text in texts for form in (text, text.upper(), text[-7:])})


async def test_afterwards_the_words_are_nowhere(house: House) -> None:
    (message, reply) = await house.says(f"I hate {CANARY}", f"So no {CANARY} for you, {CANARY}!", f"I hate {CANARY}")
    one = await house.remembers(f"I hate {CANARY}", CANARY, message)
    await house.store.record_usage([Usage(preference_id=one.id, message_id=reply.id, place="turn", at=MONDAY)])
    await house.store.apply([Edit(id=one.id, statement=f"never {EDITED}", object=EDITED)], actor="user", at=LATER)
    await house.store.undo(at=LATER)
    await house.index()
    vector = packed(house.embedder.embed([f"I hate {CANARY}"])[0])
    needles = (*words(CANARY, EDITED), vector)
    assert house.traces(*needles)
    preview = await house.store.preview_forget([one.id])
    assert preview.sources == (message.id, reply.id)
    gone = await house.store.forget([one.id], messages="mentions", at=LATER)
    assert (gone.items, gone.evidence, gone.history, gone.vectors, gone.messages) == (1, 1, 3, 1, 2)
    assert (gone.messages_left, gone.log_held) == (0, False)
    assert house.traces(*needles) == []
    await house.index()
    await house.database.close()
    assert house.traces(*needles, one.id.encode()) == []
    house.database = await Database.open(house.home.database)
    house.store = SqlitePreferences(house.database)
    await house.index()
    assert house.traces(*needles) == []
    assert await house.store.search(CANARY, statuses=("active", "superseded", "retracted")) == ()
    assert CANARY not in repr([item async for item in house.store.export()])
    assert CANARY not in repr(await house.store.history(limit=1_000))


async def test_words_that_were_never_said_in_a_message_go_without_touching_one(house: House) -> None:
    (message, _) = await house.says("I hate coriander")
    one = await house.remembers("I hate coriander", "coriander", message)
    for number in range(30):
        statement = f"never {EDITED} " + "and more " * number
        await house.store.apply([Edit(id=one.id, statement=statement, object=EDITED)], actor="user", at=LATER)
    assert house.traces(EDITED.encode())
    await house.store.forget([one.id], messages="keep", at=LATER)
    assert house.traces(*words(EDITED)) == []
    assert (await house.transcript.message(message.id)).content == "I hate coriander"


async def test_the_conversation_keeps_its_shape(house: House) -> None:
    (message, reply) = await house.says(f"I hate {CANARY}", "Noted.", f"I hate {CANARY}")
    one = await house.remembers(f"I hate {CANARY}", CANARY, message)
    await house.store.forget([one.id], messages="sources", at=LATER)
    path = await house.transcript.path(message.session_id)
    assert [(one.id, one.role, one.content) for one in path] == [
        (message.id, "user", "[forgotten]"),
        (reply.id, "assistant", "[forgotten]"),
    ]
    assert (await house.transcript.session(message.session_id)).title == ""
    assert await house.transcript.search(CANARY) == ()


@pytest.mark.parametrize(("messages", "left"), [("keep", 3), ("sources", 1), ("mentions", 0)])
async def test_it_says_how_many_messages_still_have_the_words(
    house: House, messages: ForgetMessages, left: int
) -> None:
    (message, _) = await house.says(f"I hate {CANARY}")
    await house.says(f"Is {CANARY.upper()} a herb?", "Yes.")
    one = await house.remembers(f"I hate {CANARY}", CANARY, message)
    preview = await house.store.preview_forget([one.id])
    assert (len(preview.sources), len(preview.mentions)) == (2, 1)
    gone = await house.store.forget([one.id], messages=messages, at=LATER)
    assert gone.messages_left == left
    assert bool(house.traces(f"hate {CANARY}".encode())) == (messages == "keep")
    assert bool(house.traces(CANARY.upper().encode())) == (left > 0)


async def test_a_conversation_that_is_kept_teaches_it_no_more(house: House) -> None:
    """Old words are read again, by a learner that starts over: nothing comes of them."""
    (message, _) = await house.says(f"I hate {CANARY}")
    one = await house.remembers(f"I hate {CANARY}", CANARY, message)
    item = await house.store.item(one.id)
    await house.store.forget([one.id], at=LATER)
    again = replace(a_candidate(f"I hate {CANARY}", object=CANARY, polarity=-1), evidence=item.evidence[0])
    sources: tuple[Source, ...] = ("explicit", "inferred", "imported")
    for source in sources:
        for statement in (f"I hate {CANARY}", f"i  hate {CANARY.upper()}", f"{CANARY}? never"):
            candidate = replace(again, source=source, statement=statement)
            assert (await house.store.learn([candidate], actor="rules", at=LATER)).entries == ()


async def test_what_was_kept_of_other_items_is_untouched(house: House) -> None:
    before = [item async for item in house.store.export()]
    (message, _) = await house.says(f"I hate {CANARY}")
    one = await house.remembers(f"I hate {CANARY}", CANARY, message)
    await house.store.forget([one.id], messages="mentions", at=LATER)
    assert [item async for item in house.store.export()] == before


async def test_deleting_a_conversation_takes_its_quotes_and_leaves_the_item(house: House) -> None:
    (message, _) = await house.says(f"I hate {CANARY}, really")
    one = await house.remembers("I hate coriander", "coriander", message)
    quote = f"I hate {CANARY}"
    await house.store.learn(
        [replace(a_candidate("I hate coriander", object="coriander", polarity=-1), evidence=_quoting(message, quote))],
        actor="rules",
        at=MONDAY,
    )
    assert quote in repr(await house.store.history(one.id))
    await house.transcript.delete_session(message.session_id)
    item = await house.store.item(one.id)
    assert item.evidence == ()
    assert CANARY not in repr(await house.store.history(one.id))
    assert house.traces(*words(CANARY)) == []
    await house.store.undo(at=LATER)
    assert (await house.store.item(one.id)).preference.statement == "I hate coriander"


def _quoting(message: Message, quote: str) -> Evidence:
    evidence = a_candidate(quote).evidence
    return replace(evidence, quote=quote, message_id=message.id, session_id=message.session_id)


async def test_mentions_are_found_in_scripts_without_spaces(house: House) -> None:
    (message, _) = await house.says("我不吃香菜，谢谢")
    await house.says("汤里有香菜吗？", "没有香菜。")
    one = await house.remembers("我不吃香菜", "香菜", message)
    gone = await house.store.forget([one.id], messages="mentions", at=LATER)
    assert (gone.messages, gone.messages_left) == (4, 0)
    assert house.traces("香菜".encode()) == []


async def test_fifty_items_one_after_another_and_all_at_once(house: House) -> None:
    letters = random.Random(7)
    canaries = ["".join(letters.choices(string.ascii_lowercase, k=14)) for _ in range(50)]
    items = []
    for canary in canaries:
        (message, _) = await house.says(f"I hate {canary}", f"No {canary}.", f"No {canary}")
        items.append(await house.remembers(f"I hate {canary}", canary, message))
    for one in items[:25]:
        await house.store.forget([one.id], messages="mentions", at=LATER)
    await house.store.forget([one.id for one in items[25:]], messages="mentions", at=LATER)
    assert house.traces(*(canary.encode() for canary in canaries)) == []
    assert house.traces(*(canary[-8:].encode() for canary in canaries)) == []


async def test_another_process_that_reads_is_named_and_the_next_start_finishes(house: House) -> None:
    (message, _) = await house.says(f"I hate {CANARY}")
    one = await house.remembers(f"I hate {CANARY}", CANARY, message)
    await house.database.run(lambda connection: connection.execute("PRAGMA busy_timeout = 50").fetchall())
    reader = sqlite3.connect(house.home.database)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM preference").fetchone()
    gone = await house.store.forget([one.id], messages="mentions", at=LATER)
    assert gone.log_held
    reader.close()
    await house.database.close()
    assert house.traces(*words(CANARY)) == []
    house.database = await Database.open(house.home.database)


async def test_the_search_for_traces_finds_them(house: House) -> None:
    """The check itself can fail: without forgetting, the words are in the file."""
    (message, _) = await house.says(f"I hate {CANARY}")
    await house.remembers(f"I hate {CANARY}", CANARY, message)
    await house.index()
    assert house.traces(CANARY.encode())
    assert house.traces(packed(house.embedder.embed([f"I hate {CANARY}"])[0]))
    folder = Path(root_of(house.home.database))
    assert folder.is_dir()


async def test_what_was_undone_is_reached_and_goes_from_every_byte(house: House) -> None:
    learned = await house.store.learn([a_candidate(f"I hate {CANARY}", object=CANARY)], actor="user", at=MONDAY)
    id = learned.entries[0].deltas[0].id
    await house.store.apply([Edit(id=id, statement=f"never {EDITED}", object=EDITED)], actor="user", at=LATER)
    for _ in range(2):
        await house.store.undo(at=LATER)
    needles = words(CANARY, EDITED)
    assert house.traces(*needles)
    past = await house.store.gone()
    assert {item.preference.statement for item in past} == {f"I hate {CANARY}", f"never {EDITED}"}
    done = await house.store.forget([id], at=LATER)
    assert (done.items, done.history) == (1, 4)
    assert house.traces(*needles) == []
    assert await house.store.gone() == ()
    again = replace(a_candidate(f"I hate {CANARY}", object=CANARY), source="inferred")
    assert (await house.store.learn([again], actor="rules", at=LATER)).entries == ()


async def test_what_an_undone_import_brought_is_reached_too(house: House) -> None:
    elsewhere = InMemoryPreferences()
    await elsewhere.learn([a_candidate(f"I hate {CANARY}", object=CANARY)], actor="user", at=MONDAY)
    history = (await elsewhere.snapshot()).history
    (made, *_) = reconcile((), [a_candidate(f"I hate {EDITED}", object=EDITED)], set(), LATER)
    entry = await house.store.take_in(Parcel(changes=(made,), history=history), actor="user", at=LATER)
    assert entry is not None
    await house.store.undo(entry.id, at=LATER)
    assert house.traces(CANARY.encode())
    assert house.traces(EDITED.encode())
    await house.store.forget([item.id for item in await house.store.gone()], at=LATER)
    assert house.traces(*words(CANARY, EDITED)) == []


async def test_forgetting_takes_an_earlier_try_at_the_same_with_it(house: House) -> None:
    first = await house.store.learn([a_candidate(f"I hate {CANARY}", object=CANARY)], actor="user", at=MONDAY)
    await house.store.undo(first.entries[0].id, at=LATER)
    second = await house.store.learn([a_candidate(f"I hate {CANARY}", object=CANARY)], actor="user", at=LATER)
    await house.store.forget([second.entries[0].deltas[0].id], at=LATER)
    assert house.traces(*words(CANARY)) == []
