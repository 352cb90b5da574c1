"""`steward daemon`: the files it installs, what it notifies, and how the home changes hands."""

import asyncio
import io
import json
import os
import plistlib
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assistant.reminder_settings import ReminderSettings
from memory.data_dir import Home, OwnerLock, holder_of
from memory.errors import HomeInUse
from memory.reminders import Due
from memory.reminders_in_memory import InMemoryReminders
from tests.support.clock import MONDAY, FixedClock
from tests.support.command_line import Run
from tests.support.reminders import added, an_instant, fired
from tests.support.waiting import eventually
from ui import handover, reminder_mail, suggestion_mail
from ui.daemon import DaemonTeller, serve
from ui.daemon_sign import living_daemon, nobody_tells, raise_sign, touch_sign
from ui.daemon_units import systemd_word, unit_for
from ui.errors import UiError
from ui.handover import DAEMON, Wish, is_wanted, take_home
from ui.notify import ToolNotifier, find_notifier
from ui.wiring import Options, owned

NASTY = '/home/a b/%h $HOME "q" back\\slash'


# --- files that are installed ----------------------------------------------------------------------------------


def unquoted(word: str) -> str:
    """As systemd reads one quoted word of ExecStart."""
    return shlex.split(word)[0].replace("%%", "%").replace("$$", "$")


def test_words_of_a_unit_are_taken_literally_by_systemd() -> None:
    assert unquoted(systemd_word(NASTY)) == NASTY
    with pytest.raises(UiError):
        systemd_word("a\nExecStart=/bin/evil")


def test_a_systemd_unit_starts_the_daemon() -> None:
    unit = unit_for(["/bin/steward", "--home", NASTY, "daemon", "run"], Path("/log"), {"HOME": "/h"}, "linux")
    text = unit.content.decode()
    assert unit.path == Path("/h/.config/systemd/user/steward-daemon.service")
    assert [line for line in text.splitlines() if line.startswith("ExecStart=")] == [
        f'ExecStart="/bin/steward" "--home" {systemd_word(NASTY)} "daemon" "run"'
    ]
    for line in ("Restart=on-failure", "NoNewPrivileges=yes", "WantedBy=default.target"):
        assert line in text.splitlines()
    assert unit.start[-1] == "systemctl --user enable --now steward-daemon.service"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = unit_for([sys.executable, "-m", "ui", "daemon", "run"], Path("/log"), {"HOME": str(tmp_path)}, "linux")
    file = tmp_path / unit.path.name
    file.write_bytes(unit.content)
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    command = ["systemd-analyze", "verify", "--user", str(file)]
    found = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_launchd_agent_starts_the_daemon() -> None:
    command = ["/bin/steward", "--home", NASTY + "<&>", "daemon", "run"]
    unit = unit_for(command, Path("/log"), {"HOME": "/h"}, "darwin")
    found = plistlib.loads(unit.content)
    assert found["ProgramArguments"] == command
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert found["RunAtLoad"] is True


def test_another_system_is_told_what_to_run() -> None:
    with pytest.raises(UiError) as refused:
        unit_for(["steward", "daemon", "run"], Path("/log"), {"HOME": "/h"}, "win32")
    assert "steward daemon run" in refused.value.hint


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd")
def test_install_writes_once_says_what_to_run_and_uninstall_removes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    code, out, _ = run("daemon", "install")
    assert code == 0
    assert "systemctl --user enable --now" in out
    unit = tmp_path / "config" / "systemd" / "user" / "steward-daemon.service"
    assert stat.S_IMODE(unit.stat().st_mode) == 0o600
    assert str(os.environ["STEWARD_HOME"]) in unit.read_text()
    assert "right" in run("daemon", "install")[1]
    unit.write_text("mine")
    assert run("daemon", "install")[0] == 1
    assert unit.read_text() == "mine"
    assert run("daemon", "install", "--force")[0] == 0
    assert json.loads(run("daemon", "status", "--json")[1])["installed"] is True
    assert "disable --now" in run("daemon", "uninstall")[1]
    assert not unit.exists()
    assert "nothing to remove" in run("daemon", "uninstall")[1]


# --- notifications ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Shown:
    taken: bool = True
    bodies: list[str] = field(default_factory=list)

    async def show(self, title: str, body: str) -> bool:
        self.bodies.append(body)
        return self.taken


async def dues(*texts: str) -> tuple[Due, ...]:
    store = InMemoryReminders()
    for number, text in enumerate(texts):
        await store.apply(added(an_instant(f"due{number:05}", text=text)), at=MONDAY)
    return await store.claim([fired(one) for one in await store.list()], at=MONDAY)


async def told(settings: ReminderSettings, shown: Shown | None, *texts: str) -> bool:
    return await DaemonTeller(settings, FixedClock(), shown, io.StringIO()).due(await dues(*texts))


async def test_what_a_reminder_says_is_not_on_a_locked_screen_unless_wished() -> None:
    shown = Shown()
    assert await told(ReminderSettings(), shown, "see the doctor")
    assert await told(ReminderSettings(), shown, "one", "two")
    assert shown.bodies == ["A reminder is due.", "2 reminders are due."]
    assert await told(ReminderSettings(notify_text=True), shown, "see the doctor")
    assert shown.bodies[-1].startswith("see the doctor, due ")
    assert await told(ReminderSettings(notify_text=True), shown, *"abcd")
    assert shown.bodies[-1].startswith("4 reminders: ")


async def test_what_nobody_could_see_is_told_by_the_next_owner() -> None:
    assert not await told(ReminderSettings(), None, "a")
    assert not await told(ReminderSettings(notify=False), Shown(), "a")
    assert not await told(ReminderSettings(), Shown(taken=False), "a")


def test_a_notification_is_words_never_options_script_or_markup() -> None:
    linux = ToolNotifier("notify-send").command("Steward", "--help <b>x</b> \x1b[31m\n$(id)")
    assert linux[-3:-1] == ("--", "Steward")
    assert linux[-1].startswith("--help &lt;b&gt;x&lt;/b&gt; ")
    assert "\x1b" not in linux[-1]
    macos = ToolNotifier("osascript", macos=True).command("Steward", '" & (do shell script "id") & "')
    assert macos[-1] == '" & (do shell script "id") & "'
    assert not any("do shell" in word for word in macos[:-1])


def test_without_a_tool_or_a_session_there_is_no_notifier(tmp_path: Path) -> None:
    tool = tmp_path / "notify-send"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert find_notifier({"PATH": str(tmp_path)}, "linux") is None
    assert find_notifier({"PATH": "", "XDG_RUNTIME_DIR": "/run"}, "linux") is None
    assert find_notifier({"PATH": str(tmp_path), "XDG_RUNTIME_DIR": "/run"}, "linux") is not None


@pytest.mark.skipif(sys.platform == "win32", reason="a script as a program")
async def test_a_tool_that_fails_or_is_gone_took_nothing(tmp_path: Path) -> None:
    assert not await ToolNotifier(str(tmp_path / "gone")).show("a", "b")
    assert not await ToolNotifier("/bin/false").show("a", "b")
    assert await ToolNotifier("/bin/true").show("a", "b")


# --- the home changes hands ------------------------------------------------------------------------------------


@asynccontextmanager
async def a_daemon() -> AsyncIterator[None]:
    stop = asyncio.Event()
    task = asyncio.create_task(serve(Options(), stop, io.StringIO()))
    yield
    stop.set()
    await task


def owner(home: Home) -> str:
    holder = holder_of(home)
    return holder.what if holder is not None else ""


async def owner_is(home: Home, what: str) -> None:
    async with asyncio.timeout(60):
        while await asyncio.to_thread(owner, home) != what:  # noqa: ASYNC110  # it may be another process
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user waits some seconds for the daemon to let go; a busy test machine may need more."""
    monkeypatch.setattr(handover, "WAIT_SECONDS", 60.0)
    monkeypatch.setattr(reminder_mail, "WAIT_SECONDS", 60.0)
    monkeypatch.setattr(suggestion_mail, "WAIT_SECONDS", 60.0)


async def test_a_steward_that_opens_has_the_home_and_the_daemon_takes_it_back(home: Home) -> None:
    """tests/benchmarks/waits.py takes the time."""
    async with a_daemon():
        await owner_is(home, DAEMON)
        for _ in range(3):
            async with owned(Options(), "chat"):
                assert await asyncio.to_thread(owner, home) == "chat"
                assert not await asyncio.to_thread(is_wanted, home)
            await owner_is(home, DAEMON)


def test_no_other_steward_gives_way(home: Home) -> None:
    with OwnerLock(home, what="chat"), pytest.raises(HomeInUse):
        take_home(home, what="chat", at=MONDAY)
    with OwnerLock(home, what=DAEMON), pytest.raises(HomeInUse):
        take_home(home, what=DAEMON, at=MONDAY)
    assert not is_wanted(home)


def test_a_wish_of_the_dead_is_no_wish(home: Home) -> None:
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    folder = home.state / "handover"
    folder.mkdir()
    for name in (f"{dead.pid}-abc", "nonsense", "99999999999999999999-abc"):
        (folder / name).touch()
    old = Wish(home)
    old.leave()
    (left,) = [path for path in folder.iterdir() if path.name.startswith(f"{os.getpid()}-")]
    os.utime(left, (1, 1))
    assert not is_wanted(home)
    assert list(folder.iterdir()) == []
    mine = Wish(home)
    mine.leave()
    assert is_wanted(home)
    mine.withdraw()
    mine.withdraw()
    assert not is_wanted(home)


def test_a_reminder_that_nobody_would_tell_is_warned_of(
    run: Run, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    code, out, err = run("ask", "remind me to call mum tomorrow at 9")
    assert code == 0
    assert out.startswith("Reminder: call mum")
    assert "steward: Nothing runs that would tell you: keep `steward` open" in err
    raise_sign(home)
    touch_sign(home, MONDAY)
    living = living_daemon(home)
    assert living is not None
    assert (living.pid, living.looked_at) == (os.getpid(), MONDAY)
    assert "Nothing runs" not in run("ask", "remind me to call dad tomorrow at 9")[2]
    (home.state / "daemon").write_text("99999999999")
    assert living_daemon(home) is None
    if sys.platform.startswith("linux"):
        assert run("daemon", "install")[0] == 0
        assert "systemctl --user enable --now" in nobody_tells(home)[0]


@pytest.fixture
def running_daemon(home: Home, tmp_path: Path) -> Iterator[Path]:
    """The real one in a process of its own; yields the file its notifications go to."""
    notified = tmp_path / "notified"
    tool = tmp_path / "bin" / "notify-send"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(notified))}\n')
    tool.chmod(0o755)
    env = {**os.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(tmp_path), "TZ": "UTC"}
    process = subprocess.Popen([sys.executable, "-m", "ui", "daemon", "run"], env=env, stdout=subprocess.DEVNULL)
    asyncio.run(owner_is(home, DAEMON))
    yield notified
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_real_daemon_from_a_second_terminal(running_daemon: Path, run: Run, home: Home) -> None:
    code, out, _ = run("remind", "stretch in 1 second")
    assert code == 0
    assert "Nothing runs" not in out
    asyncio.run(eventually(running_daemon.exists))
    assert "A reminder is due." in running_daemon.read_text()
    assert "Waiting for you:" in run("reminders")[1]
    assert json.loads(run("daemon", "status", "--json")[1])["running"] is True
    code, _, err = run("ask", "remind me to call mum tomorrow at 9")  # it has the home for that long
    assert (code, "Nothing runs" in err) == (0, False)
    assert living_daemon(home) is not None
    checks = {check["name"]: check for check in json.loads(run("doctor", "--json")[1])["checks"]}
    assert checks["daemon"]["detail"].startswith("runs, looked at")
    assert checks["reminders"]["state"] == "ok"
    code, out, _ = run("suggestions", "settings", "--on", "--most", "2")
    assert code == 0
    assert "2 a day" in out
    code, _, err = run("sessions", "rename", "none", "x")  # takes the home, and gives it back
    assert code == 1
    assert "no session" in err
    one = next(each for each in json.loads(run("reminders", "list", "--json")[1]) if each["text"] == "stretch")
    assert run("reminders", "done", one["id"])[0] == 0
