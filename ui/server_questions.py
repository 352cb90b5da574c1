"""A server's question read out line by line, and answered so: line mode and the shell.

Nothing is filled in: an empty line leaves a field empty, and Steward sends nothing that was not typed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ui.acting_words import decision_lines, field_words, report_words

if TYPE_CHECKING:
    from memory.decisions import Decision
    from ui.deciding import Deciding

Read = Callable[[str], Awaitable[str | None]]


async def read_form(decision: Decision, read: Read) -> str:
    """What was typed, as an answer to it; "" to leave it unanswered. `read` gives None when nothing more will come."""
    fields = decision.asked.fields
    if len(fields) < 2:
        return (await read("answer (empty: leave it; decline: say no): ") or "").strip()
    values: list[str] = []
    for field in fields:
        line = await read(f"{field_words(field)}: ")
        if line is None:
            return ""
        said = line.strip()
        if said.lower() == "decline":
            return said
        if said:
            values.append(f"{field.name}: {said}")
        elif field.required:
            return ""
    return "\n".join(values)


class ShellAsker:
    """Implements assistant.tools.mcp.asked_back.Asker for a command on a terminal, which only waits meanwhile."""

    def __init__(self, deciding: Deciding, read: Read, tell: Callable[[str], None]) -> None:
        self._deciding = deciding
        self._read = read
        self._tell = tell
        self._asking: set[asyncio.Task[None]] = set()

    def present(self) -> bool:
        return True

    def asked(self, decision: Decision) -> None:
        task = asyncio.create_task(self._ask(decision))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    def over(self, decision: Decision, words: str) -> None:
        if words:
            self._tell(words)

    async def _ask(self, decision: Decision) -> None:
        for line in decision_lines(decision):
            self._tell(line)
        while self._deciding.belongs_to_a_call(decision.id):
            answer = await read_form(decision, self._read)
            if not self._deciding.belongs_to_a_call(decision.id):
                return
            if not answer:
                await self._deciding.withdraw(decision.id)
                return
            self._tell(report_words(await self._deciding.answer(decision.id, answer, source="command")))
