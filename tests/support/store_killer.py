"""Kills a process that keeps a conversation, again and again, and checks what it had acknowledged.

    python -m tests.support.store_killer HOME KILLS SEED [--acknowledge-early]

Writers are forked, so that a kill costs a tenth of a second. Prints one JSON object. With --acknowledge-early
the writer claims a change before it makes it: the harness has to notice, else it proves nothing.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.data_dir import Home, OwnerLock
from memory.sqlite_transcript import SqliteTranscript
from memory.types import Message, MessageId, SessionId
from tests.support.clock import StepClock
from tests.support.store_oracle import verify

_LEAST_S, _MOST_S = 0.005, 0.1


def text_of(number: int) -> str:
    """What the change of this number writes: told by the number alone, of very different lengths."""
    return f"change {number} walrus café 海象 🦭 " * (1 + number % 7 * (number % 5) * 9)


@dataclass(slots=True)
class Ledger:
    """What each message may contain: an answer is empty at first; None stands for being deleted."""

    allowed: dict[int, set[str | None]] = field(default_factory=dict)
    acknowledged: int = 0
    last: int = 0

    def read(self, line: str) -> None:
        kind, number, ids, is_done = json.loads(line)
        self.last = max(self.last, number)
        self.acknowledged += is_done
        text = None if kind == "delete" else text_of(number)
        for id in ids:
            self.allowed[id] = {text} if is_done else self.allowed.get(id, {""}) | {text}

    def check(self, path: Path) -> list[str]:
        verify(path)
        connection = sqlite3.connect(path)
        try:
            kept: dict[int, str] = dict(connection.execute("SELECT id, content FROM message"))
        finally:
            connection.close()
        wrong = [id for id, texts in self.allowed.items() if kept.get(id) not in texts]
        return [f"message {id} is {str(kept.get(id))[:40]!r}" for id in wrong]


class Writer:
    """Talks to the real transcript without end, telling each change before and after it is made."""

    def __init__(self, transcript: SqliteTranscript, pipe: int, last: int, *, early: bool) -> None:
        self._transcript = transcript
        self._pipe = pipe
        self._number = last
        self._early = early
        self._clock = StepClock()
        self._random = random.Random(last)

    def _tell(self, kind: str, ids: list[int], *, is_done: bool) -> None:
        os.write(self._pipe, (json.dumps([kind, self._number, ids, is_done]) + "\n").encode())

    async def _change(self, kind: str, ids: list[int], change: Any) -> Any:
        """`change` is an awaitable; a message it makes gets its id from the answer."""
        self._tell(kind, ids, is_done=self._early)
        made = await change
        if not self._early:
            self._tell(kind, [made.id] if isinstance(made, Message) else ids, is_done=True)
        return made

    def _next(self) -> str:
        self._number += 1
        return text_of(self._number)

    async def run(self) -> None:
        while True:
            session = await self._transcript.create_session(at=self._clock.now(), title=f"talk {self._number}")
            talk = await self._talk(session.id)
            if self._random.random() < 0.4:
                self._next()
                await self._change("delete", talk, self._transcript.delete_session(session.id))

    async def _talk(self, session: SessionId) -> list[int]:
        ids: list[int] = []
        head: MessageId | None = None
        for _ in range(self._random.randint(1, 6)):
            at, text = self._clock.now(), self._next()
            say = self._transcript.add_user_message(session, head, text, at=at)
            said: Message = await self._change("say", [], say)
            begun = await self._transcript.begin_reply(said.id, at=at, model="tiny")
            for _ in range(self._random.randint(0, 4)):
                text = self._next()
                await self._change("checkpoint", [begun.id], self._transcript.checkpoint_reply(begun.id, text))
            end: dict[str, Any] = {"finish_reason": "stop", "tokens_in": 1, "tokens_out": 1, "seconds": 0.1}
            text = self._next()
            finish = self._transcript.finish_reply(begun.id, text, thought="", status="complete", at=at, **end)
            await self._change("finish", [begun.id], finish)
            ids += [said.id, begun.id]
            head = begun.id
        return ids


async def write(home: Home, pipe: int, last: int, *, early: bool) -> None:
    with OwnerLock(home, at=StepClock().now()):
        transcript = await SqliteTranscript.open(home.database)
        await transcript.interrupt_unfinished()
        await Writer(transcript, pipe, last, early=early).run()


def one_kill(home: Home, ledger: Ledger, after_s: float, *, early: bool) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        asyncio.run(write(home, writing, ledger.last, early=early))
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as lines:
        ledger.read(lines.readline())  # it is at work
        time.sleep(after_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for line in lines:
            ledger.read(line)


def main(place: str, kills: int, seed: int, *, early: bool) -> dict[str, Any]:
    home = Home.resolve(place, {})
    home.make()
    chance, ledger = random.Random(seed), Ledger()
    lost: list[str] = []
    for _ in range(kills):
        one_kill(home, ledger, chance.uniform(_LEAST_S, _MOST_S), early=early)
        lost += ledger.check(home.database)
        if lost:
            break
    return {"kills": kills, "acknowledged": ledger.acknowledged, "messages": len(ledger.allowed), "lost": lost}


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), early="--acknowledge-early" in sys.argv)
    sys.stdout.write(json.dumps(result) + "\n")
