"""Line mode: labelled lines over fakes, every command, a pipe, and hostile text."""

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from assistant.deps import Prompts
from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from models.scripted import Hang, Reply, ScriptedModel, Step
from models.settings import ModelSettings
from models.types import Delta, Failure, Finished, GivenUp, ModelInfo, Progress, Ready
from tests.support.clock import FixedClock
from tests.support.english import english
from tests.support.naughty import OWN, large_list, raw_controls
from tests.support.talk import FullDisk
from ui.actions import COMMANDS as FULL_SCREEN_COMMANDS
from ui.configuration import Configuration, UiSettings
from ui.desk import Desk
from ui.line_input import LineReader
from ui.plain import PlainChat
from ui.plain_commands import COMMANDS
from ui.wiring import Options, Services

DIED = Failure(kind="worker_died", message="The model stopped.", hint="It is restarted.")
GREETING = "Steward, line mode. Type a message, or /help for the commands. Ctrl+D or /quit ends.\n"
DEMO = "status: demo: the answers are scripted, and nothing is kept\n"
Typed = str | Callable[[], Awaitable[str | None]]


class Lines:
    """Input typed beforehand; a function is called when its turn comes."""

    def __init__(self, typed: Sequence[Typed], *, echoes: bool = False) -> None:
        self.echoes = echoes
        self._typed = list(typed)

    async def read(self, prompt: str) -> str | None:
        if not self._typed:
            return None
        line = self._typed.pop(0)
        return line if isinstance(line, str) else await line()


async def a_desk(
    *replies: Reply,
    tmp_path: Path,
    transcript: InMemoryTranscript | None = None,
    window: int = 2_048,
    options: Options | None = None,
) -> Desk:
    model = ScriptedModel(*replies, context_length=window)
    await model.start()
    services = Services(
        options=options or Options(),
        home=await asyncio.to_thread(Home.resolve, str(tmp_path), {}),
        configuration=Configuration(model=ModelSettings(), assistant=AssistantSettings(), ui=UiSettings()),
        transcript=transcript or InMemoryTranscript(),
        clock=FixedClock(),
        prompts=Prompts(system="You are Steward."),
        language=english(),
    )
    return await asyncio.to_thread(Desk, services, model)


async def chat(desk: Desk, *typed: Typed, reader: LineReader | None = None) -> str:
    """Everything printed after the greeting."""
    out = io.StringIO()
    code = await PlainChat(desk, reader or Lines(typed), out).run()
    assert code == 0
    assert out.getvalue().startswith(GREETING)
    return out.getvalue().removeprefix(GREETING)


async def test_a_conversation_reads_as_labelled_lines(tmp_path: Path) -> None:
    desk = await a_desk("Hi.", "Fine. And you?", tmp_path=tmp_path)
    assert await chat(desk, "Hello", "", "How are you?") == (
        "you: Hello\nsteward: Hi.\nyou: \nyou: How are you?\nsteward: Fine. And you?\n"
    )


async def test_a_terminal_that_echoes_is_not_repeated(tmp_path: Path) -> None:
    desk = await a_desk("Hi.", tmp_path=tmp_path)
    assert await chat(desk, reader=Lines(["Hello"], echoes=True)) == "steward: Hi.\n"


async def test_a_line_that_ends_with_a_backslash_goes_on(tmp_path: Path) -> None:
    desk = await a_desk("Hi.", tmp_path=tmp_path)
    await chat(desk, reader=Lines(["one\\", "two\\", "three"], echoes=True))
    assert (await desk.conversation.session.messages())[0].content == "one\ntwo\nthree"


async def test_several_lines_at_once_are_a_paste(tmp_path: Path) -> None:
    desk = await a_desk("Hi.", tmp_path=tmp_path)
    await chat(desk, "/quit is a command\nline 2")
    assert (await desk.conversation.session.messages())[0].origin == "pasted"


async def test_the_answer_comes_sentence_by_sentence(tmp_path: Path) -> None:
    written: list[str] = []

    class Watched(io.StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return super().write(text)

    desk = await a_desk("\n\nOne two. Three four.\nFive", tmp_path=tmp_path)
    await PlainChat(desk, Lines(["Count"]), Watched()).run()
    assert written[2:] == ["steward: One two. ", "Three four.\n", "Five", "\n"]


async def test_what_there_is_to_wait_for_is_said_once(tmp_path: Path) -> None:
    steps: list[Step] = [
        Progress(stage="reading", done=0, total=900),
        Progress(stage="reading", done=500, total=900),
        Delta(text="Hm", thought=True),
        Delta(text="m", thought=True),
        "Yes.",
    ]
    desk = await a_desk(steps, tmp_path=tmp_path)
    assert await chat(desk, "Hello") == ("you: Hello\nstatus: reading 900 tokens\nstatus: thinking\nsteward: Yes.\n")


async def test_what_is_not_kept_is_said_first(tmp_path: Path) -> None:
    assert await chat(await a_desk(tmp_path=tmp_path, options=Options(incognito=True))) == (
        "status: incognito: nothing is kept\n"
    )


async def test_a_model_that_is_not_there_is_said_first(tmp_path: Path) -> None:
    desk = await a_desk(tmp_path=tmp_path)
    assert isinstance(desk.model, ScriptedModel)
    desk.model.become(GivenUp(failure=Failure(kind="model_missing", message="No model.", hint="steward models pull")))
    assert await chat(desk) == "status: No model. /model fetch\n"


async def test_that_text_leaves_the_process_is_said_before_it_does(tmp_path: Path) -> None:
    info = ModelInfo(
        name="big", path="http://far.example/v1", context_length=2_048, backend="server", device="", leaves_process=True
    )
    desk = await a_desk("Hi.", "Fine.", tmp_path=tmp_path)
    assert isinstance(desk.model, ScriptedModel)
    desk.model.become(Ready(info=info))
    warning = "status: what you write goes to http://far.example/v1, out of this process\n"
    printed = await chat(desk, "Hello", "How are you?")
    assert printed.startswith(f"you: Hello\n{warning}steward: Hi.\n")
    assert printed.count(warning) == 1


async def test_a_failure_names_the_next_step(tmp_path: Path) -> None:
    desk = await a_desk(["One", Finished(reason="worker_died", failure=DIED)], "Hi.", tmp_path=tmp_path)
    assert await chat(desk, "Count", "Hello") == (
        "you: Count\nsteward: One\nerror: The model stopped.\nnext: It is restarted.\nyou: Hello\nsteward: Hi.\n"
    )


async def test_a_full_disk_is_told_and_the_chat_goes_on(tmp_path: Path) -> None:
    desk = await a_desk("Hi.", transcript=FullDisk(refuses={"create_session"}), tmp_path=tmp_path)
    printed = await chat(desk, "Hello", "/model")
    assert "error: Your message could not be saved: The disk is full." in printed
    assert "window 2,048 tokens" in printed


async def test_stopped_answers_are_marked(tmp_path: Path) -> None:
    class Watched(io.StringIO):
        def write(self, text: str) -> int:
            if "two" in text:
                desk.conversation.session.cancel()
            return super().write(text)

    desk = await a_desk(["One. ", "two. ", Hang()], tmp_path=tmp_path)
    out = Watched()
    await PlainChat(desk, Lines(["Count"]), out).run()
    assert out.getvalue().endswith("steward: One. two. \nstatus: stopped; what came until then is kept\n")


async def test_a_message_that_is_too_long_is_offered_to_be_cut(tmp_path: Path) -> None:
    desk = await a_desk("Words.", tmp_path=tmp_path)
    printed = await chat(desk, "word " * 5_000, "1")
    assert "error: This message is too long" in printed
    assert "Send its beginning?\n1. Yes, send what fits\n2. No, leave it\nnumber, 1 or 2 (empty: none): 1\n" in printed
    assert printed.endswith("steward: Words.\n")


async def test_anything_else_than_a_number_is_the_next_input(tmp_path: Path) -> None:
    desk = await a_desk("Hi.", tmp_path=tmp_path)
    printed = await chat(desk, "word " * 5_000, "Hello")
    assert "(empty: none): Hello\nstatus: nothing chosen; that is taken as what you say next\nyou: Hello\n" in printed
    assert printed.endswith("steward: Hi.\n")


async def test_what_is_left_out_is_said_each_time_it_grows(tmp_path: Path) -> None:
    desk = await a_desk(*("word " * 150 for _ in range(12)), window=1_024, tmp_path=tmp_path)
    printed = await chat(desk, *(f"Question {number}" for number in range(12)), "/context")
    assert printed.count("left out of the prompt (/context)") >= 2
    assert "Left out: " in printed.split("you: /context")[1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/hepl", "error: There is no command /hepl.\nnext: /help lists them; //hepl sends it.\n"),
        ("/open", "error: Which conversation?\nnext: /sessions numbers them; /open 1 opens the first.\n"),
        ("/open nowhere", "error: There is no session 'nowhere'."),
        ("/search", "error: Which words?"),
        ("/search words", "status: nothing found\n"),
        ("/sessions", "status: no conversation\n"),
        ("/sessions tax", "status: no conversation named tax\n"),
        ("/rename x", "error: There is no conversation to name yet.\n"),
        ("/delete", "error: There is nothing to delete yet.\n"),
        ("/show", "status: nothing was said yet\n"),
        ("/show 3", "error: There is no number 3 here.\n"),
        ("/edit x", "error: You have said nothing yet.\n"),
        ("/again", "error: You have said nothing yet.\n"),
        ("/branch", "error: Nothing here has an alternative.\n"),
        ("/why", "error: There is no answer yet.\n"),
        ("/copy", "error: There is no answer yet.\n"),
        ("/paste", "Every line until one with only a full stop is one message.\n"),
    ],
)
async def test_commands_with_nothing_to_work_on(tmp_path: Path, typed: str, said: str) -> None:
    assert (await chat(await a_desk(tmp_path=tmp_path), typed)).startswith(f"you: {typed}\n{said}")


class TestCommands:
    async def test_conversations_are_listed_opened_renamed_searched_and_deleted(self, tmp_path: Path) -> None:
        desk = await a_desk("Hi.", "Passport found.", tmp_path=tmp_path)
        printed = await chat(
            desk, "Hello there", "/new", "My passport?", "/sessions", "/open 2", "/rename Greetings", "/show",
            "/search passport", "/open 1", "/delete", "1", "/sessions",
        )  # fmt: skip
        assert '1. "My passport?", 2 messages, ' in printed
        assert '2. "Hello there", 2 messages, ' in printed
        assert 'status: opened "Hello there", 2 messages. /show reads them.\n' in printed
        assert 'status: renamed to "Greetings"\n' in printed
        assert "1. you: Hello there\n2. steward: Hi.\n" in printed
        assert '1. "My passport?", you: My passport?\n' in printed
        assert 'Delete "My passport?", 2 messages, for good?\n' in printed
        assert printed.split("status: deleted\n")[1].startswith('you: /sessions\n1. "Greetings"')

    async def test_deleting_is_not_the_default(self, tmp_path: Path) -> None:
        desk = await a_desk("Hi.", tmp_path=tmp_path)
        assert "status: kept\n" in await chat(desk, "Hello", "/delete", "")
        assert len(await desk.conversation.transcript.sessions()) == 1

    async def test_edit_again_and_branches(self, tmp_path: Path) -> None:
        desk = await a_desk("Rome.", "Paris.", "Paris, France.", tmp_path=tmp_path)
        printed = await chat(
            desk, "Italy?", "/edit France?", "/again", "/branch", "1", "/branch 1 previous", "/show",
        )  # fmt: skip
        assert "Alternatives:\n1. Paris.\n2. Paris, France. (shown now)\nnumber, 1 or 2 (empty: none): 1\n" in printed
        assert "status: alternative 1 of 2: Paris.\n" in printed
        assert "status: alternative 1 of 2: Italy?\n" in printed
        assert printed.endswith("1. you: Italy?\n2. steward: Rome.\n")

    async def test_edit_asks_for_the_text_and_takes_a_number(self, tmp_path: Path) -> None:
        desk = await a_desk("a1", "b1", "A1", tmp_path=tmp_path)
        printed = await chat(desk, "a", "b", "/edit #1", "A", "/edit #2 x", "/edit", "")
        assert "Now: a\ninstead: A\nsteward: A1\n" in printed
        assert "error: That is not one of your messages.\n" in printed
        assert printed.endswith("status: left as it is\n")

    async def test_why_context_and_thoughts(self, tmp_path: Path) -> None:
        desk = await a_desk([Delta(text="A greeting.", thought=True), "Hi."], tmp_path=tmp_path)
        printed = await chat(desk, "Hello", "/why", "/thoughts 2", "/context")
        assert "Model: scripted. Ended: stop.\n" in printed
        assert "Nothing was left out.\n" in printed
        assert "thought: A greeting.\n" in printed

    async def test_the_reasons_of_an_earlier_run_are_not_made_up(self, tmp_path: Path) -> None:
        desk = await a_desk("Hi.", tmp_path=tmp_path)
        await chat(desk, "Hello")
        later = await a_desk(transcript=desk.conversation.transcript, tmp_path=tmp_path)  # type: ignore[arg-type]  # in memory
        assert "made in an earlier run" in await chat(later, "/sessions", "/open 1", "/why")

    async def test_links_show_their_true_target(self, tmp_path: Path) -> None:
        desk = await a_desk("See [bank.example](http://evil.example/x).", tmp_path=tmp_path)
        assert "1. http://evil.example/x Careful: The connection is not encrypted" in await chat(desk, "Hi", "/links")

    async def test_a_conversation_is_written_beside_what_is_there(self, tmp_path: Path) -> None:
        desk = await a_desk("Hi.", tmp_path=tmp_path)
        file = tmp_path / "talk.md"
        printed = await chat(desk, "/export", "Hello", f"/export {file}", f"/export {file}", "/export /nowhere/x.md")
        assert "error: There is nothing to export yet.\n" in printed
        assert f"status: written to {tmp_path}/talk-2.md\n" in printed
        assert "error: It could not be exported: No such file or directory\n" in printed
        assert "## Steward" in await asyncio.to_thread(file.read_text)

    async def test_lines_until_a_full_stop_are_one_message(self, tmp_path: Path) -> None:
        desk = await a_desk("Hi.", tmp_path=tmp_path)
        await chat(desk, "/paste", "/quit", "", "three", ".")
        (said, _) = await desk.conversation.session.messages()
        assert (said.content, said.origin) == ("/quit\n\nthree", "pasted")

    async def test_incognito_keeps_nothing(self, tmp_path: Path) -> None:
        desk = await a_desk("Hi.", "Secret.", "Back.", tmp_path=tmp_path)
        kept = desk.conversation.transcript
        await chat(desk, "Hello", "/incognito", "A secret", "/new", "Hello again")
        assert [row.title for row in await kept.sessions()] == ["Hello again", "Hello"]

    async def test_help_names_every_command(self, tmp_path: Path) -> None:
        printed = await chat(await a_desk(tmp_path=tmp_path), "/help")
        assert all(f"/{name}" in printed for name in COMMANDS)

    async def test_quit_ends_and_leaves_the_rest_unread(self, tmp_path: Path) -> None:
        assert await chat(await a_desk(tmp_path=tmp_path), "/quit", "Hello") == "you: /quit\n"


NOT_NEEDED = {"theme", "mouse"}


def test_every_command_of_the_full_screen_is_here() -> None:
    for command in FULL_SCREEN_COMMANDS:
        assert command.name in COMMANDS or command.name in NOT_NEEDED, command.name


class TestInterrupt:
    async def test_twice_with_nothing_to_stop_ends(self, tmp_path: Path) -> None:
        out = io.StringIO()
        desk = await a_desk(tmp_path=tmp_path)
        shown = PlainChat(desk, Lines([wait_for_ever]), out)
        running = asyncio.create_task(shown.run())
        for _ in range(2):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            shown.interrupted()
        assert await running == 130
        assert "nothing to stop" in out.getvalue()


async def wait_for_ever() -> str | None:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def test_naughty_strings_come_back_without_a_control_character(tmp_path: Path) -> None:
    desk = await a_desk(*([text, " ."] for text in OWN for _ in range(2)), tmp_path=tmp_path)
    for text in OWN:
        one = " ".join(text.split())
        printed = await chat(desk, f"x {text}", "/again", "/show", f"/rename x{one}", "/sessions", f"/search {one}")
        assert raw_controls(printed) == []
        assert len(await desk.conversation.session.messages()) == 2, "a line of the text was taken for a command"
        desk.begin(incognito=False)


@pytest.mark.skipif(not large_list(), reason="STEWARD_TEST_DATA names no folder with blns/blns.txt")
async def test_so_do_those_of_the_big_list(tmp_path: Path) -> None:
    large = large_list()
    desk = await a_desk(*([text, " ."] for text in large), tmp_path=tmp_path)
    for text in large:
        assert raw_controls(await chat(desk, f"x {text}", f"/rename x{text}")) == []
        desk.begin(incognito=False)


def test_over_a_pipe_from_the_shell() -> None:
    """The real program with the scripted model: what comes in by a pipe is answered line by line."""
    done = subprocess.run(
        [sys.executable, "-m", "ui", "--demo", "--plain"],
        input=b"thanks\n/sessions\n",
        capture_output=True,
        timeout=60,
        check=False,
        env=dict(os.environ),
    )
    printed = done.stdout.decode()
    assert done.returncode == 0
    assert printed.startswith(f"{GREETING}{DEMO}you: thanks\nsteward: You are welcome.")
    assert '1. "thanks", 2 messages' in printed
    assert done.stderr == b""
