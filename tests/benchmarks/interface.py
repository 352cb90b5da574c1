"""Measures the terminal UI in a pseudo-terminal: `python -m tests.benchmarks.interface`.

The real app on a scripted model, each scene in a process of its own that counts its own processor time and how late
its event loop is. One JSON line a measure: name, value, bar, passed. Takes about two minutes.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pexpect
from textual.widgets import Input

from assistant.ports import Transcript
from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.sqlite_transcript import SqliteTranscript
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import SessionId
from models.scripted import Hang, ScriptedModel, Step
from models.types import Delta
from tests.benchmarks.history import prepare
from tests.support.builders import finished_reply
from tests.support.clock import MONDAY
from tests.support.pilot import a_desk
from ui.app import StewardApp, show
from ui.screens.sessions import SessionsScreen
from ui.widgets.bars import Rows

SIZE = (40, 120)
OLD_MESSAGES = 60
TOKENS_WITH_OLD, RATE_WITH_OLD = 400, 20  # tokens, tokens a second
TOKENS_LONG, RATE_LONG = 2_000, 50
PATIENCE = 90.0

ANSWER = (
    "## A heading\n\nThis is a *sentence* with some **bold** words and `code` in it, as models write them, and it goes "
    "on for a while so that it has to be wrapped.\n\n- one thing\n- another thing, which is longer than the first one "
    "was\n- a third\n\n```python\ndef f(x: int) -> int:\n    # a comment\n    return x + 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | two |\n\n"
)


def tokens(count: int) -> list[str]:
    """About four characters each, like a model's."""
    pieces = re.findall(r"\s*\S{1,4}|\s+", ANSWER)
    return [pieces[index % len(pieces)] for index in range(count)]


async def a_talk(messages: int) -> tuple[InMemoryTranscript, SessionId]:
    transcript = InMemoryTranscript()
    session = await transcript.create_session(at=MONDAY, title="A long talk")
    parent = None
    for number in range(messages // 2):
        user = await transcript.add_user_message(session.id, parent, f"question {number}?", at=MONDAY)
        parent = (await finished_reply(transcript, user.id, ANSWER * 3)).id
    return transcript, session.id


class Lateness:
    """How late the event loop comes to a timer of 10 ms, in ms."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._began = time.perf_counter()
        self._task = asyncio.create_task(self._probe())

    async def _probe(self) -> None:
        while True:
            self._began = time.perf_counter()
            await asyncio.sleep(0.01)
            self._note()

    def _note(self) -> None:
        self.late.append(max(0.0, time.perf_counter() - self._began - 0.01) * 1e3)

    def end(self) -> dict[str, float]:
        """A timer that has not come yet counts as late as it is by now."""
        self._task.cancel()
        self._note()
        ordered = sorted(self.late)
        return {"p99": ordered[int(len(ordered) * 0.99)], "worst": ordered[-1]}


async def until(seen: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not seen():  # noqa: ASYNC110  # any state that can be seen
            await asyncio.sleep(0.02)


async def ready(app: StewardApp) -> None:
    await until(lambda: app.is_running and bool(app.screen_stack) and bool(app.chat.query("#status")))
    await until(lambda: "waiting for you" in app.chat.query_one("#status", Rows).text)
    await asyncio.sleep(0.3)


async def streamed(app: StewardApp, quarters: int = 1) -> dict[str, Any]:
    """Processor time of one answer, in each quarter of its tokens."""
    lateness, marks = Lateness(), [time.process_time()]
    total = TOKENS_LONG if quarters > 1 else TOKENS_WITH_OLD
    began = time.perf_counter()
    app.chat.say("Tell me", "typed")
    for quarter in range(1, quarters):
        await until(lambda: app.chat._meter._count >= total * quarter // quarters)  # noqa: B023
        marks.append(time.process_time())
    await until(lambda: not app.chat.view.busy and bool(app.chat.view.text))
    marks.append(time.process_time())
    costs = [after - before for before, after in zip(marks, marks[1:], strict=False)]
    return {"cpu": sum(costs), "wall": time.perf_counter() - began, "quarters": costs, **lateness.end()}


async def with_old(app: StewardApp, session: SessionId) -> dict[str, Any]:
    await app.chat.open_session(session)
    await asyncio.sleep(0.5)
    while app.chat.shown._first:
        await app.chat.shown.show_earlier()
    app.chat.transcript.follow()
    return await streamed(app)


async def long_answer(app: StewardApp, session: SessionId) -> dict[str, Any]:
    return await streamed(app, quarters=4)


async def opening(app: StewardApp, session: SessionId) -> dict[str, Any]:
    lateness, began = Lateness(), time.perf_counter()
    await app.chat.open_session(session)
    await until(lambda: "question 499" in app.chat.transcript.shown_text())
    return {"ms": (time.perf_counter() - began) * 1e3, **lateness.end()}


async def listing(app: StewardApp, session: SessionId) -> dict[str, Any]:
    """10,000 conversations on disk: until the first rows of the list stand there, and until a search does."""
    lateness, began = Lateness(), time.perf_counter()
    app.action_sessions()
    await until(lambda: isinstance(app.screen, SessionsScreen) and bool(app.screen._shown))
    opened = (time.perf_counter() - began) * 1e3
    await asyncio.sleep(0.3)
    screen = app.screen
    assert isinstance(screen, SessionsScreen)
    title = screen._shown[50].title
    began = time.perf_counter()
    screen.query_one("#filter", Input).value = title
    await until(lambda: bool(screen._shown) and screen._shown[0].title == title)
    return {"open": opened, "search": (time.perf_counter() - began) * 1e3, **lateness.end()}


async def heavy(app: StewardApp, session: SessionId) -> dict[str, Any]:
    """20,000 lines of code, a paste of 1 MB, a line of 1 MB: how late the loop ever is."""
    lateness = Lateness()
    app.chat.say("Tell me", "typed")
    await until(lambda: not app.chat.view.busy and bool(app.chat.view.text))
    app.chat.say("x" * 1_000_000, "pasted")
    await until(lambda: "xxxx" in app.chat.transcript.shown_text())
    app.chat.stop_turn()
    await until(lambda: not app.chat.view.busy)
    return lateness.end()


Scene = Callable[[StewardApp, SessionId], Awaitable[dict[str, Any]]]
SCENES: dict[str, Scene] = {
    "with_old": with_old,
    "long_answer": long_answer,
    "opening": opening,
    "listing": listing,
    "heavy": heavy,
}


async def a_scene(name: str, folder: Path, result: Path) -> None:
    home = Home.resolve(str(folder), {})
    home.make()
    count, rate = (TOKENS_LONG, RATE_LONG) if name == "long_answer" else (TOKENS_WITH_OLD, RATE_WITH_OLD)
    reply: list[Step] = [Delta(text=token) for token in tokens(count)]
    if name == "heavy":
        reply = [
            Delta(text="```python\n"),
            *[Delta(text="print('hello', 1)\n" * 100) for _ in range(200)],
            Delta(text="```"),
        ]
    pace = 0.0 if name == "heavy" else 1 / rate
    model = ScriptedModel(reply, [Hang()], pace=lambda: asyncio.sleep(pace), context_length=60_000)
    talk, session = await a_talk({"with_old": OLD_MESSAGES, "opening": 1_000}.get(name, 2))
    transcript: Transcript = talk
    if name == "listing":
        await prepare(home)
        transcript = await SqliteTranscript.open_reading(home.database)
    desk = a_desk(home, model=model, transcript=transcript, assistant=AssistantSettings(reply_tokens=4_096))
    app = StewardApp(desk)

    async def play() -> None:
        try:
            await ready(app)
            with app._context():
                result.write_text(json.dumps(await SCENES[name](app, session)))
        finally:
            app.exit(0)

    playing = asyncio.create_task(play())
    await show(app, desk)
    await playing


def measured(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        child = pexpect.spawn(
            sys.executable,
            ["-m", "tests.benchmarks.interface", "--scene", name, "--folder", folder, "--result", str(result)],
            env=os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
            dimensions=SIZE,
        )
        shown = b""
        while True:
            try:
                shown = (shown + child.read_nonblocking(65_536, timeout=PATIENCE))[-4_000:]
            except pexpect.EOF:
                break
        child.close()
        if not result.exists():
            sys.exit(f"the scene {name} did not end well:\n{shown.decode(errors='replace')}")
        found: dict[str, Any] = json.loads(result.read_text())
        return found


def report(name: str, value: float, limit: float, unit: str, **more: float) -> bool:
    passed = value <= limit
    line = {"name": name, "value": round(value, 2), "bar": f"<= {limit:g} {unit}", "passed": passed}
    further = {key: round(number, 2) for key, number in more.items()}
    print(json.dumps(line | further), flush=True)  # noqa: T201 - this is the script's result
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scene", choices=SCENES)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--result", type=Path)
    given = parser.parse_args()
    if given.scene:
        asyncio.run(a_scene(given.scene, given.folder, given.result))
        return 0
    good = True
    old = measured("with_old")
    good &= report("writing below 60 old messages, processor time a token", old["cpu"] / TOKENS_WITH_OLD * 1e3, 6, "ms")
    good &= report("event loop lateness while writing, 99th of 100", old["p99"], 20, "ms", worst=old["worst"])
    long = measured("long_answer")
    good &= report("answer of 2,000 tokens at 50 a second, share of a core", long["cpu"] / long["wall"] * 100, 10, "%")
    good &= report("its last quarter against its first", long["quarters"][-1] / long["quarters"][0], 1.5, "times")
    good &= report("event loop lateness in it, 99th of 100", long["p99"], 20, "ms", worst=long["worst"])
    opened = measured("opening")
    good &= report("opening a conversation of 1,000 messages", opened["ms"], 500, "ms", worst_lateness=opened["worst"])
    listed = measured("listing")
    good &= report("10,000 conversations on the screen", listed["open"], 200, "ms", worst_lateness=listed["worst"])
    good &= report("searching them, the wait of 80 ms after a key included", listed["search"], 180, "ms")
    weight = measured("heavy")
    good &= report(
        "event loop lateness with 20,000 lines and 1 MB, worst", weight["worst"], 100, "ms", p99=weight["p99"]
    )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
