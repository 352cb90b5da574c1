"""`steward sessions`: what a person sees, what a program reads, and what happens beside another Steward."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from memory.data_dir import Home, OwnerLock
from memory.sqlite_transcript import SqliteTranscript
from memory.types import Session
from tests.support.builders import finished_reply, kept_talk
from tests.support.clock import MONDAY
from tests.support.command_line import Run
from ui.session_lines import fit

ROOT = Path(__file__).resolve().parents[2]

HOSTILE = "\x1b]0;owned\x07 \x9b31m \u202e [/] [@click=app.quit]x[/] \x7f end"


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "sessions")


@pytest.fixture
def kept(home: Home) -> tuple[Session, Session]:
    """Two conversations, the older one with a second branch."""
    return asyncio.run(keep_two(home))


async def keep_two(home: Home) -> tuple[Session, Session]:
    ids = iter(("aaaa1111", "abbb2222"))
    transcript = await SqliteTranscript.open(home.database, new_id=lambda: next(ids))
    older, (said, _) = await kept_talk(transcript, ["Where is my passport?", "In the drawer."], title="Passport")
    await finished_reply(transcript, said.id, "In the safe.", status="stopped")
    later = MONDAY + timedelta(hours=3)
    newer, _ = await kept_talk(transcript, ["Plan a trip to 京都", "Gladly."], title="Trip to Kyōto", at=later)
    older = await transcript.session(older.id)
    await transcript.close()
    return older, newer


def local(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def test_a_new_home_has_none_and_is_not_made(run: Run, own_home: Path) -> None:
    assert run() == run("list") == (0, "No conversations yet. `steward` starts one.\n", "")
    assert run("list", "--json") == (0, "[]\n", "")
    assert run("search", "x") == (0, "Nothing found.\n", "")
    assert not own_home.exists()


@pytest.mark.usefixtures("kept")
def test_the_list_is_aligned_and_newest_first(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "ID        Last used         Messages  Title",
        f"abbb2222  {local(MONDAY + timedelta(hours=3, seconds=1))}         2  Trip to Kyōto",
        f"aaaa1111  {local(MONDAY)}         3  Passport",
    ]
    assert run("list", "--limit", "1")[1].endswith("There are more than these 1: --limit 0 lists all.\n")
    assert "aaaa1111" in run("list", "--title", "passp")[1]
    assert "abbb2222" not in run("list", "--title", "passp")[1]
    assert run("list", "--title", "zebra")[1] == "No title has that in it.\n"


@pytest.mark.usefixtures("kept")
def test_the_list_as_json_has_the_documented_fields(run: Run) -> None:
    listed = json.loads(run("list", "--json")[1])
    assert [session["id"] for session in listed] == ["abbb2222", "aaaa1111"]
    assert listed[1] == {
        "id": "aaaa1111",
        "title": "Passport",
        "created_at": "2026-03-02T09:00:00.000000Z",
        "updated_at": "2026-03-02T09:00:00.000000Z",
        "mode": "normal",
        "message_count": 3,
        "imported_from": None,
    }


@pytest.mark.usefixtures("kept")
def test_show_prints_the_shown_branch_and_counts_the_rest(run: Run) -> None:
    code, out, _ = run("show", "aa")
    assert code == 0
    assert out.splitlines() == [
        "Passport",
        f"aaaa1111, started {MONDAY.astimezone():%A, %d %B %Y, %H:%M}, 3 messages",
        "",
        f"You ({local(MONDAY)}):",
        "Where is my passport?",
        "",
        f"Steward, tiny ({local(MONDAY)}, stopped):",
        "In the safe.",
        "",
        "(1 message of other branches, kept but not shown.)",
    ]


@pytest.mark.usefixtures("kept")
def test_search_shows_the_words_around_the_match(run: Run) -> None:
    assert run("search", "drawer")[1].splitlines() == [
        f"aaaa1111  {local(MONDAY + timedelta(seconds=1))}  Passport",
        "    Steward: In the «drawer».",
    ]
    assert "«京都»" in run("search", "京都")[1]
    assert "aaaa1111" in run("search", "my", "passp")[1]
    assert run("search", "zebra") == (0, "Nothing found.\n", "")
    (hit,) = json.loads(run("search", "--json", "drawer")[1])
    assert hit["session"]["id"] == "aaaa1111"
    assert hit["message"]["content"] == "In the drawer."
    ((start, end),) = hit["matches"]
    assert hit["snippet"][start:end] == "drawer"


@pytest.mark.usefixtures("kept")
def test_export_as_markdown_is_for_people(run: Run) -> None:
    code, out, _ = run("export", "aaaa1111")
    assert code == 0
    assert out.startswith("# Passport\n")
    assert "## You (" in out
    assert "In the safe." in out
    assert "In the drawer." not in out
    assert out.endswith("(1 message of other branches, kept but not shown.)\n")


@pytest.mark.usefixtures("kept")
def test_export_as_json_has_every_branch_and_is_stable(run: Run) -> None:
    first = run("export", "aaaa1111", "--format", "json")
    assert first == run("export", "aaaa1111", "--json") == run("show", "aaaa1111", "--json")
    value = json.loads(first[1])
    assert (value["format"], value["version"]) == ("steward-session", 1)
    contents = {message["id"]: message["content"] for message in value["messages"]}
    assert list(contents.values()) == ["Where is my passport?", "In the drawer.", "In the safe."]
    assert [contents[id] for id in value["shown"]] == ["Where is my passport?", "In the safe."]
    assert value["messages"][2] | {"id": 0, "parent_id": 0} == {
        "id": 0,
        "parent_id": 0,
        "role": "assistant",
        "content": "In the safe.",
        "thought": "",
        "origin": "generated",
        "status": "stopped",
        "model": "tiny",
        "finish_reason": "stop",
        "tokens_in": 10,
        "tokens_out": 5,
        "seconds": 0.5,
        "created_at": "2026-03-02T09:00:00.000000Z",
    }


@pytest.mark.usefixtures("kept")
def test_an_export_to_a_file_is_private_and_never_over_another(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "talk.json"
    code, out, _ = run("export", "aaaa1111", "--json", "--output", str(target))
    assert (code, out) == (0, f"'Passport' is written to {target}.\n")
    assert json.loads(target.read_text())["session"]["id"] == "aaaa1111"
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = target.read_bytes()
    code, out, err = run("export", "abbb2222", "--output", str(target))
    assert (code, out) == (1, "")
    assert err == f"steward: {target} is there already.\n  Choose another name with --output.\n"
    assert target.read_bytes() == before
    code, _, err = run("export", "abbb2222", "--output", str(tmp_path / "nowhere" / "talk.md"))
    assert code == 1
    assert "--output" in err


@pytest.mark.usefixtures("kept")
def test_rename_changes_the_title(run: Run) -> None:
    assert run("rename", "aa", "  New\n\x1b[31mname ")[:2] == (0, "aaaa1111 is now called 'New \ufffd[31mname'.\n")
    assert "New \ufffd[31mname" in run("list")[1]
    code, _, err = run("rename", "aa", " \n ")
    assert code == 2
    assert "The new title is empty." in err


@pytest.mark.usefixtures("kept")
def test_delete_asks_unless_told_not_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = run("delete", "aa")
    assert code == 1
    assert "--yes" in err
    assert "Passport" in run("list")[1]
    assert run("delete", "aa", "--yes")[:2] == (0, "'Passport' is deleted. Backups made before may still hold it.\n")
    assert "Passport" not in run("list")[1]
    assert run("search", "drawer")[1] == "Nothing found.\n"


@pytest.mark.parametrize(("answer", "stays"), [("n", True), ("", True), ("y", False)])
@pytest.mark.usefixtures("kept")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pty")
def test_delete_at_a_terminal_takes_only_a_yes(run: Run, own_home: Path, answer: str, stays: bool) -> None:
    out = at_a_terminal(own_home, ["sessions", "delete", "aa"], answer + "\n")
    assert "Delete 'Passport' with 3 messages? This cannot be undone. [y/N]" in out
    assert ("Passport" in run("list")[1]) is stays


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pty")
def test_at_60_columns_no_line_is_longer(home: Home, own_home: Path) -> None:
    async def keep() -> None:
        transcript = await SqliteTranscript.open(home.database)
        words = "very long words about a walrus in the morning"
        await kept_talk(transcript, [f"{words} 海象海象 " * 5, words], title=f"{words} 海象海象海象 and more")
        await transcript.close()

    asyncio.run(keep())
    for args in (["list"], ["search", "walrus"], ["search", "海象"]):
        lines = at_a_terminal(own_home, ["sessions", *args], "").splitlines()
        assert len(lines) > 1
        for line in lines:
            assert fit(line, 60) == line
        assert any(line.endswith("…") for line in lines)


def at_a_terminal(home: Path, args: list[str], typed: str) -> str:
    """What the command writes to a terminal of 60 columns."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 16, 60, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"STEWARD_HOME": str(home)}
    command = [sys.executable, "-m", "ui", *args]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment)
    os.close(theirs)
    os.write(ours, typed.encode())
    output = b""
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        output += piece
    os.close(ours)
    assert process.wait(30) == 0, output
    return output.decode().replace("\r\n", "\n")


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "args",
    [("show", "zz"), ("show", "a"), ("export", ""), ("rename", "%", "x"), ("delete", "zz", "--yes")],
)
def test_a_session_that_is_not_there_is_one_line_and_a_hint(run: Run, args: tuple[str, ...]) -> None:
    code, out, err = run(*args)
    assert (code, out) == (1, "")
    assert err.startswith("steward: ")
    assert len(err.splitlines()) == 2


@pytest.mark.usefixtures("kept")
def test_looking_works_beside_an_owner_and_changing_does_not(run: Run, home: Home) -> None:
    with OwnerLock(home, what="chat", at=MONDAY):
        for look in ("list", "show aa", "search drawer", "export aa"):
            code, out, err = run(*look.split())
            assert (code, err) == (0, "")
            assert out
        for change in ("rename aa x", "delete aa --yes"):
            code, out, err = run(*change.split())
            assert (code, out) == (3, "")
            assert f"process {os.getpid()}" in err
    assert "Passport" in run("list")[1]


def test_nothing_hostile_reaches_the_terminal(run: Run, home: Home) -> None:
    async def keep() -> None:
        transcript = await SqliteTranscript.open(home.database, new_id=lambda: "aaaa1111")
        await kept_talk(transcript, [f"walrus {HOSTILE}", HOSTILE], title=f"walrus {HOSTILE}")
        await transcript.close()

    asyncio.run(keep())
    looks = ["list", "show aa", "search walrus", "search quit", "export aa"]
    for line in (*looks, *(f"{look} --json" for look in looks)):
        assert_harmless(run(*line.split()))
    assert_harmless(run("rename", "aa", HOSTILE))
    assert json.loads(run("show", "aa", "--json")[1])["messages"][1]["content"] == HOSTILE


def assert_harmless(result: tuple[int, str, str]) -> None:
    code, out, _ = result
    assert code == 0
    assert not [c for c in out if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c in "\u202e\ue000\ue001"]


def test_a_damaged_history_is_not_shown_as_none(run: Run, home: Home) -> None:
    home.database.write_bytes(b"")
    for line in ("list", "search x", "show aa", "delete aa --yes"):
        code, out, err = run(*line.split())
        assert (code, out) == (1, "")
        assert "cannot be read: it is empty" in err
    assert home.database.read_bytes() == b""


@pytest.mark.usefixtures("kept")
def test_listing_and_searching_import_nothing_heavy(own_home: Path) -> None:
    script = (
        "import sys\n"
        "from ui.cli import main\n"
        "codes = [main(['sessions', *args]) for args in (['list'], ['search', 'drawer'], ['export', 'aa'])]\n"
        "heavy = {'llama_cpp', 'chromadb', 'textual', 'onnxruntime', 'huggingface_hub', 'numpy', 'sqlite_utils'}\n"
        "assert codes == [0, 0, 0], codes\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    environment = os.environ | {"STEWARD_HOME": str(own_home)}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True, capture_output=True)


def test_all_conversations_in_one_text(run: Run, kept: tuple[Session, Session]) -> None:
    code, out, err = run("export", "--all", "--format", "json")
    assert (code, err) == (0, "")
    whole = json.loads(out)
    assert (whole["format"], whole["version"]) == ("steward-sessions", 1)
    assert {one["session"]["id"] for one in whole["sessions"]} == {session.id for session in kept}
    for one in whole["sessions"]:
        assert one == json.loads(run("export", one["session"]["id"], "--json")[1])
    assert run("export", "--all", "--json") == (0, out, "")
    text = run("export", "--all")[1]
    assert text.count("\n---\n") == 1
    for session in kept:
        assert run("export", session.id)[1] in text


@pytest.mark.usefixtures("kept")
def test_only_those_since_a_day(run: Run) -> None:
    assert json.loads(run("export", "--since", "2100-01-01", "--json")[1])["sessions"] == []
    assert len(json.loads(run("export", "--since", "2000-01-01", "--json")[1])["sessions"]) == 2
    assert run("export", "--since", "2100-01-01")[1] == ""


@pytest.mark.usefixtures("kept")
def test_all_to_a_file_is_private_whole_and_never_over_another(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "all.json"
    code, out, err = run("export", "--all", "--json", "--output", str(target))
    assert (code, out) == (0, f"2 conversations are written to {target}.\n"), err
    assert len(json.loads(target.read_text("utf-8"))["sessions"]) == 2
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = target.read_bytes()
    code, _, err = run("export", "--all", "--output", str(target))
    assert code == 1
    assert "is there already" in err
    assert target.read_bytes() == before
    assert sorted(tmp_path.glob("*all*")) == [target]


@pytest.mark.parametrize("args", [(), ("aa", "--all"), ("aa", "--since", "2026-01-01"), ("--since", "yesterday")])
@pytest.mark.usefixtures("kept")
def test_one_or_several_has_to_be_said(run: Run, args: tuple[str, ...]) -> None:
    assert run("export", *args)[0] == 2
