"""A turn that does something: a receipt or a decision ends it, what was looked up goes into the prompt and is cited."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.events import Acted, ContextPlanned, DecisionRaised, LookedUp
from assistant.ports import Taken
from memory.decisions import NewDecision
from memory.decisions_in_memory import InMemoryDecisions
from memory.types import BY_RULE, Message
from models.scripted import ScriptedModel
from models.types import Cancel
from tests.support.clock import MONDAY
from tests.support.talk import a_talk_with, all_of, ended, text_of

ACTED = Acted(tool="notes.add", summary="Wrote it down", undo="k")


@dataclass
class Deeds:
    """Implements assistant.ports.Acting: the next of `takes` for each message."""

    takes: list[Taken | None]
    asked: list[str] = field(default_factory=list)

    async def take(
        self, message: Message, before: Sequence[Message], cancel: Cancel, *, incognito: bool
    ) -> Taken | None:
        self.asked.append(message.content)
        return self.takes.pop(0)


async def test_a_deed_ends_the_turn_without_the_model() -> None:
    talk = a_talk_with(model=ScriptedModel(), acting=Deeds([Taken(events=(ACTED,), text="Done: wrote it down.")]))
    events = await all_of(talk.session.say("Write down buy milk"))
    assert ACTED in events
    assert text_of(events) == "Done: wrote it down."
    assert talk.model.requests == []
    assert await talk.path() == [
        ("user", "Write down buy milk", "complete"),
        ("assistant", "Done: wrote it down.", "complete"),
    ]


async def test_what_waits_ends_the_turn_as_well() -> None:
    decision = await InMemoryDecisions().raise_decision(
        NewDecision(kind="confirm", effect="external", question="Send?", why_now="", options=()), at=MONDAY
    )
    raised = DecisionRaised(decision=decision)
    talk = a_talk_with(model=ScriptedModel(), acting=Deeds([Taken(events=(raised,), text="Decision 1: Send?")]))
    assert raised in await all_of(talk.session.say("Mail Ann"))


async def test_what_was_looked_up_is_quoted_to_the_model_and_cited() -> None:
    looked = LookedUp(tool="documents.search", sources=("lease.pdf, page 2",), untrusted=True)
    taken = Taken(events=(looked,), evidence="\n\n(quoted: ends in May)", sources=("lease.pdf, page 2",))
    talk = a_talk_with("It ends in May.", acting=Deeds([taken]))
    last = await ended(talk.session.say("When does my lease end?"))
    assert last.text == "It ends in May.\n\nFrom: lease.pdf, page 2."
    (request,) = talk.model.requests
    assert "(quoted: ends in May)" in request.messages[-1].content
    stored = await talk.session.messages()
    assert stored[0].content == "When does my lease end?"  # what was quoted is not kept as the user's words


async def test_another_answer_does_nothing_again() -> None:
    deeds = Deeds([Taken(events=(ACTED,), text="Done.")])
    talk = a_talk_with("I wrote it down before.", acting=deeds)
    first = await ended(talk.session.say("Write down buy milk"))
    assert first.reply_message_id is not None
    await ended(talk.session.regenerate(first.reply_message_id))
    assert deeds.asked == ["Write down buy milk"]


async def test_a_question_goes_on_to_the_model() -> None:
    talk = a_talk_with("A fugue is a piece.", acting=Deeds([None]))
    assert (await ended(talk.session.say("What is a fugue?"))).text == "A fugue is a piece."


async def test_a_model_never_reads_a_receipt_as_its_own_words() -> None:
    """A small one goes on in the same form, and writes receipts of things that never happened."""
    takes = [Taken(events=(ACTED,), text="Done. Task: buy milk.\n/undo takes it back."), None]
    talk = a_talk_with("Good luck with that.", acting=Deeds(takes))
    await ended(talk.session.say("Add a task to buy milk"))
    await ended(talk.session.say("I have to renew my passport in two days"))
    (request,) = talk.model.requests
    assert [message.role for message in request.messages] == ["system", "user"]
    assert "buy milk" not in request.messages[-1].content


async def test_a_question_that_looks_back_is_told_what_was_done() -> None:
    takes = [Taken(events=(ACTED,), text="Done. Task: buy milk.\n/undo takes it back."), None, None]
    talk = a_talk_with("Yes.", "Two litres.", acting=Deeds(takes))
    await ended(talk.session.say("Add a task to buy milk"))
    for question in ("Did you do it?", "How much milk is enough for four?"):
        await ended(talk.session.say(question))
        asked = talk.model.requests[-1].messages[-1].content
        assert "“Add a task to buy milk” was answered “Done. Task: buy milk.”" in asked
        assert "/undo" not in asked


async def test_a_story_is_not_told_what_was_done() -> None:
    """Beside a wish to make something up, what cannot be done makes a small model refuse."""
    takes = [Taken(events=(ACTED,), text="Done. Task: write about the lighthouse."), *[None] * 3]
    talk = a_talk_with("Once.", "Twice.", "It is long.", acting=Deeds(takes))
    await ended(talk.session.say("Add a task to write about the lighthouse"))
    for question in (
        "Write a long story about a lighthouse keeper",
        "Tell me a joke about penguins, and make it short",
    ):
        await ended(talk.session.say(question))
        assert "was answered" not in talk.model.requests[-1].messages[-1].content
    await ended(talk.session.say("Write a poem about it"))
    assert "was answered" in talk.model.requests[-1].messages[-1].content


async def test_a_word_that_says_nothing_does_not_look_back() -> None:
    takes = [Taken(events=(ACTED,), text="Done. Reminder: write with Tom about the party."), None]
    talk = a_talk_with("It is one.", acting=Deeds(takes))
    await ended(talk.session.say("Remind me to talk with Tom about the party"))
    await ended(talk.session.say("What is known about bees with long tongues?"))
    assert "was answered" not in talk.model.requests[-1].messages[-1].content


async def test_what_is_told_in_short_is_named_in_the_context() -> None:
    talk = a_talk_with("Hello.", acting=Deeds([Taken(text="Done."), None]))
    first = await ended(talk.session.say("Add a task"))
    events = await all_of(talk.session.say("Hi"))
    (planned,) = [event for event in events if isinstance(event, ContextPlanned)]
    assert planned.told_in_short == (first.reply_message_id,)
    assert planned.left_out == ()
    stored = await talk.session.messages()
    assert stored[1].finish_reason == BY_RULE
    assert stored[3].finish_reason == "stop"
