"""The terminal UI in a test: a desk over fakes, the app on it, and waiting for what can be seen instead of sleeping."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from assistant.deps import Prompts
from assistant.ports import ChatModel, Clock, Transcript
from assistant.settings import AssistantSettings
from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import Message
from models.scripted import Reply, ScriptedModel
from models.settings import ModelSettings
from tests.support.clock import FixedClock
from tests.support.english import english
from ui.app import StewardApp
from ui.configuration import Configuration, UiSettings
from ui.desk import Desk
from ui.screens.chat import ChatScreen
from ui.widgets.bars import Rows
from ui.wiring import Options, Services

SIZE = (100, 30)
WAIT_SECONDS = 60.0  # a machine may be busy with other things
NOTICE_SECONDS = 3_600.0  # no notice goes before a test on such a machine has looked


def a_home(folder: Path) -> Home:
    return Home.resolve(str(folder), {})


def a_desk(
    home: Home,
    *replies: Reply,
    model: ChatModel | None = None,
    transcript: Transcript | None = None,
    ui: UiSettings | None = None,
    assistant: AssistantSettings | None = None,
    options: Options | None = None,
    clock: Clock | None = None,
) -> Desk:
    """A desk on a scripted model that says `replies`, with a transcript in memory and a clock that stands still."""
    configuration = Configuration(
        model=ModelSettings(), assistant=assistant or AssistantSettings(), ui=ui or UiSettings(theme="dark")
    )
    services = Services(
        options=options or Options(),
        home=home,
        configuration=configuration,
        transcript=transcript or InMemoryTranscript(),
        clock=clock or FixedClock(),
        prompts=Prompts(system="You are Steward."),
        language=english(),
    )
    return Desk(services, model or ScriptedModel(*replies))


@asynccontextmanager
async def opened(desk: Desk, size: tuple[int, int] = SIZE) -> AsyncIterator["Driver"]:
    if not desk.options.keeps_nothing:
        await asyncio.to_thread(desk.home.make)  # whoever owns a home has made it; a draft is kept there
    app = await asyncio.to_thread(StewardApp, desk)  # Textual looks for its style sheet then
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "NOTIFICATION_TIMEOUT", NOTICE_SECONDS)
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await driver.until(lambda: app.chat.is_attached and app.chat.prompt.has_focus or len(app.screen_stack) > 1)
            yield driver
    await desk.model.close()


class Driver:
    """What a test does and sees, in the words of a user."""

    def __init__(self, app: StewardApp, pilot: "Pilot[int]") -> None:
        self.app = app
        self.pilot = pilot

    @property
    def chat(self) -> ChatScreen:
        return self.app.chat

    async def until(self, seen: Callable[[], bool], what: str = "") -> None:
        """Wait for a state that can be observed; at most WAIT_SECONDS."""
        end = time.monotonic() + WAIT_SECONDS
        while not seen():
            if time.monotonic() > end:
                raise AssertionError(f"never happened: {what or seen}\n{self.screen_text()}")
            await self.pilot.pause()
            await asyncio.sleep(0.005)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Put text into the prompt as if it had been typed long ago."""
        self.chat.prompt.write(text)
        await self.pilot.pause()

    async def send(self, text: str) -> None:
        """Write, press Enter, and wait until the turn is over."""
        await self.write(text)
        await self.press("enter")
        await self.idle()

    async def send_command(self, text: str) -> None:
        """Type a slash command and press Enter, past the suggestions."""
        await self.write(text)
        self.chat.prompt.completing = False
        await self.press("enter")
        await self.pilot.pause()

    async def idle(self) -> None:
        await self.until(lambda: not self.chat.prompt.text or self.chat.view.busy)
        await self.until(lambda: not self.chat.view.busy and not self.chat.desk.conversation.session.busy, "turn ended")
        await self.pilot.pause()

    async def path(self) -> tuple[Message, ...]:
        """The conversation as it is kept."""
        return await self.chat.desk.conversation.session.messages()

    def transcript_text(self) -> str:
        return self.chat.transcript.shown_text()

    def status(self) -> str:
        return self.chat.query_one("#status", Rows).text

    def header(self) -> str:
        return self.chat.query_one("#header", Rows).text

    def alert(self) -> str:
        rows = self.chat.query_one("#alert", Rows)
        return "" if rows.has_class("hidden") else rows.text

    def notices(self) -> list[str]:
        return [str(notice.message) for notice in self.app._notifications]

    def screen_text(self) -> str:
        """What stands on the whole screen, row by row."""
        return "\n".join(line.rstrip() for line in screen_lines(self.app))


def screen_lines(app: StewardApp) -> Iterable[str]:
    for strip in app.screen._compositor.render_strips():
        yield strip.text
