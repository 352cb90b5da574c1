"""An answer to a question that tends to be the same again, held as a candidate: its words are the evidence, and it is
used once it was given three times in two sessions, or confirmed in the review."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.reports import Carried, PlanWent
from memory.errors import StoreError
from memory.preferences import Evidence

if TYPE_CHECKING:
    from assistant.reports import Report
    from memory.decisions import Decision
    from ui.wiring import Services

logger = logging.getLogger(__name__)


async def with_habit_noted(report: Report, services: Services) -> Report:
    """The report, saying so where something was noted. What memory refuses costs the note alone."""
    match report:
        case Carried(habit=habit, decision=decision) if habit and decision is not None:
            noted = await _noted(habit, await services.decisions.decision(decision), services)
            return replace(report, noted=noted)
        case PlanWent(first=Carried() as first):
            told = await with_habit_noted(first, services)
            return replace(report, first=told if isinstance(told, Carried) else first)
        case _:
            return report


async def _noted(habit: str, decision: Decision, services: Services) -> bool:
    """Not from a conversation from which nothing is learned, nor of what the user closed."""
    from ui.errors import UiError
    from ui.memory_typed import AS_IT_IS, proposed
    from ui.wiring import load_language

    asked, now = decision.asked, services.clock.now()
    try:
        if asked.session_id is None or (await services.transcript.session(asked.session_id)).mode != "normal":
            return False
        language = services.language if services.language is not None else await asyncio.to_thread(load_language)
        evidence = Evidence(
            quote=_said(decision),
            at=decision.answered_at or now,
            message_id=asked.message_id,
            session_id=asked.session_id,
        )
        candidates = tuple(
            replace(one, source="inferred", requested=False, evidence=evidence, extractor="answer")
            for one in proposed(habit, AS_IT_IS, language, now)
        )
        admitted = services.switch.admitted(candidates)
        learned = await services.preferences.learn(admitted, actor="rules", at=now) if admitted else None
    except (StoreError, UiError) as error:
        logger.warning("an answer could not be noted: %s", error.message)
        return False
    return learned is not None and bool(learned.entries)


def _said(decision: Decision) -> str:
    option = next((one for one in decision.asked.options if one.key == decision.answer), None)
    return option.label if option is not None else decision.answer
