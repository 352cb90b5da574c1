"""An embedder without a model: words are hashed into directions, so texts that share words are close."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memory.words import stem, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(slots=True)
class HashingEmbedder:
    """Deterministic across processes. `calls` lists what was asked for, batch by batch."""

    dimensions: int = 64
    calls: list[tuple[str, ...]] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        self.calls.append(tuple(texts))
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in words_of(text, most=500):
                vectors[row] += self._direction(stem(word))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
        return unit

    def _direction(self, word: str) -> "NDArray[np.float32]":
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
