"""A model child without a model that fails on cue. Run as a script by `FaultyChild`; speaks the frames by hand, so
that a mistake in models/protocol.py shows as a mistake.

The n-th process started from one plan follows the n-th entry of the plan; later ones are healthy. Each start and
each Load frame is written to a journal beside the plan.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FAULTS = ("KILL", "SEGV", "STOP", "EXIT", "GARBAGE")
PLACES = ("load", "reading", "token 1", "token 50")


@dataclass(frozen=True, kw_only=True)
class Life:
    """How one child behaves. `at` is "hello" or one of PLACES."""

    fault: str = ""  # one of FAULTS, or OVERSIZE, VERSION, DRIBBLE, STUCK, MUTE, SHUT, REFUSE, WRONG_ID, BYE_BYE
    at: str = ""
    hold: str = ""  # stands still there, working, until cancelled; not with a message that begins with "short"
    deaf: bool = False  # does not listen to cancel
    stubborn: bool = False  # ignores bye, end of input and TERM
    only_with_extra_buffers: bool = False  # the fault
    tokens: int = 60


@dataclass(frozen=True, kw_only=True)
class FaultyChild:
    """The parent's side: writes the plan, names the command, reads the journal."""

    folder: Path
    lives: tuple[Life, ...] = field(default=())
    alive_seconds: float = 0.05

    @property
    def command(self) -> tuple[str, ...]:
        plan = {"lives": [asdict(life) for life in self.lives], "alive_seconds": self.alive_seconds}
        self._plan.write_text(json.dumps(plan))
        return (sys.executable, "-S", "-E", str(Path(__file__).resolve()), str(self._plan))

    @property
    def _plan(self) -> Path:
        return self.folder / "plan.json"

    def journal(self) -> list[dict[str, Any]]:
        path = self.folder / "journal"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def pids(self) -> list[int]:
        return [entry["pid"] for entry in self.journal() if "pid" in entry]

    def failed_at(self) -> float:
        """When the first fault happened, on the clock of time.monotonic."""
        return next(float(entry["failed"]) for entry in self.journal() if "failed" in entry)

    def farewells(self) -> int:
        """How often a child was asked to go."""
        return sum("bye" in entry for entry in self.journal())

    def loads(self) -> list[dict[str, Any]]:
        return [entry["load"] for entry in self.journal() if "load" in entry]


class Child:
    def __init__(self, life: Life, journal: Path, alive_seconds: float) -> None:
        self.life = life
        self.journal = journal
        self.alive_seconds = alive_seconds
        self.extra_buffers = True
        self.cancelled: set[int] = set()
        self.jobs: list[dict[str, Any]] = []
        self.arrived = threading.Condition()
        self.writing = threading.Lock()
        self.work = 0
        self.busy = False
        self.mute = False
        self.hurried = False

    def say(self, tag: str, **fields: Any) -> None:
        self.write(json.dumps({"t": tag, **fields}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        with self.writing:
            os.write(1, data)

    def note(self, **entry: Any) -> None:
        with self.journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def listen(self) -> None:
        for line in sys.stdin.buffer:
            frame = json.loads(line)
            if frame["t"] == "cancel":
                self.cancelled.add(frame["id"])
            elif frame["t"] == "bye":
                self.note(bye=True)
                if not self.life.stubborn:
                    os._exit(0)
            else:
                with self.arrived:
                    self.jobs.append(frame)
                    self.arrived.notify()
        if not self.life.stubborn:
            os._exit(0)  # the parent is gone

    def beat(self) -> None:
        while True:
            if not self.mute:
                self.say("alive", work=self.work, busy=self.busy)
            time.sleep(self.alive_seconds)

    def next_job(self) -> dict[str, Any]:
        with self.arrived:
            while not self.jobs:
                self.arrived.wait()
            return self.jobs.pop(0)

    def run(self) -> None:
        threading.Thread(target=self.listen, daemon=True).start()
        self.reach("hello")
        self.say("hello", version=2 if self.life.fault == "VERSION" else 1, pid=os.getpid(), engine="fake 1.0")
        threading.Thread(target=self.beat, daemon=True).start()
        load = self.next_job()
        self.extra_buffers = load["extra_buffers"]
        self.note(load=load)
        self.say("load_progress", done=1, total=2)
        self.reach("load")
        self.say("loaded", **LOADED)
        while True:
            job = self.next_job()
            self.busy = True
            self.hurried = any(message["content"].startswith("short") for message in job["messages"])
            ANSWERS[job["t"]](self, job)
            self.busy = False

    def generate(self, job: dict[str, Any]) -> None:
        number = job["id"]
        length = sum(len(message["content"].split()) for message in job["messages"])
        if length >= LOADED["context_length"]:
            return self.say("failed", id=number, kind="context_full", message="Too long.", hint="Say less.")
        self.say("reading", id=number, done=0, total=8)
        if not self.reach("reading", number):
            return self.done(number, "cancelled", 0)
        self.work += 1
        self.say("reading", id=number, done=8, total=8)
        words = job["messages"][-1]["content"].split() or ["nothing"]
        most = job["sampling"]["max_tokens"]
        for token in range(1, min(self.life.tokens, most) + 1):
            if self.is_cancelled(number):
                return self.done(number, "cancelled", token - 1)
            self.work += 1
            self.say("piece", id=number, text=words[(token - 1) % len(words)] + " ", thought=False)
            if not self.reach(f"token {token}", number):
                return self.done(number, "cancelled", token)
        if most < self.life.tokens:
            return self.done(number, "length", most)
        return self.done(number, "stop", self.life.tokens)

    def done(self, number: int, reason: str, tokens: int) -> None:
        usage = {
            "tokens_in": 8,
            "tokens_cached": 0,
            "tokens_out": tokens,
            "seconds_to_first_token": 0.01,
            "seconds_generating": 0.1,
            "context_used": 8 + tokens,
            "context_total": 512,
        }
        self.say("done", id=number, reason=reason, usage=usage)

    def choose(self, job: dict[str, Any]) -> None:
        number = job["id"]
        if not self.reach("reading", number):
            return self.say("failed", id=number, kind="cancelled", message="Cancelled.", hint="")
        options = [len(question["options"]) for question in job["questions"]]
        return self.say("chosen", id=number, probabilities=[[1 / n] * n for n in options], tokens_read=8)

    def count(self, job: dict[str, Any]) -> None:
        self.note(count=len(job["messages"]))
        self.reach("count", job["id"])
        counts = [4 + len(message["content"].split()) for message in job["messages"]]
        self.say("counted", id=job["id"], counts=counts)

    def is_cancelled(self, number: int) -> bool:
        return number in self.cancelled and not self.life.deaf

    def reach(self, place: str, number: int = 0) -> bool:
        """Fail or stand still here if the plan says so; False: cancelled meanwhile."""
        if self.life.at == place and (self.extra_buffers or not self.life.only_with_extra_buffers):
            self.fail(number)
        while self.life.hold == place and not self.hurried and not self.is_cancelled(number):
            self.work += 1
            time.sleep(0.005)
        return not self.is_cancelled(number)

    def fail(self, number: int) -> None:
        self.note(failed=time.monotonic())
        match self.life.fault:
            case "KILL" | "SEGV" | "STOP":
                os.kill(os.getpid(), getattr(signal, "SIG" + self.life.fault))
                time.sleep(60)
            case "EXIT":
                os._exit(3)
            case "GARBAGE":
                self.write(b"\x1b[31m\xff\x00 no frame at all\n")
            case "OVERSIZE":
                self.mute = True  # a sign of life in between would end the line
                for _ in range(6):
                    self.write(b"x" * 1_000_000)
            case "DRIBBLE":
                self.mute = True
                while True:
                    self.write(b"{")
                    time.sleep(0.1)
            case "STUCK":
                time.sleep(60)
            case "MUTE":
                self.mute = True
                time.sleep(60)
            case "SHUT":
                os.close(1)
                time.sleep(60)
            case "REFUSE":
                self.say("failed", id=None, kind="model_refused", message="The file is corrupt.", hint="Fetch it.")
                time.sleep(60)
            case "WRONG_ID":
                self.say("piece", id=number + 1_000, text="not yours", thought=False)
            case "MISFIT":
                self.say("counted", id=number, counts=[1] * 99)
            case "REFUSE_JOB":
                self.say("failed", id=number, kind="context_full", message="Too long.", hint="Say less.")


LOADED: dict[str, Any] = {
    "name": "fake",
    "context_length": 512,
    "backend": "CPU",
    "device": "CPU",
    "layers_total": 1,
    "layers_on_gpu": 0,
    "vram_free": 0,
    "threads": 1,
    "system_info": "AMX_INT8 = 1 | AVX2 = 1",
}
ANSWERS: dict[str, Callable[[Child, dict[str, Any]], None]] = {
    "generate": Child.generate,
    "choose": Child.choose,
    "count": Child.count,
}


def main(plan_path: Path) -> None:
    plan = json.loads(plan_path.read_text())
    journal = plan_path.with_name("journal")
    born = sum("pid" in json.loads(line) for line in journal.read_text().splitlines()) if journal.exists() else 0
    lives = plan["lives"]
    life = Life(**lives[born]) if born < len(lives) else Life()
    if life.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = Child(life, journal, plan["alive_seconds"])
    child.note(pid=os.getpid(), environment={name: os.environ.get(name) for name in ("GOMP_SPINCOUNT", "PYTHONPATH")})
    child.run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
