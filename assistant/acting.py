"""From what was said to what is done: read by rules, else by the model, weighed by the policy, carried out or raised.

    words -> readings of tools -> which tool (closed question) -> arguments (grammar) -> preview -> decide()
          -> carried out once, or a decision on disk and the end of the turn

A message that no tool's rules can read costs no model call. Nothing waits in memory: an answer begins anew from
the row.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from assistant.answered import answered_arguments, arguments_of, difference, option_label
from assistant.choosing import Chooser
from assistant.errors import ToolError
from assistant.execution import previewed
from assistant.policies.asking.affairs import Affair, affair, settled_by, specific
from assistant.policies.asking.answers import Chosen, Declined, NotAnAnswer, Own, YouDecide, read_answer
from assistant.policies.asking.decide import decide
from assistant.policies.asking.habits import habit_of
from assistant.policies.asking.learning import Reaction
from assistant.policies.asking.types import Candidate, Situation, Unknown
from assistant.policies.cleaning import clean_line
from assistant.ports import ChatModel, Clock
from assistant.reading_calls import SURE, Called, CallReader
from assistant.reports import Carried, CouldNot, Found, Report, TurnedDown, Undone, Waits
from assistant.tolerance import Tolerance
from assistant.tools.registry import Registry
from assistant.tools.types import CallContext, EffectKey, Outcome, Preview, Source, ToolArguments
from assistant.weighing import Weigher, Wish
from memory.decision_store import DecisionStore
from memory.decisions import Decision, DecisionId
from memory.effects import EffectRecord, QuestionPrice
from memory.types import Message, MessageId
from memory.words import stems_of
from models.types import Absent, Cancel, GivenUp

_CITED = re.compile(r"\n\nFrom: (.+)\.\Z")  # as assistant/turn.py ends an answer

Remembered = Callable[[str], Awaitable[Sequence[str]]]  # a question -> statements of the user's that matter for it


Refresh = Callable[[Registry], Awaitable[None]]  # what other processes added or took away meanwhile


async def as_it_is(_tools: Registry) -> None:
    return None


async def nothing_remembered(_question: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCall:
    """A step as it is weighed: its words, or the call where that is known already."""

    task: tuple[int, int]  # the plan, the step
    words: str
    key: str
    message: Message | None = None  # what it came from, with the step's words; None where that is deleted
    tool: str = ""
    arguments: str = ""  # canonical JSON
    untrusted: tuple[str, ...] = ()  # labels of texts of others
    questions_before: int = 0
    ends_at: datetime | None = None  # of the plan


class Actor:
    """Every method raises StoreError; what a tool or a rule refuses is a report."""

    def __init__(
        self,
        tools: Registry,
        store: DecisionStore,
        model: ChatModel,
        clock: Clock,
        *,
        zone: Callable[[], str],
        reader: CallReader,
        remembered: Remembered = nothing_remembered,
        refresh: Refresh = as_it_is,
    ) -> None:
        self.tools = tools
        self._model = model
        self._refresh = refresh
        self._store = store
        self._clock = clock
        self._zone = zone
        self._reader = reader
        self._remembered = remembered
        self._weigher = Weigher(store, clock, reader)
        self._chooser = Chooser(store, clock, remembered)
        self._tolerance = Tolerance(store, model, clock)
        self._read: dict[MessageId, tuple[Source, ...]] = {}  # by the message it was looked up for

    # what was said

    async def consider(
        self, message: Message, before: Sequence[Message], cancel: Cancel, *, incognito: bool = False
    ) -> Report | None:
        """None: nothing is to be done but to answer. Only what the user typed is ever read as a wish."""
        if message.origin != "typed":
            return None
        context = await self._context(incognito)
        await self._refresh(self.tools)
        called = await self._read_call(message.content, context, cancel)
        if called is None or cancel.is_set:
            return None
        wish = Wish(
            tool=called.tool,
            arguments=called.arguments,
            belief=called.belief,
            rivals=_rivals(called),
            assumptions=called.assumptions,
            untrusted=self.untrusted(before),
            session_id=message.session_id,
            message=message,
            key=EffectKey(f"message-{message.id}"),
            expires_at=await _expiry(called.arguments, context),
        )
        report = await self._weighed(wish, context, cancel)
        if isinstance(report, Found) and not report.outcome.text:
            return _unknown(affair(message.content), before)
        return report

    async def take_step(self, step: StepCall, cancel: Cancel, *, incognito: bool = False) -> Report | None:
        """A step of a plan, weighed as any wish is. None: nothing here can do it, or the model says it is none."""
        context = await self._context(incognito)
        await self._refresh(self.tools)
        try:
            called = self._known(step) if step.tool else await self._read_call(step.words, context, cancel)
        except ToolError as error:
            return CouldNot(message=error.message, hint=error.hint)
        if called is None or cancel.is_set:
            return None
        over = [at for at in (step.ends_at, await _expiry(called.arguments, context)) if at is not None]
        wish = Wish(
            tool=called.tool,
            arguments=called.arguments,
            belief=called.belief,
            rivals=_rivals(called),
            assumptions=called.assumptions,
            untrusted=tuple(Source(kind="message", label=label) for label in step.untrusted),
            session_id=step.message.session_id if step.message is not None else None,
            message=step.message,
            questions_before=step.questions_before,
            key=EffectKey(step.key),
            task=step.task,
            expires_at=min(over, default=None),
        )
        return await self._weighed(wish, context, cancel)

    def _known(self, step: StepCall) -> Called:
        """Raises ToolError."""
        tool = self.tools.find(step.tool)
        return Called(tool=tool, arguments=arguments_of(tool, step.arguments), belief=SURE, by_rule=True)

    def is_repeatable(self, name: str) -> bool:
        return any(tool.name == name and tool.repeatable for tool in self.tools.all())

    async def finish(self, record: EffectRecord) -> Report:
        """A call that was begun and cut off, under its key again: of a tool for which that is safe."""
        context = await self._context()
        try:
            tool = self.tools.find(record.tool)
            wish = Wish(
                tool=tool, arguments=arguments_of(tool, record.arguments), belief=1.0, key=EffectKey(record.key)
            )
        except ToolError as error:
            return CouldNot(message=error.message, hint=error.hint)
        return await self._weigher.carry_out(wish, Preview(summary=record.summary), context)

    @property
    def has_model(self) -> bool:
        return not isinstance(self._model.status, Absent | GivenUp)

    async def context(self, incognito: bool = False) -> CallContext:
        return await self._context(incognito)

    async def _read_call(self, text: str, context: CallContext, cancel: Cancel) -> Called | None:
        readings = self.tools.readings(text, context)
        if not readings:
            return None
        known = () if all(reading.arguments for _, reading in readings) else await self._remembered(text)
        called = await self._reader.call(text, readings, known, cancel)
        if called is None or called.by_rule:
            return called
        calibration = await self._tolerance.calibration()
        return replace(called, belief=calibration.apply(called.belief))

    async def _weighed(self, wish: Wish, context: CallContext, cancel: Cancel) -> Report | None:
        report = await self._weigher.weigh(wish, context, cancel)
        if not isinstance(report, Found) or wish.message is None:
            return report
        self._read[wish.message.id] = report.outcome.sources if report.outcome.untrusted else ()
        return await self._chooser.settle(report, wish.message, task=wish.task)

    # what was answered

    async def answer(self, id: DecisionId, text: str, *, source: str, cancel: Cancel | None = None) -> Report:
        """The first answer counts, wherever it comes from; it is on disk before anything is done.
        Raises NotFound, ChangeRefused."""
        decision = await self._store.decision(id)
        now = self._clock.now()
        said = read_answer(decision, text)
        if decision.state != "open":
            await self._store.answer(id, text, source=source, at=now)  # refuses it, and says why
        match said:
            case NotAnAnswer():
                return CouldNot(message=said.say, decision=id)
            case Declined():
                return TurnedDown(decision=await self._store.close_decision(id, "declined", at=now, result="declined"))
            case Chosen():
                key = decision.asked.typed or said.option.key
            case Own():
                key = said.text
            case YouDecide():
                key = decision.asked.recommended or decision.asked.options[0].key
            case _:
                assert_never(said)
        answered = await self._store.answer(id, key, source=source, at=now)
        await self._tolerance.learn_from(answered)
        return await self._resume(answered, cancel)

    async def recover(self) -> tuple[Report, ...]:
        """At start-up: what was answered and never carried out, because the process ended in between."""
        answered = await self._store.decisions(("answered",))
        return tuple([await self._resume(decision, None) for decision in answered[::-1]])

    async def _resume(self, decision: Decision, cancel: Cancel | None) -> Report:
        """From an answered decision on; the same however often it is begun."""
        asked, now = decision.asked, self._clock.now()
        if asked.call is None:
            done = await self._store.close_decision(decision.id, "done", at=now, result=decision.answer)
            return Found(tool="", outcome=Outcome(text=option_label(done)))
        try:
            await self._refresh(self.tools)
            tool = self.tools.find(asked.call.tool)
            arguments = answered_arguments(tool, decision)
        except ToolError as error:
            await self._store.close_decision(decision.id, "failed", at=now, result=error.message)
            return CouldNot(message=error.message, hint=error.hint, decision=decision.id)
        wish = Wish(
            tool=tool,
            arguments=arguments,
            belief=1.0,
            session_id=asked.session_id,
            questions_before=asked.questions_before + (asked.kind != "confirm"),
            key=EffectKey(f"decision-{decision.id}"),
            task=(asked.task_id, asked.step) if asked.task_id is not None and asked.step is not None else None,
            expires_at=asked.expires_at,
        )
        if asked.kind == "confirm":
            return await self._confirmed(wish, decision)
        report = await self._weigher.weigh(wish, await self._context(), cancel or Cancel())
        return await self._settle(decision, report)

    async def _confirmed(self, wish: Wish, decision: Decision) -> Report:
        asked = decision.asked
        assert asked.call is not None
        context = await self._context()
        try:
            preview = await previewed(wish.tool, wish.arguments, context)
        except ToolError as error:
            return await self._settle(decision, CouldNot(message=error.message, hint=error.hint))
        current = tuple((one.name, one.value) for one in preview.preconditions)
        begun = await self._store.effect(wish.key)
        if begun is None and current != asked.call.preconditions:
            changed = "Since you were asked, this has changed: " + difference(asked.call.preconditions, current)
            again = await self._weigher.confirm(
                replace(wish, key=EffectKey("")), preview, asked.why_now, changed=changed
            )
            await self._store.close_decision(
                decision.id, "superseded", at=self._clock.now(), superseded_by=again.decision.id
            )
            return Waits(decision=again.decision, instead_of=decision.id)
        report = await self._weigher.carry_out(wish, preview, context, decision)
        return await self._settle(decision, report)

    async def _settle(self, decision: Decision, report: Report | None) -> Report:
        now = self._clock.now()
        match report:
            case Carried():
                await self._store.close_decision(
                    decision.id, "done", at=now, result=report.summary, undo_token=report.outcome.undo_token
                )
                habit = await asyncio.to_thread(habit_of, decision)  # the grammar of time is loaded with the first
                return replace(report, decision=decision.id, habit=habit)
            case Found():
                await self._store.close_decision(decision.id, "done", at=now, result="looked up")
                return report
            case Waits():
                await self._store.close_decision(decision.id, "superseded", at=now, superseded_by=report.decision.id)
                return report
            case CouldNot():
                await self._store.close_decision(decision.id, "failed", at=now, result=report.message)
                return replace(report, decision=decision.id)
            case None:
                await self._store.close_decision(decision.id, "failed", at=now, result="nothing was to be done")
                return CouldNot(message="Nothing was to be done.", decision=decision.id)
            case _:
                raise AssertionError(f"not the end of a decision: {report}")

    # taking back

    async def undo(self, key: str = "", *, wrong: bool = True) -> Report:
        """The effect with this key, else the latest that can be taken back. `wrong`: it says that a belief was."""
        record = await self._store.effect(key) if key else await self._latest_undoable()
        if record is None:
            return CouldNot(message="There is nothing to take back.")
        try:
            tool = self.tools.find(record.tool)
            outcome = await self._weigher.executor.undo(record, tool, await self._context())
        except ToolError as error:
            return CouldNot(message=error.message, hint=error.hint)
        if wrong:
            await self._tolerance.was_wrong()
        return Undone(summary=record.summary, outcome=outcome)

    async def _latest_undoable(self) -> EffectRecord | None:
        return next((one for one in await self._store.effects() if one.state == "done" and one.undo_token), None)

    async def react(self, kind: str, reaction: Reaction) -> QuestionPrice:
        """Move the price of this kind of question; "" is every kind."""
        return await self._tolerance.react(kind, reaction)

    async def react_to_all(self, reaction: Reaction) -> QuestionPrice:
        return await self._tolerance.react_to_all(reaction)

    def untrusted(self, before: Sequence[Message]) -> tuple[Source, ...]:
        """Texts in this conversation that the user did not write: pasted, opened, or looked up for an answer. Of an
        answer from an earlier run it is known only what it cites."""
        found: list[Source] = []
        for asked, message in zip((None, *before), before, strict=False):
            known = self._read.get(asked.id) if asked is not None else None
            if label := _written_by_others(message) or (_cited(message) if known is None else ""):
                found.append(Source(kind="message", label=label))
            found += known or ()
        return tuple({source.label: source for source in found}.values())

    async def _context(self, incognito: bool = False) -> CallContext:
        return CallContext(now=self._clock.now(), zone=await asyncio.to_thread(self._zone), incognito=incognito)


async def _expiry(arguments: ToolArguments, context: CallContext) -> datetime | None:
    """In a thread: the grammar of time is loaded with the first."""
    from assistant.policies.asking.expiry import passes_at

    return await asyncio.to_thread(passes_at, arguments.model_dump(mode="json"), now=context.now, zone=context.zone)


def _unknown(asked: Affair | None, before: Sequence[Message]) -> Report | None:
    """Nothing kept here tells: said, with what would settle it, where only the user's own things could. None: the
    conversation speaks of it, or anybody may know."""
    if asked is None or not asked.own:
        return None
    wanted = specific(asked.stems)
    if any(_written_by_others(one) or wanted & stems_of(one.content) for one in before):
        return None
    match decide(Situation(fact_needed=asked.about, settled_by=settled_by(asked))):
        case Unknown() as unknown:
            return CouldNot(message=unknown.reason, hint=unknown.would_settle)
        case _:
            return None


def _rivals(called: Called) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(tool=tool.name, arguments="", effect=tool.effect, share=share) for tool, share in called.rivals
    )


def _written_by_others(message: Message) -> str:
    """What it is, when a message holds a text that the user did not write; "" when it does not."""
    kinds: Mapping[str, str] = {"pasted": "a pasted text", "file": "a file", "tool": "a tool's result"}
    return kinds.get(message.origin, "")


def _cited(message: Message) -> str:
    """What an answer says it was written from."""
    found = _CITED.search(message.content) if message.role == "assistant" else None
    return clean_line(found[1], 120) if found else ""
