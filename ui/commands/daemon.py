"""`steward daemon`: run, install, uninstall, status."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import click

from memory.data_dir import atomic_write, holder_of, make_private_folder
from ui.daemon_units import Unit, unit_for
from ui.errors import UiError
from ui.output import print_json, print_line
from ui.reading import reading_reminders
from ui.wiring import Options, SystemClock, resolve_home


@click.group()
def daemon() -> None:
    """Fire reminders while Steward is not open.

    The daemon gives the home to a Steward that opens, within two seconds, and takes it back when that one closes.
    """


@daemon.command("run")
@click.pass_obj
def run(options: Options) -> None:
    """Run until stopped; what the installed service does."""
    from ui.daemon import run_daemon

    if options.keeps_nothing:
        raise UiError("The daemon works with what is kept.", "Leave out --incognito and --demo.")
    print_line("Reminders are told here and as notifications. Ctrl+C ends it.")
    asyncio.run(run_daemon(options))


@daemon.command("install")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@click.pass_obj
def install(options: Options, force: bool) -> None:
    """Write the file that starts it at login, and say how to start it now. Nothing is started by this."""
    unit = _unit(options)
    if unit.path.exists() and not force:
        if unit.path.read_bytes() == unit.content:
            print_line(f"{unit.path} is there already, and right.")
            return
        raise UiError(f"{unit.path} is there already and differs.", "--force replaces it.")
    make_private_folder(unit.path.parent)
    atomic_write(unit.path, unit.content)
    print_line(f"Written: {unit.path}")
    print_line("To start it now, and at every login:")
    for line in unit.start:
        print_line(f"  {line}")
    if unit.note:
        print_line(unit.note)


@daemon.command("uninstall")
@click.pass_obj
def uninstall(options: Options) -> None:
    """Remove that file, and say how to stop what runs."""
    unit = _unit(options)
    if not unit.path.exists():
        print_line(f"There is nothing to remove: {unit.path} is not there.")
        return
    unit.path.unlink()
    print_line(f"Removed: {unit.path}")
    print_line("To stop what runs:")
    for line in unit.stop:
        print_line(f"  {line}")


@daemon.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")
@click.pass_obj
def status(options: Options, as_json: bool) -> None:
    """Whether it runs, starts at login, and can notify; and what comes next."""
    found = asyncio.run(_status(options))
    if as_json:
        print_json(found)
        return
    owner = f"{found['owner']} (process {found['pid']})" if found["pid"] else "nobody"
    print_line(f"running      {'yes' if found['running'] else 'no'}; the home is owned by {owner}")
    print_line(f"at login     {'yes' if found['installed'] else 'no: steward daemon install'}  {found['unit']}")
    tool = "yes" if found["notifies"] else "no tool was found (notify-send); reminders wait for you in Steward"
    print_line(f"notifies     {tool}")
    print_line(f"next         {found['next'] or 'nothing is due'}")


async def _status(options: Options) -> dict[str, Any]:
    from ui.handover import DAEMON, is_running
    from ui.local_zone import local_zone
    from ui.notify import find_notifier
    from ui.reminder_words import moment_words

    async with reading_reminders(options) as store:
        upcoming = await store.next_at()
    home = await asyncio.to_thread(resolve_home, options)
    holder = await asyncio.to_thread(holder_of, home)
    alive = holder if holder is not None and is_running(holder.pid) else None
    try:
        unit: Unit | None = await asyncio.to_thread(_unit, options)
    except UiError:
        unit = None
    here = await asyncio.to_thread(local_zone)
    words = "" if upcoming is None else await asyncio.to_thread(moment_words, upcoming, here, SystemClock().now())
    return {
        "running": alive is not None and alive.what == DAEMON,
        "owner": alive.what if alive is not None else None,
        "pid": alive.pid if alive is not None else None,
        "unit": str(unit.path) if unit is not None else None,
        "installed": unit is not None and await asyncio.to_thread(unit.path.exists),
        "notifies": await asyncio.to_thread(find_notifier, os.environ) is not None,
        "next": words or None,
        "next_at": upcoming.isoformat(timespec="seconds").replace("+00:00", "Z") if upcoming else None,
    }


def _unit(options: Options) -> Unit:
    """Raises UiError, HomeUnusable."""
    script = Path(sys.executable).parent / "steward"
    command = [str(script)] if script.exists() else [sys.executable, "-m", "ui"]
    chosen = options.home_override or os.environ.get("STEWARD_HOME")
    home = resolve_home(options)
    if chosen:
        command += ["--home", str(home.state.parent)]
    return unit_for([*command, "daemon", "run"], home.log, os.environ)
