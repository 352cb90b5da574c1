"""A question of Steward's answered by the next message, where that is nothing but the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memory.errors import ChangeRefused

if TYPE_CHECKING:
    from assistant.reports import Report
    from memory.types import Message
    from ui.deciding import Deciding
    from ui.wiring import Services


class DirectAnswers:
    def __init__(self, services: Services, deciding: Deciding, zone: Callable[[], str]) -> None:
        self._services = services
        self._deciding = deciding
        self._zone = zone

    async def take(self, message: Message, before: Sequence[Message]) -> Report | None:
        """What became of the question that this answers; None where it answers none. Raises StoreError."""
        asked = next((one for one in reversed(before) if one.role == "user"), None)
        if message.origin != "typed" or asked is None:
            return None
        waiting = await self._services.decisions.decisions()
        if not waiting:
            return None
        from assistant.policies.asking.direct import answer_in, answers_directly, just_asked  # the grammar of time
        from assistant.policies.when.types import Options

        decision = just_asked(waiting, message.session_id, asked.created_at)
        if decision is None:
            return None
        options = Options(now=self._services.clock.now(), zone=await asyncio.to_thread(self._zone))
        if not await asyncio.to_thread(answers_directly, decision, message.content, options):
            return None
        try:
            return await self._deciding.answer(decision.id, answer_in(message.content), source="chat")
        except ChangeRefused:
            return None  # answered elsewhere meanwhile
