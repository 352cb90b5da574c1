"""The way to a server that is a program: newline-delimited JSON over its standard streams, within limits.

The SDK's own transport reads lines of any length, hands on the user's whole set of variables it thinks safe, and waits
longer for an end than a user who quits; and it leaves a server behind when Steward is killed. Hence this one.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from assistant.policies.cleaning import clean_line
from assistant.tools.mcp import guard
from assistant.tools.mcp.budget import Budget
from assistant.tools.mcp.types import Limits, Stdio

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
POLL_S = 0.01
KILLED_S = 5.0  # by then the guard has told it to end, and killed it
LAST_WORDS = 2_000  # bytes of its error output


@dataclass(slots=True, kw_only=True)
class Ending:
    """How the program came to its end, for the line the user sees."""

    code: int | None = None
    words: bytes = b""

    def line_of_end(self) -> str:
        """ "" while it is not known to have ended."""
        if self.code is None:
            return ""
        lines = [line for line in self.words.decode(errors="replace").splitlines() if line.strip()]
        last = clean_line(lines[-1], 160) if lines else ""
        if self.code == guard.CANNOT_START:
            return f"its command cannot be started ({last or 'no reason given'})"
        return f"it ended, saying “{last}”" if last else "it ended"


def environment_of(reach: Stdio, base: Mapping[str, str]) -> dict[str, str]:
    """The little a program needs, and what the user named. Raises KeyError with a name that is not set."""
    return {name: base[name] for name in INHERITED if name in base} | {name: base[name] for name in reach.environment}


class Lifeline:
    """Our end of the guard's pipe; closing it is the order to end the server."""

    def __init__(self) -> None:
        self.guards_end, self._ours = os.pipe()

    def handed_over(self) -> None:
        os.close(self.guards_end)

    def cut(self) -> None:
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1


@asynccontextmanager
async def pipe(
    reach: Stdio, environment: Mapping[str, str], limits: Limits, budget: Budget, ending: Ending, over: asyncio.Event
) -> AsyncIterator["Streams"]:
    """The server's streams. `over` is set when it says no more. On leaving, nothing of it runs any more.
    Raises OSError when no process can be started at all."""
    from mcp.shared.message import SessionMessage

    lifeline = Lifeline()
    try:
        process = await _start(reach, environment, lifeline.guards_end, limits)
    except BaseException:
        lifeline.cut()
        raise
    finally:
        lifeline.handed_over()
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, to_session, limits, budget, over)
            tasks.start_soon(_write, process, from_session, over)
            tasks.start_soon(_listen, process, budget, ending, over)
            try:
                yield from_server, to_server
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(process, lifeline, limits.close_s)
                tasks.cancel_scope.cancel()
    finally:
        lifeline.cut()  # whatever happened above: the guard ends what still runs
        for stream in (to_session, from_server, to_server, from_session):
            stream.close()
        ending.code = process.returncode
        _close_transport(process)


async def _start(
    reach: Stdio, environment: Mapping[str, str], lifeline: int, limits: Limits
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", guard.__file__, str(lifeline)),
        *reach.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=reach.folder,
        start_new_session=True,  # no terminal: what asks for a password there gets none
        pass_fds=(lifeline,),
        limit=limits.answer_bytes,
    )


async def _read(
    process: asyncio.subprocess.Process,
    to_session: "MemoryObjectSendStream[SessionMessage | Exception]",
    limits: Limits,
    budget: Budget,
    over: asyncio.Event,
) -> None:
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    assert process.stdout is not None
    try:
        while line := await _line(process.stdout, budget):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                fits = not line.strip() or (budget.data(len(line)) and budget.noise())
            else:
                fits = budget.message(len(line))
                if fits:
                    await to_session.send(SessionMessage(message))
            if not fits:
                return
            await asyncio.sleep(0)  # a flood that is already in the buffer never keeps the loop for itself
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        pass  # we are closing, or it is gone
    finally:
        to_session.close()
        over.set()


async def _line(stream: asyncio.StreamReader, budget: Budget) -> bytes:
    """The next line, b"" at the end and after a line that is too long."""
    try:
        return await stream.readuntil()
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError:
        budget.oversized()
        return b""


async def _write(
    process: asyncio.subprocess.Process, from_session: "MemoryObjectReceiveStream[SessionMessage]", over: asyncio.Event
) -> None:
    assert process.stdin is not None
    try:
        async for message in from_session:
            process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await process.stdin.drain()
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        pass  # it is gone, or we are closing
    finally:
        over.set()


async def _listen(process: asyncio.subprocess.Process, budget: Budget, ending: Ending, over: asyncio.Event) -> None:
    """Its error output: the end of it is kept, and a flood there counts like any other."""
    assert process.stderr is not None
    with suppress(OSError):
        while block := await process.stderr.read(65_536):
            ending.words = (ending.words + block)[-LAST_WORDS:]
            if not budget.data(len(block)):
                over.set()
                return


async def _end(process: asyncio.subprocess.Process, lifeline: Lifeline, close_s: float) -> None:
    """Close its input, give it `close_s`, let the guard end it, and at last end the guard."""
    if process.stdin is not None:
        process.stdin.close()
    if await _exits(process, close_s):
        return
    lifeline.cut()
    if not await _exits(process, KILLED_S):
        with suppress(ProcessLookupError):
            process.kill()
        await _exits(process, KILLED_S)


async def _exits(process: asyncio.subprocess.Process, limit_s: float) -> bool:
    """Looks at the exit code: Process.wait also waits for pipes that a grandchild may hold open."""
    deadline = anyio.current_time() + limit_s
    while process.returncode is None:
        if anyio.current_time() >= deadline:
            return False
        await anyio.sleep(POLL_S)
    return True


def _close_transport(process: asyncio.subprocess.Process) -> None:
    transport: asyncio.SubprocessTransport | None = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
