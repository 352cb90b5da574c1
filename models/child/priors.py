"""Scores of content-free prompts, kept: they depend on the question only, not on what it is asked about."""

from collections import OrderedDict
from collections.abc import Sequence

CAPACITY = 512

Key = tuple[tuple[int, ...], tuple[str, ...]]


class Priors:
    def __init__(self) -> None:
        self._known: OrderedDict[Key, tuple[float, ...]] = OrderedDict()

    def get(self, tokens: Sequence[int], options: Sequence[str]) -> tuple[float, ...] | None:
        """Log-probabilities of the options after the content-free prompt `tokens`."""
        return self._known.get((tuple(tokens), tuple(options)))

    def put(self, tokens: Sequence[int], options: Sequence[str], scores: Sequence[float]) -> None:
        self._known[tuple(tokens), tuple(options)] = tuple(scores)
        if len(self._known) > CAPACITY:
            self._known.popitem(last=False)
