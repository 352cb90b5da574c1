"""The conversation: one turn at a time, branches, titles, and windows that are too small."""

from collections.abc import Sequence

import pytest

from assistant.errors import Busy, EmptyMessage, NotPossible
from assistant.events import ContextPlanned, TurnEnded, TurnFailed
from assistant.session import Explanation
from assistant.settings import AssistantSettings
from memory.errors import NotFound
from memory.types import MessageId, SessionId
from models.scripted import ScriptedModel
from models.types import ChatMessage, Failure, Finished
from tests.support.talk import a_talk_with, all_of, ended

FAILED = Finished(reason="failed", failure=Failure(kind="worker_hung", message="It hangs.", hint="It is restarted."))


async def test_the_row_is_made_with_the_first_message_and_named_after_it() -> None:
    talk = a_talk_with("Hi.", "Fine.")
    assert talk.session.info is None
    assert await talk.session.messages() == ()
    assert await talk.transcript.sessions() == ()
    await ended(talk.session.say("Plan my week. I have two exams."))
    assert talk.session.info is not None
    assert (talk.session.info.title, talk.session.info.mode) == ("Plan my week", "normal")
    assert talk.session.info.message_count == 2
    await ended(talk.session.say("And next week?"))
    assert len(await talk.transcript.sessions()) == 1


async def test_a_new_session_has_its_mode_from_the_start() -> None:
    talk = a_talk_with("Hi.")
    talk.session.new("no_learn")
    assert talk.session.mode == "no_learn"
    await ended(talk.session.say("Hello"))
    assert talk.session.info is not None
    assert talk.session.info.mode == "no_learn"


async def test_an_opened_session_goes_on_where_it_was() -> None:
    talk = a_talk_with("Hi.", "Other.", "Fine.")
    first = await ended(talk.session.say("Hello"))
    talk.session.new()
    await ended(talk.session.say("Something else"))
    assert first.session_id is not None
    await talk.session.open(first.session_id)
    await ended(talk.session.say("How are you?"))
    assert [text for _, text, _ in await talk.path()] == ["Hello", "Hi.", "How are you?", "Fine."]


async def test_a_session_that_does_not_exist() -> None:
    with pytest.raises(NotFound):
        await a_talk_with().session.open(SessionId("nowhere"))


async def test_one_turn_at_a_time() -> None:
    talk = a_talk_with("Hi.")
    events = talk.session.say("Hello")
    waiting = talk.session.say("Me too")
    await anext(events)
    assert talk.session.busy
    for refused in (
        lambda: talk.session.say("Me too"),
        lambda: talk.session.regenerate(MessageId(1)),
        lambda: talk.session.new(),
    ):
        with pytest.raises(Busy):
            refused()
    with pytest.raises(Busy):
        await anext(waiting)
    with pytest.raises(Busy):
        await talk.session.open(SessionId("s"))
    assert isinstance((await all_of(events))[-1], TurnEnded)
    assert not talk.session.busy


async def test_the_next_turn_may_start_at_the_last_event_of_the_one_before() -> None:
    talk = a_talk_with("Hi.", "Fine.")
    async for event in talk.session.say("Hello"):
        if isinstance(event, TurnEnded):
            assert not talk.session.busy
            assert talk.session.info is not None
            assert talk.session.info.message_count == 2
            assert (await ended(talk.session.say("How are you?"))).text == "Fine."


@pytest.mark.parametrize("text", ["", " \n\t "])
async def test_nothing_is_not_sent(text: str) -> None:
    with pytest.raises(EmptyMessage):
        a_talk_with().session.say(text)


async def test_cancel_without_a_turn_is_harmless() -> None:
    assert a_talk_with().session.cancel() is False


async def test_a_failed_answer_and_the_next_message_reach_the_model_as_one() -> None:
    talk = a_talk_with([FAILED], "Hi.")
    await ended(talk.session.say("Hello"))
    await ended(talk.session.say("Are you there?"))
    assert [message.content for message in talk.model.requests[1].messages[1:]] == ["Hello\n\nAre you there?"]


class TestBranches:
    async def test_an_edit_is_a_sibling_and_the_old_one_stays(self) -> None:
        talk = a_talk_with("Rome.", "Paris.")
        first = await ended(talk.session.say("Capital of Italy?"))
        assert first.user_message_id is not None
        await ended(talk.session.edit(first.user_message_id, "Capital of France?"))
        assert [text for _, text, _ in await talk.path()] == ["Capital of France?", "Paris."]
        assert [message.content for message in talk.model.requests[1].messages[1:]] == ["Capital of France?"]
        await talk.session.select_branch(MessageId(3), -1)
        assert [text for _, text, _ in await talk.path()] == ["Capital of Italy?", "Rome."]

    async def test_an_edit_in_the_middle_sends_only_what_is_before_it(self) -> None:
        talk = a_talk_with("a1", "b1", "c1", "b2")
        await ended(talk.session.say("a"))
        second = await ended(talk.session.say("b"))
        await ended(talk.session.say("c"))
        assert second.user_message_id is not None
        await ended(talk.session.edit(second.user_message_id, "B"))
        assert [message.content for message in talk.model.requests[3].messages[1:]] == ["a", "a1", "B"]

    async def test_another_answer_stands_beside_the_first(self) -> None:
        talk = a_talk_with("Rome.", "It is Rome.", "Rome, of course.")
        first = await ended(talk.session.say("Capital of Italy?"))
        assert first.reply_message_id is not None
        second = await ended(talk.session.regenerate(first.reply_message_id))
        assert second.user_message_id == first.user_message_id
        assert second.user_message_id is not None
        await ended(talk.session.regenerate(second.user_message_id))
        assert [message.content for message in await talk.transcript.siblings(first.reply_message_id)] == [
            "Rome.",
            "It is Rome.",
            "Rome, of course.",
        ]
        assert [request.messages for request in talk.model.requests] == [talk.model.requests[0].messages] * 3

    async def test_steps_end_at_the_first_and_the_last(self) -> None:
        talk = a_talk_with("one", "two", "three")
        first = await ended(talk.session.say("Count"))
        reply = first.reply_message_id
        assert reply is not None
        await ended(talk.session.regenerate(reply))
        await ended(talk.session.regenerate(reply))
        shown = []
        for step in (-9, 1, 1, 1, -1):
            await talk.session.select_branch((await talk.session.messages())[-1].id, step)
            shown.append((await talk.path())[-1][1])
        assert shown == ["one", "two", "three", "three", "two"]

    async def test_only_own_messages_can_be_edited(self) -> None:
        talk = a_talk_with("Hi.")
        first = await ended(talk.session.say("Hello"))
        assert first.reply_message_id is not None
        with pytest.raises(NotPossible):
            await all_of(talk.session.edit(first.reply_message_id, "Better"))
        assert not talk.session.busy

    async def test_messages_of_another_conversation_are_refused(self) -> None:
        talk = a_talk_with("Hi.")
        first = await ended(talk.session.say("Hello"))
        talk.session.new()
        assert first.user_message_id is not None
        with pytest.raises(NotPossible):
            await all_of(talk.session.edit(first.user_message_id, "Hello again"))

    async def test_a_message_that_does_not_exist(self) -> None:
        talk = a_talk_with("Hi.")
        await ended(talk.session.say("Hello"))
        with pytest.raises(NotFound):
            await all_of(talk.session.regenerate(MessageId(99)))


class TestTitles:
    async def test_a_title_is_one_clean_line(self) -> None:
        talk = a_talk_with("Hi.")
        await ended(talk.session.say("Hello"))
        await talk.session.rename("  My\x1b]0;x\x07\ntitle ")
        assert talk.session.info is not None
        assert talk.session.info.title == "My\ufffd]0;x\ufffd title"

    async def test_an_empty_title_is_refused(self) -> None:
        talk = a_talk_with("Hi.")
        await ended(talk.session.say("Hello"))
        with pytest.raises(EmptyMessage):
            await talk.session.rename(" \n")

    async def test_nothing_can_be_named_before_something_is_said(self) -> None:
        with pytest.raises(NotPossible):
            await a_talk_with().session.rename("Early")


class TestSmallWindow:
    async def test_a_hundred_turns_in_2048_tokens(self) -> None:
        talk = a_talk_with(*(f"Answer {turn}: " + "word " * 60 for turn in range(100)))
        plans = []
        for turn in range(100):
            events = await all_of(talk.session.say(f"Question {turn}: " + "why " * 20))
            plans += [event for event in events if isinstance(event, ContextPlanned)]
            assert not any(isinstance(event, TurnFailed) for event in events)
        assert all(plan.tokens_planned + plan.tokens_reserved <= 2_048 for plan in plans)
        left_out = plans[-1].left_out
        assert len(left_out) == 1
        assert left_out[0].what == f"{199 - plans[-1].messages_included} earlier messages"
        assert left_out[0].tokens > 0
        assert left_out[0].message_ids[:3] == (1, 2, 3)

    async def test_the_start_of_the_prompt_stays_the_same_for_many_turns(self) -> None:
        talk = a_talk_with(*("word " * 60 for _ in range(100)))
        for turn in range(100):
            await ended(talk.session.say(f"Question {turn}: " + "why " * 20))
        prompts = [request.messages for request in talk.model.requests]
        same = [later[: len(earlier)] == earlier for earlier, later in zip(prompts, prompts[1:], strict=False)]
        assert same.count(False) <= 15
        assert all(request.stable_messages == 1 for request in talk.model.requests)

    async def test_after_a_restart_the_cut_is_where_it_was(self) -> None:
        talk = a_talk_with(*("word " * 60 for _ in range(41)))
        for turn in range(40):
            await ended(talk.session.say(f"Question {turn}: " + "why " * 20))
        again = a_talk_with("Same.", transcript=talk.transcript)
        assert talk.session.info is not None
        await again.session.open(talk.session.info.id)
        first = (await talk.session.messages())[-2].id
        await ended(again.session.regenerate(first))
        assert again.model.requests[0].messages == talk.model.requests[-1].messages

    async def test_a_message_that_is_too_long_is_kept_and_refused_with_what_would_fit(self) -> None:
        talk = a_talk_with()
        text = "word " * 10_000
        events = await all_of(talk.session.say(text))
        failed, last = events[-2:]
        assert isinstance(failed, TurnFailed)
        assert failed.failure.kind == "context_full"
        assert "10,004 tokens" in failed.failure.message
        assert "characters" in failed.failure.hint
        assert not failed.retryable
        assert isinstance(last, TurnEnded)
        assert last.finish_reason == "failed"
        assert (await talk.path())[0] == ("user", text.rstrip(), "complete")
        assert talk.model.requests == []

    async def test_with_consent_its_beginning_is_sent_and_the_whole_is_kept(self) -> None:
        talk = a_talk_with("Words.")
        text = "word " * 10_000
        refused = await ended(talk.session.say(text))
        assert refused.user_message_id is not None
        last = await ended(talk.session.edit(refused.user_message_id, text, cut_to_fit=True))
        assert last.text == "Words."
        sent = talk.model.requests[0].messages[-1].content
        assert sent.startswith("word word")
        assert sent.endswith("of 49,999 characters.)")
        assert len(sent) > 7_000
        kept = await talk.transcript.siblings(refused.user_message_id)
        assert [len(message.content) for message in kept] == [49_999, len(sent)]

    async def test_consent_given_beforehand_keeps_the_whole_too(self) -> None:
        talk = a_talk_with("Words.")
        last = await ended(talk.session.say("word " * 10_000, cut_to_fit=True))
        assert last.user_message_id is not None
        kept = await talk.transcript.siblings(last.user_message_id)
        assert len(kept) == 2
        assert last.user_message_id == kept[1].id

    async def test_consent_changes_nothing_for_a_message_that_fits(self) -> None:
        talk = a_talk_with("Hi.")
        last = await ended(talk.session.say("Hello", cut_to_fit=True))
        assert last.user_message_id is not None
        assert len(await talk.transcript.siblings(last.user_message_id)) == 1

    async def test_one_long_line_without_spaces_is_cut_too(self) -> None:
        class Letters(ScriptedModel):
            async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
                return tuple(len(message.content) // 2 + 4 for message in messages)

        talk = a_talk_with(model=Letters("Yes.", context_length=4_000))
        await ended(talk.session.say("字" * 50_000, cut_to_fit=True))
        assert 5_000 < len(talk.model.requests[0].messages[-1].content) < 6_000

    async def test_a_refused_message_does_not_end_the_conversation(self) -> None:
        talk = a_talk_with("Hi.", "Fine.")
        await ended(talk.session.say("Hello"))
        await ended(talk.session.say("word " * 10_000))
        events = await all_of(talk.session.say("How are you?"))
        (plan,) = [event for event in events if isinstance(event, ContextPlanned)]
        assert [part.what for part in plan.left_out] == ["1 too long message"]
        assert [message.content for message in talk.model.requests[1].messages[1:]] == ["Hello", "Hi.", "How are you?"]

    async def test_a_window_without_room_for_the_system_text(self) -> None:
        talk = a_talk_with(settings=AssistantSettings(instructions="word " * 700), window=512)
        events = await all_of(talk.session.say("Hello"))
        assert isinstance(events[-2], TurnFailed)
        assert "no room" in events[-2].failure.message


async def test_why_an_answer_is_as_it_is() -> None:
    talk = a_talk_with("Hi.")
    last = await ended(talk.session.say("Hello"))
    assert last.reply_message_id is not None
    why = talk.session.explanation(last.reply_message_id)
    assert isinstance(why, Explanation)
    assert (why.model, why.context.messages_included) == ("scripted", 1)
    assert talk.session.explanation(MessageId(99)) is None


async def test_instructions_and_sampling_come_from_the_settings() -> None:
    settings = AssistantSettings(instructions="In French.", temperature=0.0, seed=7, reply_tokens=100)
    talk = a_talk_with("Oui.", settings=settings)
    await ended(talk.session.say("Hello"))
    (request,) = talk.model.requests
    assert request.messages[0].content.endswith("In French.")
    assert (request.sampling.temperature, request.sampling.seed, request.sampling.max_tokens) == (0.0, 7, 100)
