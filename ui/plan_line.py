"""The one line that says which step a plan is at, wherever it was set going: by a message, an answer, another
terminal. What is over within a moment is not shown: it would only move what stands on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.plans import Plan, PlanId

AFTER_SECONDS = 0.4


class PlanWatch:
    """`listener` hears of the plan that goes on, as it is after every change, and of None when none does any more."""

    def __init__(self, after: float = AFTER_SECONDS) -> None:
        self.listener: Callable[[Plan | None], None] | None = None
        self._after = after
        self._going: dict[PlanId, Plan] = {}  # the one that moved last is the last
        self._timer: asyncio.TimerHandle | None = None
        self._shown = False

    def moved(self, plan: Plan) -> None:
        """On the loop, after a change is on disk."""
        if self.listener is None:
            return
        self._going.pop(plan.id, None)
        if plan.state == "running":
            self._going[plan.id] = plan
        if self._shown:
            self._tell()
        elif self._going and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._after, self._tell)
        elif not self._going and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell(self) -> None:
        self._timer = None
        self._shown = bool(self._going)
        if self.listener is not None:
            self.listener(next(reversed(self._going.values()), None))
