"""Reading imported conversations for what the user says about themselves: the same rules as for what is typed, but
nothing becomes active by it: all of it waits for a yes.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.policies.language import Language
from assistant.policies.recognise import recognise
from assistant.ports import PreferenceStore
from assistant.remembering import candidate_of
from memory.changes import Add, Dispute
from memory.import_store import ImportStore
from memory.preferences import Candidate
from memory.types import Message
from models.types import Cancel

MOST_MESSAGES = 5_000  # the newest; what was said long ago holds least
MOST_CANDIDATES = 200  # more than a person would look through
_AT_ONCE = 200
_LONGEST = 2_000  # characters; a longer message is mostly something pasted
_KEPT_OUT = ("special", "secret")


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """`proposed` wait for the user's yes; `read` messages were looked at."""

    read: int
    proposed: int
    stopped: bool = False


async def learn_from_history(
    imports: ImportStore,
    store: PreferenceStore,
    language: Language,
    *,
    at: datetime,
    cancel: Cancel,
) -> Learned:
    """Once a message. Stopped before its end it begins anew the next time; what is known already is not proposed again.
    Raises StoreError."""
    messages = await imports.unlearned(limit=MOST_MESSAGES)
    read = proposed = 0
    for start in range(0, len(messages), _AT_ONCE):
        if cancel.is_set:
            return Learned(read=read, proposed=proposed, stopped=True)
        some = messages[start : start + _AT_ONCE]
        candidates = await asyncio.to_thread(_candidates, some, language)
        candidates = candidates[: MOST_CANDIDATES - proposed]
        if candidates:
            learned = await store.learn(candidates, actor="rules", at=at)
            proposed += sum(isinstance(change, Add | Dispute) for change in learned.changes)
        read += len(some)
        if proposed >= MOST_CANDIDATES:
            break
    await imports.learned()
    return Learned(read=read, proposed=proposed)


def _candidates(messages: Sequence[Message], language: Language) -> list[Candidate]:
    """In a thread: the rules take about a millisecond a message."""
    return [
        replace(candidate_of(said, message), source="imported", requested=False)
        for message in messages
        if len(message.content) <= _LONGEST
        for said in recognise(message.content, language).said
        if said.stance == "supports" and said.sensitivity not in _KEPT_OUT
    ]
