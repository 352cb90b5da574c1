"""The keys of encrypted homes in this run: asked for once, before the home is locked and before any screen is up.

A passphrase comes from the file that STEWARD_PASSPHRASE_FILE names, from the terminal without echo, or is the first
line of a pipe. It is never an argument: those are in the history of the shell and in the list of processes.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.data_dir import Home
    from memory.errors import HomeLocked
    from memory.home_key import Key
    from memory.key_file import KeyFile
    from ui.wiring import Options

FILE_VARIABLE = "STEWARD_PASSPHRASE_FILE"
TRIES = 3  # at a terminal
_MOST_BYTES = 4_096
# what works without the key, so that a forgotten passphrase never stands in its way; each is a path of commands
WITHOUT_KEY = (
    *("tour", "models", "config", "where", "evaluate", "encryption", "data", "backups", "learning"),
    *("daemon install", "daemon uninstall", "daemon status"),
)
TRIES_WITHOUT = ("doctor",)  # says more with the key, and works without


class Unlocked:
    """Keys by the data folder of their home. One for a run; threads take turns."""

    def __init__(self) -> None:
        self._keys: dict[Path, Key] = {}
        self._refused: dict[Path, HomeLocked] = {}  # nobody is asked twice in a run
        self._turn = Lock()
        self.stdin_is_text = False  # the command reads its own text from stdin, so no passphrase can come there

    def put(self, home: "Home", key: "Key") -> None:
        self._keys[home.data] = key
        self._refused.pop(home.data, None)

    def drop(self, home: "Home") -> None:
        self._keys.pop(home.data, None)

    def key_of(self, home: "Home") -> "Key":
        """Raises HomeLocked, UiError."""
        from memory.errors import HomeLocked

        with self._turn:
            if (refused := self._refused.get(home.data)) is not None:
                raise refused
            if home.data not in self._keys:
                try:
                    self._keys[home.data] = self._find(home)
                except HomeLocked as error:
                    self._refused[home.data] = error
                    raise
            return self._keys[home.data]

    def _find(self, home: "Home") -> "Key":
        from memory.key_file import read_key_file, unlock_from_keyring

        file = read_key_file(home)
        return unlock_from_keyring(file) if file.store == "keyring" else self._ask(file)

    def _ask(self, file: "KeyFile") -> "Key":
        from memory.key_file import WrongPassphrase, unlock_with_passphrase

        if (given := passphrase_given(os.environ, stdin_is_text=self.stdin_is_text)) is not None:
            return unlock_with_passphrase(file, given)
        for _ in range(TRIES - 1):
            try:
                return unlock_with_passphrase(file, _typed())
            except WrongPassphrase as error:
                sys.stderr.write(f"{error.message}\n")
        return unlock_with_passphrase(file, _typed())


def unlock_first(options: "Options", command: str, *, stdin_is_text: bool) -> None:
    """Before the command begins. `command`: "memory list". Raises HomeLocked, UiError."""
    if _is_below(command, WITHOUT_KEY) or options.keeps_nothing:
        return
    from memory.errors import StoreError
    from memory.key_file import key_of
    from ui.wiring import resolve_home

    options.unlocked.stdin_is_text = stdin_is_text
    try:
        key_of(resolve_home(options))
    except StoreError:
        if not _is_below(command, TRIES_WITHOUT):
            raise


def _is_below(command: str, names: Sequence[str]) -> bool:
    return any(f"{command} ".startswith(f"{name} ") for name in names)


def passphrase_given(env: Mapping[str, str], *, stdin_is_text: bool = False) -> str | None:
    """From the file or the pipe; None: ask at the terminal. Raises HomeLocked where there is nobody to ask."""
    from memory.errors import HomeLocked

    if path := env.get(FILE_VARIABLE):
        return _from_file(Path(path))
    if sys.stdin.isatty():
        return None
    if not stdin_is_text:
        words = first_line()
        if words:
            return words
    elif os.name == "posix" and _has_terminal():
        return None
    raise HomeLocked(
        "This home is encrypted with a passphrase, and there is nobody to ask for it.",
        f"Name a file that holds it in {FILE_VARIABLE}, or keep the key in the keyring: steward encryption change",
    )


def first_line() -> str:
    """Of stdin, and not a byte more: the rest is for the command."""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):
        return sys.stdin.readline().rstrip("\r\n")
    found = bytearray()
    while (byte := os.read(descriptor, 1)) not in (b"", b"\n") and len(found) < _MOST_BYTES:
        found += byte
    return found.decode("utf-8", "surrogateescape").rstrip("\r")


def _from_file(path: Path) -> str:
    from memory.errors import HomeLocked

    hint = f"{FILE_VARIABLE} names it; its first line is the passphrase."
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
    except OSError as error:
        raise HomeLocked(f"The file with the passphrase, {path}, cannot be read: {error.strerror}.", hint) from error
    words = content.partition(b"\n")[0].decode("utf-8", "surrogateescape").rstrip("\r")
    if not words:
        raise HomeLocked(f"The file with the passphrase, {path}, is empty.", hint)
    return words


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _typed() -> str:
    import click

    return str(click.prompt("Passphrase of this home", hide_input=True, err=True))
