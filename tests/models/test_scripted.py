"""The scripted model keeps the contract, is strict, and runs the demo."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from models.demo import TOPICS, demo_model, demo_reply
from models.errors import Cancelled, ModelError
from models.scripted import Hang, ScriptedModel, Step
from models.types import (
    Cancel,
    ChatMessage,
    Delta,
    Failure,
    Finished,
    GenerationRequest,
    Progress,
    Ready,
)
from tests.models.contract import CHOICE, LONG, SHORT, ChatModelContract, asking, end_of, everything, text_of
from tests.support.waiting import eventually

FAILURE = Failure(kind="worker_hung", message="It hung.", hint="Ask again.")


def answer(request: GenerationRequest) -> str | tuple[Step, ...]:
    if request.messages[-1].content.startswith("long"):
        return ("one ", "two ", "three ", "four ", Hang())
    return "a few words"


class TestContract(ChatModelContract):
    @pytest.fixture
    async def model(self) -> AsyncIterator[ScriptedModel]:
        model = ScriptedModel(otherwise=answer, context_length=4_096)
        yield model
        await model.close()


async def test_replies_are_said_in_order_and_requests_recorded() -> None:
    model = ScriptedModel("Hello there.", ["Good", "bye", Finished(reason="repeating")])
    first, second = await everything(model, SHORT), await everything(model, LONG)
    assert text_of(first) == "Hello there."
    assert end_of(first).usage.tokens_out == 2
    assert text_of(second) == "Goodbye"
    assert end_of(second).reason == "repeating"
    assert model.requests == [SHORT, LONG]
    model.assert_done()


async def test_a_failure_ends_the_answer_and_keeps_what_came() -> None:
    model = ScriptedModel([Progress(stage="reading", done=1, total=2), "par", Delta(text="t", thought=True), FAILURE])
    events = await everything(model, SHORT)
    assert text_of(events) == "part"
    assert end_of(events) == Finished(reason="failed", failure=FAILURE, usage=end_of(events).usage)
    assert events[0] == Progress(stage="reading", done=1, total=2)


async def test_a_function_sees_the_request() -> None:
    model = ScriptedModel(lambda request: request.messages[-1].content.upper())
    assert text_of(await everything(model, asking("hello you"))) == "HELLO YOU"


async def test_an_unexpected_call_fails_and_is_not_forgotten() -> None:
    model = ScriptedModel()
    with pytest.raises(AssertionError, match="unexpected call"):
        await everything(model, SHORT)
    with pytest.raises(AssertionError, match="unexpected"):
        await model.choose(CHOICE, Cancel())
    with pytest.raises(AssertionError, match="unexpected calls"):
        model.assert_done()


async def test_what_was_not_asked_for_fails_at_the_end() -> None:
    with pytest.raises(AssertionError, match="1 replies"):
        ScriptedModel("never said").assert_done()
    with pytest.raises(AssertionError, match="1 choices"):
        ScriptedModel(choices=[((1.0, 0.0),)]).assert_done()


async def test_choices_come_from_the_script() -> None:
    scripted = ((0.25, 0.75), (0.5, 0.25, 0.25))
    model = ScriptedModel(choices=[scripted, lambda request: scripted, FAILURE, Hang()])
    assert await model.choose(CHOICE, Cancel()) == scripted
    assert await model.choose(CHOICE, Cancel()) == scripted
    with pytest.raises(ModelError, match="It hung"):
        await model.choose(CHOICE, Cancel())
    background = CHOICE
    assert background.priority == "background"
    assert model.choice_requests == [CHOICE] * 3


async def test_a_hanging_choice_gives_way_to_a_user() -> None:
    model = ScriptedModel("Hello.", choices=[Hang()])
    choosing = asyncio.create_task(model.choose(CHOICE, Cancel()))
    await eventually(lambda: model.choice_requests)
    assert text_of(await everything(model, SHORT)) == "Hello."
    with pytest.raises(Cancelled):
        await choosing
    model.assert_done()


async def test_a_wrong_number_of_scripted_probabilities_fails() -> None:
    with pytest.raises(AssertionError, match="one number an option"):
        await ScriptedModel(choices=[((1.0,), (1.0,))]).choose(CHOICE, Cancel())


# -- the demo --


def ask_demo(text: str) -> str:
    steps = demo_reply(GenerationRequest(messages=(ChatMessage(role="user", content=text),)))
    return "".join(step.text if isinstance(step, Delta) else str(step) for step in steps)


async def test_the_demo_answers_anything_any_number_of_times() -> None:
    model = demo_model(seconds_per_word=0.0)
    for text in ("hello", "what can you do?", "\x00", "", "xyzzy " * 500, "tell me a story"):
        events = await everything(model, asking(text))
        assert end_of(events).reason == "stop"
        assert text_of(events)
    assert isinstance(model.status, Ready)
    assert "demo" in model.status.info.name
    assert await model.choose(CHOICE, Cancel()) == ((1 / 2,) * 2, (1 / 3,) * 3)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.asked_with[:20])
def test_every_demo_answer_says_that_it_is_one(topic: object) -> None:
    answers = [one.answer for one in TOPICS if one is topic]
    assert len(answers) == 1
    assert any(word in answers[0] for word in ("demo", "script"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Hi!", "Hello"),
        ("What can Steward do?", "terminal"),
        ("is my data private?", "home directory"),
        ("does it use my gpu", "llama.cpp"),
        ("write some python", "```python"),
        ("Tell me a long story", "once a terminal"),
        ("thank you", "welcome"),
        ("capital of Peru", "cannot answer"),
    ],
)
def test_the_demo_knows_its_topics(question: str, expected: str) -> None:
    assert expected in ask_demo(question)


async def test_the_demo_thinks_before_it_answers_when_asked_to() -> None:
    events = await everything(demo_model(seconds_per_word=0.0), asking("think about a riddle"))
    kinds = [event.thought for event in events if isinstance(event, Delta)]
    assert kinds == sorted(kinds, reverse=True)
    assert kinds[0]
    assert not kinds[-1]


async def test_the_demo_fills_in_no_forms() -> None:
    request = GenerationRequest(messages=SHORT.messages, json_schema={"type": "object"})
    end = end_of(await everything(demo_model(seconds_per_word=0.0), request))
    assert end.failure is not None
    assert "--demo" in end.failure.hint
