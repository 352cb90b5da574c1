"""The terminal UI as a process in a terminal: starting, pasting, editing outside, being told to end."""

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from memory.data_dir import Home, OwnerLock
from tests.support.terminal import Screen, in_terminal

READY = "waiting for you"


def scripted(folder: Path, **parts: object) -> tuple[str, ...]:
    file = folder / "script.json"
    file.write_text(json.dumps(parts), encoding="utf-8")
    return ("-m", "tests.support.scripted_screen", "--home", str(folder / "home"), "--script", str(file))


def quit_from(screen: Screen) -> None:
    screen.send("\x11")
    assert screen.ended() == 0


def test_the_demo_answers(tmp_path: Path) -> None:
    with in_terminal("-m", "ui", "--home", str(tmp_path), "--demo", columns=80, rows=24) as screen:
        screen.until_text("Ask anything.")
        screen.until_text("DEMO")
        screen.send("hello\r")
        screen.until_text("a scripted demo")
        quit_from(screen)
    assert not (tmp_path / "data").exists()


def test_the_first_screen_is_there_before_the_rest_and_takes_what_is_typed(tmp_path: Path) -> None:
    with in_terminal("-m", "ui", "--home", str(tmp_path), "--demo") as screen:
        screen.until_text("starting; you can write already")
        assert "›" in screen.text()
        screen.send("hello\r")
        screen.until_text("a scripted demo")
        quit_from(screen)
        assert screen.foreign_controls() == []


def test_quitting_before_the_ui_is_there(tmp_path: Path) -> None:
    with in_terminal("-m", "ui", "--home", str(tmp_path), "--demo") as screen:
        screen.until_text("starting; you can write already")
        quit_from(screen)


def test_an_interrupt_before_the_ui_is_there_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with in_terminal("-m", "ui", "--home", str(tmp_path), "--demo") as screen:
        screen.until_text("starting; you can write already")
        screen.send("\x03")
        assert screen.ended() == 130
    assert screen.raw.count(b"\x1b[?1049h") == screen.raw.count(b"\x1b[?1049l") == 1
    assert b"Traceback" not in screen.raw


def test_a_home_in_use_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    home = Home.resolve(str(tmp_path), {})
    home.make()
    with OwnerLock(home, what="a test"), in_terminal("-m", "ui", "--home", str(tmp_path)) as screen:
        assert screen.ended() == 3
    assert screen.raw.count(b"\x1b[?1049h") == screen.raw.count(b"\x1b[?1049l") == 1
    assert b"steward:" in screen.raw[screen.raw.index(b"\x1b[?1049l") :]


def test_the_terminal_gets_its_settings_back(tmp_path: Path) -> None:
    program = "stty -g; $PYTHON -m ui --home $PLACE --demo; stty -g"
    env = {"PYTHON": sys.executable, "PLACE": str(tmp_path)}
    with in_terminal("-c", f"import os; os.execvp('sh', ['sh', '-c', {program!r}])", env=env) as screen:
        screen.until_text("Ask anything.")
        screen.send("\x11")
        assert screen.ended() == 0
    settings = re.findall(rb"[0-9a-f]+(?::[0-9a-f]+){10,}", screen.raw)
    assert len(settings) == 2
    assert settings[0] == settings[1]


def test_one_line_and_enter_in_one_write_is_sent(tmp_path: Path) -> None:
    with in_terminal(*scripted(tmp_path, replies=[["An answer."]])) as screen:
        screen.until_text(READY)
        screen.send("a question\r")
        screen.until_text("An answer.")
        quit_from(screen)


def test_keys_right_after_tab_are_for_the_messages(tmp_path: Path) -> None:
    with in_terminal(*scripted(tmp_path, replies=[["An answer."]])) as screen:
        screen.until_text(READY)
        screen.send("a question\r")
        screen.until_text("An answer.")
        screen.until_text(READY)
        screen.send("\tw")
        screen.until_text("Why this answer")
        screen.send("\x1b")
        quit_from(screen)


def test_a_paste_without_brackets_is_one_draft(tmp_path: Path) -> None:
    with in_terminal(*scripted(tmp_path, replies=[])) as screen:
        screen.until_text(READY)
        screen.send("one\rtwo\rthree\rfour\rfive\r")
        screen.until(lambda text: all(word in text for word in ("one", "two", "three", "four", "five")), "the draft")
        time.sleep(0.2)  # longer than an Enter waits: nothing was sent
        screen.read()
        assert "you  " not in screen.text()
        quit_from(screen)


def test_a_paste_during_an_answer_stays_a_draft(tmp_path: Path) -> None:
    with in_terminal(*scripted(tmp_path, replies=[["word "] * 5_000], pace=0.02)) as screen:
        screen.until_text(READY)
        screen.send("go\r")
        screen.until_text("word word")
        screen.paste("one\rtwo\rthree\rfour")
        screen.until_text("four")
        assert "next:" not in screen.text()
        screen.send("\x1b")
        screen.until_text("stopped by you")
        assert "four" in screen.text()
        quit_from(screen)


def test_a_megabyte_is_pasted_and_sent(tmp_path: Path) -> None:
    lines = "\r".join(f"line {number} of a long log" for number in range(40_000))
    with in_terminal(*scripted(tmp_path, replies=[["Got it."]])) as screen:
        screen.until_text(READY)
        screen.paste(lines)
        screen.until_text("[pasted 40,000 lines #1]")
        time.sleep(0.1)  # past the moment in which Enter belongs to the paste
        screen.send("\r")
        screen.until(lambda text: "folded away" in text or "too long" in text, "the message or a question")
        screen.send("\x1b")
        quit_from(screen)


def test_the_editor_gets_the_text_and_gives_it_back(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "%s, and more" "$(cat "$1")" > "$1"\n')
    editor.chmod(0o755)
    with in_terminal(*scripted(tmp_path, replies=[]), env={"VISUAL": str(editor)}) as screen:
        screen.until_text(READY)
        screen.send("a thought")
        screen.until_text("a thought")
        screen.send("\x07")
        screen.until_text("a thought, and more")
        quit_from(screen)
    assert [path.name for path in (tmp_path / "home" / "state").iterdir() if path.suffix == ".md"] == []


def test_a_terminating_signal_keeps_the_draft_and_restores_the_terminal(tmp_path: Path) -> None:
    for ending in (signal.SIGTERM, signal.SIGHUP):
        with in_terminal(*scripted(tmp_path, replies=[])) as screen:
            screen.until_text(READY)
            screen.send(f" {ending.name}")
            screen.until_text(ending.name)
            os.kill(screen.child.pid, ending)
            assert screen.ended() == 0
            assert b"\x1b[?1049l" in screen.raw
        assert ending.name in (tmp_path / "home" / "state" / "draft.json").read_text()


def test_killed_while_writing_loses_no_more_than_the_last_moment(tmp_path: Path) -> None:
    with in_terminal(*scripted(tmp_path, replies=[])) as screen:
        screen.until_text(READY)
        screen.send("half a thought")
        draft = tmp_path / "home" / "state" / "draft.json"
        screen.until(lambda _: draft.exists() and "half a thought" in draft.read_text(), "the draft on disk")
        os.kill(screen.child.pid, signal.SIGKILL)
    with in_terminal(*scripted(tmp_path, replies=[])) as screen:
        screen.until_text("half a thought")
        quit_from(screen)


def test_the_first_screen_needs_no_engine(tmp_path: Path) -> None:
    program = (
        "import sys, ui.app\n"
        "engines = {'llama_cpp', 'chromadb', 'onnxruntime', 'huggingface_hub', 'numpy', 'tokenizers'}\n"
        "heavy = engines & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    with in_terminal("-c", program) as screen:
        assert screen.ended() == 0, screen.text()


def test_being_told_to_go_on_while_going_on_changes_nothing(tmp_path: Path) -> None:
    """SIGCONT without SIGTSTP, as when the terminal goes away: a second input thread would never end."""
    with in_terminal(*scripted(tmp_path, replies=[])) as screen:
        screen.until_text(READY)
        taken = screen.raw.count(b"\x1b[?1049h")
        for round_ in ("once", "twice"):
            os.kill(screen.child.pid, signal.SIGCONT)
            screen.send(f" {round_}")
            screen.until_text(round_)
        assert screen.raw.count(b"\x1b[?1049h") == taken
        quit_from(screen)


def test_an_enter_from_before_python_was_there_sends(tmp_path: Path) -> None:
    """Until the first screen the terminal makes a line feed of it."""
    program = (
        "import select, sys; print('type now', flush=True); select.select([0], [], [])\n"
        f"from ui.cli import main; sys.exit(main(['--home', {str(tmp_path)!r}, '--demo']))"
    )
    with in_terminal("-c", program) as screen:
        screen.until_text("type now")
        screen.send("hello\r")
        screen.until_text("a scripted demo")
        quit_from(screen)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_after_a_stop_everything_is_painted_again(tmp_path: Path) -> None:
    with in_terminal(*scripted(tmp_path, replies=[["An answer."]])) as screen:
        screen.until_text(READY)
        screen.send("a question\r")
        screen.until_text("An answer.")
        screen.until_text(READY)
        before = screen.text()
        os.kill(screen.child.pid, signal.SIGTSTP)
        screen.until(lambda _: is_stopped(screen.child.pid), "stopped")
        screen.forget()
        os.kill(screen.child.pid, signal.SIGCONT)
        screen.until(lambda text: text == before, "the same again")
        quit_from(screen)


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_the_terminal_goes_away(tmp_path: Path) -> None:
    with in_terminal("-m", "ui", "--home", str(tmp_path), "--demo") as screen:
        screen.until_text("Ask anything.")
        screen.child.ptyproc.fileobj.close()
        assert screen.child.wait() == 0
