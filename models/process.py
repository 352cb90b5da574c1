"""One child process: its pipes, its group, its end. Knows nothing of models; every line goes to the owner.

The pipes are watched with an asyncio.SubprocessProtocol, so that the end is seen the moment it happens and the
transport can be closed for certain.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

MAX_LINE_BYTES = 4 * 1024 * 1024  # a frame of the child is far shorter
LOG_LIMIT_BYTES = 2 * 1024 * 1024
EXIT_GRACE = 0.25  # seconds between the end of the pipe and the exit code, and the other way round


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What to start. `log` takes the child's stderr; the file is private and is rotated when it is big."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    max_line_bytes: int = MAX_LINE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    code: int  # negative: the number of the signal
    forced: bool  # killed from here, whatever the code says


class _Pipes(asyncio.SubprocessProtocol):
    """Splits the child's stdout into lines; three events tell how far its end has come."""

    def __init__(self, on_line: Callable[[bytes], None], on_flood: Callable[[], None], limit: int) -> None:
        self._on_line = on_line
        self._on_flood = on_flood
        self._limit = limit
        self._buffer = bytearray()
        self.fading = asyncio.Event()  # the pipe ended or the process exited
        self.silent = asyncio.Event()  # the pipe ended
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        self._stdin: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        stdin = cast(asyncio.SubprocessTransport, transport).get_pipe_transport(0)
        self._stdin = cast(asyncio.WriteTransport | None, stdin)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        for number, line in enumerate(lines):
            self._on_line(bytes(self._buffer) + line if number == 0 else line)
            if number == 0:
                self._buffer.clear()
        self._buffer += rest
        if len(self._buffer) > self._limit:
            self._buffer.clear()
            self._on_flood()

    def write(self, line: bytes) -> None:
        if self._stdin is not None and not self._stdin.is_closing():
            self._stdin.write(line)

    def close_input(self) -> None:
        if self._stdin is not None:
            self._stdin.close()

    def drop_input(self) -> None:
        """Also what waits to be written."""
        if self._stdin is not None:
            self._stdin.abort()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self._stdin = None
        if fd == 1:
            self.silent.set()
            self.fading.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.fading.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


class ChildProcess:
    """Lives in `run`, which returns when the process is reaped and every pipe is closed."""

    def __init__(self, on_line: Callable[[bytes], None], on_flood: Callable[[], None]) -> None:
        self._on_line = on_line
        self._on_flood = on_flood
        self._transport: asyncio.SubprocessTransport | None = None
        self._pipes: _Pipes | None = None
        self._killed = False

    @property
    def pid(self) -> int | None:
        return None if self._transport is None else self._transport.get_pid()

    async def run(self, launch: Launch, first_line: bytes) -> Exit:
        """Raises OSError when it cannot be started."""
        if self._killed:
            return Exit(code=0, forced=True)
        transport, pipes = await self._spawn(launch)
        self._transport, self._pipes = transport, pipes
        try:
            if self._killed:
                self.kill()
            self.send(first_line)
            await pipes.fading.wait()
            await self._settle(pipes)
            await pipes.exited.wait()
            return Exit(code=transport.get_returncode() or 0, forced=self._killed)
        finally:
            self._signal(signal.SIGKILL)
            pipes.drop_input()
            transport.close()
            await pipes.closed.wait()

    def send(self, line: bytes) -> None:
        """Never blocks and never fails: a child that is gone is noticed at the other pipe."""
        if self._pipes is not None:
            self._pipes.write(line)

    def kill(self) -> None:
        """SIGKILL to the whole group; before the start, it will be killed at once."""
        self._killed = True
        self._signal(signal.SIGKILL)

    async def leave(self, last_line: bytes, patience: float) -> None:
        """The quit ladder: last line and end of input, TERM after `patience` seconds, KILL after as many again."""
        if self._pipes is None:
            self.kill()
            return
        self.send(last_line)
        self._pipes.close_input()
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._pipes.exited.wait()
                return
            self._signal(number)
            self._signal(signal.SIGCONT)  # a stopped process acts on nothing but KILL

    async def _spawn(self, launch: Launch) -> tuple[asyncio.SubprocessTransport, _Pipes]:
        log = await asyncio.to_thread(_open_log, launch.log)
        try:
            transport, protocol = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Pipes(self._on_line, self._on_flood, launch.max_line_bytes),
                *launch.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=dict(launch.environment),
                start_new_session=True,
            )
        finally:
            os.close(log)
        return transport, protocol

    async def _settle(self, pipes: _Pipes) -> None:
        """After the first sign of the end: let the rest of the pipe and the exit code arrive, else force both."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(EXIT_GRACE):
                await pipes.silent.wait()
                await pipes.exited.wait()
        if not pipes.exited.is_set():
            self.kill()

    def _signal(self, number: signal.Signals) -> None:
        if self._transport is None or self._transport.get_returncode() is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or (macOS) a zombie
            os.killpg(self._transport.get_pid(), number)


def _open_log(path: Path) -> int:
    """Append to a 0600 file; a big one becomes `NAME.1`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_name(path.name + ".1"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
