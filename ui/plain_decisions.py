"""Decisions in line mode: what waits, its options as "2 of 4", and the answer, which is always a command of its own.

A sentence typed while a decision waits is a message; the decision stays.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from memory.decisions import Decision, DecisionId, DecisionState
from memory.errors import StoreError
from ui.acting_words import decision_line, decision_lines, report_words
from ui.deciding_begins import watching
from ui.errors import UiError
from ui.plan_words import going_words
from ui.server_questions import read_form

if TYPE_CHECKING:
    from memory.plans import Plan
    from ui.plain import PlainChat

DECISION = "decision: "
OVER: tuple[DecisionState, ...] = ("answered", "done", "failed", "superseded", "declined", "withdrawn", "expired")
_MOST = 50


class PlainDecisions:
    """Says what waits, and what became of it."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self._asking: dict[DecisionId, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Takes what other terminals answer meanwhile; what waits from before is said first."""
        desk = self._chat.desk
        waiting = await desk.kept_deciding.waiting()
        if waiting:
            self._chat.announce(DECISION + waiting_words(waiting))
        desk.attend(self)
        desk.services.plan_watch.listener = self._plan_going
        async with watching(desk.services, desk.kept_deciding, self._tell):
            yield

    def _plan_going(self, plan: "Plan | None") -> None:
        """A plan that an answer or another terminal set going; one that a message did is told as it goes."""
        if plan is not None and not self._chat.desk.conversation.session.busy:
            self._chat.announce(f"plan: {going_words(plan)}. /plans {plan.id} shows it")

    # what servers ask in the middle of a call (assistant.tools.mcp.asked_back.Asker)

    def present(self) -> bool:
        return not self._chat.desk.conversation.incognito

    def asked(self, decision: Decision) -> None:
        """Read out and answered at once, where the call is what everybody waits for; else it is announced."""
        if self._chat.is_reading:
            self._chat.announce(DECISION + waiting_words((decision,)))
        else:
            self._asking[decision.id] = asyncio.create_task(self._ask(decision))

    def over(self, decision: Decision, words: str) -> None:
        self._asking.pop(decision.id, None)
        if words:
            self._chat.announce(f"{DECISION}{decision.id}: {clean_line(words, 300)}")

    async def _ask(self, decision: Decision) -> None:
        deciding = self._chat.desk.kept_deciding

        async def read(prompt: str) -> str | None:
            """A line that comes when it is too late is the next thing said."""
            line = await self._chat.read(prompt)
            return line if deciding.belongs_to_a_call(decision.id) else None

        _show(self._chat, decision)
        try:
            while deciding.belongs_to_a_call(decision.id):
                answer = await read_form(decision, read)
                if not deciding.belongs_to_a_call(decision.id):
                    return
                if not answer:
                    await deciding.withdraw(decision.id)
                    self._chat.status("left unanswered; the server is told so")
                    return
                report = await deciding.answer(decision.id, answer, source="line mode")
                self._chat.line(DECISION + clean_line(report_words(report), 400))
        except StoreError as error:
            self._chat.failure(error.message, error.hint)

    async def _tell(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._chat.announce(DECISION + clean_line(line, 400))


def waiting_words(waiting: Sequence[Decision]) -> str:
    first = clean_line(waiting[0].asked.question, 100)
    if len(waiting) == 1:
        return f"1 waits for you: {first} /decide {waiting[0].id}"
    return f"{len(waiting)} wait for you, the first: {first} /decisions lists them"


async def decisions(chat: "PlainChat", argument: str) -> None:
    """/decisions alone lists what waits; its first word may be an act or an id."""
    first, _, rest = argument.partition(" ")
    act = _ACTS.get(first.lower())
    if not argument:
        await _list(chat, await chat.desk.deciding.waiting(), "no decision waits for you")
    elif act is not None:
        await act(chat, rest.strip())
    else:
        _show(chat, await _decision(chat, argument))


async def decide(chat: "PlainChat", argument: str) -> None:
    """/decide ID ANSWER; without an answer the decision is read out, and the next line answers it."""
    which, _, answer = argument.partition(" ")
    decision = await _decision(chat, which)
    if not answer.strip():
        _show(chat, decision)
        if decision.state != "open":
            return
        form = decision.asked.fields
        answer = await (read_form(decision, chat.read) if form else chat.read("answer (empty: later): ")) or ""
        if not answer.strip():
            chat.status("it stays as it is")
            return
    if answer.strip().lower() == "always":
        await _allow(chat, decision)
        return
    report = await chat.desk.deciding.answer(decision.id, answer.strip(), source="line mode")
    for line in report_words(report).split("\n"):
        chat.line(DECISION + clean_line(line, 400))


async def _list(chat: "PlainChat", found: Sequence[Decision], nothing: str) -> None:
    chat.say_all(f"Decision {decision_line(decision)}" for decision in found)
    if not found:
        chat.status(nothing)
    else:
        chat.line("/decide ID reads one out; /decide ID ANSWER answers it; /decisions cancel ID withdraws it.")


def _show(chat: "PlainChat", decision: Decision) -> None:
    chat.say_all(decision_lines(decision))


async def _decision(chat: "PlainChat", which: str) -> Decision:
    """By its id; the only one that waits, where none is named. Raises UiError, NotFound."""
    wanted = which.strip().removeprefix("#")
    if wanted.isdecimal() and len(wanted) < 10:
        return await chat.desk.conversation.services.decisions.decision(DecisionId(int(wanted)))
    waiting = await chat.desk.deciding.waiting()
    if not wanted and len(waiting) == 1:
        return waiting[0]
    hint = f"It takes an id, or: {', '.join(_ACTS)}." if wanted else "/decisions lists what waits."
    raise UiError(f"There is no decision {clean_line(wanted, 40)!r}." if wanted else "Which decision?", hint)


async def _all(chat: "PlainChat", _: str) -> None:
    store = chat.desk.conversation.services.decisions
    found = (*await store.decisions(limit=_MOST), *await store.decisions(OVER, limit=_MOST))
    await _list(chat, found, "there was no decision yet")


async def _cancel(chat: "PlainChat", which: str) -> None:
    decision = await chat.desk.deciding.withdraw((await _decision(chat, which)).id)
    chat.status(f"decision {decision.id} is withdrawn; nothing was done")


async def _prices(chat: "PlainChat", _: str) -> None:
    from ui.asking_prices import price_lines

    for line in price_lines(await chat.desk.conversation.services.decisions.prices()):
        chat.line(line)


async def _reset(chat: "PlainChat", _: str) -> None:
    from ui.asking_prices import reset_words

    chat.status(reset_words(await chat.desk.conversation.services.decisions.forget_prices()))


async def _needless(chat: "PlainChat", which: str) -> None:
    from ui.asking_prices import moved_words

    decision = await _decision(chat, which)
    if not decision.asked.asked_about:
        raise UiError("This one is no question of price: it always waits for your word.")
    chat.status(moved_words("stop_asking", await chat.desk.deciding.react(decision.asked.asked_about, "stop_asking")))


async def _allow(chat: "PlainChat", decision: Decision) -> None:
    """A standing permission, after two questions; it answers nothing."""
    from ui.grant_acts import DAYS, allow, allowed_words, grant_offers

    offers = grant_offers(decision)
    if not offers:
        raise UiError("There is no standing permission for this.", "It always waits for your own word.")
    number = await chat.choose("Allow what from now on?", tuple(offer.words for offer in offers))
    if number is None:
        return
    for line in offers[number].also:
        chat.line(f"This will also allow: {line}")
    if await chat.choose(f"Allow it for {DAYS} days?", ("No", "Yes, allow it")) != 1:
        chat.status("nothing is allowed")
        return
    services = chat.desk.conversation.services
    grant = await allow(services.decisions, offers[number], decision, at=services.clock.now())
    chat.status(allowed_words(grant))


_ACTS: dict[str, Callable[["PlainChat", str], Awaitable[None]]] = {
    "all": _all,
    "cancel": _cancel,
    "needless": _needless,
    "prices": _prices,
    "reset": _reset,
}

COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    (
        "decisions",
        "[ID|ACT [ID]]",
        "what waits for your decision; ACT: all, cancel, needless, prices, reset",
        decisions,
    ),
    ("decide", "ID [ANSWER]", "answer a decision; without an answer it is read out first", decide),
)
