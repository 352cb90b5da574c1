"""What the KV cache of the conversation holds, and how little of a prompt has to be read.

Sequence 0 is the conversation. A prompt shares its beginning with what is there, or with a state put aside in
memory when another conversation came between, or with the stable beginning saved on disk by an earlier process.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence

from models.child.native import Context
from models.child.prompts import shared
from models.child.states import StateFiles
from models.errors import ContextFull
from models.types import Failure

LEAST_KEPT = 128  # tokens; fewer are quicker read than put aside
ASIDE_BYTES = 256 * 1024 * 1024


class KvCache:
    def __init__(self, context: Context, files: StateFiles | None, *, forgets_parts: bool) -> None:
        self._context = context
        self._files = files
        self._forgets_parts = forgets_parts  # recurrent models can only go back to the start
        self._aside: OrderedDict[tuple[int, ...], bytes] = OrderedDict()
        self.tokens: list[int] = []

    def clear(self) -> None:
        """Forget everything, also what was put aside."""
        self._context.clear()
        self.tokens.clear()
        self._aside.clear()

    def read(
        self,
        tokens: Sequence[int],
        *,
        stable: int = 0,
        scores: bool = True,
        cancelled: Callable[[], bool],
        progress: Callable[[int], None] = lambda _done: None,
    ) -> int | None:
        """Bring `tokens` into the cache. How many were there already, or None when cancelled. With `scores` the last
        one is evaluated in any case, so that the scores after it are ready. Raises ContextFull."""
        most = len(tokens) - scores
        self._switch(tokens[:most])
        if (keep := self._usable(self.tokens, tokens[:most])) < len(self.tokens):
            self._cut(keep)
        if stable > len(self.tokens):
            self._restore(tokens, stable)
        reused = len(self.tokens)
        progress(reused)
        if self._files and reused < stable < len(tokens):
            if not self._extend(tokens[:stable], cancelled, progress):
                return None
            self._files.save(tokens[:stable], self._context.snapshot())
        return reused if self._extend(tokens, cancelled, progress) else None

    def append(self, token: int) -> bool:
        """Evaluate one sampled token. False when cancelled: it is not in the cache then."""
        at = len(self.tokens)
        result = self._context.decode((token,), (at,), (0,), (0,))
        if result == "ok":
            self.tokens.append(token)
            return True
        self._cut(at)
        if result == "full":
            raise context_full(at + 1, self._context.length)
        return False

    def _extend(self, tokens: Sequence[int], cancelled: Callable[[], bool], progress: Callable[[int], None]) -> bool:
        size = self._context.options.batch
        for start in range(len(self.tokens), len(tokens), size):
            if cancelled():
                return False
            chunk = tokens[start : start + size]
            outputs = (len(chunk) - 1,) if start + size >= len(tokens) else ()
            result = self._context.decode(chunk, range(start, start + len(chunk)), (0,) * len(chunk), outputs)
            if result != "ok":
                self._cut(start)
            if result == "full":
                raise context_full(len(tokens), self._context.length)
            if result == "aborted":
                return False
            self.tokens += chunk
            progress(len(self.tokens))
        return True

    def _cut(self, keep: int) -> None:
        """Back to the first `keep` tokens, or to none where the model cannot go back a part."""
        if not self._context.cut(keep):
            self._context.clear()
            keep = 0
        del self.tokens[keep:]

    def _usable(self, have: Sequence[int], want: Sequence[int]) -> int:
        """Tokens of `have` that serve for `want`."""
        common = shared(have, want)
        return common if self._forgets_parts or common == len(have) else 0

    def _switch(self, tokens: Sequence[int]) -> None:
        """Put the present conversation aside if most of it would be lost, and take up the one that fits best."""
        present = self._usable(self.tokens, tokens)
        best = max(self._aside, key=lambda one: self._usable(one, tokens), default=())
        better = self._aside.pop(best) if self._usable(best, tokens) >= present + LEAST_KEPT else None
        if len(self.tokens) >= LEAST_KEPT and present < len(self.tokens) / 2:
            self._put_aside()
        if better is not None:
            self.tokens = list(best) if self._context.restore(better) else []

    def _put_aside(self) -> None:
        state = self._context.snapshot()
        if not state or len(state) > ASIDE_BYTES:
            return
        self._aside[tuple(self.tokens)] = state
        while sum(map(len, self._aside.values())) > ASIDE_BYTES:
            self._aside.popitem(last=False)

    def _restore(self, tokens: Sequence[int], stable: int) -> None:
        state = self._files.load(tokens[:stable]) if self._files and stable < len(tokens) else None
        if state is not None:
            self.tokens = list(tokens[:stable]) if self._context.restore(state) else []


def context_full(needed: int, length: int) -> ContextFull:
    return ContextFull(
        Failure(
            kind="context_full",
            message=f"The prompt has {needed} tokens; the model's context holds {length}.",
            hint="Shorten the conversation, or set a larger context length.",
        )
    )
