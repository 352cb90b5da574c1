"""Drives `python -m models.child` over its pipes, frame by frame, and nothing else."""

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from models.launching import environment_of
from models.protocol import (
    Alive,
    CancelFrame,
    Choose,
    Chosen,
    Count,
    Counted,
    Done,
    Failed,
    Generate,
    Load,
    Loaded,
    MessageFrame,
    Piece,
    QuestionFrame,
    SamplingFrame,
    decode_from_child,
    encode,
)

LIMIT_SECONDS = 60.0
Turn = tuple[str, str]  # role, content


def sampling(**changes: Any) -> SamplingFrame:
    """Greedy, 32 tokens."""
    values: dict[str, Any] = {
        "temperature": 0.0,
        "top_p": 0.95,
        "top_k": 40,
        "min_p": 0.05,
        "repeat_penalty": 1.0,
        "max_tokens": 32,
        "seed": 7,
    }
    return SamplingFrame(**values | changes)


def messages(*turns: Turn) -> tuple[MessageFrame, ...]:
    return tuple(MessageFrame.model_validate({"role": role, "content": content}) for role, content in turns)


@dataclass(frozen=True)
class Reply:
    """All frames of one request, the closing one last."""

    frames: tuple[Any, ...]

    @property
    def text(self) -> str:
        return "".join(frame.text for frame in self.frames if isinstance(frame, Piece) and not frame.thought)

    @property
    def thoughts(self) -> str:
        return "".join(frame.text for frame in self.frames if isinstance(frame, Piece) and frame.thought)

    @property
    def done(self) -> Done:
        assert isinstance(self.frames[-1], Done), self.frames[-1]
        return self.frames[-1]

    @property
    def failed(self) -> Failed:
        assert isinstance(self.frames[-1], Failed), self.frames[-1]
        return self.frames[-1]


class ChildDriver:
    """A context manager: the process is gone afterwards."""

    def __init__(self, log: Path, environment: Mapping[str, str] | None = None) -> None:
        self._log = log.open("ab")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            (sys.executable, "-P", "-m", "models.child"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment_of(os.environ) | dict(environment or {}),
            start_new_session=True,
        )
        self._frames: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self._log.close()

    def send(self, *frames: BaseModel) -> None:
        """All in one write: the child has them together, however busy this machine is."""
        self.send_line(b"".join(map(encode, frames)))

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def frames(self, *, alive: bool = False) -> Iterator[Any]:
        """As they come. Ends when the pipe ends."""
        while (frame := self._frames.get(timeout=LIMIT_SECONDS)) is not None:
            if alive or not isinstance(frame, Alive):
                yield frame

    def until(self, *kinds: type[BaseModel]) -> Reply:
        collected: list[Any] = []
        for frame in self.frames():
            collected.append(frame)
            if isinstance(frame, kinds):
                return Reply(tuple(collected))
        raise AssertionError(f"the child ended with {self.process.wait()} after {collected[-3:]}")

    def load(self, path: Path, **changes: Any) -> Loaded:
        reply = self.try_load(path, **changes)
        assert isinstance(reply, Loaded), reply
        return reply

    def try_load(self, path: Path, **changes: Any) -> Loaded | Failed:
        values: dict[str, Any] = {"path": str(path), "context_length": 0, "threads": 1, "gpu_layers": 0}
        self.send(Load(**values | changes))
        last = self.until(Loaded, Failed).frames[-1]
        assert isinstance(last, Loaded | Failed)
        return last

    def start(self, *turns: Turn, **options: Any) -> int:
        """Asks for a reply and returns its number; `options` are fields of Generate or of its sampling."""
        self._number += 1
        own = {name: options.pop(name) for name in set(options) & set(Generate.model_fields)}
        self.send(Generate(id=self._number, messages=messages(*turns), sampling=sampling(**options), **own))
        return self._number

    def finish(self) -> Reply:
        return self.until(Done, Failed)

    def ask(self, *turns: Turn, **options: Any) -> Reply:
        self.start(*turns, **options)
        return self.finish()

    def cancel(self, number: int) -> None:
        self.send(CancelFrame(id=number))

    def choose(self, *turns: Turn, questions: Sequence[tuple[str, Sequence[str]]], calibrate: bool = False) -> Any:
        """The closing frame."""
        self._number += 1
        asked = tuple(QuestionFrame(prompt=prompt, options=tuple(options)) for prompt, options in questions)
        self.send(Choose(id=self._number, messages=messages(*turns), questions=asked, calibrate=calibrate))
        return self.until(Chosen, Done, Failed).frames[-1]

    def count(self, *turns: Turn) -> tuple[int, ...]:
        self._number += 1
        self.send(Count(id=self._number, messages=messages(*turns)))
        last = self.until(Counted, Failed).frames[-1]
        assert isinstance(last, Counted), last
        return last.counts

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._frames.put(decode_from_child(line))
        self._frames.put(None)
