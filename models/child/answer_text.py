"""From sampled tokens to text that may be shown: whole characters, no control tokens, thoughts apart."""

import codecs
from collections.abc import Sequence

from models.child.native import Vocab
from models.thinking import TAGS, ThoughtSplitter
from models.types import Delta

_TAG_TEXTS = frozenset((*TAGS, *TAGS.values()))


class AnswerText:
    """Feed tokens; get parts. `marks` are tokens of the template that are no text either. `plain`: a machine reads
    it, so nothing is split off and nothing is trimmed. `stopped` turns True at a text that ends the turn in
    families whose vocabulary has no token for that."""

    def __init__(
        self,
        vocab: Vocab,
        *,
        marks: frozenset[int] = frozenset(),
        open_tag: str | None = None,
        stops: Sequence[str] = (),
        plain: bool = False,
    ) -> None:
        self._vocab = vocab
        self._marks = marks
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._splitter = None if plain else ThoughtSplitter(open_tag)
        self._stops = () if plain else tuple(stops)
        self._held = ""
        self.stopped = False
        self.answer = ""  # without thoughts
        self.thought = False  # some of it was

    def feed(self, token: int) -> list[Delta]:
        return self._pass(self._until_stop(self._text(token)))

    def finish(self) -> list[Delta]:
        """What was held back. An unfinished character is dropped: it is no text yet."""
        parts = self._pass("" if self.stopped else self._held)
        self._held = ""
        return [*parts, *self._noted(self._splitter.finish() if self._splitter else [])]

    def _text(self, token: int) -> str:
        if token in self._marks or self._vocab.is_control(token):
            text = self._vocab.text(token)
            return text if text in _TAG_TEXTS else ""
        return self._decoder.decode(self._vocab.piece(token))

    def _until_stop(self, text: str) -> str:
        """Text before a stop; the beginning of a possible stop is held back."""
        if not self._stops:
            return text
        buffer = self._held + text
        found = [at for stop in self._stops if (at := buffer.find(stop)) >= 0]
        if found:
            self.stopped, self._held = True, ""
            return buffer[: min(found)]
        longest = min(len(buffer), max(map(len, self._stops)) - 1)
        sizes = range(longest, 0, -1)
        keep = next((size for size in sizes if any(stop.startswith(buffer[-size:]) for stop in self._stops)), 0)
        self._held = buffer[len(buffer) - keep :]
        return buffer[: len(buffer) - keep]

    def _pass(self, text: str) -> list[Delta]:
        if not text:
            return []
        return self._noted(self._splitter.feed(text) if self._splitter else [Delta(text=text)])

    def _noted(self, parts: list[Delta]) -> list[Delta]:
        for part in parts:
            self.thought = self.thought or part.thought
            self.answer += "" if part.thought else part.text
        return parts
