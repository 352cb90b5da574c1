"""Runs an MCP server and sees to it that nothing of it outlives Steward. A program of its own, run by its path.

    python -I -S guard.py LIFELINE COMMAND...

LIFELINE is a pipe that Steward holds open. When it ends, because Steward wants it or is gone however suddenly, the
server's process group is told to end, and killed a second later. What left that group is killed too, where the kernel
hands orphans to us (Linux). There is no terminal: this process begins a session of its own.
"""

import contextlib
import os
import resource
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

CANNOT_START = 127
GRACE_S = 1.0
_DEFAULT = (signal.SIGPIPE, signal.SIGXFSZ)  # Python ignores these, and the server would inherit that
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def main(arguments: Sequence[str]) -> int:
    lifeline, command = int(arguments[0]), list(arguments[1:])
    os.set_inheritable(lifeline, False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _adopt_orphans()
    try:
        server = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=_DEFAULT)
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        return CANNOT_START
    for descriptor in (0, 1, 2):  # they are the server's alone, so that their ends are seen on both sides
        os.close(descriptor)
    ended = threading.Event()
    threading.Thread(target=_watch, args=(lifeline, server, ended), daemon=True).start()
    os.waitid(os.P_PID, server, os.WEXITED | os.WNOWAIT)  # not yet reaped: its group's number is still its own
    ended.set()
    _signal(server, signal.SIGKILL)
    _, status = os.waitpid(server, 0)
    _kill_adopted()
    return max(os.waitstatus_to_exitcode(status), -1) & 0xFF


def _watch(lifeline: int, server: int, ended: threading.Event) -> None:
    while os.read(lifeline, 1):
        pass
    _signal(server, signal.SIGTERM)
    if not ended.wait(GRACE_S):
        _signal(server, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _kill_adopted() -> None:
    """Those whose parents ended became our children; killing them hands us theirs."""
    while children := _children():
        for child in children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _children() -> list[int]:
    try:
        return [int(child) for child in Path("/proc/thread-self/children").read_text().split()]
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
