"""Draws the pictures in docs/pictures from the real app on a scripted model: `make snap`.

SVG only, made by Textual from what is on the screen; the same tree gives the same pictures.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from memory.data_dir import Home
from models.demo import demo_reply
from models.hardware import Hardware
from models.scripted import Hang, ScriptedModel
from models.settings import ModelSettings
from models.types import Absent, Delta, Failure
from tests.support import plays
from tests.support.clock import MONDAY, FixedClock
from tests.support.known_user import get_to_know
from tests.support.pilot import Driver, a_desk, opened
from ui.configuration import UiSettings
from ui.desk import Desk
from ui.screens.models import ModelsScreen
from ui.shelf import look

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SIZES = ((80, 24), (120, 40))
THEMES = ("dark", "light")

Scene = Callable[[Home, str], Desk]
Play = Callable[[Driver], Awaitable[None]]

_TALK = (
    "How do I find large files in my home folder?",
    "Use `du` and sort what it prints:\n\n```bash\n# the twenty largest, with sizes people can read\n"
    "du -ah ~ 2>/dev/null | sort -rh | head -n 20\n```\n\n"
    "- `-a` looks at files as well as folders\n- `sort -rh` puts the largest first\n\n"
    "| tool | good for |\n|---|---|\n| `du` | a quick look |\n| `ncdu` | walking through folders |\n\n"
    "More in the [GNU manual](https://www.gnu.org/software/coreutils/manual/).",
)


def _talk(home: Home, theme: str) -> Desk:
    return _desk(home, theme, ScriptedModel(_TALK[1], name="qwen2.5-coder-1.5b", context_length=8_192))


def _writing(home: Home, theme: str) -> Desk:
    words = [Delta(text=word) for word in re.findall(r"\S+\s*", _TALK[1])[:34]]
    return _desk(home, theme, ScriptedModel([*words, Hang()], name="qwen2.5-coder-1.5b", context_length=8_192))


def _failing(home: Home, theme: str) -> Desk:
    died = Failure(
        kind="worker_died",
        message="The model's process ended while it was answering (signal 9: out of memory?).",
        hint="What came is kept. It is being restarted; F6 asks again.",
    )
    return _desk(home, theme, ScriptedModel(["Use ", "`du` ", "and ", "sort ", died], name="qwen2.5-coder-1.5b"))


def _absent(home: Home, theme: str) -> Desk:
    model = ScriptedModel(name="none")
    missing = Failure(
        kind="model_missing", message="There is no model on this machine yet.", hint="steward models pull"
    )
    model.become(Absent(failure=missing))
    return _desk(home, theme, model)


def _many(home: Home, theme: str) -> Desk:
    return _desk(home, theme, ScriptedModel(otherwise=demo_reply, name="demo"))


def _desk(home: Home, theme: str, model: ScriptedModel) -> Desk:
    ui = UiSettings.model_validate({"theme": theme})
    return a_desk(home, model=model, ui=ui, clock=FixedClock())


async def _say(driver: Driver) -> None:
    await driver.send(_TALK[0])


async def _stream(driver: Driver) -> None:
    await driver.write(_TALK[0])
    await driver.press("enter")
    await driver.until(lambda: "looks at files" in driver.transcript_text())  # all that comes before it hangs
    driver.chat._meter._began = time.monotonic() - 1e9  # a picture shows no speed of this machine


async def _sessions(driver: Driver) -> None:
    transcript = driver.app.desk.conversation.transcript
    titles = (
        "Renew the passport before summer",
        "A birthday dinner for eight",
        "Why does my sourdough not rise?",
        "Regular expressions for dates",
        "Letter to the landlord",
        "How do I find large files in my home folder?",
    )
    for number, title in enumerate(titles):
        at = MONDAY - timedelta(hours=31 * (len(titles) - number - 1) + 1)
        session = await transcript.create_session(at=at, title=title)
        await transcript.add_user_message(session.id, None, f"{title} Please help me.", at=at)
    await driver.press("f2")
    await driver.until(lambda: "passport" in driver.screen_text())


async def _help(driver: Driver) -> None:
    await driver.press("f1")
    await driver.until(lambda: "Everywhere" in driver.screen_text())


async def _first(driver: Driver) -> None:
    await driver.until(lambda: "Recommended" in driver.screen_text())
    screen = driver.app.screen
    assert isinstance(screen, ModelsScreen)
    laptop = Hardware(
        system="Linux", machine="x86_64", ram_total=16 << 30, ram_available=12 << 30, cores_physical=4, cores_logical=8
    )
    screen.show_shelf(await asyncio.to_thread(look, driver.app.desk.home, ModelSettings(), laptop))


async def _why(driver: Driver) -> None:
    await _say(driver)
    await driver.press("tab", "w")
    await driver.until(lambda: "Left out" in driver.screen_text())


async def _memory(driver: Driver) -> None:
    conversation = driver.app.desk.conversation
    await get_to_know(conversation.preferences, conversation.transcript)
    await driver.press("f7")
    await driver.until(lambda: "14 in all" in driver.screen_text())
    await driver.press("down")
    await driver.until(lambda: "pescetarian" in driver.screen_text())


async def _remembered(driver: Driver) -> None:
    """An answer with what it knew about the user."""
    conversation = driver.app.desk.conversation
    _, reply = await get_to_know(conversation.preferences, conversation.transcript)
    driver.app.open_message(reply.session_id, reply.id)
    await driver.until(lambda: driver.chat.transcript.marked == reply.id)
    await driver.press("w")
    await driver.until(lambda: "What it knew about you" in driver.screen_text())


async def _nothing(driver: Driver) -> None:
    await driver.until(lambda: "waiting for you" in driver.status())


SCENES: dict[str, tuple[Scene, Play]] = {
    "first-start": (_absent, _first),
    "empty": (_talk, _nothing),
    "chat": (_talk, _say),
    "streaming": (_writing, _stream),
    "sessions": (_many, _sessions),
    "help": (_talk, _help),
    "why": (_talk, _why),
    "memory": (_talk, _memory),
    "why-memory": (_talk, _remembered),
    "error": (_failing, _say),
    "decision": (_talk, plays.card),
    "plans": (_talk, plays.plans),
    "suggestions": (_talk, plays.suggestions),
    "agenda": (_talk, plays.agenda),
    "data": (_talk, plays.data),
    "encryption": (_talk, plays.encryption),
}


async def draw(name: str, size: tuple[int, int], theme: str, folder: Path) -> Path:
    """One picture; the file it was written to."""
    scene, play = SCENES[name]
    with tempfile.TemporaryDirectory() as home:
        desk = scene(Home.resolve(home, {}), theme)
        async with opened(desk, size) as driver:
            await play(driver)
            await driver.pilot.pause()
            svg = driver.app.export_screenshot(title="steward").replace(home, "~/steward")
            desk.conversation.session.cancel()
            await driver.until(lambda: not desk.conversation.session.busy)
    path = folder / f"{name}-{size[0]}x{size[1]}-{theme}.svg"
    path.write_text(_stable(svg), encoding="utf-8")
    return path


def _stable(svg: str) -> str:
    """Without the random names of a run, and without fonts from the network."""
    svg = re.sub(r"terminal-\d+", "terminal-1", svg).replace("<svg ", '<svg xml:space="preserve" ', 1)
    return re.sub(r"@font-face \{.*?\}\n?", "", svg, flags=re.DOTALL)


def main() -> int:
    os.environ["TZ"] = "UTC"
    time.tzset()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCENES:
        for size in SIZES:
            for theme in THEMES:
                sys.stdout.write(f"{asyncio.run(draw(name, size, theme, folder))}\n")
    asyncio.run(draw("chat", (100, 28), "dark", folder)).rename(folder / "chat.svg")  # the readme's
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
