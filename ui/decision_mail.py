"""Answering from a second terminal: the answer goes through the mailbox to the process that owns the home, which
carries it out, once, and says what became of it.
"""

import asyncio
from collections.abc import Callable

from assistant.reports import CouldNot, PlanWent, Report, Waits
from memory.answer_mailbox import NO_DECISION, Act, AnswerMailbox, HandedAnswer
from memory.decision_store import DecisionStore
from memory.decisions import Decision, DecisionId
from memory.errors import ChangeRefused, NotFound, StoreError
from memory.plans import Plan
from memory.settled import Settled
from ui.acting_words import STATES, report_words
from ui.asking_prices import reset_words
from ui.deciding import Deciding
from ui.decision_json import decision_value
from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE, EXIT_FAILED
from ui.report_json import report_value

TAKEN_SECONDS = 5.0  # until the owner has begun with it
DONE_SECONDS = 120.0  # until it is carried out: a tool may take its time
_LOOK_EVERY = 0.05
FROM_COMMAND = "command"

Told = Callable[[DecisionId, Settled], None]


class AnswerPost:
    """The owner's end. `told` hears of each answer that came, after it was carried out."""

    def __init__(self, deciding: Deciding, store: Callable[[], DecisionStore], mailbox: AnswerMailbox) -> None:
        self._deciding = deciding
        self._store = store
        self._mailbox = mailbox
        self._begun: set[str] = set()

    async def drain(self, told: Told = lambda id, settled: None, *, calls_only: bool = False) -> int:
        """Take all that waits; how many there were. `calls_only`: only what a server waits for, while another answer
        is being carried out. Raises StoreError for what is no refusal of the store's."""
        found = await asyncio.to_thread(self._mailbox.waiting)
        letters = [
            letter
            for letter in found
            if letter.name not in self._begun and (not calls_only or self._deciding.belongs_to_a_call(letter.decision))
        ]
        for letter in letters:
            self._begun.add(letter.name)
            settled = await self._settled(letter)
            await asyncio.to_thread(self._mailbox.settle, letter.name, settled)
            told(letter.decision, settled)
        return len(letters)

    async def _settled(self, letter: HandedAnswer) -> Settled:
        source = f"{FROM_COMMAND} {letter.name}"
        try:
            if letter.act == "reset_prices":
                return reset(await self._store().forget_prices())
            if letter.act == "withdraw":
                return withdrawn(await self._deciding.withdraw(letter.decision))
            return answered(await self._deciding.answer(letter.decision, letter.text, source=source))
        except ChangeRefused as error:
            decision = await self._store().decision(letter.decision)
            if decision.answered_from == source:  # taken before, and cut off before it was settled
                return _as_it_is(decision)
            return refused(error)
        except NotFound as error:
            return refused(error)


async def hand_over(
    mailbox: AnswerMailbox, reading: DecisionStore, act: Act, id: DecisionId, text: str = ""
) -> Settled:
    """Returns what the owner made of it; after some seconds without a sign, that it waits there. Raises NotFound."""
    if id != NO_DECISION:
        await reading.decision(id)
    name = await asyncio.to_thread(mailbox.post, act, id, text)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while await asyncio.to_thread(mailbox.is_waiting, name):
        await asyncio.sleep(_LOOK_EVERY)
        waited = loop.time() - begun
        taken = waited > TAKEN_SECONDS and id != NO_DECISION and (await reading.decision(id)).state == "answered"
        if waited > (DONE_SECONDS if taken else TAKEN_SECONDS):
            return _left_there(taken)
    settled = await asyncio.to_thread(mailbox.settled, name)
    if settled is None and id == NO_DECISION:
        return reset(0)
    return settled if settled is not None else _as_it_is(await reading.decision(id))


def answered(report: Report) -> Settled:
    match report:
        case Waits() | PlanWent(plan=Plan(state="waiting")):
            code = EXIT_DECISION_WAITING
        case CouldNot() | PlanWent(first=CouldNot()):
            code = EXIT_FAILED
        case _:
            code = EXIT_DONE
    return Settled(lines=tuple(report_words(report).split("\n")), value=report_value(report), code=code)


def withdrawn(decision: Decision) -> Settled:
    words = f"Decision {decision.id} is withdrawn. Nothing was done."
    return Settled(lines=(words,), value=decision_value(decision), code=EXIT_DONE)


def reset(many: int) -> Settled:
    """`many` prices of questions were put back."""
    return Settled(lines=(reset_words(many),), value={"reset": many}, code=EXIT_DONE)


def refused(error: StoreError) -> Settled:
    value = {"result": "failed", "message": error.message, "hint": error.hint}
    return Settled(lines=tuple(part for part in (error.message, error.hint) if part), value=value, code=EXIT_FAILED)


def _as_it_is(decision: Decision) -> Settled:
    result = f" ({decision.result})" if decision.result else ""
    code = EXIT_DONE if decision.state in ("done", "declined", "withdrawn") else EXIT_FAILED
    words = f"Decision {decision.id}: {STATES[decision.state]}{result}"
    return Settled(lines=(words,), value=decision_value(decision), code=code)


def _left_there(taken: bool) -> Settled:
    words = (
        "The Steward that is running here is still at it. `steward decisions list --all` shows how it ends."
        if taken
        else "It waits for the Steward that is running here; it is kept, and carried out once."
    )
    return Settled(lines=(words,), value={"result": "handed_over", "message": words}, code=EXIT_DECISION_WAITING)
