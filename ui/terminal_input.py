"""Keys and pastes from the terminal, told apart before anything is parsed.

Textual 8.2 reads a paste letter by letter, as it reads keys: 1 MB takes a second of the interpreter, and an escape
character inside a paste makes what follows it into keys, so that a pasted log could press Ctrl+G, Ctrl+Q or Enter.
Here a paste is cut out whole and never looked at.
"""

import contextlib
import os
import selectors
import sys
import time
from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual._xterm_parser import XTermParser

if TYPE_CHECKING or sys.platform != "win32":
    import termios

    from textual.drivers.linux_driver import LinuxDriver

BEGIN = "\x1b[200~"
END = "\x1b[201~"
_READ = 65_536
_IDLE_SECONDS = 0.1
_START_SECONDS = 10.0
_SOON_SECONDS = 0.02  # right after input: a lone Escape is known by nothing following it


@dataclass(frozen=True, slots=True)
class Pasted:
    text: str


class PasteSplitter:
    """Cuts terminal input, in whatever pieces it comes, into keys (as they are) and whole pastes."""

    def __init__(self) -> None:
        self._paste: list[str] | None = None  # pieces of the paste that is coming
        self._held = ""  # the beginning of a marker, perhaps

    def feed(self, data: str) -> list[str | Pasted]:
        found: list[str | Pasted] = []
        data = self._held + data
        self._held = ""
        while data:
            data = self._keys(data, found) if self._paste is None else self._pasted(data, found)
        return found

    def flush(self) -> str:
        """Keys that were held back, after some time without input; "" within a paste."""
        if self._paste is not None:
            return ""
        held, self._held = self._held, ""
        return held

    def _keys(self, data: str, found: list[str | Pasted]) -> str:
        keys, begun, rest = data.partition(BEGIN)
        if begun:
            self._paste = []
        else:
            kept = _beginning_of(BEGIN, keys)
            if kept > 1:  # a lone Escape is a key
                keys, self._held = keys[:-kept], keys[-kept:]
        if keys:
            found.append(keys)
        return rest

    def _pasted(self, data: str, found: list[str | Pasted]) -> str:
        assert self._paste is not None
        text, ended, rest = data.partition(END)
        if not ended:
            kept = _beginning_of(END, text)
            if kept:
                text, self._held = text[:-kept], text[-kept:]
            self._paste.append(text)
            return ""
        self._paste.append(text)
        found.append(Pasted("".join(self._paste)))
        self._paste = None
        return rest


def _beginning_of(marker: str, text: str) -> int:
    """How many last characters of `text` may be the beginning of `marker`."""
    return next((size for size in range(len(marker) - 1, 0, -1) if text.endswith(marker[:size])), 0)


if TYPE_CHECKING or sys.platform != "win32":

    class TerminalDriver(LinuxDriver):
        """Textual's driver for Linux and macOS, with pastes taken out of its input, and one input thread at a time."""

        def _sigcont_application(self, *_: object) -> None:
            """Starts the screen again only when SIGTSTP had ended it. A terminal that goes away sends SIGHUP and
            SIGCONT: a second input thread beside the first would keep the process alive for ever."""
            if self._must_signal_resume:
                super()._sigcont_application()

        def run_input_thread(self) -> None:
            parser, splitter = XTermParser(self._debug), PasteSplitter()
            decode = getincrementaldecoder("utf-8")(errors="replace").decode
            self._wait_for_prompt()
            self._dispatch(parser, splitter.feed(decode(getattr(self._app, "typed_before", b""))))
            with selectors.DefaultSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                wait = _IDLE_SECONDS
                while not self.exit_event.is_set():
                    if selector.select(wait):
                        data = decode(os.read(self.fileno, _READ))
                        if not data:
                            wait = _IDLE_SECONDS
                            self.exit_event.wait(_IDLE_SECONDS)  # the terminal is gone; a signal says so too
                            continue
                        wait = _SOON_SECONDS
                        self._dispatch(parser, splitter.feed(data))
                    else:
                        wait = _IDLE_SECONDS
                        self._dispatch(parser, [splitter.flush()])
                    for event in parser.tick():
                        self.process_message(event)

        def forget_typed(self) -> None:
            with contextlib.suppress(termios.error):
                termios.tcflush(self.fileno, termios.TCIFLUSH)

        def _wait_for_prompt(self) -> None:
            """Keys from before there is a prompt would go nowhere; the terminal keeps them until then."""
            ready = getattr(self._app, "accepts_keys", None)
            began = time.monotonic()
            while ready is not None and not self.exit_event.is_set() and time.monotonic() - began < _START_SECONDS:
                if ready.wait(_SOON_SECONDS):
                    return

        def _dispatch(self, parser: XTermParser, parts: list[str | Pasted]) -> None:
            """What came at once has one time: how long the parser takes says nothing about who typed."""
            at: float | None = None
            for part in parts:
                found = (events.Paste(part.text),) if isinstance(part, Pasted) else parser.feed(part) if part else ()
                for event in found:
                    at = event.time = event.time if at is None else at
                    self.process_message(event)
