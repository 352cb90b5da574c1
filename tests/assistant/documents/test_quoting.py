"""The sentence of a document that answers, by words and by meaning."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.documents.library import Library
from assistant.documents.quoting import quotes_for, sentences_of
from memory.documents import Document, DocumentId, Passage
from memory.documents_in_memory import InMemoryDocuments
from tests.support.clock import MONDAY, FixedClock

LETTER = (
    "Post for tenants who moved out is kept until January. The heating pump is replaced on Tuesday; there is no warm "
    "water then. Bikes may not stand in the hall.\nKind regards,\nS. Brandt"
)
MEANS = {"mail": 0, "post": 0, "heating": 1, "water": 1, "bikes": 2, "bicycles": 2, "snow": 3}


def by_topic(texts: Sequence[str]) -> NDArray[np.float32]:
    """Texts of one topic point the same way."""
    rows = np.zeros((len(texts), 5), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        topics = [topic for word, topic in MEANS.items() if word in text.lower()]
        row[topics[0] if topics else 4] = 1.0
    return rows


async def library(*, embed: bool) -> Library:
    store = InMemoryDocuments()
    document = Document(
        id=DocumentId("d1"),
        path="/home/letter.txt",
        name="letter.txt",
        kind="text",
        digest="x",
        size=1,
        added_at=MONDAY,
    )
    await store.put(document, [Passage(text=LETTER)])
    return Library(store=store, clock=FixedClock(), embed=by_topic if embed else None, model="topics")


def test_sentences_are_whole_and_numbers_stay_with_them() -> None:
    assert sentences_of("1. The rent is 840 euros. 2. The deposit is 2,520 euros.\nS. Brandt") == (
        "1. The rent is 840 euros.",
        "2. The deposit is 2,520 euros.",
    )


@pytest.mark.parametrize(
    ("question", "begins"),
    [("what does the letter say about mail?", "Post"), ("does the letter mention bicycles?", "Bikes")],
)
async def test_other_words_than_the_letters_find_its_sentence(question: str, begins: str) -> None:
    (quote,) = await quotes_for(await library(embed=True), question, whole=True)
    assert quote.text.startswith(begins)
    assert quote.document.name == "letter.txt"


async def test_what_no_sentence_says_is_not_quoted() -> None:
    assert await quotes_for(await library(embed=True), "does the letter say who clears the snow?", whole=True) == ()


async def test_without_an_embedder_words_find() -> None:
    found = await quotes_for(await library(embed=False), "what does the letter say about warm water?", whole=True)
    assert [quote.text[:11] for quote in found] == ["The heating"]
    assert await quotes_for(await library(embed=False), "what does the letter say about mail?", whole=True) == ()


async def test_a_document_is_read_whole_only_for_ones_own_affairs() -> None:
    assert await quotes_for(await library(embed=True), "mail", whole=False) == ()
