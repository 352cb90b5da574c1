"""The child's end of the pipe: one thread reads frames, one says "alive", any thread may send.

The compute thread takes requests one by one with `take`. A cancel for the running one sets a flag that
`keep_going` reports; a cancel for a waiting one is answered at once.
"""

import os
import sys
import threading
from collections import deque
from typing import BinaryIO

from pydantic import BaseModel

from models.protocol import (
    ALIVE_SECONDS,
    MAX_LINE_BYTES,
    Alive,
    Bye,
    CancelFrame,
    Choose,
    Count,
    Done,
    Failed,
    Generate,
    Load,
    ProtocolBroken,
    UsageFrame,
    decode_to_child,
    encode,
)

Work = Load | Generate | Choose | Count

NO_USAGE = UsageFrame(
    tokens_in=0,
    tokens_cached=0,
    tokens_out=0,
    seconds_to_first_token=0.0,
    seconds_generating=0.0,
    context_used=0,
    context_total=0,
)


class Link:
    def __init__(self, source: BinaryIO, target: int) -> None:
        self._source = source
        self._target = target
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: deque[Work] = deque()
        self._running: Work | None = None
        self._cancelled = False
        self._work = 0

    def start(self) -> None:
        """Starts both threads. They end with the process."""
        threading.Thread(target=self._read, name="frames", daemon=True).start()
        threading.Thread(target=self._beat, name="alive", daemon=True).start()

    def send(self, frame: BaseModel) -> None:
        """Writes one line. Ends the process when nobody reads any more."""
        line = memoryview(encode(frame))
        try:
            with self._sending:
                while line:
                    line = line[os.write(self._target, line) :]
        except OSError:
            os._exit(0)

    def take(self) -> Work:
        """The next request; blocks. The one before counts as finished."""
        with self._changed:
            self._running = None
            self._changed.wait_for(lambda: bool(self._waiting))
            self._running = self._waiting.popleft()
            self._cancelled = False
            return self._running

    def step(self) -> None:
        """The compute thread got a step further."""
        self._work += 1

    def keep_going(self) -> bool:
        """Asked by llama.cpp between graph nodes: also a sign of work."""
        self._work += 1
        return not self._cancelled

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def _read(self) -> None:
        while line := self._source.readline(MAX_LINE_BYTES + 1):
            try:
                self._sort(decode_to_child(line))
            except ProtocolBroken as error:
                if len(line) > MAX_LINE_BYTES:
                    break
                sys.stderr.write(f"unreadable frame: {error}\n")
                self.send(Failed(id=None, kind="bug", message="The engine got a line that is no frame.", hint=""))
        os._exit(0)  # the parent is gone, or out of its mind

    def _sort(self, frame: Work | CancelFrame | Bye) -> None:
        match frame:
            case Bye():
                os._exit(0)
            case CancelFrame(id=number):
                if self._withdraw(number):
                    self.send(Done(id=number, reason="cancelled", usage=NO_USAGE))
            case Load() | Generate() | Choose() | Count():
                with self._changed:
                    self._waiting.append(frame)
                    self._changed.notify()

    def _withdraw(self, number: int) -> bool:
        """Flags the running request, or takes a waiting one out of the queue; True for the latter."""
        with self._changed:
            if isinstance(self._running, Generate | Choose | Count) and self._running.id == number:
                self._cancelled = True
            for frame in self._waiting:
                if not isinstance(frame, Load) and frame.id == number:
                    self._waiting.remove(frame)
                    return True
        return False

    def _beat(self) -> None:
        pause = threading.Event()
        while True:
            self.send(Alive(work=self._work, busy=self._running is not None or bool(self._waiting)))
            pause.wait(ALIVE_SECONDS)
