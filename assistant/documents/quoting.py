"""Where in a document an answer stands: its sentences, and those of them that a question means.

A small model that is shown a page denies what the page says in other words, so the sentence itself is quoted: picked by
words and, where an embedder is, by meaning. Nothing is worded, so nothing is made up, and no order in a text is read by
a model.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assistant.documents.library import Library
from assistant.policies.asking.affairs import bare
from memory.documents import Document, Passage
from memory.embedding import EmbeddingFailed, embedded
from memory.passage_rank import share_of
from memory.words import stem, stems_of, words_of

MOST_SENTENCES: Final = 160  # compared by meaning for one question
MOST_PASSAGES: Final = 24  # of documents that are read whole
MOST_QUOTED: Final = 3
LEAST_COSINE: Final = 0.33  # of a sentence; a passage around it dilutes what it says
LEAST_SHARE: Final = 0.5  # of the question's words, where there is no embedder
NEAR: Final = 0.08  # below the best
LONGEST: Final = 400
_END: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9\"“'(])|\n+")
_NUMBERED: Final = re.compile(r"^(?:§\s*)?(?:\d+|[A-Z])[.)]?$")
_ASKING_WORDS = """
document file letter contract lease handbook manual policy pdf report statement minutes agreement invoice notice leaflet
brochure paper text page
say says said state mention mentions tell according write written contain read anything something
"""
_ASKING: Final = frozenset(map(stem, _ASKING_WORDS.split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """`score`: how well it fits, 0 to 1."""

    document: Document
    passage: Passage
    text: str
    score: float


def sentences_of(text: str) -> tuple[str, ...]:
    """In order, whole; a number in front of a sentence stays with it, and what is too short to say anything is gone."""
    found: list[str] = []
    held = ""
    for piece in _END.split(text):
        said = f"{held}{piece}".strip()
        if _NUMBERED.match(said.rstrip(".")) or (len(said) < 4 and said.endswith(".")):
            held = f"{said} "
            continue
        held = ""
        if len(words_of(said)) >= 3:
            found.append(said[:LONGEST])
    return tuple(found)


def about(question: str) -> str:
    """The words that say what is looked for, without those that name a document or ask."""
    return " ".join(word for word in words_of(question) if stem(word) not in _ASKING)


def named(question: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Those whose name holds a word of the question: "the letter" is letter.txt."""
    wanted = stems_of(question)
    return tuple(one for one in documents if stems_of(one.name.rpartition(".")[0].replace("_", " ")) & wanted)


async def quotes_for(library: Library, question: str, *, whole: bool) -> tuple[Quote, ...]:
    """The sentences that answer, in the order of the document; () when none does. `whole`: the question names a
    document or is about the user's own, so that a few documents are read whole where a search by words finds nothing.
    Raises StoreError."""
    found = [(hit.document, hit.passage) for hit in await library.search(about(question) or question)]
    if whole:
        there = await library.store.documents()
        meant = named(question, there) or (there if sum(one.passages for one in there) <= MOST_PASSAGES else ())
        found += await library.store.passages([one.id for one in meant], limit=MOST_PASSAGES)
    quotes = [
        Quote(document=document, passage=passage, text=text, score=0.0)
        for document, passage in dict.fromkeys(found)
        for text in sentences_of(passage.text)
    ][:MOST_SENTENCES]
    return _best(quotes, await _scores(library, question, [one.text for one in quotes]))


async def _scores(library: Library, question: str, sentences: Sequence[str]) -> list[float]:
    """Of each sentence; 0 for one that nothing speaks for. By meaning the question counts half as it is and half
    without the words that name a paper: with them every sentence about papers is near, without them too little is
    left of a short question."""
    if library.embed is not None and sentences:
        try:
            vectors = await embedded(library.embed, [question, bare(question), *sentences])
        except EmbeddingFailed:
            pass
        else:
            asked = (vectors[0] + vectors[1]) / 2
            cosines = [float(vector @ asked) for vector in vectors[2:]]
            return [one if one >= LEAST_COSINE else 0.0 for one in cosines]
    by_words = [share_of(about(question), text) for text in sentences]
    return [share if share >= LEAST_SHARE else 0.0 for share in by_words]


def _best(quotes: Sequence[Quote], scores: Sequence[float]) -> tuple[Quote, ...]:
    top = max(scores, default=0.0)
    if top <= 0.0:
        return ()
    near = sorted((score for score in scores if score >= top - NEAR), reverse=True)[:MOST_QUOTED]
    return tuple(
        Quote(document=one.document, passage=one.passage, text=one.text, score=score)
        for one, score in zip(quotes, scores, strict=False)
        if score >= near[-1] and score > 0
    )[:MOST_QUOTED]
