"""The files that make a system start `steward daemon run` at login: a systemd user unit, a launchd agent."""

import os
import plistlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ui.errors import UiError

LABEL = "app.steward.daemon"
_UNIT = "steward-daemon.service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A file to write, and the commands that a user runs to start and to stop what it describes."""

    path: Path
    content: bytes
    start: tuple[str, ...]
    stop: tuple[str, ...]
    note: str = ""


def unit_for(command: Sequence[str], log: Path, env: Mapping[str, str], platform: str = sys.platform) -> Unit:
    """Of this platform. `command` starts the daemon. Raises UiError where there is none."""
    home = Path(env.get("HOME") or Path.home())
    if platform == "darwin":
        return _launchd(command, log, home)
    if platform.startswith("linux"):
        folder = Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user"
        return _systemd(command, folder)
    raise UiError(
        "There is no unit for this system.",
        f"Start it at logon yourself (Windows: Task Scheduler): {' '.join(command)}",
    )


def start_of_unit(env: Mapping[str, str] = os.environ) -> str:
    """The command that starts an installed unit; "" where none was installed. Looks at the disk."""
    try:
        unit = unit_for(("steward",), Path(), env)
    except UiError:
        return ""
    return unit.start[-1] if unit.path.exists() else ""


def _systemd(command: Sequence[str], folder: Path) -> Unit:
    lines = [
        "[Unit]",
        "Description=Steward reminders",
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={' '.join(systemd_word(word) for word in command)}",
        "Restart=on-failure",
        "RestartSec=5",
        "NoNewPrivileges=yes",
        "UMask=0077",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    return Unit(
        path=folder / _UNIT,
        content="\n".join(lines).encode(),
        start=("systemctl --user daemon-reload", f"systemctl --user enable --now {_UNIT}"),
        stop=(f"systemctl --user disable --now {_UNIT}", "systemctl --user daemon-reload"),
        note="To have it run while you are logged out: loginctl enable-linger",
    )


def systemd_word(word: str) -> str:
    """One word of ExecStart, quoted, with systemd's own signs taken literally. Raises UiError for control characters.

    https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines"""
    if re.search(r"[\x00-\x1f\x7f]", word):
        raise UiError(f"{word!r} cannot stand in a unit file.", "Choose a home whose path has no control characters.")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _launchd(command: Sequence[str], log: Path, home: Path) -> Unit:
    path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    content = plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ProcessType": "Background",
            "StandardOutPath": str(log),
            "StandardErrorPath": str(log),
            "Umask": 0o077,
        }
    )
    quoted = "'" + str(path).replace("'", "'\\''") + "'"
    return Unit(
        path=path,
        content=content,
        start=(f"launchctl bootstrap gui/$UID {quoted}",),
        stop=(f"launchctl bootout gui/$UID/{LABEL}",),
    )
