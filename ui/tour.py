"""`steward tour`: line mode over stores in memory, with a script on both sides. Nothing is read, kept or sent."""

import asyncio
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from memory.transcript_in_memory import InMemoryTranscript
from memory.types import Message, MessageId
from models.demo import SECONDS_PER_WORD
from models.scripted import ScriptedModel
from ui.desk import Desk
from ui.drafts import Drafts
from ui.errors import EXIT_DONE
from ui.headless import write
from ui.line_input import LineReader, reader_for, terminal_kept
from ui.plain import PlainChat
from ui.tour_steps import GOODBYE, STEPS, TourStep, tour_reply
from ui.wiring import Options, Services, SystemClock, load_language, load_prompts, resolve_home

if TYPE_CHECKING:
    from assistant.ports import Clock
    from memory.data_dir import Home

WIDTH = 78
_MOST = 500
_GO_ON = "Enter goes on, q ends: "


class TourReader:
    """Implements ui.line_input.LineReader: types the steps, and explains each before its first line.

    `waits` is whoever is asked to go on; None: nobody, as over a pipe."""

    echoes = False

    def __init__(self, out: TextIO, waits: LineReader | None, steps: Sequence[TourStep] = STEPS) -> None:
        self._out = out
        self._waits = waits
        self._steps = list(enumerate(steps, start=1))
        self._total = len(steps)
        self._lines: list[str] = []

    async def read(self, prompt: str) -> str | None:
        if not self._lines:
            if not self._steps or not await self._goes_on():
                return None
            number, step = self._steps.pop(0)
            self._explain(number, step)
            self._lines = list(step.types)
        return self._lines.pop(0)

    async def _goes_on(self) -> bool:
        if self._waits is None or len(self._steps) == self._total:
            return True
        write(self._out, "\n")
        answer = await self._waits.read(_GO_ON)
        return answer is not None and answer.strip().lower() not in ("q", "quit", "/quit")

    def _explain(self, number: int, step: TourStep) -> None:
        write(self._out, f"\n{number} of {self._total}: {step.title}\n{folded(step.says)}\n\n")


class TourTyped:
    """Implements memory.typed_messages.TypedMessages over the conversation of the tour."""

    def __init__(self, transcript: InMemoryTranscript) -> None:
        self._transcript = transcript

    async def after(self, id: MessageId, *, limit: int = 200) -> tuple[Message, ...]:
        found = [one for one in await self._all() if one.id > id and one.role == "user" and one.origin == "typed"]
        return tuple(found[:limit])

    async def newest(self) -> MessageId:
        return max((one.id for one in await self._all()), default=MessageId(0))

    async def _all(self) -> list[Message]:
        sessions = await self._transcript.sessions(limit=_MOST)
        found = [one for row in sessions for one in await self._transcript.tree(row.id)]
        return sorted(found, key=lambda one: one.id)


def folded(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH))


async def run_tour(options: Options, *, stdin: TextIO, out: TextIO, clock: "Clock | None" = None) -> int:
    """The whole tour; it waits for Enter between steps where somebody sits at a terminal. The exit code."""
    waits = stdin.isatty() and out.isatty()
    home = await asyncio.to_thread(resolve_home, options)
    services = await asyncio.to_thread(tour_services, options, home, clock or SystemClock())
    seconds = SECONDS_PER_WORD if waits else 0.0
    model = ScriptedModel(
        otherwise=tour_reply, pace=lambda: asyncio.sleep(seconds), name="tour (scripted)", context_length=8_192
    )
    desk = await asyncio.to_thread(lambda: Desk(services, model, drafts=Drafts(None)))
    with terminal_kept(stdin):
        try:
            await model.start()
            code = await PlainChat(desk, TourReader(out, reader_for(stdin, out) if waits else None), out).run()
        finally:
            await model.close()
    write(out, f"\n{folded(GOODBYE)}\n")
    return code or EXIT_DONE


def tour_services(options: Options, home: "Home", clock: "Clock") -> Services:
    """Every store in memory. The home is only named. Blocks for some milliseconds."""
    from assistant.settings import AssistantSettings
    from models.settings import ModelSettings
    from ui.configuration import Configuration, UiSettings
    from ui.tour_mail import TourMail

    transcript = InMemoryTranscript()
    return Services(
        options=replace(options, plain=True, demo=False, incognito=False, model=None),
        home=home,
        configuration=Configuration(model=ModelSettings(), assistant=AssistantSettings(), ui=UiSettings()),
        transcript=transcript,
        clock=clock,
        prompts=load_prompts(),
        language=load_language(),
        typed=TourTyped(transcript),
        more_tools=(TourMail(),),
    )
