"""A call on its way to a verdict: previewed, weighed by the policy, and carried out or raised as a decision."""

from dataclasses import dataclass, replace
from datetime import datetime
from math import exp
from typing import Any, assert_never

from assistant.errors import NotAllowed, ToolError
from assistant.execution import Executor, Order, previewed
from assistant.policies.asking.calls import canonical, heavier
from assistant.policies.asking.cards import clarify_card, confirm_card
from assistant.policies.asking.decide import decide, kind_of
from assistant.policies.asking.fill import filled
from assistant.policies.asking.permission import Call, covers
from assistant.policies.asking.sameness import waits_already, wants_another
from assistant.policies.asking.types import (
    Act,
    ActAndState,
    Answer,
    Ask,
    Candidate,
    Inspect,
    OpenGap,
    Pause,
    Situation,
    Unknown,
)
from assistant.ports import Clock
from assistant.reading_calls import CallReader
from assistant.reports import Carried, CouldNot, Found, Report, Waits
from assistant.tools.types import Assumption, CallContext, EffectKey, Gap, Preview, Source, Tool, ToolArguments
from memory.decision_store import DecisionStore
from memory.decisions import Decision, NewDecision
from memory.types import Message, SessionId
from models.types import Cancel


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A call on its way to a verdict."""

    tool: Tool[Any]
    arguments: ToolArguments
    belief: float
    rivals: tuple[Candidate, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    untrusted: tuple[Source, ...] = ()
    session_id: SessionId | None = None
    message: Message | None = None
    questions_before: int = 0
    key: EffectKey = EffectKey("")
    task: tuple[int, int] | None = None  # the plan it belongs to, and its step
    expires_at: datetime | None = None  # what it is for is over then


class Weigher:
    """Raises StoreError; what a tool or a rule refuses is a report."""

    def __init__(self, store: DecisionStore, clock: Clock, reader: CallReader) -> None:
        self._store = store
        self._clock = clock
        self._reader = reader
        self.executor = Executor(store)

    async def weigh(self, wish: Wish, context: CallContext, cancel: Cancel) -> Report | None:
        try:
            preview = await previewed(wish.tool, wish.arguments, context)
        except ToolError as error:
            return CouldNot(message=error.message, hint=error.hint)
        wish = _exactly(wish, preview)
        situation = await self._situation(wish, preview, cancel)
        verdict = decide(situation)
        match verdict:
            case Answer() | Inspect():
                return None
            case Act():
                return await self.carry_out(wish, preview, context)
            case ActAndState():
                return await self._act_and_state(wish, verdict, context)
            case Ask():
                return await self._ask(wish, preview, verdict)
            case Pause():
                if verdict.gaps:
                    return await self._ask(wish, preview, _as_question(verdict))
                return await self.confirm(wish, preview, verdict.reason)
            case Unknown():
                return CouldNot(message=verdict.reason, hint="Say it whole, in one sentence.")
            case _:
                assert_never(verdict)

    async def _situation(self, wish: Wish, preview: Preview, cancel: Cancel) -> Situation:
        effect = heavier(wish.tool.effect, preview.effect)
        call = Call(tool=wish.tool.name, arguments=canonical(wish.arguments.model_dump(mode="json")), effect=effect)
        gaps = tuple([await self._reader.open_gap(gap, wish.message, cancel) for gap in preview.gaps])
        grants = await self._store.grants() if effect == "external" else ()
        granted = any(covers(one, call, session_id=wish.session_id, now=self._clock.now()) for one in grants)
        prices = {kind: exp(price.log_price) for kind, price in (await self._store.prices()).items()}
        candidate = Candidate(
            tool=wish.tool.name,
            arguments=call.arguments,
            effect=effect,
            share=wish.belief,
            summary=preview.summary,
            people=len(preview.people),
        )
        return Situation(
            candidates=(candidate, *wish.rivals),
            gaps=gaps,
            assumptions=(*wish.assumptions, *preview.assumptions),
            granted=granted,
            waits=preview.waits,
            untrusted=wish.untrusted,
            task_questions=wish.questions_before,
            prices=prices,
        )

    async def _act_and_state(self, wish: Wish, verdict: ActAndState, context: CallContext) -> Report | None:
        try:
            arguments = filled(wish.arguments, dict(verdict.fills)) if verdict.fills else wish.arguments
            preview = await previewed(wish.tool, arguments, context)
        except ToolError as error:
            return CouldNot(message=error.message, hint=error.hint)
        stated = _exactly(replace(wish, arguments=arguments, assumptions=verdict.assumptions), preview)
        return await self.carry_out(stated, preview, context)

    async def _ask(self, wish: Wish, preview: Preview, verdict: Ask) -> Report:
        gaps = verdict.gaps or (_meant(verdict.call),)
        kind = kind_of(verdict.call, verdict.gaps)
        card = clarify_card(
            wish.tool.name,
            wish.arguments,
            preview,
            gaps,
            effect=verdict.call.effect,
            reason=verdict.reason,
            kind=kind,
            numbers=verdict.numbers,
            sources=wish.untrusted,
            session_id=wish.session_id,
            message_id=wish.message.id if wish.message else None,
            questions_before=wish.questions_before,
        )
        return await self._raise(card, wish)

    async def confirm(self, wish: Wish, preview: Preview, reason: str, *, changed: str = "") -> Waits:
        wish = _exactly(wish, preview)
        card = confirm_card(
            wish.tool.name,
            wish.arguments,
            preview,
            effect=heavier(wish.tool.effect, preview.effect),
            reason=reason,
            sources=wish.untrusted,
            session_id=wish.session_id,
            message_id=wish.message.id if wish.message else None,
            questions_before=wish.questions_before,
            changed=changed,
        )
        return await self._raise(card, wish)

    async def _raise(self, card: NewDecision, wish: Wish) -> Waits:
        """Or the one that waits already for the same, in other words: nobody is asked the same twice."""
        if wish.task is not None:
            card = replace(card, task_id=wish.task[0], step=wish.task[1])
        if wish.message is not None and not wants_another(wish.message.content):
            waiting = [one for one in await self._store.decisions() if waits_already(card, one)]
            if waiting:
                return Waits(decision=waiting[-1], again=True)
        made = await self._store.raise_decision(replace(card, expires_at=wish.expires_at), at=self._clock.now())
        return Waits(decision=made)

    async def carry_out(
        self, wish: Wish, preview: Preview, context: CallContext, decision: Decision | None = None
    ) -> Report:
        order = Order(
            key=wish.key,
            tool=wish.tool,
            arguments=wish.arguments,
            preview=preview,
            decision=decision,
            untrusted=bool(wish.untrusted),
            session_id=wish.session_id,
            message_id=wish.message.id if wish.message else None,
        )
        try:
            outcome = await self.executor.carry_out(order, context)
        except (ToolError, NotAllowed) as error:
            return CouldNot(message=error.message, hint=error.hint, decision=decision.id if decision else None)
        if order.call.effect == "read":
            return Found(tool=wish.tool.name, outcome=outcome)
        return Carried(
            tool=wish.tool.name,
            summary=preview.summary,
            outcome=outcome,
            assumptions=wish.assumptions,
            key=wish.key,
            undoable=bool(outcome.undo_token),
            decision=decision.id if decision else None,
        )


def _exactly(wish: Wish, preview: Preview) -> Wish:
    """With what its arguments stand for, where the preview looked that up."""
    return wish if preview.exact is None else replace(wish, arguments=preview.exact)


def _as_question(pause: Pause) -> Ask:
    assert pause.call is not None
    return Ask(gaps=pause.gaps, call=pause.call, reason=pause.reason, numbers=pause.numbers)


def _meant(call: Candidate) -> OpenGap:
    return OpenGap(gap=Gap(argument="", question=f"Do you want this: {call.summary}?"))
