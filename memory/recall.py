"""What matters for a question, with full text, vectors and the route. No model is called; an embedder is handed in."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory.embedding import EmbeddingFailed, embedded
from memory.indexer import Indexer
from memory.preference_store import PreferenceStore
from memory.preferences import Domain, PreferenceId, Scope
from memory.rank import MOST_ITEMS, ROUTED, Nominee, Question, Recollection, rank
from memory.routing import route_by_words
from memory.vector_fallback import cosines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS = 20  # hits of full text that are ranked
FROM_DOMAIN = 30  # items of the routed domains that are ranked, the strongest first
MOST_CHARACTERS = 2_000  # of a question that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecall:
    """Ranks by meaning where there is an indexer, else by words alone. Implements assistant.ports.Recall."""

    store: PreferenceStore
    indexer: Indexer | None = None

    async def recall(
        self, question: str, *, at: datetime, scopes: Collection[Scope] = (), limit: int = MOST_ITEMS
    ) -> tuple[Recollection, ...]:
        """Best first, `limit` at most; empty when nothing applies. Raises StoreError."""
        text = question[:MOST_CHARACTERS]
        vector = await self._vector(text)
        route = self._route(text, vector)
        words = {hit.preference.id: hit for hit in await self.store.search(text, limit=WORDS)}
        near = await self._near(vector)
        routed: list[Domain] = [domain for domain, share in route.items() if share >= ROUTED and domain != "other"]
        named = await self.store.in_domains(routed, limit=FROM_DOMAIN) if routed else ()
        known = {preference.id: preference for preference in named}
        known |= {id: hit.preference for id, hit in words.items()}
        known |= {one.id: one for one in await self.store.by_ids([id for id in near if id not in known])}
        near = await self._exactly(near, list(known), vector)
        nominees = [
            Nominee(preference=one, cosine=near.get(one.id), bm25=words[one.id].score if one.id in words else 0.0)
            for one in known.values()
        ]
        asked = Question(text=text, route=route, at=at, scopes=tuple(scopes))
        return rank(nominees, asked, limit=limit)

    async def _vector(self, text: str) -> "NDArray[np.float32] | None":
        """None without an embedder, while it is not ready, or when it fails: words do then."""
        if self.indexer is None or self.indexer.router is None:
            return None
        try:
            vector = (await embedded(self.indexer.embed, [text]))[0]
        except EmbeddingFailed:
            return None
        return vector if vector.any() else None

    def _route(self, text: str, vector: "NDArray[np.float32] | None") -> Mapping[Domain, float]:
        router = self.indexer.router if self.indexer is not None else None
        return route_by_words(text) if vector is None or router is None else router.route(vector)

    async def _near(self, vector: "NDArray[np.float32] | None") -> Mapping[PreferenceId, float]:
        """Cosines of the nearest items."""
        if vector is None or self.indexer is None:
            return {}
        return {PreferenceId(one.id): one.cosine for one in await self.indexer.search(vector)}

    async def _exactly(
        self, near: Mapping[PreferenceId, float], ids: Sequence[PreferenceId], vector: "NDArray[np.float32] | None"
    ) -> Mapping[PreferenceId, float]:
        """With the cosines of the items that full text or the route brought in."""
        unknown = [id for id in ids if id not in near]
        if vector is None or self.indexer is None or not unknown:
            return near
        found = await self.indexer.database.read(lambda connection: cosines(connection, unknown, vector))
        return {**near, **{PreferenceId(id): cosine for id, cosine in found.items()}}
