"""`steward doctor --privacy`: what lies where, who could read it, and where text could go."""

import os
from typing import Any

from memory.home_files import HomeFile, files_of
from models.settings import ModelSettings
from ui.checks.privacy import Destination, destinations, quiet_parts
from ui.checks.result import Check, size
from ui.configuration import load
from ui.errors import EXIT_DONE, EXIT_FAILED, ConfigError
from ui.output import print_json, print_line, print_table
from ui.redaction import redact
from ui.wiring import Options, resolve_home


def show_privacy(options: Options, as_json: bool) -> int:
    """The exit code: 1 when somebody else could read a file, or something could talk by itself."""
    home = resolve_home(options)
    try:
        settings = load(home.config_file).model
    except ConfigError:
        settings = ModelSettings()
    files = files_of(home)
    places = tuple(destinations(home, settings, options.model, os.environ))
    quiet = quiet_parts(os.environ)
    if as_json:
        print_json(_json(files, places, quiet))
    else:
        _print(files, places, quiet)
    sound = all(one.private for one in files) and all(check.state != "broken" for check in quiet)
    return EXIT_DONE if sound else EXIT_FAILED


def _print(files: tuple[HomeFile, ...], places: tuple[Destination, ...], quiet: tuple[Check, ...]) -> None:
    total = f"Files: {len(files):,}, {size(sum(one.size for one in files))}."
    print_line(f"{total} Mode, size, whether it is encrypted, and what it holds:")
    print_table([(_mode(one), size(one.size), _secrecy(one), str(one.path), one.holds) for one in files])
    if open_ones := [one for one in files if not one.private]:
        print_line(
            f"{len(open_ones)} of them can be read by others on this machine. `steward doctor --repair` closes them."
        )
    print_line()
    print_line("Where text could go:")
    print_table([("now" if place.now else "not now", redact(place.where), place.when) for place in places])
    print_line()
    print_line("What could talk by itself:")
    print_table([(check.state, check.name, check.detail) for check in quiet])


def _secrecy(one: HomeFile) -> str:
    return "encrypted" if one.encrypted else "clear" if one.kind is None or one.kind.personal else ""


def _mode(one: HomeFile) -> str:
    return "link" if one.link else f"{one.mode:04o}"


def _json(files: tuple[HomeFile, ...], places: tuple[Destination, ...], quiet: tuple[Check, ...]) -> dict[str, Any]:
    return {
        "files": [
            {
                "path": str(one.path),
                "holds": one.holds,
                "personal": one.kind is None or one.kind.personal,
                "bytes": one.size,
                "mode": _mode(one),
                "private": one.private,
                "encrypted": one.encrypted,
            }
            for one in files
        ],
        "destinations": [{"where": redact(place.where), "when": place.when, "now": place.now} for place in places],
        "by_itself": [{"name": check.name, "quiet": check.state == "ok", "detail": check.detail} for check in quiet],
    }
