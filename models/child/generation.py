"""One reply: read the prompt, then sample token by token until something ends it."""

import time
from collections.abc import Iterable, Sequence

from models.child.answer_text import AnswerText
from models.child.cache import context_full
from models.child.constraint import Constraint, Free, constraint_for
from models.child.link import Link
from models.child.opened import Opened
from models.child.prompts import Prompt
from models.child.repetition import repeats
from models.child.sampling import Sampler
from models.protocol import Done, Generate, MessageFrame, Piece, Reading, UsageFrame
from models.types import ChatMessage, Delta, FinishReason


def generate(frame: Generate, opened: Opened, link: Link) -> Done:
    """Sends Reading and Piece frames. Raises ContextFull, BadSchema."""
    with constraint_for(frame.json_schema, opened.weights.vocab) as constraint:
        return _Reply(frame, opened, link, constraint).run()


def messages_of(frames: Iterable[MessageFrame]) -> list[ChatMessage]:
    return [ChatMessage(role=one.role, content=one.content) for one in frames]


class _Reply:
    def __init__(self, frame: Generate, opened: Opened, link: Link, constraint: Free | Constraint) -> None:
        self._frame = frame
        self._opened = opened
        self._link = link
        self._constraint = constraint
        self._tokens: list[int] = []
        self._cached = 0
        self._started = time.monotonic()
        self._first: float | None = None
        self._last = self._started

    def run(self) -> Done:
        plain = self._frame.json_schema is not None
        prompt = self._opened.prompts.make(
            messages_of(self._frame.messages),
            think=self._frame.think and not plain,
            stable=self._frame.stable_messages,
            cached=self._opened.cache.tokens,
        )
        if not self._read(prompt):
            return self._done("cancelled", prompt)
        text = AnswerText(
            self._opened.weights.vocab,
            marks=self._opened.prompts.marks,
            open_tag=prompt.open_tag,
            stops=self._opened.end_texts,
            plain=plain,
        )
        reason = self._sample(text, self._opened.context.length - len(prompt.tokens))
        self._say(text.finish())
        if not (text.thought or text.stopped or plain):
            self._opened.prompts.remember(text.answer, self._tokens)
        return self._done(reason, prompt)

    def _read(self, prompt: Prompt) -> bool:
        total = len(prompt.tokens)
        if total >= self._opened.context.length:
            raise context_full(total, self._opened.context.length)
        cached = self._opened.cache.read(
            prompt.tokens,
            stable=prompt.stable,
            cancelled=lambda: self._link.cancelled,
            progress=lambda done: self._link.send(Reading(id=self._frame.id, done=done, total=total)),
        )
        self._cached = cached or 0
        return cached is not None

    def _sample(self, text: AnswerText, room: int) -> FinishReason:
        sampler = Sampler(self._frame.sampling)
        vocab, context, cache = self._opened.weights.vocab, self._opened.context, self._opened.cache
        limit = min(self._frame.sampling.max_tokens, room)
        while len(self._tokens) < limit:
            if self._link.cancelled:
                return "cancelled"
            token = self._constraint.pick(sampler, context.logits(), self._tokens)
            self._clock()
            if vocab.is_end(token) or token in self._opened.end_tokens:
                return "stop"
            self._tokens.append(token)
            self._say(text.feed(token))
            if text.stopped or self._constraint.complete:
                return "stop"
            if repeats(self._tokens):
                return "repeating"
            if len(self._tokens) < limit and not cache.append(token):
                return "cancelled"
            self._link.step()
        return "length"

    def _clock(self) -> None:
        self._last = time.monotonic()
        self._first = self._first or self._last

    def _say(self, parts: Sequence[Delta]) -> None:
        for part in parts:
            self._link.send(Piece(id=self._frame.id, text=part.text, thought=part.thought))

    def _done(self, reason: FinishReason, prompt: Prompt) -> Done:
        first = self._first if self._first is not None else self._last
        usage = UsageFrame(
            tokens_in=len(prompt.tokens),
            tokens_cached=self._cached,
            tokens_out=len(self._tokens),
            seconds_to_first_token=first - self._started,
            seconds_generating=self._last - first,
            context_used=len(self._opened.cache.tokens),
            context_total=self._opened.context.length,
        )
        return Done(id=self._frame.id, reason=reason, usage=usage)
