"""Background reading: gated, resumable, interrupted at once, and never more than a candidate."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from assistant.deps import Deps, LearningPrompts, Prompts, ShownQuestion
from assistant.learning import MANY, Learner, opinion_of
from assistant.policies.notice import (
    DIRECTIONS,
    LASTING,
    TOPICS,
    Opinion,
    candidate_from,
    direction_of,
    domain_of,
    sentences_to_read,
    tells_apart,
)
from assistant.settings import AssistantSettings
from memory.learning_queue import InMemoryLearningQueue
from memory.preferences import Filter
from memory.preferences_in_memory import InMemoryPreferences
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import Message, Origin, SessionMode
from models.scripted import Choice, Hang, ScriptedModel
from models.types import Cancel, ChoiceRequest, Failure
from tests.support.clock import FixedClock
from tests.support.english import english, never_stored
from tests.support.waiting import eventually

EXAMPLES = (("I adore mud.", "always"), ("It rained.", "once"))
PROMPTS = Prompts(
    system="You are Steward.",
    learning=LearningPrompts(
        lasting=ShownQuestion(system="lasting?", examples=EXAMPLES),
        direction=ShownQuestion(system="direction?", examples=(("I adore mud.", "likes"),)),
        topic=ShownQuestion(system="topic?", examples=(("I adore mud.", "home"),)),
    ),
)
LASTS: Choice = ((0.95, 0.05),)
PASSES: Choice = ((0.1, 0.9),)
WALKS = "After work nothing calms me like a walk along the river."


def labels(direction: str, topic: str) -> tuple[Choice, Choice]:
    return (
        (tuple(0.85 if one == direction else 0.05 for one in DIRECTIONS),),
        (tuple(0.9 if one == topic else 0.1 / (len(TOPICS) - 1) for one in TOPICS),),
    )


@dataclass(slots=True)
class Desk:
    """A learner over fakes; `waits` ends each quiet spell when it is released."""

    model: ScriptedModel
    store: InMemoryPreferences = field(default_factory=InMemoryPreferences)
    queue: InMemoryLearningQueue = field(default_factory=InMemoryLearningQueue)
    transcript: InMemoryTranscript = field(default_factory=InMemoryTranscript)
    clock: FixedClock = field(default_factory=FixedClock)
    quiet: asyncio.Event = field(default_factory=asyncio.Event)
    prompts: LearningPrompts | None = PROMPTS.learning
    learner: Learner = field(init=False)

    def __post_init__(self) -> None:
        deps = Deps(
            transcript=self.transcript,
            model=self.model,
            clock=self.clock,
            settings=AssistantSettings(),
            prompts=replace(PROMPTS, learning=self.prompts),
            preferences=self.store,
            language=english(),
            learning=self.queue,
        )
        self.learner = Learner(deps, wait=self._wait)

    async def _wait(self, _: float, cancel: Cancel) -> None:
        stopped = asyncio.ensure_future(cancel.wait())
        quiet = asyncio.ensure_future(self.quiet.wait())
        await asyncio.wait((stopped, quiet), return_when=asyncio.FIRST_COMPLETED)
        for one in (stopped, quiet):
            one.cancel()

    async def said(
        self, text: str, *, origin: Origin = "typed", mode: SessionMode = "normal", session: str = ""
    ) -> Message:
        row = await self.transcript.create_session(at=self.clock.now())
        message = await self.transcript.add_user_message(row.id, None, text, at=self.clock.now(), origin=origin)
        await self.learner.queue(message, (), mode)
        return message

    async def waiting(self) -> int:
        return len(await self.queue.waiting(limit=100))


def a_desk(*choices: Choice) -> Desk:
    return Desk(ScriptedModel(choices=choices))


class TestGate:
    async def test_most_messages_never_reach_the_model(self) -> None:
        desk = a_desk()
        for text in ("What is entropy?", "Write a poem.", "Thanks!", "I'm vegetarian.", "I need a plan for today."):
            await desk.said(text)
        assert await desk.waiting() == 0

    @pytest.mark.parametrize("origin", ["pasted", "file", "tool", "recalled"])
    async def test_only_what_was_typed(self, origin: Origin) -> None:
        desk = a_desk()
        await desk.said(WALKS, origin=origin)
        assert await desk.waiting() == 0

    @pytest.mark.parametrize("mode", ["no_learn", "incognito"])
    async def test_only_in_a_normal_conversation(self, mode: SessionMode) -> None:
        desk = a_desk()
        await desk.said(WALKS, mode=mode)
        assert await desk.waiting() == 0

    async def test_what_is_not_the_users_own_is_not_read_either(self) -> None:
        kinds = ("quotation", "document", "code", "role-play", "question")
        desk = a_desk()
        for one in never_stored("never_stored.txt"):
            if one.kind in kinds:
                await desk.said(one.text)
        assert await desk.waiting() == 0


class TestReading:
    async def test_a_candidate_with_its_verbatim_quote_and_nothing_more(self) -> None:
        desk = a_desk(LASTS, *labels("likes", "fitness"))
        message = await desk.said(WALKS)
        assert await desk.learner.read_waiting()
        (known,) = await desk.store.list()
        (evidence,) = (await desk.store.item(known.id)).evidence
        assert (known.status, known.source, known.polarity, known.domain) == ("candidate", "inferred", 1, "fitness")
        assert message.content[evidence.start : evidence.stop] == evidence.quote == known.statement
        assert await desk.waiting() == 0
        assert {request.priority for request in desk.model.choice_requests} == {"background"}

    async def test_no_is_the_end_of_it(self) -> None:
        desk = a_desk(PASSES)
        await desk.said(WALKS)
        assert await desk.learner.read_waiting()
        assert await desk.store.count() == 0
        desk.model.assert_done()

    async def test_a_direction_against_the_words_is_not_believed(self) -> None:
        desk = a_desk(LASTS, *labels("likes", "other"))
        await desk.said("Noisy offices ruin my whole working day.")
        await desk.learner.read_waiting()
        assert await desk.store.count() == 0

    async def test_health_is_never_noticed(self) -> None:
        desk = a_desk(LASTS, *labels("habit", "other"))
        await desk.said("My depression comes back every winter without fail.")
        await desk.learner.read_waiting()
        assert await desk.store.count() == 0

    async def test_an_unsure_model_stores_nothing(self) -> None:
        """Even answers, as from a model that understands nothing."""

        def even(request: ChoiceRequest) -> tuple[tuple[float, ...], ...]:
            return tuple((1 / len(one.options),) * len(one.options) for one in request.questions)

        desk = a_desk(even)
        await desk.said(WALKS)
        await desk.learner.read_waiting()
        assert await desk.store.count() == 0

    async def test_three_times_in_two_sessions_takes_it_into_use(self) -> None:
        desk = a_desk(*[LASTS, labels("likes", "food")[0]] * 3)  # what it is about is known by its words
        for text in (
            "My evenings usually end with a pot of green tea.",
            "A pot of green tea makes my evening.",
            "Green tea gets me through my evenings.",
        ):
            desk.clock.at = desk.clock.at.replace(minute=desk.clock.at.minute + 1)
            await desk.said(text)
        assert await desk.learner.read_waiting()
        (known,) = await desk.store.list(Filter(statuses=("active",)))
        assert known.object == "green tea"
        desk.model.assert_done()


class TestInterruption:
    async def test_a_turn_stops_it_and_the_message_is_read_later(self) -> None:
        desk = a_desk(Hang(), LASTS, *labels("likes", "fitness"))
        await desk.said(WALKS)
        reading = asyncio.create_task(desk.learner.read_waiting())
        await eventually(lambda: desk.model.choice_requests)
        desk.learner.pause()
        assert await reading is False
        assert (await desk.waiting(), await desk.store.count()) == (1, 0)
        desk.quiet.set()
        await desk.learner.rest()
        assert await desk.store.count() == 1

    async def test_a_failing_model_keeps_the_queue(self) -> None:
        desk = a_desk(Failure(kind="worker_died", message="gone", hint="again"))
        await desk.said(WALKS)
        assert await desk.learner.read_waiting() is False
        assert await desk.waiting() == 1

    async def test_it_waits_for_quiet_and_goes_on_after_a_restart(self) -> None:
        desk = a_desk(LASTS, *labels("likes", "fitness"))
        await desk.said(WALKS)
        again = Desk(desk.model, store=desk.store, queue=desk.queue, transcript=desk.transcript)
        resting = asyncio.create_task(again.learner.rest())
        await asyncio.sleep(0)
        assert await desk.store.count() == 0
        again.quiet.set()
        await resting
        assert await desk.store.count() == 1

    async def test_a_turn_ends_the_wait(self) -> None:
        desk = a_desk()
        await desk.said(WALKS)
        resting = asyncio.create_task(desk.learner.rest())
        await asyncio.sleep(0)
        desk.learner.pause()
        await resting
        assert await desk.waiting() == 1

    async def test_many_messages_do_not_wait_for_quiet(self) -> None:
        desk = a_desk(*[PASSES] * MANY)
        for number in range(MANY):
            await desk.said(f"After work nothing calms me like walk number {number} along the river.")
        await desk.learner.rest()
        desk.model.assert_done()


class TestTrust:
    """A model that says yes to everything is found out by sentences whose answer is known."""

    controls = (("I never eat fish.", "always"), ("It rained.", "once"))

    def desk(self, *choices: Choice) -> Desk:
        assert PROMPTS.learning is not None
        lasting = replace(PROMPTS.learning.lasting, controls=self.controls)
        return Desk(ScriptedModel(choices=choices), prompts=replace(PROMPTS.learning, lasting=lasting))

    async def test_it_is_tried_once(self) -> None:
        desk = self.desk(LASTS, PASSES, LASTS, *labels("likes", "fitness"), PASSES)
        await desk.said(WALKS)
        await desk.said("On Sundays nothing calms me like a run.")
        assert await desk.learner.read_waiting()
        assert await desk.store.count() == 1
        desk.model.assert_done()

    @pytest.mark.parametrize("answers", [(LASTS, LASTS), (PASSES, PASSES), (PASSES, LASTS)])
    async def test_from_one_that_fails_nothing_is_learned(self, answers: tuple[Choice, Choice]) -> None:
        desk = self.desk(*answers)
        await desk.said(WALKS)
        assert not await desk.learner.read_waiting()
        assert not await desk.learner.read_waiting()
        assert (await desk.waiting(), await desk.store.count()) == (1, 0)
        desk.model.assert_done()


class TestReadingAnswers:
    @pytest.mark.parametrize(
        ("lasting", "passing", "apart"),
        [
            ((0.79, 0.91, 0.94), (0.31, 0.34, 0.23), True),  # Qwen2.5 Coder 1.5B
            ((0.62, 0.25, 0.30), (0.05, 0.20, 0.02), True),  # Qwen2.5 Coder 0.5B: it will say little
            ((0.99, 0.97, 0.99), (0.71, 0.96, 0.92), False),  # SmolLM2 135M: yes to everything
            ((0.6, 0.6), (0.4, 0.4), False),
            ((0.0, 1.0), (0.0, 0.0), True),
        ],
    )
    def test_which_models_are_believed(
        self, lasting: tuple[float, ...], passing: tuple[float, ...], apart: bool
    ) -> None:
        assert tells_apart(lasting, passing) is apart

    @pytest.mark.parametrize(
        ("shares", "direction"),
        [
            ((0.9, 0.05, 0.05, 0.0), "likes"),
            ((0.0, 0.3, 0.0, 0.7), "avoids"),
            ((0.2, 0.2, 0.0, 0.6), "habit"),
            ((0.0, 0.0, 0.0, 1.0), "habit"),
        ],
    )
    def test_a_direction_that_is_not_clear_is_a_plain_fact(
        self, shares: tuple[float, float, float, float], direction: str
    ) -> None:
        assert direction_of(shares) == direction

    def test_a_topic_that_is_not_clear_is_other(self) -> None:
        even = [1 / len(TOPICS)] * len(TOPICS)
        assert domain_of(even) == "other"
        assert domain_of([float(one == "films") for one in TOPICS]) == "screen"


async def test_the_sentence_is_asked_after_the_examples() -> None:
    model = ScriptedModel(choices=[LASTS, *labels("avoids", "work")])
    opinion = await opinion_of('He said "no" to me', model, PROMPTS.learning or pytest.fail("no prompts"), Cancel())
    assert (opinion.direction, opinion.domain) == ("avoids", "work")
    first = model.choice_requests[0]
    assert first.questions[0].prompt == 'He said "no" to me.'
    assert [message.content for message in first.messages] == [
        "lasting?",
        "I adore mud.",
        "always",
        "It rained.",
        "once",
    ]


def test_the_shipped_questions_are_sound() -> None:
    """Labels are options, no sentence is in two places, and both answers are shown."""
    learning = Prompts.load().learning
    assert learning is not None
    for asked, options in (
        (learning.lasting, LASTING),
        (learning.direction, DIRECTIONS),
        (learning.topic, tuple(TOPICS)),
    ):
        assert {label for _, label in (*asked.examples, *asked.controls)} <= set(options)
        texts = [text for text, _ in (*asked.examples, *asked.controls)]
        assert len(texts) == len(set(texts))
    assert {label for _, label in learning.lasting.controls} == set(LASTING)


def test_a_sentence_is_read_whole() -> None:
    """Half of it ("my stomach are not friends") would say something else."""
    text = "Spicy dishes and my stomach are not friends. My evenings belong to the garden and my roses."
    row = Message(
        id=1,  # type: ignore[arg-type]
        session_id="s",  # type: ignore[arg-type]
        parent_id=None,
        role="user",
        content=text,
        created_at=FixedClock().now(),
    )
    read = [sentence.text for sentence in sentences_to_read(row, english())]
    assert read == ["Spicy dishes and my stomach are not friends", "My evenings belong to the garden and my roses"]


def test_an_opinion_below_the_bar_is_none() -> None:
    row = Message(
        id=1,  # type: ignore[arg-type]
        session_id="s",  # type: ignore[arg-type]
        parent_id=None,
        role="user",
        content=WALKS,
        created_at=FixedClock().now(),
    )
    (sentence,) = sentences_to_read(row, english())
    sure = Opinion(lasts=0.9, direction="likes", domain="fitness")
    assert candidate_from(sentence, sure, english()) is not None
    assert candidate_from(sentence, replace(sure, lasts=0.5), english()) is None
    avoided = candidate_from(sentence, replace(sure, direction="avoids"), english())
    assert avoided is not None
    assert avoided.polarity == -1
