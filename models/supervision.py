"""The vocabulary of models/supervisor.py: limits, states, events, actions. Values only.

Times are seconds on a monotonic clock.
"""

from dataclasses import dataclass
from typing import Literal

from models.types import Failure, FinishReason, Priority


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the child may take. The defaults are what users get; tests use shorter ones."""

    hello: float = 30.0  # from spawn to the first frame
    load: float = 120.0  # without a step forward while loading
    alive: float = 15.0  # without any sign of life
    work: float = 30.0  # busy without a step forward
    cancel: float = 2.0  # from a cancel to the end of the request
    stable: float = 30.0  # ready for so long: earlier deaths are forgotten
    delays: tuple[float, ...] = (0.0, 1.0, 4.0)  # before each restart; as many restarts as entries
    lag: float = 2.0  # a timer this late means that the parent itself stood still
    farewell: float = 2.0  # on quit: after `bye`, and again after TERM


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A request by number; its content stays with the worker."""

    id: int
    priority: Priority


# -- states --


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """Signs of life of a loaded child."""

    since: float  # loaded at
    alive: float  # last frame of any kind
    decoded: bool = False  # this child has run its compute kernels and survived
    work: int = -1  # last counter in an Alive frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Down: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    since: float
    alive: float
    moved: float  # last step forward of the load
    work: int = -1
    greeted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    pulse: Pulse


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    pulse: Pulse
    job: Job
    moved: float  # last step forward of the request
    spoke: bool = False  # some text has reached the caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelling:
    pulse: Pulse
    job: Job
    asked: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    until: float
    delay: float
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    failure: Failure


State = Down | Starting | Ready | Busy | Cancelling | Backoff | GivenUp

ExtraBuffers = Literal[
    "on",
    "suspected",  # a child crashed with them; the present one runs without, to see
    "off",  # known to crash in this build on this machine
    "cleared",  # suspected wrongly: it crashes without them too
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """What raised the suspicion against the extra buffers."""

    signal: str
    loading: bool  # at load, else at the first decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    state: State = Down()
    queue: tuple[Job, ...] = ()  # waiting: user requests first, each kind in order of arrival
    child: int = 0  # number of the newest child; what older ones say is ignored
    deaths: int = 0  # in a row
    extra_buffers: ExtraBuffers = "on"
    crash: Crash | None = None
    closed: bool = False


# -- events --


@dataclass(frozen=True, slots=True, kw_only=True)
class StartAsked:
    """Load if nothing is loaded; after GivenUp this is one more try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelAsked:
    job_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """An earlier run has seen the extra-buffer kernels crash with this build on this machine."""

    signal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    late: float = 0.0  # how much later than asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class QuitAsked: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeted:
    child: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadMoved:
    child: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadEnded:
    child: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRefused:
    child: int
    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A step forward with a request: prompt tokens read, or text."""

    child: int
    job_id: int
    decoded: bool = False
    text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The request's last frame came and was delivered."""

    child: int
    job_id: int
    decoded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AliveSeen:
    child: int
    work: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Broke:
    """The child said something that is no frame of this version."""

    child: int
    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The process is gone and reaped, or could not be started."""

    child: int
    failure: Failure
    crash: str = ""  # name of the signal when it is one that faulty kernels raise


SignOfLife = Greeted | LoadMoved | LoadEnded | Moved | Answered | AliveSeen
ChildEvent = SignOfLife | LoadRefused | Broke | Ended
Event = StartAsked | Wanted | CancelAsked | Recalled | Ticked | QuitAsked | ChildEvent


# -- actions --


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """Start this child once every earlier one is gone: two of them would need the memory twice."""

    child: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    child: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    job_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCancel:
    job_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndJob:
    job_id: int
    reason: FinishReason
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """The extra-buffer kernels crash in this build on this machine."""

    signal: str


Action = Spawn | Kill | Send | SendCancel | EndJob | Remember


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    machine: Machine
    actions: tuple[Action, ...] = ()
