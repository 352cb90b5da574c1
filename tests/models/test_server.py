"""ServerModel against a server on the loopback that answers, refuses and breaks off on cue."""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import server_answers as answers
from models.errors import ModelError
from models.server import ServerModel
from models.settings import ModelSettings
from models.sse import EventReader, EventTooLong
from models.types import (
    Cancel,
    ChoiceRequest,
    ClosedQuestion,
    Delta,
    FailureKind,
    GenerationRequest,
    GivenUp,
    Ready,
    Sampling,
)
from tests.models.contract import (
    LONG,
    SHORT,
    ChatModelContract,
    asking,
    end_of,
    everything,
    said,
    stream,
    text_of,
    until_text,
)
from tests.support.fake_server import CONTEXT, FakeServer, HangUp, Raw, Status, Step, Wait
from tests.support.waiting import eventually

SECRET = "sk-do-not-print"


@pytest.fixture(autouse=True)
def nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []
    assert SECRET not in caplog.text


@asynccontextmanager
async def connected(server: FakeServer, **settings: Any) -> AsyncIterator[ServerModel]:
    async with server:
        model = ServerModel(server.url, ModelSettings(**settings), {"KEY": SECRET})
        try:
            yield model
        finally:
            await model.close()


class LongOrShort(FakeServer):
    """Goes on for ever when asked for something long."""

    async def _stream(self, body: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if body["messages"][-1]["content"].startswith("long"):
            self.turns.append(("one ", "two ", "three ", "four ", Wait()))
        return await FakeServer._stream(self, body, reader, writer)


class TestContract(ChatModelContract):
    @pytest.fixture
    async def model(self) -> AsyncIterator[ServerModel]:
        async with connected(LongOrShort()) as model:
            yield model


class TestContractWithoutLogprobs(ChatModelContract):
    """A server that knows nothing beyond OpenAI's fields."""

    @pytest.fixture
    async def model(self) -> AsyncIterator[ServerModel]:
        async with connected(LongOrShort(likely=None, owned_by="somebody")) as model:
            yield model


async def test_the_info_says_that_text_leaves_this_process() -> None:
    async with connected(FakeServer(), context_length=2_048) as model:
        assert await model.context_length(Cancel()) == CONTEXT
        assert isinstance(model.status, Ready)
        info = model.status.info
        assert info.leaves_process
        assert (info.name, info.backend) == ("served", "server")
        assert info.path.startswith("http://127.0.0.1:")
        assert info.notes == ()


async def test_an_unknown_context_is_assumed_and_said() -> None:
    async with connected(FakeServer(owned_by="library"), context_length=2_048) as model:
        assert await model.context_length(Cancel()) == 2_048
        assert isinstance(model.status, Ready)
        assert "2048 tokens are assumed" in model.status.info.notes[0]


async def test_what_is_asked_reaches_the_server() -> None:
    server = FakeServer()
    async with connected(server, api_key_env="KEY") as model:
        sampling = Sampling(temperature=0.5, top_p=0.9, top_k=7, min_p=0.1, repeat_penalty=1.2, max_tokens=9, seed=3)
        request = GenerationRequest(
            messages=(said("be brief", "system"), said("short")), sampling=sampling, json_schema={"type": "object"}
        )
        await everything(model, request)
    sent = server.posted()[0]
    assert sent["messages"] == [{"role": "system", "content": "be brief"}, {"role": "user", "content": "short"}]
    wanted = {"temperature": 0.5, "top_p": 0.9, "top_k": 7, "min_p": 0.1, "repeat_penalty": 1.2, "max_tokens": 9}
    assert wanted.items() <= sent.items()
    assert sent["seed"] == 3
    assert sent["model"] == "served"
    assert sent["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert sent["chat_template_kwargs"] == {"enable_thinking": False}
    assert all(asked.headers["authorization"] == f"Bearer {SECRET}" for asked in server.asked)


async def test_a_plain_server_gets_only_what_openai_knows() -> None:
    server = FakeServer(owned_by="openai")
    async with connected(server) as model:
        await everything(model, SHORT)
    sent = server.posted()[0]
    assert not {"top_k", "min_p", "repeat_penalty", "chat_template_kwargs", "response_format"} & set(sent)
    assert "authorization" not in server.asked[0].headers


async def test_the_servers_usage_is_used() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}
    turn = ("a", {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}, HangUp())
    async with connected(FakeServer(otherwise=turn)) as model:
        used = end_of(await everything(model, SHORT)).usage
    assert (used.tokens_in, used.tokens_cached, used.tokens_out) == (100, 60, 7)
    assert (used.context_used, used.context_total) == (107, CONTEXT)
    assert used.seconds_to_first_token > 0


@pytest.mark.parametrize(
    "turn",
    [
        ("<think>hm", "m</th", "ink>", "\n\nYes."),
        ({"choices": [{"delta": {"reasoning_content": "hmm"}}]}, "Yes."),
        ({"choices": [{"delta": {"reasoning": "hmm"}}]}, "Yes."),
    ],
)
async def test_thoughts_are_no_part_of_the_answer(turn: tuple[Step, ...]) -> None:
    async with connected(FakeServer(otherwise=turn)) as model:
        events = await everything(model, asking("short"))
    thoughts = "".join(event.text for event in events if isinstance(event, Delta) and event.thought)
    answer = "".join(event.text for event in events if isinstance(event, Delta) and not event.thought)
    assert (thoughts, answer) == ("hmm", "Yes.")


@pytest.mark.parametrize(
    ("turn", "reason", "kind", "words"),
    [
        (("par", "tial", HangUp()), "worker_died", "worker_died", "broke off"),
        (("partial", {"error": {"message": "out of memory"}}), "worker_died", "worker_died", "broke off"),
        ((HangUp(),), "failed", "unreachable", "before it was whole"),
        (({"error": {"message": "bad"}},), "failed", "unreachable", "reports an error"),
        ((Raw(b"data: {nonsense\n\n"),), "failed", "unreachable", "not understood"),
        ((Raw(b"data: \xff\xfe\n\n"),), "failed", "unreachable", "not understood"),
        (Status(401, {"error": {"message": "no"}}), "failed", "unreachable", "refuses the key"),
        (Status(404, {"error": {"message": "no model x"}}), "failed", "unreachable", "HTTP 404: no model x"),
        (Status(429, {"error": "slow down"}), "failed", "unreachable", "HTTP 429: slow down"),
        (Status(500, "<html>"), "failed", "unreachable", "HTTP 500"),
        (Status(302, "", {"Location": "http://evil.example"}), "failed", "unreachable", "HTTP 302"),
        (Status(400, {"error": {"message": "maximum context length"}}), "failed", "context_full", "does not fit"),
        (Status(400, {"error": {"message": "bad\x1b[31m JSON schema"}}), "failed", "bad_schema", "bad [31m JSON"),
    ],
)
async def test_what_goes_wrong_is_said_in_one_line_and_the_next_request_is_answered(
    turn: Any, reason: str, kind: FailureKind, words: str
) -> None:
    server = FakeServer()
    server.turns.append(turn)
    async with connected(server) as model:
        events = await everything(model, SHORT)
        end = end_of(events)
        assert end.reason == reason
        assert end.failure is not None
        assert end.failure.kind == kind
        assert words in end.failure.message
        assert end.failure.message.isprintable()
        assert end.failure.hint
        assert text_of(events) == ("partial" if reason == "worker_died" else "")
        assert text_of(await everything(model, SHORT)) == "Hello from the server."


async def test_cancel_hangs_up_on_the_server() -> None:
    server = LongOrShort()
    async with connected(server) as model:
        cancel = Cancel()
        async with aclosing(stream(model, LONG, cancel)) as events:
            await until_text(events)
            assert server.open == 1
            cancel.set()
            await eventually(lambda: server.open == 0)


async def test_a_server_that_says_nothing_is_given_up() -> None:
    server = FakeServer()
    server.turns.append((Wait(),))
    async with connected(server, server_timeout=3.0) as model:
        end = end_of(await everything(model, SHORT))
        assert end.failure is not None
        assert "said nothing for 3 s" in end.failure.message
        assert isinstance(model.status, GivenUp)
        assert text_of(await everything(model, SHORT)), "and asked again at the next request"
        assert isinstance(model.status, Ready)


async def test_a_server_that_is_not_there() -> None:
    async with FakeServer() as server:
        url = server.url
    gone = ServerModel(url, ModelSettings())
    end = end_of(await everything(gone, SHORT))
    assert end.reason == "failed"
    assert end.failure is not None
    assert end.failure.kind == "unreachable"
    assert "does not answer" in end.failure.message
    with pytest.raises(ModelError):
        await gone.context_length(Cancel())
    await gone.close()


async def test_a_server_that_goes_away_and_comes_back() -> None:
    server = FakeServer()
    async with connected(server) as model:
        assert text_of(await everything(model, SHORT))
        port = int(server.url.split(":")[2].split("/")[0])
        await server.stop()
        assert end_of(await everything(model, SHORT)).reason == "failed"
        assert isinstance(model.status, GivenUp)
        server.port = port
        async with server:
            assert text_of(await everything(model, SHORT)) == "Hello from the server."


@pytest.mark.parametrize(
    ("listing", "settings", "words"),
    [
        (None, {"server_model": "other"}, "does not serve other; it has served"),
        (None, {"api_key_env": "MISSING"}, "environment variable MISSING"),
        (Status(200, "not json"), {}, "OpenAI format"),
        (Status(200, {"data": [{"no": "id"}]}), {}, "OpenAI format"),
        (Status(200, {"data": []}), {}, "any model"),
        (Status(403, ""), {}, "refuses the key"),
        (Status(301, ""), {}, "HTTP 301"),
    ],
)
async def test_a_server_that_cannot_be_used_says_why(
    listing: Status | None, settings: dict[str, str], words: str
) -> None:
    async with connected(FakeServer(listing=listing), **settings) as model:
        with pytest.raises(ModelError, match=words):
            await model.context_length(Cancel())
        assert isinstance(model.status, GivenUp)
        assert model.status.failure.hint


async def test_a_named_model_of_several_is_used() -> None:
    server = FakeServer(models=("first", "second"))
    async with connected(server, server_model="second") as model:
        await everything(model, SHORT)
    assert server.posted()[0]["model"] == "second"


# -- closed questions --

QUESTION = ChoiceRequest(
    messages=(said("You judge.", "system"), said("I like tea.")),
    questions=(ClosedQuestion(prompt="Does the user like tea?", options=("yes", "no")),),
)


async def test_probabilities_are_read_from_the_first_token() -> None:
    server = FakeServer(likely=(("Yes", math.log(0.6)), (" no", math.log(0.2)), ("perhaps", math.log(0.2))))
    async with connected(server) as model:
        ((yes, no),) = await model.choose(QUESTION, Cancel())
    assert (yes, no) == pytest.approx((0.75, 0.25))
    sent = server.posted()[0]
    assert (sent["max_tokens"], sent["logprobs"], sent["top_logprobs"]) == (1, True, 20)


async def test_calibration_asks_the_same_about_nothing() -> None:
    server = FakeServer(likely=(("yes", math.log(0.6)), ("no", math.log(0.2))))
    async with connected(server) as model:
        request = ChoiceRequest(messages=QUESTION.messages, questions=QUESTION.questions, calibrate=True)
        ((yes, no),) = await model.choose(request, Cancel())
    assert (yes, no) == pytest.approx((0.5, 0.5)), "the question alone suggests as much"
    contents = [message["content"] for message in server.posted()[1]["messages"]]
    assert contents == ["You judge.", "N/A", "Does the user like tea?"]


@pytest.mark.parametrize("likely", [None, (), (("Sure", -0.1),), (("y", -9.0), ("N", -9.0))])
async def test_without_useful_probabilities_the_answer_is_constrained(likely: Any) -> None:
    server = FakeServer(likely=likely, chosen='{"answer": "no"}')
    async with connected(server) as model:
        assert await model.choose(QUESTION, Cancel()) == ((0.0, 1.0),)
    schema = server.posted()[-1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["yes", "no"]


async def test_a_server_without_logprobs_is_asked_for_them_once() -> None:
    server = FakeServer(likely=None)
    async with connected(server) as model:
        await model.choose(QUESTION, Cancel())
        await model.choose(QUESTION, Cancel())
    assert [body.get("logprobs", False) for body in server.posted()] == [True, False, False]


@pytest.mark.parametrize("chosen", ["", "maybe", '{"answer": "maybe"}', "[]", '{"answer": ["yes"]}'])
async def test_an_answer_that_is_none_of_the_options_is_refused(chosen: str) -> None:
    async with connected(FakeServer(likely=None, chosen=chosen)) as model:
        with pytest.raises(ModelError, match="did not choose"):
            await model.choose(QUESTION, Cancel())


@pytest.mark.parametrize(
    ("options", "likely", "expected"),
    [
        (("yes", "no"), (("yes", 0.0),), (1.0, 0.0)),
        (("yes", "no"), ((" YES", math.log(0.5)), ("n", math.log(0.5))), (0.5, 0.5)),
        (("coffee", "cocoa"), (("co", 0.0),), None),
        (("coffee", "cocoa"), (("cof", math.log(0.2)), ("co", math.log(0.8))), (1.0, 0.0)),
        (("a", "b"), (("", 0.0), (" ", 0.0)), None),
        (("a", "b"), (), None),
    ],
)
def test_shares(options: tuple[str, ...], likely: Any, expected: tuple[float, ...] | None) -> None:
    found = answers.shares(options, likely)
    assert found == (None if expected is None else pytest.approx(expected))


@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=6, unique=True),
    st.lists(st.tuples(st.text(), st.floats(allow_nan=False, max_value=5.0))),
)
def test_shares_are_probabilities(options: list[str], likely: list[tuple[str, float]]) -> None:
    found = answers.shares(options, likely)
    if found is not None:
        assert sum(found) == pytest.approx(1.0)
        assert all(0.0 <= one <= 1.0 for one in found)
        assert sum(answers.calibrated(found, found)) == pytest.approx(1.0)


# -- events --


@given(st.data())
def test_events_are_the_same_however_they_are_cut(data: st.DataObject) -> None:
    texts = data.draw(
        st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1))
    )
    ending = data.draw(st.sampled_from(["\n", "\r\n"]))
    whole = "".join(f": comment{ending}event: x{ending}data: {text}{ending}{ending}" for text in texts).encode()
    reader, at = EventReader(), 0
    found: list[str] = []
    while at < len(whole):
        size = data.draw(st.integers(1, len(whole) - at))
        found += reader.feed(whole[at : at + size])
        at += size
    assert found == texts


def test_an_event_of_several_lines_is_joined() -> None:
    assert list(EventReader().feed(b"data: a\ndata:b\n\n\n\ndata: c\n\n")) == ["a\nb", "c"]


def test_an_event_without_an_end_is_refused() -> None:
    reader = EventReader()
    list(reader.feed(b"data: " + b"x" * 8_000_000))
    with pytest.raises(EventTooLong):
        list(reader.feed(b"x" * 1_000_000))
