"""The terminal UI as its user meets it: saying something, stopping, and what goes wrong."""

import asyncio
import re

from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from models.scripted import Hang, Reply, ScriptedModel
from models.types import Absent, Delta, Failure, Finished, GivenUp, Loading, ModelInfo, Progress, Ready, Restarting
from tests.support.clock import MONDAY
from tests.support.pilot import a_desk, opened
from tests.support.talk import FullDisk
from ui.screens.chat import ChatScreen
from ui.screens.dialog import Choice
from ui.screens.models import ModelsScreen

DIED = Failure(kind="worker_died", message="The model's process ended.", hint="It is being restarted.")

MISSING = Failure(kind="model_missing", message="There is no model yet.", hint="Fetch one.")


class Waiting(ScriptedModel):
    """Loads until a test says otherwise."""

    async def start(self) -> None:
        pass


# saying something


async def test_a_question_is_answered_and_the_conversation_gets_its_title(home: Home) -> None:
    async with opened(a_desk(home, "Fine, **thanks**.")) as driver:
        await driver.send("How are you?")
        assert "you  " in driver.transcript_text()
        assert "How are you?" in driver.transcript_text()
        assert "Fine, thanks." in driver.transcript_text()
        assert "How are you?" in driver.header()
        assert driver.status().startswith(" waiting for you")
        assert "/4,096 tokens" in driver.status()
        assert "scripted" in driver.status()


async def test_the_answer_is_shown_while_it_is_written(home: Home) -> None:
    async with opened(a_desk(home, ["One ", "two ", Hang()])) as driver:
        await driver.write("Count")
        await driver.press("enter")
        await driver.until(lambda: "One two" in driver.transcript_text())
        assert "writing" in driver.status()
        assert "Esc stops" in driver.status()


async def test_escape_stops_and_what_came_is_kept_and_marked(home: Home) -> None:
    async with opened(a_desk(home, ["One ", "two ", Hang()], "Again.")) as driver:
        await driver.write("Count")
        await driver.press("enter")
        await driver.until(lambda: "One two" in driver.transcript_text())
        await driver.press("escape")
        await driver.idle()
        assert "One two" in driver.transcript_text()
        assert "■ stopped by you" in driver.transcript_text()
        assert "stopped" in driver.status()
        await driver.send("Once more")
        assert "Again." in driver.transcript_text()


async def test_control_c_stops_too_and_twice_quits(home: Home) -> None:
    async with opened(a_desk(home, ["One ", Hang()])) as driver:
        await driver.write("Count")
        await driver.press("enter")
        await driver.until(lambda: "One" in driver.transcript_text())
        await driver.press("ctrl+c")
        await driver.idle()
        assert driver.app.is_running
        await driver.press("ctrl+c")
        assert any("once more" in notice for notice in driver.notices())
        await driver.press("ctrl+c")
        await driver.until(lambda: driver.app.return_code == 0)


async def test_stopping_while_the_prompt_is_read(home: Home) -> None:
    async with opened(a_desk(home, [Progress(stage="reading", done=120, total=480), Hang()])) as driver:
        await driver.write("Read this")
        await driver.press("enter")
        await driver.until(lambda: "reading the conversation 120/480" in driver.status())
        await driver.press("escape")
        await driver.idle()
        assert "Read this" in driver.transcript_text()


async def test_what_is_sent_while_the_model_loads_is_answered_when_it_is_ready(home: Home) -> None:
    model = Waiting("Here I am.")
    async with opened(a_desk(home, model=model)) as driver:
        model.become(Loading(name="tiny", done=43, total=100))
        await driver.until(lambda: "loading tiny 43 %; you can write already" in driver.status())
        await driver.write("Are you there?")
        await driver.press("enter")
        await driver.until(lambda: "Are you there?" in driver.transcript_text())
        assert "loading tiny 43 %" in driver.status()
        info = ModelInfo(name="tiny", path="", context_length=4_096, backend="CPU", device="")
        model.become(Ready(info=info))
        await driver.idle()
        assert "Here I am." in driver.transcript_text()
        assert "tiny · CPU" in driver.status()


async def test_escape_stops_while_the_model_loads(home: Home) -> None:
    async with opened(a_desk(home, model=Waiting("never"))) as driver:
        await driver.write("Hello")
        await driver.press("enter")
        await driver.until(lambda: "Hello" in driver.transcript_text())
        await driver.press("escape")
        await driver.idle()
        assert "Hello" in driver.transcript_text()


async def test_a_message_written_during_an_answer_waits_and_is_sent_after_it(home: Home) -> None:
    go_on = asyncio.Event()

    async def pace() -> None:
        await go_on.wait()

    model = ScriptedModel("One two.", "Two.", pace=pace)
    async with opened(a_desk(home, model=model)) as driver:
        await driver.write("first thing")
        await driver.press("enter")
        await driver.until(lambda: driver.chat.view.busy)
        driver.chat.prompt.write("next thing", "pasted")
        await driver.press("enter")
        await driver.until(lambda: "next: next thing" in driver.screen_text())
        go_on.set()
        await driver.until(lambda: "Two." in driver.transcript_text())
        assert driver.transcript_text().index("first thing") < driver.transcript_text().index("next thing")
        last = [message for message in await driver.path() if message.role == "user"][-1]
        assert last.origin == "pasted"


async def test_a_pasted_comment_is_sent_as_it_is(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        driver.chat.prompt.write("// a comment", "pasted")
        await driver.press("enter")
        await driver.until(lambda: "Fine." in driver.transcript_text())
        assert "// a comment" in driver.transcript_text()


async def test_stopping_gives_the_waiting_message_back(home: Home) -> None:
    async with opened(a_desk(home, ["One ", Hang()])) as driver:
        await driver.write("first")
        await driver.press("enter")
        await driver.until(lambda: "One" in driver.transcript_text())
        await driver.write("second")
        await driver.press("enter")
        await driver.until(lambda: "next: second" in driver.screen_text())
        await driver.press("escape")
        await driver.until(lambda: driver.chat.prompt.text == "second")
        assert "next:" not in driver.screen_text()


async def test_thoughts_are_folded_and_can_be_unfolded(home: Home) -> None:
    thought: Reply = [Delta(text="Let me see. ", thought=True), Delta(text="Yes."), Finished(reason="stop")]
    async with opened(a_desk(home, thought)) as driver:
        await driver.send("Think")
        assert "thought about it, 3 words" in driver.transcript_text()
        assert "Let me see." not in driver.transcript_text()
        await driver.press("tab", "t")
        await driver.until(lambda: "Let me see." in driver.transcript_text())
        await driver.press("t")
        await driver.until(lambda: "Let me see." not in driver.transcript_text())


# what goes wrong


async def test_a_model_that_dies_while_answering(home: Home) -> None:
    async with opened(a_desk(home, ["Half ", "of ", DIED], "Whole.")) as driver:
        await driver.send("Tell me")
        assert "Half of" in driver.transcript_text()
        assert "✗ cut off" in driver.transcript_text()
        assert driver.alert() == " ! The model's process ended.\n   It is being restarted."
        await driver.press("f6")
        await driver.until(lambda: "Whole." in driver.transcript_text())
        assert driver.alert() == ""
        assert "‹ 2/2 ›" in driver.transcript_text()


async def test_restarting_is_said_with_the_seconds_that_are_left(home: Home) -> None:
    model = ScriptedModel()
    async with opened(a_desk(home, model=model)) as driver:
        model.become(Restarting(reason="it ended by signal 9", attempt=2, delay=600.0))
        said = re.compile(r"model restarting in [1-9]\d* s: it ended by signal 9")
        await driver.until(lambda: said.search(driver.status()) is not None)


async def test_a_model_that_is_given_up_leads_to_what_can_be_done(home: Home) -> None:
    model = ScriptedModel()
    async with opened(a_desk(home, model=model)) as driver:
        model.become(GivenUp(failure=DIED))
        await driver.until(lambda: "The model's process ended." in driver.alert())
        assert "F5" in driver.alert()
        assert "does not run" in driver.status()


async def test_a_message_that_cannot_be_stored_stays_in_the_prompt(home: Home) -> None:
    disk = FullDisk()
    disk.refuses = {"add_user_message"}
    async with opened(a_desk(home, "Fine.", transcript=disk)) as driver:
        await driver.write("Precious words")
        await driver.press("enter")
        await driver.until(lambda: "could not be saved" in driver.alert())
        assert driver.chat.prompt.text == "Precious words"
        disk.refuses = set()
        await driver.send("Precious words")
        assert "Fine." in driver.transcript_text()


async def test_a_message_too_long_is_a_question(home: Home) -> None:
    settings = AssistantSettings(reply_tokens=16)
    model = ScriptedModel("Short answer.", context_length=512)
    text = " ".join(f"word{number}" for number in range(2_000))
    async with opened(a_desk(home, model=model, assistant=settings)) as driver:
        await driver.write(text)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        assert "too long" in driver.screen_text()
        assert model.requests == []
        await driver.press("2")
        await driver.until(lambda: "Short answer." in driver.transcript_text())
        assert len(model.requests) == 1


async def test_a_message_too_long_can_be_shortened(home: Home) -> None:
    model = ScriptedModel("Fine.", context_length=512)
    text = " ".join(f"word{number}" for number in range(2_000))
    async with opened(a_desk(home, model=model, assistant=AssistantSettings(reply_tokens=16))) as driver:
        await driver.write(text)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("enter")
        await driver.until(lambda: driver.chat.prompt.whole_text == text)
        await driver.send("Shorter")
        assert "Fine." in driver.transcript_text()


async def test_an_answer_cut_off_by_the_end_of_the_program_is_shown_again(home: Home) -> None:
    transcript = InMemoryTranscript()
    session = await transcript.create_session(at=MONDAY, title="Before the crash")
    user = await transcript.add_user_message(session.id, None, "Tell me", at=MONDAY)
    reply = await transcript.begin_reply(user.id, at=MONDAY, model="tiny")
    await transcript.checkpoint_reply(reply.id, "Half an ans")
    await transcript.interrupt_unfinished()
    async with opened(a_desk(home, "Whole answer.", transcript=transcript)) as driver:
        await driver.until(lambda: "Half an ans" in driver.transcript_text())
        assert "cut off when Steward ended" in driver.alert()
        await driver.press("f6")
        await driver.until(lambda: "Whole answer." in driver.transcript_text())


async def test_without_a_model_the_models_are_shown_first(home: Home) -> None:
    model = Waiting()
    model.become(Absent(failure=MISSING))
    async with opened(a_desk(home, model=model)) as driver:
        await driver.until(lambda: "Nothing you write leaves this machine" in driver.screen_text())
        assert isinstance(driver.app.screen, ModelsScreen)
        await driver.until(lambda: str(home.data) in driver.screen_text().replace("\n", ""))
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))
        assert "no model yet · F5" in driver.status()
