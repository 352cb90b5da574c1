"""What is said of suggestions when Steward opens: what came while nobody looked, and, after some days, the one offer.
Rules that a message of the user's states are found here as well."""

import re
from datetime import datetime, timedelta

from assistant.proactive_port import Proactive
from assistant.proactive_types import Digest, Proposed
from memory.types import Message
from ui.looked import suggestions_looked_at
from ui.wiring import Services

OFFERED_AFTER = timedelta(days=2)  # since the first conversation: first a user looks around
AGAIN_AFTER = timedelta(days=3)  # once
RECENT = timedelta(hours=24)
LONGEST_RULE = 100
OFFER = "Steward can speak first: rarely, at hours you choose, about what you said. It is off until you say yes."
_FIRST, _OFFERED = "first seen", "offered"
_ABOUT_SPEAKING = re.compile(
    r"\b(?:suggest\w*|nudg\w*|tips?|interrupt\w*|disturb\w*|bother\w*|ping\w*|speak first|leave me alone"
    r"|(?:tell|remind|message|write) me (?:nothing|about)|max(?:imum)? \w+ a day)\b",
    re.IGNORECASE,
)


async def came_meanwhile(services: Services, engine: Proactive) -> Digest | None:
    """Since the last time somebody looked. Raises StoreError."""
    seen = await suggestions_looked_at(services)
    return await engine.away(seen, services.clock.now()) if seen is not None else None


async def offer_is_due(services: Services) -> bool:
    """Asked after some days of use, and once more some days later; never where it was answered. Asking is noted."""
    store, now = services.suggestions, services.clock.now()
    if services.options.keeps_nothing or (await store.settings()).asked:
        return False
    offered = (await store.noted(_OFFERED)).split()
    since = datetime.fromisoformat(offered[-1]) if offered else await _first_seen(services)
    if len(offered) > 1 or now - since < (AGAIN_AFTER if offered else OFFERED_AFTER):
        return False
    await store.note(_OFFERED, " ".join([*offered, now.isoformat()]))
    return True


async def _first_seen(services: Services) -> datetime:
    """When this home was first used, as far as is known."""
    now = services.clock.now()
    noted = await services.suggestions.noted(_FIRST)
    if noted:
        return datetime.fromisoformat(noted)
    conversations = await services.transcript.sessions(limit=200)
    first = min([now, *(session.created_at for session in conversations)])
    await services.suggestions.note(_FIRST, first.isoformat())
    return first


async def rule_in(services: Services, engine: Proactive, message: Message) -> Proposed | None:
    """The rule for speaking first that a typed message states: only where it speaks of that, or where something was
    said of late. It is proposed, never kept by this. Raises StoreError."""
    text = message.content.strip()
    if message.origin != "typed" or len(text) > LONGEST_RULE or "\n" in text or text.endswith("?"):
        return None
    if not (await engine.settings()).on:
        return None
    now = services.clock.now()
    if not _ABOUT_SPEAKING.search(text) and not await services.suggestions.spoken_since(now - RECENT, limit=1):
        return None
    found = await engine.propose_rule(text, at=now)
    return found if isinstance(found, Proposed) and not found.already else None
