"""Lines of input without blocking the event loop: from a terminal with editing and history, or from a pipe."""

import asyncio
import codecs
import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol, TextIO, TypeVar

T = TypeVar("T")


class LineReader(Protocol):
    echoes: bool  # what is typed is seen already

    async def read(self, prompt: str) -> str | None:
        """The next line without its end; None when there will be none."""
        ...


class TerminalReader:
    """Python's `input` with readline, where there is one: a paste of several lines is one line of input."""

    echoes = True

    async def read(self, prompt: str) -> str | None:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  editing and history for input()
        return await _in_thread(lambda: _typed(prompt))


class PipeReader:
    """Lines of a file descriptor; nothing of a line is lost, however long it is."""

    echoes = False

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._lines: deque[str] = deque()
        self._begun: list[str] = []
        self._ended = False

    async def read(self, prompt: str) -> str | None:
        while not self._lines and not self._ended:
            self._take(await _in_thread(lambda: os.read(self._descriptor, 65_536)))
        return self._lines.popleft() if self._lines else None

    def _take(self, data: bytes) -> None:
        first, *others = self._decoder.decode(data, final=not data).split("\n")
        self._begun.append(first)
        for begun in others:
            self._lines.append("".join(self._begun))
            self._begun = [begun]
        if not data:
            self._ended = True
            if any(self._begun):
                self._lines.append("".join(self._begun))


def reader_for(stdin: TextIO, out: TextIO) -> LineReader:
    """Editing needs both ends to be a terminal."""
    return TerminalReader() if stdin.isatty() and out.isatty() else PipeReader(stdin.fileno())


async def read_hidden(reader: LineReader, prompt: str) -> str | None:
    """Without echo where somebody types."""
    return await (_in_thread(lambda: _hidden(prompt)) if reader.echoes else reader.read(prompt))


@contextlib.contextmanager
def terminal_kept(stdin: TextIO) -> Iterator[None]:
    """The terminal's modes are afterwards what they were, also when a line was being edited."""
    if not stdin.isatty():
        yield
        return
    try:
        import termios
    except ImportError:
        yield
        return
    modes = termios.tcgetattr(stdin.fileno())
    try:
        yield
    finally:
        termios.tcsetattr(stdin.fileno(), termios.TCSADRAIN, modes)


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        sys.stdout.write("\n")
        return None


def _hidden(prompt: str) -> str | None:
    from getpass import getpass

    try:
        return getpass(prompt)
    except EOFError:
        return None


async def _in_thread(work: Callable[[], T]) -> T:
    """Runs `work` in a thread that the end of the program does not wait for: a read may never come back."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # T may be None itself

    def run() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = work()
        except (OSError, UnicodeError) as failure:
            error = failure
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
            loop.call_soon_threadsafe(finish, result, error)

    threading.Thread(target=run, name="line-input", daemon=True).start()
    return await done
