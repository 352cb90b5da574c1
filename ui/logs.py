"""The log of the parent process: state/steward.log, 0600, two files of 1 MB at most. No secrets, no user text."""

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TextIO

MAX_BYTES = 1_000_000
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class _Redacting(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        from ui.redaction import redact

        return redact(super().format(record))


class _Quiet(logging.StreamHandler[TextIO]):
    """A log that cannot be written is no reason to write over the screen."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


@contextmanager
def logging_to(path: Path) -> Iterator[None]:
    """INFO and above of every logger goes to `path` meanwhile, written by a thread; nowhere, if it cannot be opened."""
    root = logging.getLogger()
    before = root.level
    try:
        _rotate(path)
        stream = _open(path)
    except OSError:
        yield
        return
    from logging.handlers import QueueHandler, QueueListener

    writer = _Quiet(stream)
    writer.setFormatter(_Redacting(FORMAT))
    waiting: SimpleQueue[logging.LogRecord] = SimpleQueue()
    handler, listener = QueueHandler(waiting), QueueListener(waiting, writer)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    listener.start()
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        listener.stop()
        with suppress(OSError):  # the disk is full: what was not written is lost
            stream.close()


def _rotate(path: Path) -> None:
    try:
        full = path.stat().st_size >= MAX_BYTES
    except FileNotFoundError:
        return
    if full:
        path.replace(path.with_suffix(".log.1"))


def record_crash(error: BaseException, path: Path) -> str:
    """Write the traceback of a bug to the log; returns the line that tells the user where it is."""
    from ui.redaction import redact

    text = "".join(traceback.format_exception(error))
    if os.environ.get("STEWARD_DEBUG") == "1":
        sys.stderr.write(text)
    try:
        with _open(path) as log:
            log.write(redact(text))
    except OSError:
        return "Run it again with STEWARD_DEBUG=1 to see where."
    return f"Details are in {path}. STEWARD_DEBUG=1 shows them here."


def _open(path: Path) -> TextIO:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")
