"""A transcript that already holds conversations, to choose one from."""

from memory.transcript_in_memory import InMemoryTranscript
from tests.support.builders import finished_reply
from tests.support.clock import MONDAY


async def some_sessions() -> InMemoryTranscript:
    transcript = InMemoryTranscript()
    for title, words in (
        ("Passport renewal", "Where is the office?"),
        ("Sourdough", "My dough does not rise"),
        ("Birthday dinner", "Dinner for eight people"),
    ):
        session = await transcript.create_session(at=MONDAY, title=title)
        user = await transcript.add_user_message(session.id, None, words, at=MONDAY)
        await finished_reply(transcript, user.id, f"An answer about {title.lower()}.")
    return transcript
