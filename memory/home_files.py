"""What the files of a home are, in one table: `doctor --privacy` names them by it, deleting everything goes by it.

A new kind of file gets a row here. What no row knows is not Steward's: it is shown as such and never deleted.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from memory.data_dir import Home, unusable
from memory.errors import HomeUnusable
from memory.home_key import HEADER
from memory.key_file import CLEAR, is_encrypted
from memory.sealed import HEADER as SEALED

Root = Literal["config", "data", "cache", "state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """`personal`: it holds, or is made from, what the user said or chose."""

    root: Root
    pattern: str  # of the path below the root
    holds: str
    personal: bool = True


_ROWS: tuple[tuple[Root, str, str, bool], ...] = (
    ("config", "config.toml", "settings", True),
    ("config", ".config.toml.*", "settings, being written", True),
    ("config", "models.toml", "your own entries of the list of models", True),
    ("config", "mcp.json", "which tool servers were added and what you allowed them", True),
    ("config", ".mcp.json.*", "the same, being written", True),
    (
        "data",
        "encryption.json",
        "the key of an encrypted home, wrapped by a passphrase, or that it is in a keyring",
        True,
    ),
    ("data", ".encryption.json.*", "the same, being written", True),
    ("data", "steward.db", "the history: conversations, memories, reminders, decisions, search over them", True),
    ("data", "steward.db-*", "the newest changes of the history", True),
    ("data", "steward.db.new*", "a new history, being made", True),
    ("data", ".steward.db.*", "a history, being restored", True),
    ("data", ".sealed-*", "an encrypted backup, being restored", True),
    ("data", "backups/damaged-*", "a damaged history, as it was found", True),
    ("data", "backups/*", "a backup: all that the history held then", True),
    ("data", "index/*", "numbers made from what is remembered, to find it by meaning", True),
    ("data", "models/*", "a model that was fetched; nothing of yours", False),
    ("data", "owner.lock", "which process owns this home", False),
    ("cache", "kv/*", "beginnings of prompts as the model evaluated them, memories in them included", True),
    ("cache", "pip/*", "what a package index sent", False),
    ("state", "steward.log*", "what happened, without your words", True),
    ("state", "engine.log*", "what the engine said, without your words", True),
    ("state", "engine_crashes.json", "which kernels crash on this machine", False),
    ("state", "draft.json", "what you wrote and did not send", True),
    ("state", ".draft.json.*", "what you wrote and did not send", True),
    ("state", "last-import.json", "what the last import of a profile changed, to undo it", True),
    ("state", ".last-import.json.*", "the same, being written", True),
    ("state", "mailbox/*", "changes that wait for the Steward that runs", True),
    ("state", "items/*", "changes of events, tasks and notes that wait for it", True),
    ("state", "answers/*", "answers that wait for the Steward that runs", True),
    ("state", "suggestions/*", "what you said about suggestions, waiting for the Steward that runs", True),
    ("state", "daemon", "which process is the daemon, and when it last looked", False),
    ("state", ".daemon.*", "the same, being written", False),
    ("state", "handover/*", "which process wants the home", False),
)
KINDS: tuple[Kind, ...] = tuple(
    Kind(root=root, pattern=pattern, holds=holds, personal=personal) for root, pattern, holds, personal in _ROWS
)
_STRANGE = "not known to Steward"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFile:
    """`size` in bytes; `kind` None: not Steward's; `private`: nobody else on this machine may read it."""

    path: Path
    kind: Kind | None
    size: int
    mode: int
    private: bool
    link: bool
    encrypted: bool = False  # nobody reads it without a key

    @property
    def holds(self) -> str:
        return "a link to another place" if self.link else self.kind.holds if self.kind is not None else _STRANGE


def files_of(home: Home) -> tuple[HomeFile, ...]:
    """Every file below the four folders, by path. Links are named, not followed."""
    locked = _is_locked(home)
    found = {
        path: replace(one, encrypted=_is_encrypted(one, locked))
        for name, root in _roots(home)
        for path in _below(root)
        if (one := _look_at(name, root, path))
    }
    return tuple(found[path] for path in sorted(found))


def _is_locked(home: Home) -> bool:
    try:
        return is_encrypted(home)
    except HomeUnusable:
        return False


def _is_encrypted(one: HomeFile, locked: bool) -> bool:
    """By its first bytes. `locked`: the home is encrypted, and so are the database and what SQLite keeps beside it,
    which nobody else may open in this process (memory/first_bytes.py)."""
    if one.link or one.kind is None or not one.kind.personal:
        return False
    if one.kind.pattern in ("steward.db", "steward.db-*"):
        return locked
    try:
        with one.path.open("rb") as file:
            beginning = file.read(64)
    except OSError:
        return False
    if beginning.startswith((HEADER, SEALED)):
        return True
    return locked and one.kind.pattern in _COPIES and bool(beginning) and not beginning.startswith(CLEAR)


_COPIES = ("steward.db.new*", ".steward.db.*", "backups/*")


def _roots(home: Home) -> tuple[tuple[Root, Path], ...]:
    return ("config", home.config), ("data", home.data), ("cache", home.cache), ("state", home.state)


def _below(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        yield from (Path(folder, name) for name in files)
        yield from (path for name in folders if (path := Path(folder, name)).is_symlink())


def _look_at(name: Root, root: Path, path: Path) -> HomeFile | None:
    try:
        found = path.lstat()
    except OSError:
        return None  # gone meanwhile
    inside = path.relative_to(root).as_posix()
    kind = next((kind for kind in KINDS if kind.root == name and fnmatchcase(inside, kind.pattern)), None)
    link = stat.S_ISLNK(found.st_mode)
    mode = stat.S_IMODE(found.st_mode)
    private = os.name == "nt" or link or not mode & 0o077
    return HomeFile(path=path, kind=kind, size=found.st_size, mode=mode, private=private, link=link)


def erase(home: Home, *, models: bool) -> tuple[HomeFile, ...]:
    """Delete what is Steward's, the models only if asked; what is left of it afterwards, which should be nothing.

    The caller owns the home: the lock file stays, and so do files that Steward does not know. Empty folders go."""
    for one in _going(files_of(home), models=models):
        try:
            one.path.unlink(missing_ok=True)
        except OSError as error:
            raise unusable(one.path, error) from error
    for _, root in _roots(home):
        _remove_empty(root)
    return _going(files_of(home), models=models)


def _going(files: Iterable[HomeFile], *, models: bool) -> tuple[HomeFile, ...]:
    return tuple(one for one in files if goes(one, models=models))


def goes(one: HomeFile, *, models: bool) -> bool:
    """Whether deleting everything deletes this file."""
    if one.kind is None or one.kind.pattern == "owner.lock":
        return False
    return models or one.kind.pattern != "models/*"


def _remove_empty(root: Path) -> None:
    for folder, _, _ in os.walk(root, topdown=False):
        path = Path(folder)
        if path == root or path.is_symlink():
            continue
        try:
            path.rmdir()
        except OSError as error:
            if any(path.iterdir()):
                continue
            raise HomeUnusable(f"{path} cannot be removed: {error.strerror}.") from error
