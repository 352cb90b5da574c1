"""Kills a process around decisions, again and again, and checks that none was lost and nothing was done twice.

    python -m tests.support.decision_killer HOME KILLS SEED [--act-first]

Each life finishes what the last one left, then raises and answers decisions without end. Two tools write what they did
to a ledger of their own, as a mail server would: one can be run again under its key, the other cannot. With --act-first
no key is claimed before an act: the harness has to notice. Prints one JSON object.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.acting import Actor
from assistant.policies.asking.calls import call_hash
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.tools.registry import Registry
from assistant.tools.types import (
    CallContext,
    Effect,
    EffectKey,
    Outcome,
    Precondition,
    Preview,
    ToolArguments,
    ToolName,
)
from memory.data_dir import Home, OwnerLock
from memory.database import Database
from memory.decisions import NewDecision
from memory.effects import EffectRecord
from memory.sqlite_decisions import SqliteDecisions
from models.absent import AbsentModel
from models.types import Failure
from tests.support.clock import MONDAY, StepClock
from tests.support.decisions import a_mail
from tests.support.store_oracle import verify

TOOLS = ("mail.send", "mail.queue")  # the first cannot be run again
A_MOMENT = 0.02  # that the world takes before and after it has got the mail: where kills have to hit
NO_MODEL = Failure(kind="model_missing", message="none", hint="")


class Arguments(ToolArguments):
    to: str | None = None
    text: str | None = None


class Ledger:
    """A tool whose effect is a line in a file."""

    summary = "Send a mail"
    effect: Effect = "external"
    arguments = Arguments

    def __init__(self, name: str, file: Path, pipe: int | None) -> None:
        self._pipe = pipe
        self.name = ToolName(name)
        self.repeatable = name == TOOLS[1]
        self._file = file

    def read(self, text: str, context: CallContext) -> None:
        return None

    async def preview(self, arguments: Arguments, context: CallContext) -> Preview:
        return Preview(summary="Send a mail", preconditions=(Precondition(name="state", value="quiet"),))

    async def run(self, arguments: Arguments, key: EffectKey, context: CallContext) -> Outcome:
        if self.repeatable and any(line.split()[0] == key for line in lines_of(self._file)):
            return Outcome(text="sent before")
        await asyncio.sleep(A_MOMENT)
        with self._file.open("ab") as file:
            os.write(file.fileno(), f"{key} {self.name} {arguments.text}\n".encode())
            os.fsync(file.fileno())
        if self._pipe is not None:
            os.write(self._pipe, b"acted\n")
        await asyncio.sleep(A_MOMENT)
        return Outcome(text="sent")

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise AssertionError("nothing of this can be undone")


def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


class Hasty(SqliteDecisions):
    """Lets everything run, begun before or not."""

    async def begin_effect(self, record: EffectRecord) -> bool:
        await super().begin_effect(record)
        return True


def asked(tool: str) -> NewDecision:
    card = a_mail()
    assert card.call is not None
    call = replace(card.call, tool=tool, hash=call_hash(tool, card.call.arguments))
    return replace(card, call=call)


def an_actor(store: SqliteDecisions, ledger: Path, pipe: int | None = None) -> Actor:
    model = AbsentModel(NO_MODEL)
    prompts = ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap="{message} {question}")
    return Actor(
        Registry([Ledger(name, ledger, pipe) for name in TOOLS]),
        store,
        model,
        StepClock(),
        zone=lambda: "UTC",
        reader=CallReader(model, prompts),
    )


async def live(home: Home, ledger: Path, pipe: int, turn: int, *, hasty: bool) -> None:
    """Finishes, then raises and answers without end; tells each acknowledged step."""
    with OwnerLock(home, what="chat"):
        async with await Database.open(home.database) as database:
            store = Hasty(database) if hasty else SqliteDecisions(database)
            actor = an_actor(store, ledger, pipe)
            await actor.recover()
            os.write(pipe, b"begun\n")
            while True:
                turn += 1
                decision = await store.raise_decision(asked(TOOLS[turn % 2]), at=MONDAY)
                os.write(pipe, f"raised {decision.id}\n".encode())
                await actor.answer(decision.id, "yes", source="chat")
                os.write(pipe, f"done {decision.id}\n".encode())


def one_life(home: Home, ledger: Path, life: int, after: str, after_s: float, *, hasty: bool) -> list[str]:
    """The ids that were said to be raised."""
    told = killed_life(lambda pipe: live(home, ledger, pipe, life, hasty=hasty), after, after_s)
    return [line for line in told if line.startswith(("raised", "done"))]


def killed_life(life: Callable[[int], Coroutine[Any, Any, None]], after: str, after_s: float) -> list[str]:
    """What a process told its pipe before it was killed, so long after the first line that begins with `after`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        asyncio.run(life(writing))
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as lines:
        told: list[str] = []
        while not told or not told[-1].startswith(after):
            told.append(lines.readline())
            assert told[-1], "it ended by itself"
        time.sleep(after_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        told += [line for line in lines if line.endswith("\n")]
        return [line.strip() for line in told]


async def finish(home: Home, ledger: Path, *, hasty: bool) -> None:
    async with await Database.open(home.database) as database:
        await an_actor(Hasty(database) if hasty else SqliteDecisions(database), ledger).recover()


def check(home: Home, ledger: Path, told: list[str]) -> dict[str, Any]:
    """`lost`: acknowledged and not there, answered and not finished, or said to be done and not in the ledger."""
    verify(home.database)
    connection = sqlite3.connect(home.database)
    try:
        states: dict[int, str] = dict(connection.execute("SELECT id, state FROM decision"))
        results: dict[int, str] = dict(connection.execute("SELECT id, result FROM decision"))
    finally:
        connection.close()
    sent = Counter(line.split()[0] for line in lines_of(ledger))
    raised = [int(line.split()[1]) for line in told]
    done = [id for id, state in states.items() if state == "done"]
    unknown = [id for id, state in states.items() if state == "failed"]
    return {
        "decisions": len(states),
        "lost": sorted(
            {id for id in raised if id not in states}
            | {id for id, state in states.items() if state == "answered"}
            | {id for id in done if not sent[f"decision-{id}"]}
            | {id for id in unknown if "not known" not in results[id]}
        ),
        "twice": [key for key, times in sent.items() if times > 1],
        "unasked": [key for key in sent if states.get(int(key.split("-")[1])) not in ("done", "failed")],
        "unknown": len(unknown),
        "open": sum(state == "open" for state in states.values()),
    }


def main(place: str, kills: int, seed: int, *, hasty: bool) -> dict[str, Any]:
    home = Home.resolve(place, {})
    home.make()
    ledger = Path(place) / "ledger"
    chance, told = random.Random(seed), list[str]()
    for life in range(kills):
        after = chance.choice(("begun", "raised", "acted"))
        after_s = chance.uniform(0.0, 0.03 if after == "begun" else 0.01)
        told += one_life(home, ledger, life, after, after_s, hasty=hasty)
    asyncio.run(finish(home, ledger, hasty=hasty))
    return {"kills": kills, **check(home, ledger, told)}


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), hasty="--act-first" in sys.argv)
    sys.stdout.write(json.dumps(result) + "\n")
