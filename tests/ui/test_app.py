"""The terminal UI as its user meets it: saying, stopping, coming back, asking again, finding, and what goes wrong."""

import asyncio
import re
from pathlib import Path

import pytest

from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import SessionId
from models.scripted import Hang, Reply, ScriptedModel
from models.types import Absent, Delta, Failure, Finished, GivenUp, Loading, ModelInfo, Progress, Ready, Restarting
from tests.support.builders import finished_reply
from tests.support.clock import MONDAY, FixedClock
from tests.support.pilot import Driver, a_desk, a_home, opened
from tests.support.talk import FullDisk
from ui.configuration import UiSettings
from ui.desk import Desk
from ui.drafts import Draft, Drafts
from ui.errors import ConfigError
from ui.screens.chat import ChatScreen
from ui.screens.dialog import Choice
from ui.screens.help import Help
from ui.screens.models import ModelsScreen
from ui.screens.page import Page
from ui.screens.sessions import SessionsScreen
from ui.screens.why import Context, Why
from ui.wiring import Options

DIED = Failure(kind="worker_died", message="The model's process ended.", hint="It is being restarted.")
MISSING = Failure(kind="model_missing", message="There is no model yet.", hint="Fetch one.")


class Waiting(ScriptedModel):
    """Loads until a test says otherwise."""

    async def start(self) -> None:
        pass


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = a_home(tmp_path)
    home.make()
    return home


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


# drafts


async def test_what_was_not_sent_is_there_again(home: Home) -> None:
    desk = a_desk(home)
    async with opened(desk) as driver:
        await driver.write("half a thought")
        await driver.until(lambda: "half a thought" in draft_in(home))
    async with opened(a_desk(home)) as driver:
        await driver.until(lambda: driver.chat.prompt.text == "half a thought")
        assert (home.state / "draft.json").stat().st_mode & 0o077 == 0


def draft_in(home: Home) -> str:
    file = home.state / "draft.json"
    return file.read_text() if file.exists() else ""


async def test_what_is_typed_before_the_draft_is_there_stands_behind_it(home: Home) -> None:
    """A slow disk: nothing is written over the draft before it was read."""
    desk, may_read = a_desk(home), asyncio.Event()
    await desk.drafts.save(Draft(text="half a thought"))
    load = desk.drafts.load

    async def slowly() -> Draft:
        await may_read.wait()
        return await load()

    desk.drafts.load = slowly  # type: ignore[method-assign]
    async with opened(desk) as driver:
        await driver.write("more")
        driver.chat._draft_due()
        await driver.press("left", "right")
        assert "half a thought" in draft_in(home)
        may_read.set()
        await driver.until(lambda: driver.chat.prompt.text == "half a thought\n\nmore")


async def test_what_was_sent_right_before_a_crash_is_no_draft(home: Home) -> None:
    desk = a_desk(home, "Fine.")
    async with opened(desk) as driver:
        await driver.send("What is a fugue?")
        await driver.idle()
    after = a_desk(home, transcript=desk.services.transcript)
    for left, comes_back in (("What is a fugue", False), ("What is a fugue? And a canon?", True)):
        await Drafts(home.state).save(Draft(text=left))
        async with opened(after) as driver:
            await driver.until(lambda: driver.chat._knows_draft)
            assert (driver.chat.prompt.text == left) is comes_back


async def test_a_sent_message_is_no_draft_any_more(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.write("said")
        await driver.until(lambda: (home.state / "draft.json").exists())
        await driver.press("enter")
        await driver.idle()
        await driver.until(lambda: not (home.state / "draft.json").exists())


async def test_incognito_writes_no_draft(home: Home) -> None:
    desk = a_desk(home, "Fine.", options=Options(incognito=True))
    async with opened(desk) as driver:
        assert "INCOGNITO" in driver.header()
        await driver.send("secret")
        await driver.write("more secrets")
        await driver.until(lambda: desk.unsent.text == "more secrets")
    assert list(home.state.iterdir()) == []


# branches


async def test_editing_makes_a_branch_and_both_can_be_shown(home: Home) -> None:
    async with opened(a_desk(home, "Paris.", "Rome.")) as driver:
        await driver.send("Capital of France?")
        await driver.press("tab", "up", "e")
        await driver.until(lambda: driver.chat.prompt.text == "Capital of France?")
        assert "stays as a branch" in driver.screen_text()
        await driver.send("Capital of Italy?")
        assert "Rome." in driver.transcript_text()
        assert "Paris." not in driver.transcript_text()
        assert "‹ 2/2 ›" in driver.transcript_text()
        await driver.press("tab", "up", "left")
        await driver.until(lambda: "Paris." in driver.transcript_text())
        assert "‹ 1/2 ›" in driver.transcript_text()
        await driver.press("right")
        await driver.until(lambda: "Rome." in driver.transcript_text())


async def test_leaving_an_edit_brings_the_draft_back(home: Home) -> None:
    async with opened(a_desk(home, "Yes."), size=(80, 24)) as driver:
        await driver.send("First?")
        await driver.write("my draft")
        await driver.press("tab", "up", "e")
        await driver.until(lambda: driver.chat.prompt.text == "First?")
        await driver.until(lambda: "Esc leaves it" in driver.screen_text())
        await driver.press("escape")
        await driver.until(lambda: driver.chat.prompt.text == "my draft")
        assert driver.chat.editing is None


async def test_another_answer_stands_beside_the_first(home: Home) -> None:
    async with opened(a_desk(home, "One way.", "Another way.")) as driver:
        await driver.send("How?")
        await driver.press("tab", "r")
        await driver.idle()
        await driver.until(lambda: "Another way." in driver.transcript_text())
        assert "One way." not in driver.transcript_text()
        assert "‹ 2/2 ›" in driver.transcript_text()
        await driver.press("tab", "less_than_sign")
        await driver.until(lambda: "One way." in driver.transcript_text())


async def test_going_on_differently_from_an_earlier_answer(home: Home) -> None:
    async with opened(a_desk(home, "A.", "B.", "C.")) as driver:
        await driver.send("one")
        await driver.send("two")
        await driver.press("tab", "up", "up", "b")
        await driver.until(lambda: "Another way on" in driver.screen_text())
        await driver.send("three")
        text = driver.transcript_text()
        assert "three" in text
        assert "two" not in text
        assert "C." in text


async def test_branches_wait_for_the_end_of_an_answer(home: Home) -> None:
    async with opened(a_desk(home, ["One ", Hang()])) as driver:
        await driver.write("Count")
        await driver.press("enter")
        await driver.until(lambda: "One" in driver.transcript_text())
        await driver.press("tab", "r")
        assert any("Esc stops it first" in notice for notice in driver.notices())


# messages


async def test_copying_says_when_there_is_no_clipboard(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    async with opened(a_desk(home, "Copy me.")) as driver:
        await driver.send("Something")
        await driver.press("tab", "y")
        await driver.until(lambda: any("no clipboard tool" in notice for notice in driver.notices()))


async def test_the_system_clipboard_gets_the_source(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "xclip"
    tool.write_text(f"#!/bin/sh\n/bin/cat > {tmp_path}/clipboard\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    answer = "Look:\n\n```sh\nls -l\n```\n\nand\n\n```python\nprint(1)\n```"
    async with opened(a_desk(home, answer)) as driver:
        await driver.send("Code")
        await driver.press("tab", "y")
        await driver.until(lambda: (tmp_path / "clipboard").exists() and (tmp_path / "clipboard").read_text() == answer)
        await driver.press("c")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        assert "sh, 1 line: ls -l" in driver.screen_text()
        await driver.press("2")
        await driver.until(lambda: (tmp_path / "clipboard").read_text() == "print(1)")


async def test_why_shows_the_context_and_the_model(home: Home) -> None:
    async with opened(a_desk(home, "Because.")) as driver:
        await driver.send("Why?")
        await driver.press("tab", "w")
        await driver.until(lambda: isinstance(driver.app.screen, Why))
        await driver.until(lambda: "Left out" in driver.screen_text())
        assert "scripted" in driver.screen_text()
        assert "of 4,096 tokens" in driver.screen_text()
        await driver.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))


async def test_the_context_says_what_was_left_out(home: Home) -> None:
    settings = AssistantSettings(reply_tokens=16)
    model = ScriptedModel(*["word " * 60] * 12, context_length=512)
    async with opened(a_desk(home, model=model, assistant=settings)) as driver:
        for number in range(12):
            await driver.send(f"question {number} " + "please " * 20)
        assert "some left out (F3)" in driver.status()
        await driver.press("f3")
        await driver.until(lambda: isinstance(driver.app.screen, Context))
        await driver.until(lambda: "Left out" in driver.screen_text())
        assert "Nothing." not in driver.screen_text()


async def test_the_whole_text_of_a_folded_answer(home: Home) -> None:
    answer = "```\n" + "\n".join(f"line {number}" for number in range(3_000)) + "\n```"
    async with opened(a_desk(home, [answer])) as driver:
        await driver.send("Long")
        assert "folded away" in driver.transcript_text()
        await driver.press("tab", "o")
        await driver.until(lambda: isinstance(driver.app.screen, Page))
        await driver.until(lambda: "line 3" in driver.screen_text())
        await driver.press("ctrl+end")
        await driver.until(lambda: "line 2999" in driver.screen_text())


async def test_a_link_is_opened_only_after_its_address_was_shown(home: Home) -> None:
    async with opened(a_desk(home, ["See [the bank](http://evil.example/login)."])) as driver:
        await driver.send("Link")
        await driver.press("tab", "l")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("enter")
        await driver.until(lambda: "Where this link leads" in driver.screen_text())
        assert "http://evil.example/login" in driver.screen_text()
        assert "not encrypted" in driver.screen_text()
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, ChatScreen))


# scrolling


async def test_scrolling_up_stops_following_and_a_key_returns(home: Home) -> None:
    rows = [f"paragraph {number}\n\n" for number in range(60)]
    reply: Reply = [*rows, "the very end", Hang()]
    async with opened(a_desk(home, reply)) as driver:
        transcript = driver.chat.transcript
        await driver.write("Long")
        await driver.press("enter")
        await driver.until(lambda: "the very end" in driver.transcript_text())
        await driver.until(lambda: "the very end" in driver.screen_text())
        await driver.press("pageup")
        assert not transcript.following
        top = transcript.scroll_y
        transcript.grow_answer(driver.chat.view.text + "\n\nnew words", "")
        await driver.pilot.pause()
        assert transcript.scroll_y == top
        await driver.until(lambda: "new text below" in driver.screen_text())
        await driver.press("ctrl+end")
        await driver.until(lambda: "new words" in driver.screen_text())
        assert transcript.following
        assert "new text below" not in driver.screen_text()


async def test_scrolling_to_the_end_by_hand_follows_again(home: Home) -> None:
    async with opened(a_desk(home, [f"paragraph {number}\n\n" for number in range(60)])) as driver:
        await driver.send("Long")
        await driver.press("pageup")
        assert not driver.chat.transcript.following
        await driver.press("pagedown", "pagedown")
        assert driver.chat.transcript.following


async def test_earlier_messages_are_drawn_when_they_are_wanted(home: Home) -> None:
    transcript, session = await a_long_session(100)
    async with opened(a_desk(home, transcript=transcript)) as driver:
        await driver.chat.open_session(session)
        await driver.until(lambda: "question 49" in driver.transcript_text())
        assert "question 0 " not in driver.transcript_text()
        assert "↑ 70 earlier messages" in driver.chat.transcript.line_at(0).text
        await driver.press("tab")
        for _ in range(4):
            await driver.press("home")
            await driver.until(lambda: not [w for w in driver.app.workers if w.group == "earlier" and w.is_running])
        await driver.until(lambda: "question 0 " in driver.transcript_text())
        assert driver.transcript_text().count("question 0 ") == 1


async def a_long_session(messages: int) -> tuple[InMemoryTranscript, SessionId]:
    transcript = InMemoryTranscript()
    session = await transcript.create_session(at=MONDAY, title="A long talk")
    parent = None
    for number in range(messages // 2):
        user = await transcript.add_user_message(session.id, parent, f"question {number} ?", at=MONDAY)
        reply = await finished_reply(transcript, user.id, f"answer {number} with *some* words")
        parent = reply.id
    return transcript, session.id


# conversations


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


async def at_sessions(driver: Driver) -> SessionsScreen:
    await driver.press("f2")
    await driver.until(lambda: "Sourdough" in driver.screen_text())
    screen = driver.app.screen
    assert isinstance(screen, SessionsScreen)
    return screen


async def test_a_conversation_is_found_by_what_was_said_and_opened(home: Home) -> None:
    async with opened(a_desk(home, transcript=await some_sessions())) as driver:
        await at_sessions(driver)
        await driver.press(*"rise")
        await driver.until(lambda: "Passport" not in driver.screen_text() and "Sourdough" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: "My dough does not rise" in driver.transcript_text())
        assert "Sourdough" in driver.header()


async def test_a_conversation_is_renamed(home: Home) -> None:
    async with opened(a_desk(home, transcript=await some_sessions())) as driver:
        await at_sessions(driver)
        await driver.press(*"dough")
        await driver.until(lambda: "Passport" not in driver.screen_text())
        await driver.press("ctrl+r")
        await driver.until(lambda: "New title" in driver.screen_text())
        await driver.press("ctrl+u", *"Bread", "enter")
        await driver.until(lambda: "Bread" in driver.screen_text())
        kept = await driver.app.desk.conversation.transcript.sessions()
        assert "Bread" in {session.title for session in kept}


async def test_deleting_asks_and_keeping_is_the_default(home: Home) -> None:
    transcript = await some_sessions()
    async with opened(a_desk(home, transcript=transcript)) as driver:
        await at_sessions(driver)
        await driver.press(*"passport")
        await driver.until(lambda: "Sourdough" not in driver.screen_text())
        await driver.press("ctrl+d")
        await driver.until(lambda: "erased from this machine" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, SessionsScreen))
        assert len(await transcript.sessions()) == 3
        await driver.press("ctrl+d")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("2")
        await driver.until(lambda: "Nothing found." in driver.screen_text())
        assert len(await transcript.sessions()) == 2


async def test_the_open_conversation_can_be_deleted(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("A talk to forget")
        await driver.send_command("/delete")
        await driver.until(lambda: isinstance(driver.app.screen, Choice))
        await driver.press("2")
        await driver.until(lambda: "New conversation" in driver.header())
        assert await driver.app.desk.conversation.transcript.sessions() == ()


async def test_a_conversation_is_exported(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(a_desk(home, transcript=await some_sessions())) as driver:
        await at_sessions(driver)
        await driver.press(*"dinner", "ctrl+e")
        await driver.until(lambda: "Written to" in driver.screen_text())
    text = (tmp_path / "birthday-dinner.md").read_text()
    assert text.startswith("# Birthday dinner\n")
    assert "An answer about birthday dinner." in text
    assert (tmp_path / "birthday-dinner.md").stat().st_mode & 0o077 == 0


async def test_opening_another_conversation_stops_the_answer_and_keeps_it(home: Home) -> None:
    transcript = await some_sessions()
    reply: Reply = ["Half ", "an answer ", Hang()]
    async with opened(a_desk(home, reply, transcript=transcript)) as driver:
        await driver.write("Tell me")
        await driver.press("enter")
        await driver.until(lambda: "Half an answer" in driver.transcript_text())
        await at_sessions(driver)
        await driver.press(*"rise")
        await driver.until(lambda: "Passport" not in driver.screen_text() and "Sourdough" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: "My dough does not rise" in driver.transcript_text())
        assert "Half an answer" not in driver.transcript_text()
        assert "Sourdough" in driver.header()
        (told,) = await transcript.sessions(title_contains="Tell me")
        last = (await transcript.path(told.id))[-1]
        assert (last.content, last.status) == ("Half an answer ", "stopped")


async def test_a_new_conversation_leaves_the_old_one(home: Home) -> None:
    async with opened(a_desk(home, "One.", "Two.")) as driver:
        await driver.send("first talk")
        await driver.press("ctrl+n")
        await driver.until(lambda: "first talk" not in driver.transcript_text())
        assert "New conversation" in driver.header()
        await driver.send("second talk")
        assert len(await driver.app.desk.conversation.transcript.sessions()) == 2


async def test_an_incognito_conversation_is_kept_nowhere(home: Home) -> None:
    desk = a_desk(home, "Hush.", "Kept.")
    kept = desk.conversation.transcript
    async with opened(desk) as driver:
        await driver.send_command("/incognito")
        await driver.until(lambda: "INCOGNITO" in driver.header())
        await driver.send("a secret")
        assert "Hush." in driver.transcript_text()
        assert await kept.sessions() == ()
        await driver.press("ctrl+n")
        await driver.until(lambda: "INCOGNITO" not in driver.header())
        await driver.send("no secret")
        assert len(await kept.sessions()) == 1


# commands, help, themes, keys


async def test_commands_are_suggested_and_taken(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        await driver.press("slash", *"con")
        await driver.until(lambda: "/context" in driver.screen_text())
        await driver.press("tab")
        await driver.until(lambda: isinstance(driver.app.screen, Context))


async def test_a_command_that_needs_words_waits_for_them(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("Some talk")
        await driver.press("slash", *"ren", "tab")
        assert driver.chat.prompt.text == "/rename "
        await driver.press(*"Mine", "enter")
        await driver.until(lambda: "Mine" in driver.header())


async def test_an_unknown_command_is_not_sent(home: Home) -> None:
    model = ScriptedModel("It is a path.")
    async with opened(a_desk(home, model=model)) as driver:
        await driver.write("/contxt")
        await driver.press("enter")
        await driver.until(lambda: any("Did you mean /context?" in notice for notice in driver.notices()))
        assert driver.chat.prompt.text == "/contxt"
        await driver.send("/etc/hosts is empty, why?")
        assert "It is a path." in driver.transcript_text()


async def test_two_slashes_send_one(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("//context")
        assert "/context" in driver.transcript_text()
        assert "//context" not in driver.transcript_text()


async def test_help_lists_every_key(home: Home) -> None:
    async with opened(a_desk(home, ui=UiSettings(keys={"sessions": "ctrl+s"}))) as driver:
        await driver.press("f1")
        await driver.until(lambda: isinstance(driver.app.screen, Help))
        await driver.until(lambda: "Everywhere" in driver.screen_text())
        assert "Ctrl+S" in driver.screen_text()


async def test_a_question_mark_shows_the_keys_of_what_is_open(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        await driver.press("a", "?")
        assert driver.chat.prompt.text == "a?"  # in a text it is a letter
        for opens, title in (("f12", "On the data screen"), ("f10", "On the reminders screen")):
            await driver.press(opens)
            await driver.until(lambda: len(driver.app.screen_stack) == 2)
            for key in ("?", "f1"):
                await driver.press(key)
                await driver.until(lambda: isinstance(driver.app.screen, Help))
                await driver.until(lambda: "Esc closes" in driver.screen_text())
                assert driver.screen_text().split("\n")[1].strip() == title
                await driver.press("?", "f1")
                assert len(driver.app.screen_stack) == 3  # help is not piled upon help
                await driver.press("escape")
                await driver.until(lambda: len(driver.app.screen_stack) == 2)
            await driver.press("escape")
            await driver.until(lambda: len(driver.app.screen_stack) == 1)


async def test_own_keys_work(home: Home) -> None:
    desk = a_desk(home, transcript=await some_sessions(), ui=UiSettings(keys={"sessions": "ctrl+s", "newline": "f20"}))
    async with opened(desk) as driver:
        await driver.press(*"a", "f20", *"b")
        assert driver.chat.prompt.text == "a\nb"
        await driver.press("ctrl+s")
        await driver.until(lambda: isinstance(driver.app.screen, SessionsScreen))


def test_wrong_own_keys_are_refused_before_anything_is_drawn(home: Home) -> None:
    from ui.app import StewardApp

    with pytest.raises(ConfigError, match="no action 'sesions'"):
        StewardApp(a_desk(home, ui=UiSettings(keys={"sesions": "f2"})))


async def test_the_palette_finds_commands(home: Home) -> None:
    async with opened(a_desk(home)) as driver:
        await driver.press("ctrl+p")
        await driver.press(*"left out")
        await driver.until(lambda: "what was left out" in driver.screen_text())
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, Context))


async def test_themes_change_while_it_runs(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("Hello")
        await driver.press("f4")
        assert driver.app.theme == "light"
        await driver.until(lambda: driver.chat.transcript.palette.colours.background == "#fcfbf8")
        await driver.send_command("/theme high-contrast")
        await driver.until(lambda: driver.app.theme == "high-contrast")


async def test_a_server_is_shown_at_all_times(home: Home) -> None:
    model = ScriptedModel()
    async with opened(a_desk(home, model=model)) as driver:
        info = ModelInfo(
            name="big", path="http://h/v1", context_length=4_096, backend="server", device="", leaves_process=True
        )
        model.become(Ready(info=info))
        await driver.until(lambda: "text leaves this process" in driver.header())


# sizes


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (200, 60)])
async def test_every_usual_size_shows_what_matters(home: Home, size: tuple[int, int]) -> None:
    async with opened(a_desk(home, "A short answer."), size) as driver:
        await driver.send("A question")
        assert "A short answer." in driver.screen_text()
        assert "waiting for you" in driver.screen_text()
        assert "F1 help" in driver.screen_text()


async def test_a_terminal_too_small_says_so_in_one_line(home: Home) -> None:
    async with opened(a_desk(home, "Fine.")) as driver:
        await driver.send("Hello")
        await driver.pilot.resize_terminal(50, 10)
        await driver.until(lambda: "Steward needs 60×16; this is 50×10" in driver.screen_text())
        await driver.pilot.resize_terminal(80, 24)
        await driver.until(lambda: "Fine." in driver.screen_text())


async def test_a_new_width_draws_the_messages_anew(home: Home) -> None:
    words = "many words " * 30
    async with opened(a_desk(home, [words])) as driver:
        await driver.send("Long line")
        await driver.pilot.resize_terminal(70, 30)
        await driver.until(lambda: max(len(line) for line in driver.transcript_text().split("\n")) <= 68)
        assert driver.transcript_text().count("many") == 30


def test_the_clock_of_the_desk_is_the_one_given(home: Home) -> None:
    clock = FixedClock()
    assert a_desk(home, clock=clock).clock is clock
    assert isinstance(a_desk(home), Desk)
