"""Evaluated prompt beginnings on disk, so that a new process need not read the system prompt again.

A file is named by a digest of everything its content depends on and ends in a digest of itself; one that is cut
short, changed or foreign counts as missing. Files are private (0600) and hold no text and no token ids.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MAGIC = b"steward-kv-1\n"
SUFFIX = ".kv"
LEAST_TOKENS = 32  # below, reading is as quick
_DIGEST_BYTES = 32


class StateFiles:
    """`identity` names the model file and every setting that shapes its states."""

    def __init__(self, folder: Path, identity: str, limit_bytes: int) -> None:
        self._folder = folder
        self._identity = identity
        self._limit = limit_bytes

    def load(self, tokens: Sequence[int]) -> bytes | None:
        """The state after exactly these tokens, if a sound file has it."""
        path = self._path(tokens)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        name = path.stem.encode()
        start = len(MAGIC) + len(name)
        state, digest = content[start:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
        if content[:start] != MAGIC + name or _digest(name, state) != digest:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        return state

    def save(self, tokens: Sequence[int], state: bytes) -> None:
        """Best effort: a full disk costs the next start some seconds, not this reply."""
        if len(tokens) < LEAST_TOKENS or not state or len(state) > self._limit:
            return
        path = self._path(tokens)
        name = path.stem.encode()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, beside = tempfile.mkstemp(dir=self._folder, suffix=".part")  # 0600
            try:
                with os.fdopen(handle, "wb") as file:
                    file.writelines((MAGIC, name, state, _digest(name, state)))
                Path(beside).replace(path)
            except OSError:
                Path(beside).unlink(missing_ok=True)
                raise
            self._prune(path)
        except OSError as error:
            sys.stderr.write(f"prefix state not kept: {error}\n")

    def _path(self, tokens: Sequence[int]) -> Path:
        digest = hashlib.sha256(self._identity.encode() + b"\0" + np.asarray(tokens, "<i4").tobytes())
        return self._folder / (digest.hexdigest() + SUFFIX)

    def _prune(self, newest: Path) -> None:
        """Oldest used first, until the limit holds; pieces a killed process left behind go too."""
        files = [(path, path.stat()) for path in self._folder.iterdir() if path.suffix in (SUFFIX, ".part")]
        total = sum(facts.st_size for _, facts in files)
        for path, facts in sorted(files, key=lambda item: (item[0].suffix == SUFFIX, item[1].st_mtime_ns)):
            if path != newest and (total > self._limit or path.suffix != SUFFIX):
                path.unlink(missing_ok=True)
                total -= facts.st_size


def file_identity(path: Path) -> str:
    """Tells one model file from another without reading it whole: header, end, size and time."""
    facts = path.stat()
    digest = hashlib.sha256(f"{facts.st_size} {facts.st_mtime_ns}".encode())
    with path.open("rb") as file:
        digest.update(file.read(1024 * 1024))
        file.seek(max(facts.st_size - 64 * 1024, 0))
        digest.update(file.read())
    return digest.hexdigest()


def _digest(name: bytes, state: bytes) -> bytes:
    digest = hashlib.blake2b(name, digest_size=_DIGEST_BYTES)
    digest.update(state)
    return digest.digest()
