"""Remembers, per build of the engine and per machine, that its extra-buffer kernels crash.

One small JSON file in the state directory, replaced atomically. A rebuilt library or another processor is
another entry, so that the cure (a rebuild) takes effect by itself. A file that cannot be read counts as empty:
the worst that follows is one more crash that is caught and remembered again.
"""

import contextlib
import hashlib
import os
import platform
import tempfile
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

KEPT = 32  # entries; the oldest go first


class CrashRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    build: str
    machine: str
    signal: str
    at: AwareDatetime


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    crashes: tuple[CrashRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashMemory:
    """Blocking file access: call it from a thread."""

    path: Path
    build: str
    machine: str

    def recall(self) -> CrashRecord | None:
        """The crash seen with this build on this machine, if any."""
        for record in self._read().crashes:
            if (record.build, record.machine) == (self.build, self.machine):
                return record
        return None

    def remember(self, signal: str, at: datetime) -> None:
        """Raises OSError when the file cannot be written."""
        new = CrashRecord(build=self.build, machine=self.machine, signal=signal, at=at)
        others = tuple(one for one in self._read().crashes if (one.build, one.machine) != (self.build, self.machine))
        self._write(_File(crashes=(*others, new)[-KEPT:]))

    def forget(self) -> None:
        """Try the kernels again at the next start. Raises OSError when the file cannot be removed."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> _File:
        try:
            return _File.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return _File()

    def _write(self, file: _File) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)  # 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(file.model_dump_json(indent=1) + "\n")
                out.flush()
                os.fsync(out.fileno())
            Path(name).replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def crash_memory_here(path: Path) -> CrashMemory:
    """For the engine installed here, on this machine. Reads a few files, imports no engine."""
    return CrashMemory(path=path, build=_build(), machine=_machine())


def _build() -> str:
    """The native library's files by name, size and time: a rebuild of the same version is another build."""
    spec = find_spec("llama_cpp")
    if spec is None or spec.origin is None:
        return "none"
    digest = hashlib.sha256()
    for library in sorted((Path(spec.origin).parent / "lib").glob("*ggml*")):
        with contextlib.suppress(OSError):
            facts = library.stat()
            digest.update(f"{library.name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _machine() -> str:
    """The processor by model and features; a virtual machine that hides some is another machine."""
    digest = hashlib.sha256(f"{platform.machine()} {platform.processor()}\n".encode())
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if not line.strip():
                break  # the first processor is enough
            if line.startswith(("model name", "flags", "Features", "CPU part")):
                digest.update(f"{line}\n".encode())
    return digest.hexdigest()[:16]
