"""Answering from a second terminal, and what is wanted there of plans and documents: it goes through the mailbox to
the process that owns the home, which carries it out, once, and says what became of it.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from assistant.reports import CouldNot, PlanWent, Report, Waits
from memory.answer_mailbox import NO_DECISION, NO_PLAN, Act, AnswerMailbox, HandedAnswer, PlanAct
from memory.decision_store import DecisionStore
from memory.decisions import Decision, DecisionId
from memory.errors import ChangeRefused, NotFound, StoreError
from memory.plans import Plan, PlanId
from memory.settled import Settled
from ui.acting_words import STATES, report_words
from ui.asking_prices import reset_words
from ui.deciding import Deciding
from ui.decision_json import decision_value
from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE, EXIT_FAILED, UiError
from ui.plan_acts import stopped_words
from ui.plan_words import plan_value
from ui.redaction import without_secrets
from ui.report_json import report_value

if TYPE_CHECKING:
    from assistant.documents.library import Library

TAKEN_SECONDS = 5.0  # until the owner has begun with it
DONE_SECONDS = 120.0  # until it is carried out: a tool may take its time
ABOUT_DOCUMENTS: tuple[Act, ...] = ("add_documents", "remove_documents")
_LOOK_EVERY = 0.05
FROM_COMMAND = "command"

Told = Callable[[HandedAnswer, Settled], None]
Which = Callable[[HandedAnswer], bool]


class AnswerPost:
    """The owner's end. `told` hears of each letter that came, after it was carried out."""

    def __init__(
        self,
        deciding: Deciding,
        store: Callable[[], DecisionStore],
        library: Callable[[], "Library"],
        mailbox: AnswerMailbox,
    ) -> None:
        self._deciding = deciding
        self._store = store
        self._library = library
        self._mailbox = mailbox
        self._begun: set[str] = set()

    async def drain(self, told: Told = lambda letter, settled: None, *, which: Which = lambda letter: True) -> int:
        """Take all of these that wait; how many there were. Raises StoreError for what is no refusal of the store's."""
        found = await asyncio.to_thread(self._mailbox.waiting)
        letters = [letter for letter in found if letter.name not in self._begun and which(letter)]
        for letter in letters:
            self._begun.add(letter.name)
            await asyncio.to_thread(self._mailbox.begin, letter.name)
            settled = await self._settled(letter)
            await asyncio.to_thread(self._mailbox.settle, letter.name, settled)
            told(letter, settled)
        return len(letters)

    def waits_for_nothing(self, letter: HandedAnswer) -> bool:
        """What is taken also while another is being carried out: what a server waits for, and stopping a plan."""
        return letter.act == "stop_plan" or self._deciding.belongs_to_a_call(letter.decision)

    async def _settled(self, letter: HandedAnswer) -> Settled:
        source = f"{FROM_COMMAND} {letter.name}"
        try:
            return await self._carried_out(letter, source)
        except ChangeRefused as error:
            if letter.decision:
                decision = await self._store().decision(letter.decision)
                if decision.answered_from == source:  # taken before, and cut off before it was settled
                    return _as_it_is(decision)
            return refused(error)
        except (NotFound, UiError) as error:
            return refused(error)

    async def _carried_out(self, letter: HandedAnswer, source: str) -> Settled:
        match letter.act:
            case "answer":
                return answered(await self._deciding.answer(letter.decision, letter.text, source=source))
            case "withdraw":
                return withdrawn(await self._deciding.withdraw(letter.decision))
            case "reset_prices":
                return reset(await self._store().forget_prices())
            case "stop_plan" | "resume_plan" | "undo_plan":
                return await on_plan(self._deciding, letter.act, letter.plan)
            case "add_documents" | "remove_documents":
                from ui.document_acts import on_documents

                return await on_documents(await asyncio.to_thread(self._library), letter.act, letter.text)
            case never:
                assert_never(never)


async def on_plan(deciding: Deciding, act: PlanAct, id: PlanId) -> Settled:
    """Stops, resumes or takes back. Raises NotFound, ChangeRefused."""
    match act:
        case "stop_plan":
            plan = await deciding.stop_plan(id)
            return Settled(lines=(stopped_words(plan),), value=plan_value(plan), code=EXIT_DONE)
        case "resume_plan":
            return answered(await deciding.resume_plan(id))
        case "undo_plan":
            return answered(await deciding.undo_plan(id))


async def hand_over(
    mailbox: AnswerMailbox,
    reading: DecisionStore,
    act: Act,
    id: DecisionId = NO_DECISION,
    text: str = "",
    *,
    plan: PlanId = NO_PLAN,
) -> Settled:
    """Returns what the owner made of it; after some seconds without a sign, that it waits there. Raises NotFound."""
    if id != NO_DECISION:
        await reading.decision(id)
    if plan != NO_PLAN:
        await reading.plan(plan)
    name = await asyncio.to_thread(mailbox.post, act, id, text, plan=plan)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while await asyncio.to_thread(mailbox.is_waiting, name):
        await asyncio.sleep(_LOOK_EVERY)
        waited = loop.time() - begun
        taken = waited > TAKEN_SECONDS and await asyncio.to_thread(mailbox.is_begun, name)
        if waited > (DONE_SECONDS if taken else TAKEN_SECONDS):
            return _left_there(act, taken)
    settled = await asyncio.to_thread(mailbox.settled, name)
    if settled is not None:
        return settled
    return reset(0) if id == NO_DECISION else _as_it_is(await reading.decision(id))


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


def is_about_documents(letter: HandedAnswer) -> bool:
    return letter.act in ABOUT_DOCUMENTS


def reset(many: int) -> Settled:
    """`many` prices of questions were put back."""
    return Settled(lines=(reset_words(many),), value={"reset": many}, code=EXIT_DONE)


def refused(error: StoreError | UiError) -> Settled:
    message, hint = without_secrets(error.message), without_secrets(error.hint)
    value = {"result": "failed", "message": message, "hint": hint}
    return Settled(lines=tuple(part for part in (message, hint) if part), value=value, code=EXIT_FAILED)


def _as_it_is(decision: Decision) -> Settled:
    result = f" ({decision.result})" if decision.result else ""
    code = EXIT_DONE if decision.state in ("done", "declined", "withdrawn") else EXIT_FAILED
    words = f"Decision {decision.id}: {STATES[decision.state]}{result}"
    return Settled(lines=(words,), value=decision_value(decision), code=code)


def _left_there(act: Act, taken: bool) -> Settled:
    on_decision = act in ("answer", "withdraw", "reset_prices")
    listing = "decisions list --all" if on_decision else "documents list" if act in ABOUT_DOCUMENTS else "plans show"
    words = (
        f"The Steward that is running here is still at it. `steward {listing}` shows how it ends."
        if taken
        else "It waits for the Steward that is running here; it is kept, and carried out once."
    )
    code = EXIT_DECISION_WAITING if on_decision else EXIT_DONE
    return Settled(lines=(words,), value={"result": "handed_over", "message": words}, code=code)
