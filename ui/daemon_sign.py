"""Whether a daemon lives for this home, also while another Steward owns it: a file with its process, touched when it
looked.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory.data_dir import atomic_write
from ui.daemon_units import start_of_unit
from ui.handover import is_running

if TYPE_CHECKING:
    from pathlib import Path

    from memory.data_dir import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """`looked_at`: when it last asked what is due, or began to wait for the home."""

    pid: int
    looked_at: datetime


def raise_sign(home: Home) -> None:
    """Raises HomeUnusable, StoreFull."""
    atomic_write(_path(home), str(os.getpid()).encode())


def touch_sign(home: Home, looked_at: datetime) -> None:
    with contextlib.suppress(OSError):  # the folder was deleted meanwhile
        os.utime(_path(home), (looked_at.timestamp(), looked_at.timestamp()))


def lower_sign(home: Home) -> None:
    with contextlib.suppress(OSError):
        if _path(home).read_text("ascii").strip() == str(os.getpid()):
            _path(home).unlink(missing_ok=True)


def living_daemon(home: Home) -> Sign | None:
    """None: none runs. Reads files."""
    path = _path(home)
    try:
        pid, changed = path.read_text("ascii").strip(), path.stat().st_mtime
    except (OSError, UnicodeError):
        return None
    if not pid.isdecimal() or len(pid) > 12 or not is_running(int(pid)):
        return None
    return Sign(pid=int(pid), looked_at=datetime.fromtimestamp(changed, UTC))


def nobody_tells(home: Home) -> tuple[str, ...]:
    """What is to be said where nothing will tell a reminder once this command has ended. Reads files."""
    if living_daemon(home) is not None:
        return ()
    start = start_of_unit()
    if start:
        return (f"The daemon is installed and does not run, so nothing would tell you: {start}",)
    return ("Nothing runs that would tell you: keep `steward` open, or see `steward daemon install`.",)


def _path(home: Home) -> Path:
    return home.state / "daemon"
