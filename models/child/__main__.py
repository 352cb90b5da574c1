"""`python -m models.child`: the process that holds the model. Frames on stdin and stdout, see docs/protocol.md."""

import ctypes
import os
import signal
import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.protocol import Failed

_PR_SET_PDEATHSIG = 1


def main() -> None:
    frames = os.dup(1)
    os.dup2(2, 1)  # whatever C code prints goes to the log, never between frames
    _harden()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy is used for selections only
    from models.child.link import Link
    from models.protocol import VERSION, Hello

    link = Link(sys.stdin.buffer, frames)
    link.send(Hello(version=VERSION, pid=os.getpid(), engine=f"llama-cpp-python {_version()}"))
    link.start()
    try:
        from models.child.loop import run  # loads llama.cpp: a fifth of a second
    except (ImportError, OSError, RuntimeError) as error:
        traceback.print_exc()
        link.send(_not_loadable(str(error)))
        os._exit(1)  # a normal exit would wait for the thread that reads
    run(link)


def _not_loadable(reason: str) -> "Failed":
    from models.protocol import Failed

    return Failed(
        id=None,
        kind="model_refused",
        message=f"The engine (llama-cpp-python) cannot be loaded: {reason[:200]}",
        hint="Install it again; `steward doctor` shows how.",
    )


def _version() -> str:
    try:
        return version("llama-cpp-python")
    except PackageNotFoundError:
        return "unknown"


def _harden() -> None:
    """No core dumps (they would hold the conversation), no Ctrl-C meant for the terminal, no life without a parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main()
