"""Scores of content-free prompts, kept: they depend on the question only, not on what it is asked about."""

from collections import OrderedDict

CAPACITY = 512

Key = tuple[tuple[int, ...], tuple[str, ...]]  # tokens of the content-free prompt, options


class Priors:
    """Log-probabilities of the options; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[Key, tuple[float, ...]] = OrderedDict()

    def get(self, key: Key) -> tuple[float, ...] | None:
        return self._known.get(key)

    def put(self, key: Key, scores: tuple[float, ...]) -> None:
        self._known[key] = scores
        if len(self._known) > CAPACITY:
            self._known.popitem(last=False)
