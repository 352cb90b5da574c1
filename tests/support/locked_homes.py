"""Encrypted homes for the tests: a key that is at hand, a keyring in memory, and what the bytes on the disk say."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from memory.data_dir import Home
from memory.home_key import Key

KEY = Key(bytes(range(32)))
OTHER = Key(bytes(range(32, 64)))
PASSPHRASE = "a walrus eats coriander"


def with_key(home: Home, key: Key = KEY) -> Home:
    """The same home, opened."""
    return replace(home, unlock=lambda _: key)


class MemoryKeyring(KeyringBackend):
    """Keeps what it is given until it ends; `locked` makes it refuse."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # theirs has no types
        self.kept: dict[tuple[str, str], str] = {}
        self.locked: Exception | None = None

    def get_password(self, service: str, username: str) -> str | None:
        self._ask()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._ask()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._ask()
        if (service, username) not in self.kept:
            raise PasswordDeleteError(username)
        del self.kept[service, username]

    def _ask(self) -> None:
        if self.locked is not None:
            raise self.locked


def found_in(roots: Iterable[Path], words: Iterable[str]) -> dict[str, list[str]]:
    """Which of the words stand in the bytes of which files, as UTF-8, as UTF-16 and as JSON writes them."""
    found: dict[str, list[str]] = {}
    for path in (path for root in dict.fromkeys(roots) for path in root.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for word in words:
            if any(word.encode(code) in content for code in ("utf-8", "utf-16-le")):
                found.setdefault(path.name, []).append(word)
    return found


def stretch_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A passphrase costs a thousandth of what it costs a user: the file says how much, so it opens all the same."""
    monkeypatch.setattr("memory.key_file.COST", {"n": 1 << 7, "r": 8, "p": 1})
