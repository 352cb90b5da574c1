"""What goes into a fetch and what comes out, as frozen values. Sizes are bytes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from models.catalog import SourceKind

Stage = Literal["checking", "fetching", "verifying"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchProgress:
    """`done` of `total` bytes of one file. "checking" reads again what an earlier run left behind."""

    file: str
    stage: Stage
    done: int
    total: int
    source: str  # "model hub", "package index", "local file"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSkipped:
    """A source could not give the file; the next one is tried."""

    file: str
    reason: str  # one line


FetchEvent = FetchProgress | SourceSkipped
Watch = Callable[[FetchEvent], None]
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """How to fetch. The user's own pip and hub configuration holds beside it."""

    kinds: tuple[SourceKind, ...] = ("hub", "package_index")  # sources of other kinds are passed over
    cache: Path | None = None  # where a private pip may be made when there is none; None: do not
    pip: tuple[str, ...] = ()  # the command that runs pip; (): look for one
    pip_arguments: tuple[str, ...] = ()  # added to `pip download`, for example --index-url
    hub_endpoint: str | None = None  # another hub; None: the hub's own default and HF_ENDPOINT
    keep_partial: bool = False  # keep what was fetched when the disk is full
    disk_margin: int = 512 * 1024 * 1024  # bytes that must stay free
    retry_delays: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)  # seconds before a broken hub download goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A whole, verified file in its place. `source` is "" when it was there before."""

    path: Path
    size: int
    sha256: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The caller cancelled; `done` bytes are kept and the next fetch goes on from there."""

    file: str
    done: int
    total: int


Outcome = Fetched | Stopped
