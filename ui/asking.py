"""One question from outside the full screen: which conversation it belongs to, the turn, and how it ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TextIO

from assistant.events import TurnEvent
from assistant.policies.cleaning import clean_line
from assistant.ports import Transcript
from assistant.session import Session
from memory.types import Session as SessionRow
from memory.types import SessionMode
from models.types import Failure
from ui.deciding_begins import begin_decisions
from ui.errors import UiError
from ui.headless import Outcome, as_lines, as_text, walk, write
from ui.interrupts import on_interrupt
from ui.model_wiring import build_model
from ui.wiring import Options, Services, build_session, owned


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    text: str
    session: str | None = None  # id or its beginning
    new: bool = False
    no_learn: bool = False
    cut_to_fit: bool = False
    as_json: bool = False


async def run(options: Options, asking: Asking, *, out: TextIO, err: TextIO) -> Outcome:
    """Own the home, start the model, ask. Raises UiError when the turn failed, StoreError, ConfigError."""
    async with owned(options, "ask") as services:
        model = await asyncio.to_thread(build_model, services.configuration, services.home, options)
        async with AsyncExitStack() as ending:
            ending.push_async_callback(model.close)
            await model.start()
            for line in await begin_decisions(services, model):
                write(err, f"steward: {line}\n")
            session = await asyncio.to_thread(build_session, services, model)
            ending.push_async_callback(session.close)
            mode: SessionMode = "incognito" if options.incognito else "no_learn" if asking.no_learn else "normal"
            within = timedelta(minutes=services.configuration.assistant.ask_continue_minutes)
            continued = await place(session, services.transcript, asking, mode, services.clock.now(), within)
            if continued is not None and err.isatty():
                write(err, f'steward: continuing "{clean_line(continued.title, 80)}" (--new begins another)\n')
            before = await newest_change(services)
            outcome = await ask_in(session, asking, out=out, err=err)
            if await newest_change(services) != before:
                from ui.daemon_sign import nobody_tells

                for line in await asyncio.to_thread(nobody_tells, services.home):
                    write(err, f"steward: {line}\n")
            return outcome


async def newest_change(services: Services) -> int:
    """Of the reminders; 0 where there never was one."""
    from memory.errors import NotFound

    try:
        return (await services.reminders.entry()).id
    except NotFound:
        return 0


async def place(
    session: Session, transcript: Transcript, asking: Asking, mode: SessionMode, now: datetime, within: timedelta
) -> SessionRow | None:
    """Open the conversation that this belongs to, or begin one. The one that goes on without having been named.
    Raises NotFound, StoreError."""
    if asking.session is not None:
        await session.open((await transcript.find_session(asking.session)).id)
        return None
    latest = None if asking.new else await transcript.latest_session()
    if latest is None or not goes_on(latest, mode, now, within):
        session.new(mode)
        return None
    await session.open(latest.id)
    return latest


def goes_on(latest: SessionRow, mode: SessionMode, now: datetime, within: timedelta) -> bool:
    """Whether a question without --session or --new continues `latest`."""
    return latest.mode == mode and now - latest.updated_at < within


async def ask_in(session: Session, asking: Asking, *, out: TextIO, err: TextIO) -> Outcome:
    """One turn; Ctrl+C stops it and keeps what came. Raises UiError when it failed."""

    def note(line: str) -> None:
        if err.isatty():
            write(err, f"steward: {line}\n")

    show = as_lines(out) if asking.as_json else as_text(out, note, lambda line: write(err, f"steward: {line}\n"))
    events: AsyncIterator[TurnEvent] = session.say(asking.text, cut_to_fit=asking.cut_to_fit)
    with on_interrupt(lambda: None if session.cancel() else None):
        outcome = await walk(events, show)
    if outcome.failed is None:
        return outcome
    failure = outcome.failed.failure
    raise UiError(failure.message, f"{failure.hint} (--cut sends it.)" if _can_be_cut(failure) else failure.hint)


def _can_be_cut(failure: Failure) -> bool:
    return failure.kind == "context_full" and "first" in failure.hint
