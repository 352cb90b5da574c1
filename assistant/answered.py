"""What an answered decision stands for: the call as it is then, and what changed since it was asked (pure)."""

import json
from collections.abc import Sequence
from typing import Any

from assistant.policies.asking.answers import fills_of
from assistant.policies.asking.fill import filled, parsed
from assistant.tools.types import Tool, ToolArguments
from memory.decisions import Decision


def answered_arguments(tool: Tool[Any], decision: Decision) -> ToolArguments:
    """What the call is after the answer. Raises ToolError."""
    asked = decision.asked
    assert asked.call is not None
    chosen = next((option for option in asked.options if option.key == decision.answer), None)
    if asked.kind == "confirm":
        return arguments_of(tool, asked.call.arguments)
    if chosen is not None and chosen.arguments:
        return arguments_of(tool, chosen.arguments)
    arguments = arguments_of(tool, asked.call.arguments)
    return filled(arguments, fills_of(asked.argument, decision.answer)) if asked.argument else arguments


def option_label(decision: Decision) -> str:
    found = next((option for option in decision.asked.options if option.key == decision.answer), None)
    return found.label if found else decision.answer


def difference(before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> str:
    then = dict(before)
    changes = [
        f"{name} was {then.get(name, 'not there')}, is {value}" for name, value in now if then.get(name) != value
    ]
    gone = [f"{name} was {value}" for name, value in before if name not in dict(now)]
    return "; ".join((*changes, *gone)) + "."


def arguments_of(tool: Tool[Any], arguments: str) -> ToolArguments:
    kind: type[ToolArguments] = tool.arguments
    return parsed(kind, json.loads(arguments))
