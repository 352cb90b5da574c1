"""Keep a reply inside a JSON schema at almost no cost: the grammar is asked about one token, the sampled one.

When it says no, the likeliest tokens are checked and one is drawn again. The whole vocabulary is checked (20 ms for
150,000 tokens) only when a token outside those could have been drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from models.child.native import GrammarState, Vocab
from models.child.sampling import Logits, Sampler
from models.child.schema import refusal, to_grammar

LIKELIEST = 512
_CLOSERS = (b"}", b"]", b'"')


class Free:
    """No constraint; repeats cost."""

    def pick(self, sampler: Sampler, logits: Logits, reply: Sequence[int]) -> int:
        return sampler.pick(logits, reply)

    @property
    def complete(self) -> bool:
        return False


class Constraint:
    """No repeat penalty here: JSON repeats its quotes and commas."""

    def __init__(self, vocab: Vocab, state: GrammarState) -> None:
        self._vocab = vocab
        self._state = state
        self.complete = False  # one whole value is there; nothing can follow

    def pick(self, sampler: Sampler, logits: Logits, reply: Sequence[int]) -> int:
        token = sampler.pick(logits)
        if not self._state.allows(token):
            token = sampler.pick(self._allowed(sampler, logits))
        if not self._vocab.is_end(token):
            self._state.accept(token)
            ends = self._vocab.piece(token).endswith(_CLOSERS)
            self.complete = ends and self._vocab.eos >= 0 and self._state.allows(self._vocab.eos)
        return token

    def _allowed(self, sampler: Sampler, logits: Logits) -> Logits:
        """`logits` with -inf where the grammar forbids the token; exact wherever a token may be drawn."""
        width = min(LIKELIEST, len(logits))
        ids = np.argpartition(logits, len(logits) - width)[-width:]
        masked = self._state.mask(ids, logits)
        if sampler.least(float(masked.max())) < logits[ids].min():
            masked = self._state.mask(np.arange(len(logits)), logits)
        if masked.max() == -np.inf:
            raise refusal("the answer", "this model has no token that continues it")
        return masked


@contextmanager
def constraint_for(schema: Mapping[str, Any] | None, vocab: Vocab) -> Iterator[Free | Constraint]:
    """Raises BadSchema before anything is read, when no grammar can be made."""
    if schema is None:
        yield Free()
        return
    state = GrammarState.open(vocab, to_grammar(schema))
    if state is None:
        raise refusal("the answer", "llama.cpp does not accept its grammar")
    try:
        yield Constraint(vocab, state)
    finally:
        state.close()
