"""`python -m assistant.confined.child KIND`: reads one file of somebody else on stdin, prints what is in it as JSON.

Limits on processor time, memory and output keep a hostile file from the machine; the process opens no file of the
user's, and whatever happens here ends with it. Prints {"ok": ...}, or {"problem": "in words"}.
"""

import ctypes
import importlib
import json
import signal
import sys

CPU_SECONDS = 20
MEMORY_BYTES = 700 * 1024 * 1024
MOST_OUTPUT = 64 * 1024 * 1024
_PR_SET_PDEATHSIG = 1
# kind -> (module, function from the file's bytes to something JSON can say)
READERS = {
    "ics": ("assistant.calendar.ics_reading", "read_ics"),
    "pdf": ("assistant.documents.pdf", "read_pdf"),
    "docx": ("assistant.documents.docx", "read_docx"),
    "html": ("assistant.documents.html", "read_html"),
}


class Unreadable(Exception):
    """A file that cannot be read, and why, in words for the user."""


def main() -> None:
    _limit()
    module, name = READERS[sys.argv[1]]
    content = sys.stdin.buffer.read()
    try:
        answer = {"ok": getattr(importlib.import_module(module), name)(content)}
    except (MemoryError, RecursionError):
        answer = {"problem": "it needs too much memory"}
    except Exception as error:  # noqa: BLE001  whatever a parser raises for a file that somebody else made
        known = type(error).__name__ == "Unreadable"  # this module is __main__ here
        answer = {"problem": str(error) if known else f"it is damaged ({type(error).__name__})"}
    text = json.dumps(answer)
    if len(text) > MOST_OUTPUT:
        text = json.dumps({"problem": "there is too much in it"})
    sys.stdout.write(text)


def _limit() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main()
