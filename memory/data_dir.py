"""Where Steward keeps things: four folders, private to their user, with one owner at a time.

Folders are 0700 and files 0600, whatever the umask. `owner.lock` is locked before the database is
opened or a model is started; the operating system frees it when the process ends, however it ends.
"""

import errno
import json
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import platformdirs

from memory.errors import HomeInUse, HomeUnusable, StoreError, StoreFull

if TYPE_CHECKING:
    from memory.home_key import Key

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_APP = "steward"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_LOCKED_BYTE = 1 << 30  # Windows locks a byte range; one far behind the text leaves the text readable
_HOLDER_WAIT_S = 0.5  # how long a loser waits for the winner to have written its name


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The four roots. `resolve` computes them without touching the disk; `make` creates them."""

    config: Path
    data: Path
    cache: Path
    state: Path
    unlock: "Callable[[Home], Key] | None" = field(default=None, compare=False, repr=False)  # of an encrypted one

    @classmethod
    def resolve(cls, override: str | None, env: Mapping[str, str]) -> Self:
        """The override, else STEWARD_HOME, else the platform's own folders. Raises HomeUnusable."""
        chosen = override or env.get("STEWARD_HOME") or ""
        if not chosen:
            return cls(
                config=platformdirs.user_config_path(_APP, appauthor=False),
                data=platformdirs.user_data_path(_APP, appauthor=False),
                cache=platformdirs.user_cache_path(_APP, appauthor=False),
                state=platformdirs.user_state_path(_APP, appauthor=False),
            )
        try:
            if "\0" in chosen:
                raise ValueError("it has a zero byte")
            root = Path(os.path.abspath(Path(chosen).expanduser()))  # noqa: PTH100  (resolve() would touch the disk)
        except (RuntimeError, ValueError) as error:
            raise HomeUnusable(f"{chosen!r} cannot be a folder: {error}.", "Give --home a full path.") from error
        return cls(config=root / "config", data=root / "data", cache=root / "cache", state=root / "state")

    @property
    def roots(self) -> tuple[Path, ...]:
        """Each root once; on some systems two of them are the same folder."""
        return tuple(dict.fromkeys((self.config, self.data, self.cache, self.state)))

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def database(self) -> Path:
        return self.data / "steward.db"

    @property
    def lock_file(self) -> Path:
        return self.data / "owner.lock"

    @property
    def backups(self) -> Path:
        return self.data / "backups"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def prefix_states(self) -> Path:
        return self.cache / "kv"

    @property
    def log(self) -> Path:
        return self.state / "steward.log"

    @property
    def engine_log(self) -> Path:
        return self.state / "engine.log"

    def make(self) -> None:
        """Create the roots, close what others could read, and try to write. Raises HomeUnusable, StoreFull."""
        for root in self.roots:
            make_private_folder(root)
            _close_to_others(root)
        for root in self.roots:
            _prove_writable(root)


def restrict_umask() -> None:
    """Files that libraries create from now on are private as well."""
    os.umask(0o077)


def make_private_folder(folder: Path) -> None:
    """Create `folder` with mode 0700, parents included. Raises HomeUnusable, StoreFull."""
    try:
        missing = [parent for parent in folder.parents if not parent.exists()]
        for parent in reversed(missing):
            parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error


def make_private_file(path: Path) -> None:
    """Create `path` empty with mode 0600, or give an existing file that mode. Raises HomeUnusable, StoreFull."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | _BINARY, 0o600)
        try:
            _restrict(path, descriptor, 0o600)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise unusable(path, error) from error


def atomic_write(path: Path, content: bytes) -> None:
    """Replace `path` as a whole: a reader, and the disk after a power cut, has the old text or the new.

    The file is private (0600) from its first byte. A symbolic link stays, its target is replaced.
    Raises HomeUnusable, StoreFull; then the old file is untouched.
    """
    try:
        target = path.resolve()
        beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            _write_new(beside, content)
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)
    except (OSError, RuntimeError) as error:
        raise unusable(path, error) from error


def sync_file(path: Path) -> None:
    """Make what was written to `path` survive a power cut."""
    descriptor = os.open(path, os.O_RDWR | _BINARY)  # Windows syncs only what was opened for writing
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make a creation or a rename in `folder` survive a power cut. Windows has no such call and needs none."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def unusable(path: Path, error: Exception) -> StoreError:
    """The operating system's refusal in one line, with the next step."""
    number = error.errno if isinstance(error, OSError) else None
    shown = str(path) if len(str(path)) <= 200 else f"{str(path)[:200]}…"
    if number in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(f"The disk is full: {shown} could not be written.", "Free some space and try again.")
    reason = _REASONS.get(number or 0) or (error.strerror if isinstance(error, OSError) else str(error))
    return HomeUnusable(f"{shown} cannot be used: {reason}.", "Make it writable, or choose another place with --home.")


_REASONS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the disk is read-only",
    errno.ELOOP: "its symbolic links go in a circle",
    errno.EEXIST: "there is something that is not a folder",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EISDIR: "it is a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ESTALE: "the network drive is gone",
    errno.ENOTCONN: "the network drive is gone",
    errno.EIO: "the disk reports an error",
}


def _write_new(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        _restrict(path, file.fileno(), 0o600)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _restrict(path: Path, descriptor: int, mode: int) -> None:
    if sys.platform == "win32":
        path.chmod(mode)
    else:
        os.fchmod(descriptor, mode)


def _close_to_others(root: Path) -> None:
    """Take group and other bits away wherever an older version, a copy or a library left them."""
    try:
        paths = [root]
        for folder, folders, files in os.walk(root):
            paths += [Path(folder, name) for name in (*folders, *files)]
        for path in paths:
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & 0o077:
                path.chmod(stat.S_IMODE(mode) & 0o700)
    except FileNotFoundError:
        pass  # a temporary file of another process went away meanwhile
    except OSError as error:
        raise unusable(root, error) from error


def _prove_writable(root: Path) -> None:
    probe = root / f".probe-{secrets.token_hex(4)}"
    try:
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600))
        probe.unlink()
    except OSError as error:
        raise unusable(root, error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who owns the home, as written into the lock file."""

    pid: int
    started: datetime | None
    what: str  # "chat", "daemon", ...


class OwnerLock:
    """One process owns the home. The file is never removed; the lock ends with the process.

    Children do not inherit the descriptor, so a child that outlives its parent holds nothing.
    """

    def __init__(self, home: Home, *, what: str = "chat", at: datetime | None = None) -> None:
        """`what` ("chat", "daemon") and `at`, the moment of the start, are what a second Steward is told."""
        self._path = home.lock_file
        self._what = what
        self._started = at
        self._descriptor: int | None = None

    def acquire(self) -> Self:
        """Raises HomeInUse naming the holder, HomeUnusable, StoreFull."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW | _BINARY, 0o600)
        except OSError as error:
            raise unusable(self._path, error) from error
        try:
            if not _lock(descriptor):
                raise _in_use(_await_holder(self._path))
            _restrict(self._path, descriptor, 0o600)
            _write_holder(descriptor, Holder(pid=os.getpid(), started=self._started, what=self._what))
        except OSError as error:
            os.close(descriptor)
            raise unusable(self._path, error) from error
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return self

    def release(self) -> None:
        """Let go; harmless when nothing is held."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def __enter__(self) -> Self:
        return self if self.held else self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def holder_of(home: Home) -> Holder | None:
    """Who wrote the lock file last; None when nobody did. It does not say whether the lock is held."""
    return _read_holder(home.lock_file)


def _lock(descriptor: int) -> bool:
    """Take the lock without waiting; False when another holds it."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EAGAIN, errno.EACCES, errno.EDEADLK, errno.EWOULDBLOCK}:
            return False
        raise
    return True


def _write_holder(descriptor: int, holder: Holder) -> None:
    started = holder.started.astimezone(UTC).isoformat() if holder.started else None
    text = json.dumps({"pid": holder.pid, "started": started, "what": holder.what})
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, text.encode())


def _read_holder(path: Path) -> Holder | None:
    try:
        found = json.loads(path.read_text("utf-8"))
        started = datetime.fromisoformat(found["started"]) if found["started"] else None
        return Holder(pid=int(found["pid"]), started=started, what=str(found["what"])[:40])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _await_holder(path: Path) -> Holder | None:
    """The living holder. A winner writes its name right after locking, so an old name is read again."""
    deadline = time.monotonic() + _HOLDER_WAIT_S
    while True:
        holder = _read_holder(path)
        if holder is not None and _is_alive(holder.pid):
            return holder
        if time.monotonic() > deadline:
            return None
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # asking there means opening the process; the name in the file is good enough
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _in_use(holder: Holder | None) -> HomeInUse:
    hint = "Use that one, or end it first. `steward sessions list` and `search` work meanwhile."
    if holder is None:
        return HomeInUse("Steward is already running here.", hint)
    since = f", started {holder.started.astimezone():%H:%M}" if holder.started else ""
    message = f"Steward is already running here: process {holder.pid}{since} ({holder.what})."
    return HomeInUse(message, hint, holder_pid=holder.pid)
