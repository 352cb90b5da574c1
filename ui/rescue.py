"""A history that cannot be read: what can be done is offered with counts, the original is kept, nothing looks empty."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import click

from memory.backups import Backups
from memory.data_dir import Home
from memory.errors import StoreDamaged, StoreError
from memory.sqlite_backup import Contents
from memory.sqlite_restore import examine_backup
from memory.sqlite_salvage import Salvaged
from ui.data_acts import restore_now, save_from_damage
from ui.data_words import contents_words, moment, restored_lines, salvaged_lines
from ui.output import print_line
from ui.wiring import Options, SystemClock, resolve_home

MOST_TRIED = 12  # backups that are looked at to find a sound one

Choose = Callable[[Sequence[str]], int]  # of some offers, the number of the chosen one from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What is there to be had. `salvaged` None: nothing can be read in the damaged file."""

    salvaged: Salvaged | None
    why_not: str
    backup: tuple[str, datetime, Contents] | None  # the newest sound one: its name, its moment, what it holds


def look_for_help(home: Home, at: datetime) -> Offers:
    """Saves what can be saved into a file of its own, and finds the newest sound backup. Blocks for seconds. Raises
    HomeInUse, HomeUnusable, StoreFull."""
    salvaged, why_not = None, ""
    try:
        salvaged = save_from_damage(home, at)
    except StoreDamaged as error:
        why_not = error.message
    return Offers(salvaged=salvaged, why_not=why_not, backup=_newest_sound(home))


def _newest_sound(home: Home) -> tuple[str, datetime, Contents] | None:
    backups = Backups(home)
    here = [one for one in backups.list() if not one.encrypted and one.kind != "salvaged"]
    for one in here[:MOST_TRIED]:
        try:
            return one.name, one.at, examine_backup(home, backups.folder / one.name)
        except StoreError:
            continue
    return None


def offer_rescue(options: Options, error: StoreDamaged) -> bool:
    """At a terminal: what is wrong, what can be had, and the user's choice carried out. Whether the history can be
    opened now. Raises the error where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise _with_next_step(error)
    _say(error.message)
    _say("Nothing was changed. Looking for what can be read ...")
    home = resolve_home(options)
    return carry_out(home, look_for_help(home, SystemClock().now()), _ask, _say)


def carry_out(home: Home, offers: Offers, choose: Choose, say: Callable[[str], None]) -> bool:
    """Whether a choice put a sound history in place of the damaged one, which is kept."""
    ways: list[tuple[str, str]] = []  # words, and the name of what is restored
    if offers.salvaged is not None:
        for line in salvaged_lines(offers.salvaged):
            say(line)
        ways.append(
            (f"Go on with what was saved ({contents_words(offers.salvaged.contents)})", offers.salvaged.path.name)
        )
    else:
        say(offers.why_not)
    if offers.backup is not None:
        name, at, held = offers.backup
        ways.append((f"Go back to the backup of {moment(at)} ({contents_words(held)})", name))
    if not ways:
        say("There is no sound backup here either. The file stays as it is.")
        say(f"Put a backup of your own in its place with `steward restore FILE`, or move {home.database} away.")
        return False
    chosen = choose([*(words for words, _ in ways), "Leave everything as it is"])
    if chosen >= len(ways):
        say("Nothing was changed.")
        return False
    done = restore_now(home, Backups(home).find(ways[chosen][1]), SystemClock().now())
    for line in restored_lines(done):
        say(line)
    return True


def _with_next_step(error: StoreDamaged) -> StoreDamaged:
    return StoreDamaged(
        error.message,
        "Nothing was changed. `steward doctor --repair` shows what can be saved; `steward backups` lists the backups.",
    )


def _ask(offers: Sequence[str]) -> int:
    for number, words in enumerate(offers, start=1):
        _say(f"{number}. {words}")
    answer = click.prompt("Which", type=click.IntRange(1, len(offers)), default=len(offers), err=True)
    return int(answer) - 1


def _say(line: str) -> None:
    print_line(line, err=True)
