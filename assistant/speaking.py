"""One answer from the model: streamed, saved, checked against the user's wishes, asked again once at most."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, assert_never

from assistant.events import ReplyDelta, ReplyRestarted, StageChanged, ThoughtDelta
from assistant.planning import MARGIN, Notes, TooLong, plan
from assistant.policies.mending import fewest_broken, improved, is_mended_at_once, mended
from assistant.policies.outcome import Attempt, next_attempt
from assistant.policies.style import broken, broken_already, too_alike
from assistant.recalling import NOTHING_KNOWN
from models.types import (
    Delta,
    Failure,
    Finished,
    GenerationRequest,
    Progress,
    Sampling,
)

if TYPE_CHECKING:
    from assistant.deps import Deps
    from assistant.draft import Draft
    from assistant.events import TurnEvent, TurnStage
    from assistant.planning import Prompt
    from assistant.policies.style import Rule
    from assistant.recalling import Knowledge
    from memory.types import Message
    from models.types import (
        Cancel,
        ModelEvent,
    )

PUT_RIGHT_LATER = frozenset({"emoji", "pleasantries", "introductions", "headings"})  # no reason to stop an answer
LIVELIER = 0.9  # temperature of the second try when the first repeated a rejected answer

SAME_AGAIN = Failure(
    kind="empty_answer",
    message="The model gave the answer again that you had just turned down, so it is not shown.",
    hint="Say what should be different, or choose a larger model.",
)


class Speaker:
    """Fills `draft`; afterwards `finished` says how it went, `broken` which wishes it breaks all the same."""

    def __init__(self, deps: Deps, draft: Draft, cancel: Cancel, save: Callable[[], Awaitable[None]]) -> None:
        self.finished: Finished | None = None
        self.broken: tuple[Rule, ...] = ()
        self._deps = deps
        self._draft = draft
        self._cancel = cancel
        self._save = save
        self._stage: TurnStage | None = None
        self._livelier = False
        self._lost = False  # the first try was stopped, because it had broken a wish already

    async def answer(
        self, path: Sequence[Message], window: int, *, knowledge: Knowledge = NOTHING_KNOWN, rejected: str = ""
    ) -> AsyncGenerator[TurnEvent, None]:
        """`rejected`: the answer the user has just turned down; nothing nearly the same is sent. Raises ModelError."""
        rules = knowledge.checked
        watched = tuple(rule for rule in rules if rule.object not in PUT_RIGHT_LATER)
        async with contextlib.aclosing(self._attempts(path, window, knowledge, (), watched=watched)) as events:
            async for event in events:
                yield event
        wrong, alike = self._judge(rules, rejected)
        if not wrong and not alike:
            return
        first = "" if self._lost else self._draft.text  # one that was stopped half way is no answer
        if not alike and (better := _by_rule(self._draft.text, wrong, rules)) is not None:
            for event in self._replaced(better, wrong):
                yield event
            return
        self._draft.restart()
        self._livelier = alike
        yield ReplyRestarted(broken=_words(wrong))
        repeat = wrong or rules
        async with contextlib.aclosing(self._attempts(path, window, knowledge, repeat, watched=())) as events:
            async for event in events:
                yield event
        for event in self._last_resort(first, rules, rejected):
            yield event

    def _judge(self, rules: Sequence[Rule], rejected: str) -> tuple[tuple[Rule, ...], bool]:
        """Which wishes a whole answer breaks, and whether it repeats a rejected one. A stopped answer is not judged."""
        if self.finished is None or self.finished.reason not in ("stop", "length") or self._cancel.is_set:
            return (), False
        self.broken = broken(self._draft.text, rules)
        return self.broken, self._is_rejected(self._draft.text, rejected, rules)

    def _is_rejected(self, text: str, rejected: str, rules: Sequence[Rule]) -> bool:
        """Nearly the answer that was turned down. The same words put right ("in bullets, please") were asked for."""
        if not rejected or not too_alike(text, rejected):
            return False
        return bool(broken(text, rules)) or not broken(rejected, rules)

    def _last_resort(self, first: str, rules: Sequence[Rule], rejected: str) -> Iterator[TurnEvent]:
        """After the second try: put right by rule what can be, and never show a rejected answer again."""
        wrong, alike = self._judge(rules, rejected)
        if wrong:
            second = self._draft.text
            tries = (second, improved(second, rules), *((improved(first, rules), first) if first else ()))
            better = fewest_broken(tuple(text for text in tries if text), rules)
            if better != second and not self._is_rejected(better, rejected, rules):
                yield from self._replaced(better, wrong)
                alike = False
        if alike:
            self._draft.restart()
            self.finished = Finished(reason="failed", failure=SAME_AGAIN)
            yield ReplyRestarted()

    def _replaced(self, text: str, wrong: Sequence[Rule]) -> Iterator[TurnEvent]:
        self._draft.restart()
        yield ReplyRestarted(broken=_words(wrong), mended=True)
        yield ReplyDelta(text=self._draft.add_text(text))
        self.broken = tuple(rule for rule in wrong if broken(text, (rule,)))

    async def _attempts(
        self,
        path: Sequence[Message],
        window: int,
        knowledge: Knowledge,
        repeat: Sequence[Rule],
        *,
        watched: Sequence[Rule],
    ) -> AsyncGenerator[TurnEvent, None]:
        """Plan and stream; once more where a rule of `policies.outcome` can mend what failed."""
        notes = Notes(head=knowledge.head, beside=knowledge.beside(repeat))
        attempt: Attempt | None = Attempt(margin=MARGIN, think=self._deps.settings.think)
        while attempt is not None and not self._cancel.is_set:
            planned = await plan(self._deps, path, window, attempt.margin, notes)
            if isinstance(planned, TooLong):
                self.finished = Finished(reason="failed", failure=planned.failure())
                return
            yield planned.context
            async with contextlib.aclosing(self._stream(planned, attempt, watched)) as spoken:
                async for event in spoken:
                    yield event
            assert self.finished is not None
            attempt = next_attempt(attempt, self.finished, self._draft.text, window)

    async def _stream(
        self, prompt: Prompt, attempt: Attempt, watched: Sequence[Rule]
    ) -> AsyncGenerator[TurnEvent, None]:
        request = GenerationRequest(
            messages=prompt.messages, sampling=self._sampling(prompt.max_tokens), think=attempt.think
        )
        self.finished = None
        async with _closing(self._deps.model.stream(request, self._cancel)) as stream:
            async for event in stream:
                match event:
                    case Progress():
                        self._stage = event.stage
                        yield StageChanged(stage=event.stage, done=event.done, total=event.total)
                    case Delta():
                        for shown in self._shown(event):
                            yield shown
                        await self._save()
                        if watched and not event.thought and self._is_lost(watched):
                            self._lost = True
                            self.finished = Finished(reason="stop")
                            return
                    case Finished():
                        self.finished = event
                    case _:
                        assert_never(event)
        if self.finished is None:
            raise RuntimeError("the model's stream ended without Finished")

    def _is_lost(self, watched: Sequence[Rule]) -> bool:
        """The answer breaks a wish already: writing on would only cost time."""
        return not self._cancel.is_set and bool(broken_already(self._draft.text, watched))

    def _shown(self, delta: Delta) -> Iterator[TurnEvent]:
        stage: TurnStage = "thinking" if delta.thought else "writing"
        text = self._draft.add_thought(delta.text) if delta.thought else self._draft.add_text(delta.text)
        if not text:
            return
        if self._stage != stage:
            self._stage = stage
            yield StageChanged(stage=stage)
        yield ThoughtDelta(text=text) if delta.thought else ReplyDelta(text=text)

    def _sampling(self, max_tokens: int) -> Sampling:
        settings = self._deps.settings
        return Sampling(
            temperature=max(settings.temperature, LIVELIER) if self._livelier else settings.temperature,
            top_p=settings.top_p,
            top_k=settings.top_k,
            min_p=settings.min_p,
            repeat_penalty=settings.repeat_penalty,
            max_tokens=max_tokens,
            seed=settings.seed,
        )


def _by_rule(text: str, wrong: Sequence[Rule], rules: Sequence[Rule]) -> str | None:
    """Without asking the model again, where a rule can put all of it right."""
    return mended(text, rules) if all(is_mended_at_once(text, rule) for rule in wrong) else None


def _words(rules: Sequence[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.words for rule in rules))


@contextlib.asynccontextmanager
async def _closing(stream: AsyncIterator[ModelEvent]) -> AsyncIterator[AsyncIterator[ModelEvent]]:
    """Ends the stream at once when it is left early."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
