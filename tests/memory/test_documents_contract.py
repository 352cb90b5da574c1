"""What every store of documents keeps: one suite for the reference and for the one in SQLite."""

from collections.abc import AsyncIterator

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.document_store import DocumentStore
from memory.documents import Document, DocumentId, Passage
from memory.documents_in_memory import InMemoryDocuments
from memory.errors import NotFound
from memory.passage_rank import Evidence, ranked
from memory.sqlite_documents import SqliteDocuments
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder

MODEL = "hashing"


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[DocumentStore]:
    if request.param == "in_memory":
        yield InMemoryDocuments()
        return
    async with await Database.open(home.database) as database:
        yield SqliteDocuments(database)


def document(id: str, path: str) -> Document:
    return Document(
        id=DocumentId(id),
        path=path,
        name=path.rpartition("/")[2],
        kind="text",
        digest=id * 8,
        size=12,
        added_at=MONDAY,
        pages=2,
        left_out="page 3: no text",
    )


async def filled(store: DocumentStore) -> None:
    await store.put(
        document("d1", "/home/anna/flat/lease.pdf"),
        [
            Passage(text="The rent is 900 euros a month, due on the third.", page=1, heading="Rent"),
            Passage(text="Cats are allowed; dogs need a written permission.", page=2, heading="Pets"),
        ],
    )
    await store.put(document("d2", "/home/anna/recipes.md"), [Passage(text="Boil the lentils for twenty minutes.")])


async def embed_all(store: DocumentStore) -> None:
    owed = await store.unembedded(MODEL, limit=100)
    await store.keep_vectors(MODEL, [id for id, _ in owed], HashingEmbedder().embed([text for _, text in owed]))


async def test_what_is_kept_is_listed_whole(store: DocumentStore) -> None:
    await filled(store)
    first, second = await store.documents()
    assert (first.id, first.passages, first.pages, first.left_out) == ("d1", 2, 2, "page 3: no text")
    assert second.path == "/home/anna/recipes.md"
    assert await store.documents(limit=1) == (first,)


async def test_a_document_is_found_by_id_path_folder_and_name(store: DocumentStore) -> None:
    await filled(store)
    for wanted in ("d1", "/home/anna/flat/lease.pdf", "LEASE.pdf", "/home/anna/flat"):
        assert [one.id for one in await store.find(wanted)] == ["d1"]
    assert [one.id for one in await store.find("/home/anna/")] == ["d1", "d2"]
    with pytest.raises(NotFound):
        await store.find("d")
    for wanted in ("x", "", "/home/ann"):
        with pytest.raises(NotFound):
            await store.find(wanted)


async def test_the_passages_of_some_documents_come_in_their_order(store: DocumentStore) -> None:
    await filled(store)
    found = await store.passages([DocumentId("d1")], limit=10)
    assert [(one.name, passage.page, passage.heading) for one, passage in found] == [
        ("lease.pdf", 1, "Rent"),
        ("lease.pdf", 2, "Pets"),
    ]
    assert len(await store.passages([DocumentId("d1"), DocumentId("d2")], limit=2)) == 2
    assert await store.passages([], limit=5) == ()


async def test_words_find_a_passage_with_its_page_and_heading(store: DocumentStore) -> None:
    await filled(store)
    (hit, *_) = await store.search("are dogs allowed?")
    assert (hit.document.id, hit.passage.page, hit.passage.heading) == ("d1", 2, "Pets")
    assert hit.cosine is None
    (by_name, *_) = await store.search("lease")
    assert by_name.document.id == "d1"
    assert await store.search("quantum chromodynamics") == ()
    assert await store.search("") == ()


async def test_vectors_are_owed_once_and_join_the_search(store: DocumentStore) -> None:
    await filled(store)
    assert len(await store.unembedded(MODEL, limit=2)) == 2
    await embed_all(store)
    assert await store.unembedded(MODEL, limit=9) == ()
    assert len(await store.unembedded("another", limit=9)) == 3
    question = "how long are lentils boiled"
    (vector,) = HashingEmbedder().embed([question])
    (hit, *_) = await store.search(question, vector=vector, model=MODEL)
    assert hit.document.id == "d2"
    assert hit.cosine is not None
    (without, *_) = await store.search(question, vector=vector, model="another")
    assert without.cosine is None


async def test_the_same_path_again_replaces_all_of_it(store: DocumentStore) -> None:
    await filled(store)
    await embed_all(store)
    assert await store.put(document("d9", "/home/anna/recipes.md"), [Passage(text="Fry the onions.")]) == "d2"
    assert await store.search("lentils") == ()
    assert [hit.document.id for hit in await store.search("onions")] == ["d2"]
    assert len(await store.unembedded(MODEL, limit=9)) == 1


async def test_what_is_removed_is_found_no_more(store: DocumentStore) -> None:
    await filled(store)
    assert await store.remove([DocumentId("d1"), DocumentId("d1"), DocumentId("none")]) == 1
    assert await store.search("dogs") == ()
    assert [one.id for one in await store.documents()] == ["d2"]


async def test_of_what_is_removed_no_byte_stays(home: Home) -> None:
    async with await Database.open(home.database) as database:
        store = SqliteDocuments(database)
        await store.put(document("d1", "/a/zebracanary.txt"), [Passage(text="giraffecanary", heading="lioncanary")])
        await store.put(document("d2", "/a/b.txt"), [Passage(text="this stays")])
        await embed_all(store)
        await store.remove([DocumentId("d1")])
        everything = b"".join(path.read_bytes() for path in home.data.rglob("*") if path.is_file())
    assert b"this stays" in everything
    assert b"canary" not in everything


def test_what_nothing_supports_is_no_answer() -> None:
    from memory.documents import PassageId

    weak = Evidence(bm25=3.0, cosine=0.1, share=0.2)
    by_meaning = Evidence(cosine=0.7)
    by_words = Evidence(bm25=2.0, cosine=0.2, share=1.0)
    found = {PassageId(1): weak, PassageId(2): by_meaning, PassageId(3): by_words}
    assert {id for id, _ in ranked(found, 9)} == {2, 3}
    assert len(ranked(found, 1)) == 1
    assert all(0 <= score <= 1 for _, score in ranked(found, 9))
