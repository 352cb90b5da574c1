"""Asks the installed engine what it is, in a process of its own: llama.cpp is never loaded into this one."""

import asyncio
import os
import sys
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from models.launching import environment_of
from models.types import Failure

FACTS_MODULE = "models.child.facts"
LIMIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    engine: str  # "llama-cpp-python 0.3.36"
    kernels: tuple[str, ...]  # CPU features compiled in: "AVX2", "AMX_INT8", ...
    offloads: bool  # whether this build can use a GPU at all


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")

    engine: str
    system_info: str
    offloads: bool


async def engine_facts(command: tuple[str, ...] | None = None) -> EngineFacts | Failure:
    """What the installed llama.cpp is, or why it cannot be said. Takes about a second."""
    environment = await asyncio.to_thread(environment_of, os.environ)
    process = await asyncio.create_subprocess_exec(
        *(command or (sys.executable, "-P", "-m", FACTS_MODULE)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            out, err = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return _failure(f"it did not answer within {LIMIT_SECONDS:.0f} s")
    try:
        line = _Line.model_validate_json(out)
    except ValidationError:
        last = err.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        return _failure(last[0][:200])
    return EngineFacts(engine=line.engine, kernels=kernels_in(line.system_info), offloads=line.offloads)


def kernels_in(system_info: str) -> tuple[str, ...]:
    """The features that are on in llama.cpp's line "CPU : SSE3 = 1 | AVX2 = 1 | AMX_INT8 = 0 | ..."."""
    parts = (part.rpartition(":")[2].split("=") for part in system_info.split("|"))
    return tuple(words[0].strip() for words in parts if len(words) == 2 and words[1].strip() == "1")


def _failure(reason: str) -> Failure:
    return Failure(
        kind="model_refused",
        message=f"The engine (llama-cpp-python) does not start: {reason}",
        hint='Build it again: CMAKE_ARGS="-DGGML_NATIVE=OFF" pip install --force-reinstall --no-cache-dir '
        "--no-deps llama-cpp-python",
    )
