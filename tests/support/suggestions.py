"""Suggestions for tests: opportunities, decisions, a store with the messages that evidence points to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from memory.database import Database
from memory.sqlite_suggestions import SqliteSuggestions
from memory.suggestions import Decision, Evidence, Factors, Opportunity, OpportunityId
from tests.support.clock import MONDAY
from tests.support.preference_stores import fill_transcript

DAY = timedelta(days=1)
_NUMBERS = count(1)


def an_opportunity(id: str = "", *, topic: str = "travel", message: int = 1, **fields: Any) -> Opportunity:
    """A deadline on Friday that may be told from MONDAY on."""
    name = id or f"o{next(_NUMBERS):05}"
    quote = "I must renew my passport by Friday"
    given: dict[str, Any] = {
        "id": OpportunityId(name),
        "kind": "deadline",
        "topic": topic,
        "subject": "renew my passport",
        "evidence": (Evidence(source="message", ref=str(message), quote=quote, at=MONDAY),),
        "value": 3.0,
        "need": 0.9,
        "opens_at": MONDAY,
        "closes_at": MONDAY + 5 * DAY,
        "key": f"deadline {name}",
        "found_at": MONDAY,
        "deadline": MONDAY + 5 * DAY,
    }
    return Opportunity(**{**given, **fields})


def some_factors(**fields: Any) -> Factors:
    given: dict[str, Any] = {
        "need": 0.9, "acceptance": 0.6, "time_fit": 0.8, "topic_mean": 0.75, "freshness": 1.0, "dosage": 0.5,
        "threshold": 0.35, "speak": 1.0, "inbox": 0.5, "wait": 0.2, "spoken_today": 1, "most_today": 3,
    }  # fmt: skip
    return Factors(**{**given, **fields})


def spoken(one: Opportunity, *, at: datetime = MONDAY, **fields: Any) -> Decision:
    given: dict[str, Any] = {
        "at": at, "breakpoint": "clock", "action": "speak", "opportunity_id": one.id, "factors": some_factors(),
        "features": (1.0, 0.5),
    }  # fmt: skip
    return Decision(**{**given, **fields})


@asynccontextmanager
async def sqlite_suggestions(path: Path) -> AsyncIterator[tuple[SqliteSuggestions, Database]]:
    """Over a transcript that holds messages 1 to 60."""
    async with await Database.open(path) as database:
        await database.write(fill_transcript)
        yield SqliteSuggestions(database), database
