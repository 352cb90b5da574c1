"""Plans in line mode."""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ui.errors import UiError
from ui.plan_acts import USES, run_plans

_LISTED = re.compile(r"^(\d+)  ")

if TYPE_CHECKING:
    from ui.plain import PlainChat


async def plans(chat: "PlainChat", argument: str) -> None:
    """/plans alone lists those that are not over."""
    said = await run_plans(chat.desk.deciding, chat.desk.conversation.services.decisions, argument)
    chat.say_all(_LISTED.sub(r"Plan \1, ", line) for line in said.lines)


async def plan(chat: "PlainChat", argument: str) -> None:
    """/plan TEXT makes a plan of what is said, and goes through it."""
    if not argument.strip():
        raise UiError("A plan of what?", "For example: /plan dentist on Friday, buy a present, call mum at 6pm")
    await chat.say(f"Make a plan: {argument.strip()}")


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    ("plan", "TEXT", "make a plan of several things, and go through it step by step", plan),
    ("plans", "[ACT] [ID]", f"plans that are not over, step by step; takes {USES}", plans),
)
