"""A supervisor on a bench: events go in by hand, and what it wants done is written down."""

from dataclasses import dataclass, field

from models import supervision as sv
from models.supervisor import deadline, step
from models.types import Failure

LIMITS = sv.Limits()

CRASH = Failure(kind="worker_died", message="The model process crashed (SIGSEGV).", hint="Ask again.")

REFUSED = Failure(kind="model_refused", message="The file is corrupt.", hint="Fetch it again.")


@dataclass
class Bench:
    """A machine with the events fed to it and the actions it asked for."""

    machine: sv.Machine = field(default_factory=sv.Machine)
    now: float = 1_000.0
    actions: list[sv.Action] = field(default_factory=list)
    jobs: int = 0

    def feed(self, *events: sv.Event) -> list[sv.Action]:
        fresh: list[sv.Action] = []
        for event in events:
            taken = step(self.machine, event, self.now, LIMITS)
            self.machine = taken.machine
            fresh += taken.actions
        self.actions += fresh
        return fresh

    def wait(self, seconds: float) -> list[sv.Action]:
        """Time passes, timers fire when they are due."""
        end = self.now + seconds
        fresh: list[sv.Action] = []
        while (due := deadline(self.machine, LIMITS)) is not None and due <= end:
            self.now = max(self.now, due)
            fresh += self.feed(sv.Ticked())
        self.now = end
        return fresh

    def want(self, priority: str = "user") -> int:
        self.jobs += 1
        self.feed(sv.Wanted(job=sv.Job(id=self.jobs, priority="user" if priority == "user" else "background")))
        return self.jobs

    @property
    def child(self) -> int:
        return self.machine.child

    @property
    def state(self) -> sv.State:
        return self.machine.state

    def load(self) -> None:
        self.feed(sv.StartAsked(), sv.Greeted(child=self.child or 1), sv.LoadEnded(child=self.child or 1))
        assert isinstance(self.state, sv.Ready | sv.Busy)

    def reload(self) -> None:
        self.feed(sv.Greeted(child=self.child), sv.LoadEnded(child=self.child))

    def die(self, crash: str = "") -> list[sv.Action]:
        return self.feed(sv.Ended(child=self.child, failure=CRASH, crash=crash))

    def beat_for(self, seconds: float, work: int = 0) -> None:
        """The child lives, its work counter at `work`."""
        for _ in range(int(seconds)):
            self.wait(1.0)
            self.feed(sv.AliveSeen(child=self.child, work=work))

    def answer(self, job: int, *, decoded: bool = True) -> list[sv.Action]:
        return self.feed(sv.Answered(child=self.child, job_id=job, decoded=decoded))

    def ended(self, job: int) -> sv.EndJob | None:
        ends = [one for one in self.actions if isinstance(one, sv.EndJob) and one.job_id == job]
        assert len(ends) <= 1
        return ends[0] if ends else None

    def sent(self) -> list[int]:
        return [one.job_id for one in self.actions if isinstance(one, sv.Send)]

    def spawned(self) -> int:
        return sum(isinstance(one, sv.Spawn) for one in self.actions)
