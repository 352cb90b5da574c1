"""Asking this machine: files of the kernel, vendor tools, the libraries of the installed engine. None: it does not say.

llama.cpp is not imported; which backends its installed build carries is read off the files beside it.
"""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

Backend = Literal["cuda", "metal", "vulkan", "rocm", "sycl"]

COMMAND_SECONDS = 5.0
_LIBRARIES: dict[str, Backend] = {
    "ggml-cuda": "cuda",
    "ggml-metal": "metal",
    "ggml-vulkan": "vulkan",
    "ggml-hip": "rocm",
    "ggml-sycl": "sycl",
}


class Probe(Protocol):
    """How the machine is looked at; tests describe other machines with it."""

    def system(self) -> str: ...

    def machine(self) -> str: ...

    def read(self, path: str) -> str | None:
        """A small text file, or None."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Names in a folder, sorted; empty when there is none."""
        ...

    def run(self, *command: str) -> str | None:
        """Standard output of a command that ends well within COMMAND_SECONDS, or None."""
        ...

    def allowed_cores(self) -> frozenset[int] | None:
        """Numbers of the logical cores this process may run on, or None."""
        ...

    def windows_memory(self) -> tuple[int, int] | None:
        """Total and available bytes, on Windows."""
        ...

    def disk_free(self, folder: Path) -> int | None: ...

    def backends(self) -> tuple[Backend, ...]: ...


class SystemProbe:
    """The machine we run on."""

    def system(self) -> str:
        return platform.system()

    def machine(self) -> str:
        return platform.machine()

    def read(self, path: str) -> str | None:
        try:
            return Path(path).read_text("utf-8", errors="replace")
        except OSError:
            return None

    def names(self, folder: str) -> tuple[str, ...]:
        try:
            return tuple(sorted(entry.name for entry in Path(folder).iterdir()))
        except OSError:
            return ()

    def run(self, *command: str) -> str | None:
        program = shutil.which(command[0])
        if program is None:
            return None
        try:
            done = subprocess.run(
                [program, *command[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=COMMAND_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def allowed_cores(self) -> frozenset[int] | None:
        if sys.platform == "linux":
            return frozenset(os.sched_getaffinity(0))
        count = os.cpu_count()
        return frozenset(range(count)) if count else None

    def windows_memory(self) -> tuple[int, int] | None:
        return _windows_memory()

    def disk_free(self, folder: Path) -> int | None:
        """Of the file system that holds `folder`, or its nearest parent that exists."""
        for place in (folder, *folder.parents):
            try:
                return shutil.disk_usage(place).free
            except OSError:
                continue
        return None

    def backends(self) -> tuple[Backend, ...]:
        return installed_backends()


def installed_backends(find: Callable[[str], object] = importlib.util.find_spec) -> tuple[Backend, ...]:
    """Offload backends of the installed llama.cpp build, from the names of its libraries; nothing is loaded."""
    places: Sequence[str] = getattr(find("llama_cpp"), "submodule_search_locations", None) or ()
    names = [file.name for place in places for file in Path(place, "lib").glob("*ggml-*")]
    return tuple(backend for mark, backend in _LIBRARIES.items() if any(mark in name for name in names))


def _windows_memory() -> tuple[int, int] | None:
    if sys.platform != "win32":
        return None
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "available", "a", "b", "c", "d", "e")),
        ]

    status = Status(length=ctypes.sizeof(Status))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.total), int(status.available)
