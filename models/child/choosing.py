"""Probabilities of closed answers, read from the scores: nothing is generated.

The messages are read once; each question is a short tail on a sequence of its own, several in one decode. An
option's score is the log-probability of its tokens up to the one that tells it from all others, so options that
differ in their first token cost no decode of their own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.child.cache import KvCache, context_full
from models.child.generation import messages_of
from models.child.link import NO_USAGE, Link
from models.child.native import MOST_OUTPUTS, Context
from models.child.opened import Opened
from models.child.prompts import shared
from models.child.sampling import Logits
from models.protocol import Choose, Chosen, Done, QuestionFrame
from models.types import ChatMessage

CONTENT_FREE = "N/A"

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Path:
    """One way to write an option: its tokens as far as they decide."""

    option: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tail:
    """Tokens to evaluate after the shared ones, and which token's log-probability is wanted after which of them."""

    tokens: tuple[int, ...]
    wanted: tuple[tuple[int, int], ...]  # index into tokens, token that may follow


class _Cancelled(Exception):
    """Leaves the nested reads; never leaves this module."""


def choose(frame: Choose, opened: Opened, link: Link) -> Chosen | Done:
    """Done(cancelled) when cancelled. Raises ContextFull."""
    run = _Run(opened, link)
    messages = messages_of(frame.messages)
    try:
        priors = run.priors(messages, frame.questions) if frame.calibrate else None
        scores = run.scores(messages, frame.questions)
    except _Cancelled:
        return Done(id=frame.id, reason="cancelled", usage=NO_USAGE)
    if priors is not None:
        scores = [one - prior for one, prior in zip(scores, priors, strict=True)]
    probabilities = tuple(tuple(np.exp(_normalised(one)).tolist()) for one in scores)
    return Chosen(id=frame.id, probabilities=probabilities, tokens_read=run.tokens_read)


class _Run:
    def __init__(self, opened: Opened, link: Link) -> None:
        self._opened = opened
        self._link = link
        self.tokens_read = 0

    def priors(self, messages: Sequence[ChatMessage], questions: Sequence[QuestionFrame]) -> list[Scores]:
        """Scores of the same questions about nothing (contextual calibration, Zhao et al. 2021)."""
        leading = [one for one in messages if one.role == "system"]
        if len(leading) < len(messages):
            leading.append(ChatMessage(role="user", content=CONTENT_FREE))
            asked = list(questions)
        else:
            asked = [one.model_copy(update={"prompt": CONTENT_FREE}) for one in questions]
        kept = self._opened.priors
        keys = [(tuple(self._prompt(leading, one.prompt)), one.options) for one in asked]
        known = {key: kept.get(key) for key in keys}
        missing = {key: one for key, one in zip(keys, asked, strict=True) if known[key] is None}
        for key, scores in zip(missing, self.scores(leading, list(missing.values())), strict=True):
            known[key] = tuple(scores.tolist())
            kept.put(key, tuple(scores.tolist()))
        return [np.asarray(known[key], np.float64) for key in keys]

    def scores(self, messages: Sequence[ChatMessage], questions: Sequence[QuestionFrame]) -> list[Scores]:
        """Log-probabilities of each question's options, normalised over them."""
        if not questions:
            return []
        prompts = [self._prompt(messages, one.prompt) for one in questions]
        lead = self._lead(messages, prompts)
        self._read(prompts[0][:lead], longest=max(map(len, prompts)))
        paths = [self._paths(one.options) for one in questions]
        tails = [
            tail
            for prompt, of_question in zip(prompts, paths, strict=True)
            for tail in _tails(tuple(prompt[lead:]), of_question)
        ]
        found = iter(self._evaluate(tails))
        return [
            _summed(of_question, len(one.options), found) for of_question, one in zip(paths, questions, strict=True)
        ]

    def _prompt(self, messages: Sequence[ChatMessage], question: str) -> list[int]:
        cached = self._opened.cache.tokens
        return self._opened.prompts.make(
            [*messages, ChatMessage(role="user", content=question)], stable=len(messages), cached=cached
        ).tokens

    def _lead(self, messages: Sequence[ChatMessage], prompts: Sequence[Sequence[int]]) -> int:
        """How many tokens all prompts share; with one question, those of the messages."""
        others = list(prompts[1:])
        if not others:
            made = self._opened.prompts.make(messages, stable=len(messages), cached=self._opened.cache.tokens)
            others = [made.tokens[: made.stable]]
        return min(min(map(len, prompts)) - 1, *(shared(prompts[0], other) for other in others))

    def _read(self, tokens: Sequence[int], *, longest: int) -> None:
        length = self._opened.context.length
        if longest >= length:
            raise context_full(longest, length)
        if not tokens:
            self._opened.cache.clear()
            return
        reused = self._opened.cache.read(tokens, scores=False, cancelled=lambda: self._link.cancelled)
        if reused is None:
            raise _Cancelled
        self.tokens_read += len(tokens) - reused

    def _paths(self, options: Sequence[str]) -> list[_Path]:
        """Each option as it is and with other capitals, where that cannot be taken for another option."""
        spellings = [(option, option.capitalize(), option.lower(), option.upper()) for option in options]
        written = [{self._tokens(one) for one in dict.fromkeys(of)} for of in spellings]
        if sum(map(len, written)) > len(set().union(*written)):
            written = [{self._tokens(option)} for option in options]
        paths = [_Path(option=index, tokens=tokens) for index, of in enumerate(written) for tokens in sorted(of)]
        return [_Path(option=one.option, tokens=_decisive(one, paths)) for one in paths]

    def _tokens(self, option: str) -> tuple[int, ...]:
        """Ended by the token that closes a turn, so that "no" is not the beginning of "not now"."""
        vocab = self._opened.weights.vocab
        end = min(self._opened.end_tokens, default=max(vocab.eos, 0))
        return (*vocab.tokenize(option, special=False, joined=True), end)

    def _evaluate(self, tails: Sequence[_Tail]) -> list[list[float]]:
        """Log-probabilities wanted by each tail, group by group as sequences and room allow."""
        context, cache = self._opened.context, self._opened.cache
        found: list[list[float]] = []
        room = context.length - len(cache.tokens)
        for group in _grouped(tails, context.options.sequences - 1, room):
            found += _Group(context, cache, group).evaluate(self._link)
            self.tokens_read += sum(len(tail.tokens) for tail in group)
        return found


class _Group:
    """Tails evaluated together: one sequence each, copied from the conversation."""

    def __init__(self, context: Context, cache: KvCache, tails: Sequence[_Tail]) -> None:
        self._context = context
        self._start = len(cache.tokens)
        self._tails = tails
        self._found = [[0.0] * len(tail.wanted) for tail in tails]

    def evaluate(self, link: Link) -> list[list[float]]:
        sequences = range(1, len(self._tails) + 1)
        try:
            for sequence in sequences:
                self._context.copy(0, sequence)
            rows = [(index, place) for index, tail in enumerate(self._tails) for place in range(len(tail.tokens))]
            size = min(self._context.options.batch, MOST_OUTPUTS)
            for start in range(0, len(rows), size):
                if link.cancelled:
                    raise _Cancelled
                self._decode(rows[start : start + size])
                link.step()
        finally:
            for sequence in sequences:
                self._context.cut(0, sequence=sequence)
        return self._found

    def _decode(self, rows: Sequence[tuple[int, int]]) -> None:
        tokens = [self._tails[index].tokens[place] for index, place in rows]
        wanted = {(index, at) for index, _ in rows for at, _ in self._tails[index].wanted}
        outputs = [number for number, row in enumerate(rows) if row in wanted]
        result = self._context.decode(
            tokens, [self._start + place for _, place in rows], [index + 1 for index, _ in rows], outputs
        )
        if result == "aborted":
            raise _Cancelled
        if result == "full":
            raise context_full(self._start + len(rows), self._context.length)
        for number in outputs:
            self._note(rows[number], _normalised(self._context.logits(number)))

    def _note(self, row: tuple[int, int], scores: Scores) -> None:
        index, place = row
        for number, (at, token) in enumerate(self._tails[index].wanted):
            if at == place:
                self._found[index][number] = float(scores[token])


def _decisive(path: _Path, others: Iterable[_Path]) -> tuple[int, ...]:
    """Tokens up to the first that no other option shares."""
    same = max((shared(path.tokens, one.tokens) for one in others if one.option != path.option), default=0)
    return path.tokens[: same + 1]


def _tails(question: tuple[int, ...], paths: Sequence[_Path]) -> Iterator[_Tail]:
    """First the question itself with the first token of every path, then one for each path that goes deeper."""
    last = len(question) - 1
    yield _Tail(tokens=question, wanted=tuple((last, path.tokens[0]) for path in paths))
    for path in paths:
        if len(path.tokens) > 1:
            deeper = tuple((last + step, path.tokens[step]) for step in range(1, len(path.tokens)))
            yield _Tail(tokens=question + path.tokens[:-1], wanted=deeper)


def _summed(paths: Sequence[_Path], options: int, found: Iterator[list[float]]) -> Scores:
    """Log-probability of each option: spellings are added up, the whole is normalised."""
    first = next(found)
    totals = np.full(options, -np.inf)
    for path, start in zip(paths, first, strict=True):
        score = start + (sum(next(found)) if len(path.tokens) > 1 else 0.0)
        totals[path.option] = np.logaddexp(totals[path.option], score)
    return _normalised(totals)


def _normalised(scores: Logits | Scores) -> Scores:
    """Scores to log-probabilities."""
    exact: Scores = scores.astype(np.float64)
    if not len(exact):
        return exact
    shifted = exact - exact.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), np.float64)


def _grouped(tails: Sequence[_Tail], most: int, room: int) -> Iterator[list[_Tail]]:
    group: list[_Tail] = []
    used = 0
    for tail in tails:
        if group and (len(group) == most or used + len(tail.tokens) > room):
            yield group
            group, used = [], 0
        group.append(tail)
        used += len(tail.tokens)
    if group:
        yield group
