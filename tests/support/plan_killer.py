"""Kills a process around the steps of plans, again and again, and checks that each was done once at most, and none
without the yes that it needs.

    python -m tests.support.plan_killer HOME KILLS SEED [--act-first]

Each life finishes what the last one left, answers what waits, goes on with what was stopped, and makes plans without
end. A plan has four steps: two that are done and told, two that wait for a yes, of each pair one whose tool can be run
again; the last rests on the first. Every fifth mail is turned down. A last life without a kill goes on until all are
over. With --act-first no key is claimed before an act: the harness has to notice. Prints one JSON object.
"""

import asyncio
import json
import os
import random
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant.acting import Actor
from assistant.execution import UNKNOWN
from assistant.policies.stepping.progress import ASKS_WHETHER, HAPPENED_ANSWER, NOT_HAPPENED_ANSWER, OVER
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.stepping import Stepper
from assistant.tools.registry import Registry
from assistant.tools.types import Effect
from memory.data_dir import Home, OwnerLock
from memory.database import Database
from memory.decisions import Decision
from memory.plans import EVERY, Plan, Step
from memory.sqlite_decisions import SqliteDecisions
from memory.text import random_id
from models.absent import AbsentModel
from models.types import Cancel
from tests.support.clock import MONDAY, StepClock
from tests.support.decision_killer import NO_MODEL, Hasty, Ledger, killed_life, lines_of
from tests.support.store_oracle import verify

EFFECTS: dict[str, Effect] = {
    "note.add": "undoable",
    "note.keep": "undoable",
    "mail.send": "external",
    "mail.queue": "external",
}
REPEATABLE = ("note.keep", "mail.queue")
TURNED_DOWN = "-turned-down"  # how the text of a mail ends that the user says no to


class Tool(Ledger):
    def __init__(self, name: str, file: Path, pipe: int | None) -> None:
        super().__init__(name, file, pipe)
        self.effect = EFFECTS[name]
        self.repeatable = name in REPEATABLE


class Stage:
    """One run of the process."""

    def __init__(self, store: SqliteDecisions, ledger: Path, pipe: int | None = None) -> None:
        model = AbsentModel(NO_MODEL)
        prompts = ActingPrompts(which="{message}", fill="{tool} {known} {message}", gap="{message} {question}")
        clock = StepClock()
        self.store, self.ledger, self.pipe = store, ledger, pipe
        self.actor = Actor(
            Registry([Tool(name, ledger, pipe) for name in EFFECTS]),
            store,
            model,
            clock,
            zone=lambda: "UTC",
            reader=CallReader(model, prompts),
        )
        self.stepper = Stepper(self.actor, store, clock, run=random_id())

    async def begin(self) -> None:
        """As ui/deciding.py does at a start; then what waits is answered and what was stopped goes on."""
        await self.actor.recover()
        await self.stepper.settle()
        await self.stepper.recover()
        self.tell("begun")
        await self.answer_all()
        for plan in await self.store.plans(("stopped",), limit=100):
            await self.stepper.resume(plan.id)
        await self.answer_all()

    async def answer_all(self) -> None:
        for decision in await self.store.decisions():
            await self.stepper.answered(await self.actor.answer(decision.id, self._answer(decision), source="chat"))

    def _answer(self, decision: Decision) -> str:
        if decision.asked.argument == ASKS_WHETHER:
            happened = any(text in decision.asked.question for text in texts_of(self.ledger))
            return HAPPENED_ANSWER if happened else NOT_HAPPENED_ANSWER
        return "no" if TURNED_DOWN in decision.asked.question + str(decision.asked.call) else "yes"

    async def plan(self, name: str, turn: int) -> None:
        plan = await self.store.add_plan(name, steps_of(name, turn), at=MONDAY)
        self.tell(f"planned {plan.id}")
        async for _ in self.stepper.go(plan.id, Cancel()):
            self.tell("stepped")
        await self.answer_all()

    def tell(self, line: str) -> None:
        if self.pipe is not None:
            os.write(self.pipe, f"{line}\n".encode())


def steps_of(name: str, turn: int) -> list[Step]:
    steps: list[Step] = []
    for number, tool in enumerate(EFFECTS, start=1):
        end = TURNED_DOWN if EFFECTS[tool] == "external" and (turn + number) % 5 == 0 else ""
        text = f"{name}-{number}{end}"
        arguments = json.dumps({"text": text, "to": "ann@example.org"}, sort_keys=True, separators=(",", ":"))
        steps.append(Step(number=number, request=f"do {text}", tool=tool, arguments=arguments))
    return [*steps[:-1], replace(steps[-1], after=1)]


def texts_of(ledger: Path) -> list[str]:
    return [line.split()[2] for line in lines_of(ledger)]


async def live(home: Home, ledger: Path, life: int, hasty: bool, pipe: int) -> None:
    with OwnerLock(home, what="chat"):
        async with await Database.open(home.database) as database:
            stage = Stage(Hasty(database) if hasty else SqliteDecisions(database), ledger, pipe)
            await stage.begin()
            turn = 0
            while True:
                turn += 1
                await stage.plan(f"life{life}-plan{turn}", life + turn)


async def finish(home: Home, ledger: Path, *, hasty: bool) -> dict[str, Any]:
    """Goes on until every plan is over, and says what there is."""
    async with await Database.open(home.database) as database:
        store = Hasty(database) if hasty else SqliteDecisions(database)
        for _ in range(5):
            await Stage(store, ledger).begin()
        plans = await store.plans(EVERY, limit=1_000_000)
        decisions = await store.decisions(("done", "failed"), limit=1_000_000)
        return check(plans, decisions, texts_of(ledger))


def check(plans: tuple[Plan, ...], decisions: tuple[Decision, ...], texts: list[str]) -> dict[str, Any]:
    """`lost`: not over, said to be done and not in the ledger, in the ledger and not known, or passed over for no
    reason. `unasked`: a mail that went without a yes to it, or after a no. `unknown`: the user was asked whether."""
    done = Counter(texts)
    agreed = {(one.asked.task_id, one.asked.step) for one in decisions if one.answer == "yes"}
    lost, unasked, unknown = list[str](), list[str](), 0
    for plan in plans:
        for step in plan.steps:
            text = step.request.removeprefix("do ")
            external = EFFECTS[step.tool] == "external"
            is_unknown = step.state == "failed" and (UNKNOWN in step.result or "cut off" in step.result)
            unknown += is_unknown or "you said" in step.result
            refused = step.state == "skipped" and (TURNED_DOWN in text or plan.steps[0].state != "done")
            settled = step.state in OVER and (is_unknown or refused or (step.state == "done" and done[text] == 1))
            if not settled or (refused and done[text]):
                lost.append(f"{text}: {step.state} {step.result} {done[text]}")
            if external and done[text] and (TURNED_DOWN in text or (plan.id, step.number) not in agreed):
                unasked.append(text)
    return {
        "plans": [plan.id for plan in plans],
        "steps": sum(len(plan.steps) for plan in plans),
        "lost": lost,
        "twice": [text for text, times in done.items() if times > 1],
        "unasked": unasked,
        "unknown": unknown,
    }


def main(place: str, kills: int, seed: int, *, hasty: bool) -> dict[str, Any]:
    home = Home.resolve(place, {})
    home.make()
    ledger = Path(place) / "ledger"
    chance, told = random.Random(seed), list[str]()
    for life in range(kills):
        after = chance.choice(("begun", "planned", "stepped", "acted"))
        after_s = chance.uniform(0.0, 0.06 if after in ("begun", "planned") else 0.02)
        told += killed_life(partial(live, home, ledger, life, hasty), after, after_s)
    found = asyncio.run(finish(home, ledger, hasty=hasty))
    verify(home.database)
    acknowledged = {int(line.split()[1]) for line in told if line.startswith("planned")}
    found["lost"] += [f"plan {id}" for id in sorted(acknowledged - set(found["plans"]))]
    return {**found, "kills": kills, "plans": len(found["plans"])}


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), hasty="--act-first" in sys.argv)
    sys.stdout.write(json.dumps(result) + "\n")
