"""`steward ask`: what is printed, which conversation it belongs to, how it ends."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.events import TurnEvent
from memory.errors import NotFound
from models.scripted import Hang
from models.types import Delta, Failure, Finished
from tests.support.naughty import OWN, large_list, raw_controls
from tests.support.talk import FullDisk, Talk, a_talk_with, ended
from ui.asking import Asking, ask_in, place
from ui.cli import main
from ui.errors import UiError
from ui.headless import as_lines, as_text, walk, write

HOUR = timedelta(hours=1)
DIED = Failure(kind="worker_died", message="The model stopped.", hint="It is restarted.")


async def ask(talk: Talk, text: str, *, as_json: bool = False, cut: bool = False) -> tuple[str, str]:
    """What one question prints, and the finish reason."""
    out = io.StringIO()
    asking = Asking(text=text, as_json=as_json, cut_to_fit=cut)
    outcome = await ask_in(talk.session, asking, out=out, err=io.StringIO())
    return out.getvalue(), outcome.ended.finish_reason


class TestText:
    async def test_the_answer_alone_is_printed_with_one_newline_at_its_end(self) -> None:
        talk = a_talk_with(["Hi", "."], "Fine.\n", [Delta(text="Hm", thought=True), "Yes."])
        assert await ask(talk, "Hello") == ("Hi.\n", "stop")
        assert await ask(talk, "How are you?") == ("Fine.\n", "stop")
        assert await ask(talk, "Think.") == ("Yes.\n", "stop")

    async def test_it_comes_as_it_is_made(self) -> None:
        seen: list[str] = []

        class Watched(io.StringIO):
            def flush(self) -> None:
                seen.append(self.getvalue())

        talk = a_talk_with(["One", " two", " three"])
        await walk(talk.session.say("Count"), as_text(Watched(), lambda _: None))
        assert seen == ["One", "One two", "One two three", "One two three\n"]

    async def test_a_failure_is_an_error_after_what_came(self) -> None:
        talk = a_talk_with(["One", Finished(reason="worker_died", failure=DIED)])
        out = io.StringIO()
        with pytest.raises(UiError) as failed:
            await ask_in(talk.session, Asking(text="Count"), out=out, err=io.StringIO())
        assert (failed.value.message, failed.value.hint) == ("The model stopped.", "It is restarted.")
        assert out.getvalue() == "One\n"

    async def test_a_text_that_is_too_long_names_the_option_that_cuts_it(self) -> None:
        talk = a_talk_with("Words.")
        with pytest.raises(UiError, match="too long") as failed:
            await ask(talk, "word " * 5_000)
        assert "--cut" in failed.value.hint
        assert await ask(talk, "word " * 5_000, cut=True) == ("Words.\n", "stop")

    async def test_a_full_disk_is_told(self) -> None:
        talk = a_talk_with("Hi.", transcript=FullDisk(refuses={"add_user_message"}))
        with pytest.raises(UiError, match="disk is full"):
            await ask(talk, "Hello")


class TestJson:
    async def test_one_object_a_line_and_the_last_is_the_end(self) -> None:
        talk = a_talk_with(["Hi", "."])
        await talk.model.start()
        printed, _ = await ask(talk, "Hello", as_json=True)
        lines = [json.loads(line) for line in printed.splitlines()]
        assert [line["type"] for line in lines] == [
            "turn_started",
            "context_planned",
            "stage_changed",
            "reply_delta",
            "reply_delta",
            "turn_ended",
        ]
        assert talk.session.info is not None
        assert lines[-1] == {
            "type": "turn_ended",
            "text": "Hi.",
            "finish_reason": "stop",
            "tokens_in": 12,
            "tokens_cached": 0,
            "tokens_out": 2,
            "tokens_per_second": 0.0,
            "time_to_first_token": 0.0,
            "seconds_generating": 0.0,
            "context_used": 14,
            "context_total": 2048,
            "session_id": talk.session.info.id,
            "user_message_id": 1,
            "reply_message_id": 2,
        }

    async def test_a_failure_is_a_line_too(self) -> None:
        talk = a_talk_with([Finished(reason="worker_died", failure=DIED)])
        out = io.StringIO()
        with pytest.raises(UiError):
            await ask_in(talk.session, Asking(text="Count", as_json=True), out=out, err=io.StringIO())
        *_, failed, last = (json.loads(line) for line in out.getvalue().splitlines())
        assert failed["failure"] == {
            "kind": "worker_died",
            "message": "The model stopped.",
            "hint": "It is restarted.",
        }
        assert (last["type"], last["finish_reason"]) == ("turn_ended", "worker_died")


class TestPlace:
    """Which conversation a question belongs to."""

    async def placed(
        self, talk: Talk, asking: Asking, *, after: timedelta = timedelta(), no_learn: bool = False
    ) -> str:
        now = talk.clock.now() + after
        await place(talk.session, talk.transcript, asking, "no_learn" if no_learn else "normal", now, HOUR)
        return talk.session.info.title if talk.session.info else "new"

    async def a_talk(self) -> Talk:
        talk = a_talk_with("Hi.")
        await ended(talk.session.say("Earlier"))
        talk.session.new()
        return talk

    async def test_the_first_question_begins_one(self) -> None:
        assert await self.placed(a_talk_with(), Asking(text="Hello")) == "new"

    async def test_a_young_one_goes_on(self) -> None:
        assert await self.placed(await self.a_talk(), Asking(text="Hello"), after=HOUR / 2) == "Earlier"

    async def test_an_old_one_does_not(self) -> None:
        assert await self.placed(await self.a_talk(), Asking(text="Hello"), after=HOUR) == "new"

    async def test_new_begins_one(self) -> None:
        assert await self.placed(await self.a_talk(), Asking(text="Hello", new=True)) == "new"

    async def test_one_of_another_mode_does_not_go_on(self) -> None:
        talk = await self.a_talk()
        assert await self.placed(talk, Asking(text="Hello"), no_learn=True) == "new"
        assert talk.session.mode == "no_learn"

    async def test_a_named_one_goes_on_however_old(self) -> None:
        talk = await self.a_talk()
        (row,) = await talk.transcript.sessions()
        assert await self.placed(talk, Asking(text="Hello", session=row.id[:3]), after=HOUR * 999) == "Earlier"

    async def test_one_that_does_not_exist(self) -> None:
        with pytest.raises(NotFound):
            await self.placed(await self.a_talk(), Asking(text="Hello", session="nowhere"))


@pytest.mark.parametrize("as_json", [False, True])
async def test_a_reader_that_goes_away_stops_the_answer_and_it_is_kept(as_json: bool) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            if "two" in text:
                raise BrokenPipeError
            return super().write(text)

    talk = a_talk_with(["One", " two", Hang()])
    show: Callable[[TurnEvent], None] = as_lines(Gone()) if as_json else as_text(Gone(), lambda _: None)
    with pytest.raises(BrokenPipeError):
        await walk(talk.session.say("Count"), show)
    assert (await talk.path())[1] == ("assistant", "One two", "stopped")
    assert not talk.session.busy


def test_a_terminal_without_the_characters_gets_question_marks() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    write(out, "grüße\x1b")
    assert raw.getvalue() == b"gr??e?"


async def answered_cleanly(text: str) -> bool:
    """Whether `text` as a question and as the answer leaves no control character in output and title."""
    talk = a_talk_with([text], [text])
    printed = [(await ask(talk, f"x {text}", as_json=as_json))[0] for as_json in (False, True)]
    assert talk.session.info is not None
    return raw_controls("".join([*printed, talk.session.info.title])) == []


async def test_naughty_strings_come_back_without_a_control_character() -> None:
    assert [text for text in OWN if not await answered_cleanly(text)] == []


@pytest.mark.skipif(not large_list(), reason="STEWARD_TEST_DATA names no folder with blns/blns.txt")
async def test_so_do_those_of_the_big_list() -> None:
    assert [text for text in large_list() if not await answered_cleanly(text)] == []


class TestCommandLine:
    """Through the front door, with the scripted model."""

    @pytest.fixture
    def run(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
        def run(*args: str, stdin: bytes | None = None) -> tuple[int, str, str]:
            stream = io.TextIOWrapper(io.BytesIO(stdin or b""), encoding="utf-8")
            if stdin is None:
                monkeypatch.setattr(stream, "isatty", lambda: True)
            monkeypatch.setattr(sys, "stdin", stream)
            code = main(["--demo", "ask", *args])
            out, err = capsys.readouterr()
            return code, out, err

        return run

    def test_words_need_no_quotes(self, run: Any) -> None:
        code, out, err = run("thanks", "a", "lot")
        assert code == 0
        assert out.startswith("You are welcome.")
        assert err == ""

    def test_a_pipe_alone_is_the_question(self, run: Any) -> None:
        assert run(stdin=b"thanks\n")[1].startswith("You are welcome.")

    def test_a_dash_stands_for_the_pipe_between_words(self, run: Any) -> None:
        code, out, _ = run("Say", "-", "--json", stdin=b"thanks\n")
        assert code == 0
        assert json.loads(out.splitlines()[-1])["text"].startswith("You are welcome.")

    @pytest.mark.parametrize("stdin", [None, b"", b" \n\t"])
    def test_nothing_to_ask_is_wrong_usage(self, run: Any, stdin: bytes | None) -> None:
        code, out, err = run(stdin=stdin)
        assert (code, out) == (2, "")
        assert "nothing to ask" in err

    def test_an_empty_argument_is_wrong_usage(self, run: Any) -> None:
        assert run("")[0] == 2

    def test_session_and_new_exclude_each_other(self, run: Any) -> None:
        assert run("hi", "--new", "--session", "x")[0] == 2

    def test_a_session_that_does_not_exist(self, run: Any) -> None:
        code, out, err = run("hi", "--session", "nowhere")
        assert (code, out) == (1, "")
        assert err.startswith("steward: There is no session 'nowhere'.\n  ")


def test_ctrl_c_stops_the_answer_and_prints_what_came() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ui", "--demo", "ask", "tell me a long story", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(json.loads(line))
        if lines[-1]["type"] == "reply_delta":
            process.send_signal(signal.SIGINT)
            break
    rest, error = process.communicate(timeout=60)
    last = json.loads(rest.splitlines()[-1])
    assert process.returncode == 130
    assert (last["type"], last["finish_reason"]) == ("turn_ended", "cancelled")
    assert last["text"].startswith("Here")
    assert error == ""


def test_what_would_be_learned_in_the_background_ends_before_the_history_is_closed(own_home: Path) -> None:
    assert main(["ask", "I always drink green tea in the morning, every day."]) == 1  # there is no model
    log = (own_home / "state" / "steward.log").read_text()
    assert "background reading" not in log
