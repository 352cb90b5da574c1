"""Decisions for tests of the front ends: a desk whose tools are those of the tests, and cards that wait on it."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from assistant.policies.asking.calls import call_hash, canonical
from assistant.tools.types import Tool
from memory.decision_store import DecisionStore
from memory.decisions import Decision, DecisionOption, NewDecision, OptionAttribute, PlannedCall
from tests.support.clock import MONDAY

TO_ANN = {"to": "ann@example.org", "text": "I am late"}
SENT = "Send a mail (to: ann@example.org, text: I am late)"


def use_tools(monkeypatch: pytest.MonkeyPatch, *tools: Tool[Any]) -> None:
    """The tools of every home are these."""
    monkeypatch.setattr("ui.tool_wiring.own_tools", lambda services: list(tools))


def a_mail(**changes: Any) -> NewDecision:
    """An external act that waits, as the policy would raise it for tests.support.tools.mail()."""
    arguments = canonical(TO_ANN)
    lines = tuple(
        OptionAttribute(name="does", value=line) for line in (SENT, *(f"{k}: {v}" for k, v in TO_ANN.items()))
    )
    asked = NewDecision(
        kind="confirm",
        effect="external",
        question=f"{SENT}?",
        why_now="This reaches others or cannot be taken back.",
        options=(
            DecisionOption(key="yes", label="Do it", attributes=lines, consequence="This cannot be taken back."),
            DecisionOption(key="no", label="Do not", attributes=(OptionAttribute(name="does", value="nothing"),)),
        ),
        call=PlannedCall(
            tool="mail.send",
            arguments=arguments,
            hash=call_hash("mail.send", arguments),
            preconditions=(("state", "quiet"),),
        ),
    )
    return replace(asked, **changes)


async def decided(store: DecisionStore, question: str, answer: str, *, at: datetime = MONDAY) -> Decision:
    """One that was answered and carried out."""
    asked = (await store.raise_decision(replace(a_question(), question=question), at=at)).id
    await store.answer(asked, answer, source="chat", at=at)
    return await store.close_decision(asked, "done", at=at, result="Written down.", undo_token="1")


def a_payment() -> NewDecision:
    """A grave act for tests.support.tools.pay(): its amount has to be typed."""
    arguments = canonical({"payee": "the landlord", "amount": "EUR 900"})
    call = PlannedCall(
        tool="bank.pay",
        arguments=arguments,
        hash=call_hash("bank.pay", arguments),
        preconditions=(("state", "quiet"),),
    )
    return a_mail(effect="grave", question="Pay (payee: the landlord, amount: EUR 900)?", call=call, typed="EUR 900")


def a_question() -> NewDecision:
    """Which book, for tests.support.tools.Notebook("home", "work"): can be taken back."""
    known = {"text": "buy milk", "book": None}
    options = tuple(
        DecisionOption(
            key=str(number),
            label=book,
            attributes=(OptionAttribute(name="pages", value=str(number * 10)),),
            arguments=canonical({**known, "book": book}),
            undo="undo",
        )
        for number, book in enumerate(("home", "work"), start=1)
    )
    return NewDecision(
        kind="clarify",
        effect="undoable",
        question="Which book?",
        why_now="A wrong guess would cost more than the question.",
        options=options,
        call=PlannedCall(tool="notes.add", arguments=canonical(known), hash=call_hash("notes.add", canonical(known))),
        recommended="1",
        reason="It is the likeliest reading.",
        allow_other=True,
        argument="book",
        you_decide=True,
        asked_about="notes.add:book",
        why="right 0.60, loss 2.00",
    )
