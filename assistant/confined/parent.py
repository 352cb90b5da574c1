"""Reads files of somebody else in a child process with limits, so that none of them can harm or stop Steward."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Literal

from assistant.errors import FileUnreadable

Kind = Literal["ics", "pdf", "docx", "html"]
SECONDS = 60.0  # by the clock; processor time is bounded in the child
_MOST_BYTES = 64 * 1024 * 1024
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT", "TMPDIR")


async def read_confined(kind: Kind, content: bytes, *, seconds: float = SECONDS) -> Any:
    """What the child makes of `content`, as JSON values. Cancelling ends the child. Raises FileUnreadable."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "assistant.confined.child", kind),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=await asyncio.to_thread(_environment),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            out, _ = await process.communicate(content)
    except TimeoutError as error:
        raise FileUnreadable("it takes too long to read") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode != 0 or len(out) > _MOST_BYTES:
        raise FileUnreadable(_ending(process.returncode))
    answer = json.loads(out)
    if "problem" in answer:
        raise FileUnreadable(str(answer["problem"])[:300])
    return answer["ok"]


def _ending(code: int | None) -> str:
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "it takes too long to read"
    return "its reader crashed"


def _environment() -> dict[str, str]:
    """No tokens, no proxies; the package is found as this process found it."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    root = str(Path(__file__).resolve().parents[2])
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, (root, kept.get("PYTHONPATH")))), "OMP_NUM_THREADS": "1"}
