"""In a real pseudo-terminal: whatever is said, pasted, thought, named or failed, no control byte of it gets through."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.support.naughty import OWN, large_list
from tests.support.terminal import Screen, in_terminal

ESCAPES = (
    "\x1b]52;c;cm0gLXJmIH4=\x07",
    "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x1bP+q544e\x1b\\",
    "\x9b31mred\x9d0;t\x9c",
    "\x07\x08\x7f\x00",
)
HOSTILE = " ".join((*ESCAPES, "[/", "[@click=app.quit]x[/]", "\u202etxt.exe", "\U000e0041"))


def script(folder: Path, **parts: object) -> tuple[str, ...]:
    file = folder / "script.json"
    file.write_text(json.dumps(parts), encoding="utf-8")
    return ("-m", "tests.support.scripted_screen", "--home", str(folder / "home"), "--script", str(file))


def assert_clean(screen: Screen) -> None:
    assert screen.foreign_controls() == []
    text = screen.raw.decode("utf-8", errors="replace")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", text)


def quit_from(screen: Screen) -> None:
    screen.send("\x11")
    assert screen.ended() == 0


def test_the_check_would_find_them() -> None:
    """The negative control: the same check on raw text finds every one of them."""
    screen = Screen.__new__(Screen)
    for escape in ESCAPES:
        screen.raw = f"\x1b[1;1Hbefore{escape}after\x1b[0m".encode()
        if escape != "\x1b[2J\x1b[H":
            assert screen.foreign_controls(), ascii(escape)
    screen.raw = b"\x1b[?1049h\x1b[1;1Hplain\x1b[0m"
    assert screen.foreign_controls() == []


def test_every_place_where_foreign_text_is_shown(tmp_path: Path) -> None:
    chunks = [HOSTILE[at : at + 3] for at in range(0, len(HOSTILE), 3)]
    arguments = script(
        tmp_path, replies=[chunks], thought=HOSTILE, titles=[HOSTILE], failure=HOSTILE, model=f"model {HOSTILE}"
    )
    with in_terminal(*arguments) as screen:
        screen.until_text("waiting for you")
        screen.paste(f"see: {HOSTILE}")
        screen.until_text("see:")
        screen.send("\r")
        screen.until_text("cut off")
        screen.send("\t")
        screen.until_text("┃ steward")
        screen.send("t")  # thoughts
        screen.until_text("thoughts · t folds them")
        screen.send("w")
        screen.until_text("Esc closes")
        screen.send("\x1b")
        screen.until_text("waiting for you")
        screen.send("o")
        screen.until_text("Esc closes")
        screen.send("\x1b")
        screen.until_text("waiting for you")
        screen.send("\x1bOQ")  # F2: titles
        screen.until_text("Conversations")
        screen.until_text("today")
        screen.send("title")
        screen.until(lambda text: "title" in text, "the filter")
        screen.send("\x1b")
        quit_from(screen)
        assert_clean(screen)


def test_strings_that_break_other_programs(tmp_path: Path) -> None:
    strings = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in (*OWN, *large_list())]
    answer = "\n\n".join(strings)
    with in_terminal(*script(tmp_path, replies=[[answer[at : at + 7] for at in range(0, len(answer), 7)]])) as screen:
        screen.until_text("waiting for you")
        screen.paste("\n".join(strings[:40]).replace("\x1b", ""))
        screen.send(" go")
        screen.until_text("go")
        screen.send("\r")
        screen.until(lambda text: "waiting for you │" in text and "tok" in text, "the end of the answer")
        for _ in range(30):
            screen.send("\x1b[5~")
            screen.read()
        quit_from(screen)
        assert_clean(screen)


def test_a_copy_goes_to_the_terminal_only_by_its_own_key(tmp_path: Path) -> None:
    with in_terminal(*script(tmp_path, replies=[["a plain answer"]]), env={"PATH": "", "DISPLAY": ""}) as screen:
        screen.until_text("waiting for you")
        screen.send("hello\r")
        screen.until_text("a plain answer")
        screen.send("\t")
        screen.until_text("┃ steward")
        screen.send("y")
        screen.until_text("no clipboard tool")
        assert b"\x1b]52" not in screen.raw
        screen.send("\x1b[20~")  # F9
        screen.until_text("OSC 52")
        assert b"\x1b]52;c;YSBwbGFpbiBhbnN3ZXI=" in screen.raw
        quit_from(screen)


def test_no_color_means_no_colour(tmp_path: Path) -> None:
    with in_terminal(*script(tmp_path, replies=[["**bold** `code`"]]), env={"NO_COLOR": "1"}) as screen:
        screen.until_text("waiting for you")
        screen.send("hello\r")
        screen.until_text("bold code")
        screen.send("\x1bOQ")
        screen.until_text("Conversations")
        quit_from(screen)
    styles = re.findall(rb"\x1b\[([\d;]*)m", screen.raw)
    numbers = {int(number) for style in styles for number in style.split(b";") if number}
    assert numbers <= {0, 1, 3, 4, 7, 9, 39, 49}
    assert {1, 7} <= numbers  # bold, and what is marked


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_bug_restores_the_terminal_and_says_one_line(tmp_path: Path) -> None:
    with in_terminal(*script(tmp_path, replies=[], bug=True)) as screen:
        screen.until_text("waiting for you")
        screen.send("half a thought")
        screen.until_text("half a thought")
        screen.send("\x1bOP")  # F1
        assert screen.ended() == 1
    text = screen.raw.decode()
    after = text[text.rindex("\x1b[?1049l") :]
    assert "steward: something went wrong (RuntimeError)." in after
    assert str(tmp_path / "home" / "state" / "steward.log") in after.replace("\r\n", "")
    assert "Traceback" not in text
    assert "a value nobody should see" not in text
    assert "\x1b[?1000l" in text
    assert (tmp_path / "home" / "state" / "draft.json").read_text() == '{"text": "half a thought", "origin": "typed"}'
    assert "RuntimeError" in (tmp_path / "home" / "state" / "steward.log").read_text()
