"""Line mode: one labelled line after another, no colour, no redraw. For screen readers and for pipes."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, TextIO, assert_never

from assistant.errors import AssistantError
from assistant.events import (
    ContextPlanned,
    ForgetOffer,
    MemoryAsked,
    Remembered,
    ReplyDelta,
    ReplyRestarted,
    StageChanged,
    TurnEnded,
    TurnEvent,
)
from assistant.policies.cleaning import clean_line
from assistant.policies.intake import Command, Nothing, UnknownCommand, UserTurn, normalise
from memory.errors import StoreError
from memory.preferences import PreferenceId
from memory.types import MessageId, Origin
from models.errors import FetchError, ModelError
from models.types import Absent, FinishReason, GivenUp, Ready
from ui.desk import Desk
from ui.errors import EXIT_DONE, EXIT_INTERRUPTED, UiError, explain
from ui.headless import Outcome, walk, write
from ui.interrupts import on_interrupt
from ui.line_input import LineReader, read_hidden, reader_for, terminal_kept
from ui.looked import note_leaving
from ui.plain_answers import AskAgain, Chosen, NoneOfThem, SomethingElse, hear, how_to_answer
from ui.plain_commands import COMMANDS, run_command
from ui.plain_decisions import PlainDecisions
from ui.plain_fetch import PlainFetch
from ui.plain_history import PlainHistory
from ui.plain_items import PlainItems
from ui.plain_memory import ask_after_turn, say_remembered
from ui.plain_reminders import PlainReminders
from ui.plain_speech import said_here, spoken
from ui.plain_suggestions import PlainSuggestions
from ui.plain_tools import PlainTools
from ui.plain_words import model_words
from ui.redaction import without_secrets
from ui.sentences import Sentences
from ui.wiring import Options, owned

if TYPE_CHECKING:
    from ui.data_app import Afterwards

LONG_READ = 400  # tokens of prompt that are worth a word while they are read
YOU, STEWARD, STATUS, ERROR = "you: ", "steward: ", "status: ", "error: "


async def run_plain(options: Options, *, stdin: TextIO = sys.stdin, out: TextIO = sys.stdout) -> int:
    """The whole of line mode: own the home, start the model, talk until the input ends. The exit code."""
    with terminal_kept(stdin):
        reader = reader_for(stdin, out)
        code, afterwards = await _talk(options, reader, out)
        while afterwards is not None and (words := await asyncio.to_thread(afterwards)) is not None:
            write(out, f"{STATUS}{words}\n")
            code, afterwards = await _talk(options, reader, out)
        return code


async def _talk(options: Options, reader: LineReader, out: TextIO) -> "tuple[int, Afterwards | None]":
    """The exit code, and what is to be done with nothing open."""
    async with owned(options, "chat") as services:
        desk = await Desk.open(services)
        try:
            await desk.model.start()
            chat = PlainChat(desk, reader, out)
            if services.keeper is not None:
                services.keeper.listener = lambda error: chat.announce(f"{ERROR}{without_secrets(error.message)}")
            async with (
                chat.reminders.running(),
                chat.history.running(),
                chat.fetching.running(),
                chat.decisions.running(),
                chat.suggestions.running(),
            ):
                try:
                    return await chat.run(), chat.afterwards
                finally:
                    await note_leaving(services, chat.suggestions.last_looked_at)
        finally:
            await desk.close()


class PlainChat:
    """Reads lines and answers them. Commands (ui/plain_commands.py) use what is public here."""

    def __init__(self, desk: Desk, reader: LineReader, out: TextIO) -> None:
        self.desk = desk
        self.over = False
        self.afterwards: Afterwards | None = None
        self.listed: tuple[str, ...] = ()  # session ids in the order they were last shown
        self.remembered: tuple[PreferenceId, ...] = ()  # memories in the order they were last shown
        self.reminders = PlainReminders(self)
        self.suggestions = PlainSuggestions(self)
        self.items = PlainItems(self)
        self.tools = PlainTools(self)
        self.history = PlainHistory(self)
        self.fetching = PlainFetch(self)
        self.decisions = PlainDecisions(self)
        self._reader = reader
        self._out = out
        self._waiting: list[str] = []
        self._left_out = 0
        self._warned = False
        self._interrupts = 0
        self._prompt = ""
        self._reading: asyncio.Task[str | None] | None = None

    async def run(self) -> int:
        self._greet()
        with on_interrupt(self.interrupted):
            while not self.over:
                line = await self.read(YOU)
                self.suggestions.typed()
                if line is None:
                    break
                self._interrupts = 0
                await self._take(line)
        return EXIT_INTERRUPTED if self._interrupts > 1 else EXIT_DONE

    def _greet(self) -> None:
        self.line("Steward, line mode. Type a message, or /help for the commands. Ctrl+D or /quit ends.")
        if self.desk.options.demo:
            self.status("demo: the answers are scripted, and nothing is kept")
        elif self.desk.options.incognito:
            self.status("incognito: nothing is kept")
        if isinstance(self.desk.model.status, Absent | GivenUp):
            self.status(model_words(self.desk.model.status))

    def _warn_of_leaving(self) -> None:
        """Once, before the first text goes to a server."""
        status = self.desk.model.status
        if isinstance(status, Ready) and status.info.leaves_process and not self._warned:
            self._warned = True
            self.status(f"what you write goes to {clean_line(status.info.path, 200)}, out of this process")

    def leave_for(self, act: "Afterwards") -> None:
        """End, and do this with nothing open; its words begin the next run."""
        self.afterwards = act
        self.over = True

    @property
    def is_reading(self) -> bool:
        """Whether a line is being waited for."""
        return self._reading is not None

    def line(self, text: str = "") -> None:
        write(self._out, text + "\n")

    def status(self, text: str) -> None:
        self.line(STATUS + text)

    def announce(self, text: str) -> None:
        """A line that comes by itself, also while a line is being typed."""
        typing = self._reading is not None and self._reader.echoes
        self.line(f"\n{text}" if typing else text)
        if typing:
            write(self._out, self._prompt)

    def failure(self, message: str, hint: str = "") -> None:
        self.line(ERROR + said_here(clean_line(without_secrets(message), 500)))
        if hint:
            self.line("next: " + said_here(clean_line(without_secrets(hint), 500)))

    def say_all(self, lines: Iterable[str]) -> None:
        """Lines made for a screen: without columns, signs and empty lines."""
        for line in spoken(lines):
            self.line(clean_line(line, 2_000))

    async def read(self, prompt: str) -> str | None:
        """The next line; over a pipe it is repeated after its label, so that the output reads as a conversation."""
        if self._waiting:
            line: str | None = self._waiting.pop(0)
        elif self._reading is not None:  # for a question that is over: what comes now is for this
            write(self._out, prompt)
            self._prompt = prompt
            line = await asyncio.shield(self._reading)
        else:
            self._prompt = prompt
            self._reading = asyncio.ensure_future(self._reader.read(prompt))
            try:
                line = await self._reading
            except asyncio.CancelledError:
                if self._interrupts < 2:
                    raise
                line = None
            finally:
                self._reading = None
        if line is not None and not self._reader.echoes:
            self.line(prompt + clean_line(line, 2_000))
        return line

    async def read_hidden(self, prompt: str) -> str | None:
        """A passphrase: not seen while it is typed, and not repeated after its label."""
        return self._waiting.pop(0) if self._waiting else await read_hidden(self._reader, prompt)

    async def choose(self, question: str, choices: tuple[str, ...]) -> int | None:
        """The number of the choice, from 0; None for none of them. A line that is no answer is the next input."""
        self.line(question)
        for number, choice in enumerate(choices, start=1):
            self.line(f"{number}. {clean_line(choice, 200)}")
        while (answer := await self.read(how_to_answer(len(choices)))) is not None:
            match hear(answer, choices):
                case Chosen(number=number):
                    return number
                case NoneOfThem():
                    return None
                case AskAgain(say=say):
                    self.status(say)
                case SomethingElse():
                    self._waiting.insert(0, answer)
                    self.status("nothing chosen; that is taken as what you say next")
                    return None
        return None

    async def say(self, text: str, origin: Origin = "typed", *, replaces: MessageId | None = None) -> None:
        """One turn, with the offer to send the beginning of a text that is too long."""
        self._warn_of_leaving()
        session = self.desk.conversation.session
        if replaces is None:
            outcome = await self.show(session.say(text, origin=origin))
        else:
            outcome = await self.show(session.edit(replaces, text, origin=origin))
        said = outcome.ended.user_message_id
        if outcome.failed is None or outcome.failed.failure.kind != "context_full" or said is None:
            return
        if "first" not in outcome.failed.failure.hint:
            return
        if await self.choose("Send its beginning?", ("Yes, send what fits", "No, leave it")) == 0:
            await self.show(session.edit(said, text, origin=origin, cut_to_fit=True))

    async def show(self, events: AsyncIterator[TurnEvent]) -> Outcome:
        """One turn: what there is to wait for, the answer sentence by sentence, and how it ended."""
        spoken = Spoken(self._out, self._told_left_out, lambda event: say_remembered(self, event))
        outcome = await walk(events, spoken.show)
        if outcome.failed is not None:
            self.failure(outcome.failed.failure.message, outcome.failed.failure.hint)
        elif (word := _ENDINGS.get(outcome.ended.finish_reason)) is not None:
            self.status(word)
        await ask_after_turn(self, spoken.forget, spoken.asked)
        await self.suggestions.answered(outcome.ended.user_message_id)
        return outcome

    def _told_left_out(self, context: ContextPlanned) -> None:
        """A line when more of the conversation no longer fits, once for each time that it happens."""
        messages = sum(len(part.message_ids) for part in context.left_out)
        if messages > self._left_out:
            self.status(f"{' and '.join(part.what for part in context.left_out)} left out of the prompt (/context)")
        self._left_out = messages

    async def _take(self, line: str) -> None:
        if self._reader.echoes:
            while line.endswith("\\"):
                more = await self.read("... ")
                line = f"{line[:-1]}\n{more or ''}"
        meant = normalise(line, COMMANDS, origin="pasted" if "\n" in line.strip() else "typed")
        try:
            match meant:
                case UserTurn():
                    await self.say(meant.text, meant.origin)
                case Command():
                    await run_command(self, meant.name, meant.argument)
                case UnknownCommand():
                    self.failure(f"There is no command /{meant.name}.", f"/help lists them; /{meant.text} sends it.")
                case Nothing():
                    pass
                case _:
                    assert_never(meant)
        except (UiError, StoreError, AssistantError, ModelError, FetchError) as error:
            explained = explain(error)
            assert explained is not None
            self.failure(explained.message, explained.hint)

    def interrupted(self) -> None:
        """Ctrl+C stops an answer; with nothing to stop, the second in a row ends the program."""
        if self.desk.stop():
            return
        self._interrupts += 1
        if self._interrupts > 1 and self._reading is not None:
            self._reading.cancel()
        else:
            self.line(f"\n{STATUS}nothing to stop. Ctrl+C again, Ctrl+D or /quit ends.")
            write(self._out, self._prompt)


class Spoken:
    """Renders a turn's events as labelled lines."""

    def __init__(
        self, out: TextIO, planned: Callable[[ContextPlanned], None], remembered: Callable[[Remembered], None]
    ) -> None:
        self.forget: ForgetOffer | None = None  # questions for the end of the turn
        self.asked: MemoryAsked | None = None
        self._out = out
        self._planned = planned
        self._remembered = remembered
        self._sentences = Sentences()
        self._told: set[str] = set()
        self._begun = False
        self._last = "\n"

    def show(self, event: TurnEvent) -> None:
        match event:
            case ContextPlanned():
                self._planned(event)
            case StageChanged():
                self._stage(event)
            case Remembered():
                self._remembered(event)
                self.forget = event.forget
            case MemoryAsked():
                self.asked = event
            case ReplyRestarted():
                self._restart(event)
            case ReplyDelta():
                self._say(self._sentences.add(event.text))
            case TurnEnded():
                self._end_line()
            case _:
                pass

    def _restart(self, event: ReplyRestarted) -> None:
        """What was read aloud already cannot be taken back: it is said that it does not count."""
        if self._begun:
            self._end_line()
            write(self._out, f"{STATUS}that broke a wish of yours; {'mended' if event.mended else 'again'}:\n")
        self._sentences, self._begun, self._last = Sentences(), False, "\n"

    def _end_line(self) -> None:
        self._say(self._sentences.rest())
        if self._last != "\n":
            write(self._out, "\n")

    def _stage(self, event: StageChanged) -> None:
        words = {
            "loading": "loading the model",
            "reading": f"reading {event.total:,} tokens" if event.total - event.done >= LONG_READ else "",
            "thinking": "thinking",
        }.get(event.stage, "")
        if words and event.stage not in self._told:
            self._told.add(event.stage)
            write(self._out, f"{STATUS}{words}\n")

    def _say(self, text: str) -> None:
        if not self._begun:
            text = text.lstrip("\n")
            if not text:
                return
            self._begun = True
            text = STEWARD + text
        if text:
            self._last = text[-1]
            write(self._out, text)


_ENDINGS: dict[FinishReason, str] = {
    "cancelled": "stopped; what came until then is kept",
    "length": "the longest allowed answer was reached; say go on, or raise assistant.reply_tokens",
    "repeating": "stopped, because it began to repeat itself; /again asks again",
}
