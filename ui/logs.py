"""The log of the parent process: state/steward.log, 0600, two files of 1 MB at most. No secrets, no user text."""

import logging
import os
import sys
import traceback
from pathlib import Path
from typing import TextIO

MAX_BYTES = 1_000_000
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class _Redacting(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        from ui.redaction import redact

        return redact(super().format(record))


def start_logging(path: Path) -> None:
    """Send INFO and above of every logger to `path`. Does nothing where it cannot be written."""
    try:
        _rotate(path)
        stream = _open(path)
    except OSError:
        return
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Redacting(FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)


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
