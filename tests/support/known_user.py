"""A small store of preferences with everything in it: quotes in conversations, a dispute, candidates, history, use."""

from datetime import datetime, timedelta

from assistant.ports import Transcript
from memory.preference_store import PreferenceStore
from memory.preferences import Candidate, Evidence, Polarity, Source, Strength, Usage
from memory.slots import slot
from memory.types import Message
from tests.support.clock import MONDAY


def a_wish(
    words: str,
    name: str,
    thing: str = "",
    polarity: Polarity = 1,
    *,
    by: Message | None = None,
    at: datetime = MONDAY,
    source: Source = "explicit",
    strength: Strength = 2,
) -> Candidate:
    """A candidate in the user's words, said in message `by`, or typed as a memory."""
    row = slot(name)
    start = by.content.find(words) if by is not None else 0
    evidence = Evidence(
        quote=words,
        at=by.created_at if by is not None else at,
        message_id=by.id if by is not None else None,
        session_id=by.session_id if by is not None else None,
        start=max(start, 0),
        stop=max(start, 0) + len(words),
    )
    return Candidate(
        statement=words,
        kind=row.kind,
        domain=row.domain,
        slot=name,
        object=thing,
        polarity=polarity,
        source=source,
        strength=strength,
        sensitivity=row.sensitivity,
        evidence=evidence,
        extractor="test",
    )


async def get_to_know(store: PreferenceStore, transcript: Transcript) -> tuple[Message, Message]:
    """Fills both; a message that holds quotes, and an answer that memories shaped."""
    before = MONDAY - timedelta(days=40)
    dinner = await transcript.create_session(at=before, title="Dinner for eight")
    text = "I'm vegetarian and I hate coriander. What shall I cook for eight people?"
    said = await transcript.add_user_message(dinner.id, None, text, at=before)
    trip = await transcript.create_session(at=MONDAY - timedelta(days=12), title="A week in Lisbon")
    asked = await transcript.add_user_message(trip.id, None, "I eat fish now. Where?", at=MONDAY - timedelta(days=12))
    first = (
        a_wish("I'm vegetarian", "food.diet", "vegetarian", by=said),
        a_wish("I hate coriander", "food.taste", "coriander", -1, by=said),
        a_wish("Keep answers to three bullets", "reply_style.format", "bullets", at=before),
        a_wish("I'm allergic to peanuts", "food.allergy", "peanuts", -1, strength=4, at=before),
        a_wish("Call me Sam", "identity.name", "Sam", at=before),
        a_wish("I run on Tuesdays and Thursdays before work", "fitness.taste", "running", at=before),
        a_wish("Window seats, always", "transport.seat", "window", at=before),
        a_wish("I'm learning Portuguese", "learning.subject", "Portuguese", at=before),
        a_wish("Python with type hints, and tests first", "programming.style", "type hints", at=before),
        a_wish("No meetings before ten", "schedule.meetings", "early meetings", -1, at=before),
        a_wish("My sister is called Ines", "people.family", "Ines", at=before),
    )
    for each in first:
        await store.learn([each], actor="user", at=each.evidence.at)
    await store.learn([a_wish("I eat fish now", "food.diet", "pescetarian", by=asked)], actor="user", at=MONDAY)
    noticed = (
        a_wish("we usually eat late", "schedule.other", "late dinners", source="inferred", by=asked),
        a_wish("aisle seats are easier with the dog", "transport.seat", "aisle", source="inferred", by=asked),
        a_wish("I like fado", "music.taste", "fado", source="inferred", by=asked),
    )
    await store.learn(noticed, actor="rules", at=MONDAY)
    reply = await transcript.begin_reply(asked.id, at=MONDAY, model="qwen2.5-coder-1.5b")
    reply = await transcript.finish_reply(
        reply.id,
        "- Grilled sardines in Alfama\n- Bacalhau à Brás, without coriander\n- Arroz de marisco",
        thought="",
        status="complete",
        finish_reason="stop",
        tokens_in=412,
        tokens_out=38,
        seconds=4.0,
        at=MONDAY,
    )
    known = {one.object: one.id for one in await store.list(limit=100)}
    uses = (
        Usage(preference_id=known["bullets"], message_id=reply.id, place="head", at=MONDAY, outcome="followed"),
        Usage(preference_id=known["coriander"], message_id=reply.id, place="turn", at=MONDAY, score=0.71),
        Usage(preference_id=known["pescetarian"], message_id=reply.id, place="turn", at=MONDAY, score=0.66),
    )
    await store.record_usage(uses)
    return said, reply
