"""`python -m models.child`: the process that holds the model. Frames on stdin and stdout, see docs/protocol.md."""

import ctypes
import os
import signal
import sys
from importlib.metadata import version

_PR_SET_PDEATHSIG = 1


def main() -> None:
    frames = os.dup(1)
    os.dup2(2, 1)  # whatever C code prints goes to the log, never between frames
    _harden()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy is used for selections only
    from models.child.link import Link
    from models.protocol import VERSION, Hello

    link = Link(sys.stdin.buffer, frames)
    link.send(Hello(version=VERSION, pid=os.getpid(), engine=f"llama-cpp-python {version('llama-cpp-python')}"))
    link.start()
    from models.child.loop import run  # loads llama.cpp: a fifth of a second

    run(link)


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
