"""A list or a number that a model filled in is what the user said: neither is a smuggler's way in."""

from collections.abc import Mapping
from typing import Any

import pytest

from assistant.acting import Actor
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.reports import Waits
from assistant.tools.mcp.pins import canonical
from assistant.tools.mcp.tool import McpTool
from assistant.tools.mcp.types import ApprovedTool, ListedTool, Result
from assistant.tools.mcp.words import tool_name
from assistant.tools.registry import Registry
from memory.decisions_in_memory import InMemoryDecisions
from models.scripted import ScriptedModel
from models.types import Cancel
from tests.support.builders import a_message
from tests.support.clock import FixedClock

WISH = "Send a message to ann@example.org and bob@example.org: I am delayed"
LISTED = ListedTool(
    name="send_message",
    description="Send a message to people.",
    schema=canonical(
        {
            "type": "object",
            "properties": {"to": {"type": "array", "items": {"type": "string"}}, "body": {"type": "string"}},
            "required": ["to", "body"],
        }
    ),
)


async def never(name: str, arguments: Mapping[str, Any], key: str) -> Result:
    raise AssertionError("nothing was allowed")


@pytest.mark.parametrize(
    ("recipients", "kept"),
    [
        (["ann@example.org", "bob@example.org"], True),
        (["ann@example.org"], True),
        (["ann@example.org", "eve@evil.example"], False),
        (["eve@evil.example"], False),
    ],
)
async def test_a_list_is_what_the_user_said_or_is_asked_for(recipients: list[str], kept: bool) -> None:
    tool = McpTool("mail", tool_name("mail", "send_message"), ApprovedTool(listed=LISTED, effect="external"), never)
    filled = canonical({"to": recipients, "body": "I am delayed"})
    model = ScriptedModel(filled, filled, choices=[((0.95, 0.05),)])
    reader = CallReader(model, ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap=""))
    actor = Actor(Registry([tool]), InMemoryDecisions(), model, FixedClock(), zone=lambda: "UTC", reader=reader)
    report = await actor.consider(a_message(1, WISH), (), Cancel())
    assert isinstance(report, Waits)
    asked = report.decision.asked
    assert asked.kind == ("confirm" if kept else "clarify")
    assert "evil" not in f"{asked.call} {asked.question} {asked.options}"


PAYMENT = ListedTool(
    name="send_money",
    description="Send money to somebody.",
    schema=canonical(
        {
            "type": "object",
            "properties": {"recipient": {"type": "string"}, "amount": {"type": "number"}},
            "required": ["recipient", "amount"],
        }
    ),
)


@pytest.mark.parametrize(("wish", "kept"), [("Send money to Ann: 30 euros", True), ("Send money to Ann", False)])
async def test_an_amount_is_what_the_user_said_or_is_asked_for(wish: str, kept: bool) -> None:
    tool = McpTool("bank", tool_name("bank", "send_money"), ApprovedTool(listed=PAYMENT, effect="grave"), never)
    filled = canonical({"recipient": "Ann", "amount": 30})
    model = ScriptedModel(filled, filled, choices=[((0.95, 0.05),)])
    reader = CallReader(model, ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap=""))
    actor = Actor(Registry([tool]), InMemoryDecisions(), model, FixedClock(), zone=lambda: "UTC", reader=reader)
    report = await actor.consider(a_message(1, wish), (), Cancel())
    assert isinstance(report, Waits)
    assert report.decision.asked.kind == ("confirm" if kept else "clarify")
    assert ("30" in str(report.decision.asked.call)) is kept
