"""What is kept, in line mode: how much and where, backups, restore, learning, deleting everything."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from memory.backups import Backups
from memory.home_files import files_of, goes
from ui.checks.result import size
from ui.data_acts import ERASE_WORDS, back_up, erase_and_tell, look_into, restore_and_tell
from ui.data_words import backup_line, contents_words, erase_lines, places_of, preview_lines
from ui.errors import UiError
from ui.learning_acts import learning_words, set_learning
from ui.memory_lines import counted
from ui.plain_encryption import encryption

if TYPE_CHECKING:
    from ui.desk import Desk
    from ui.plain import PlainChat


async def data(chat: "PlainChat", _: str) -> None:
    home = _kept(chat).home
    files = await asyncio.to_thread(files_of, home)
    for name, where, total in places_of(home, files):
        chat.line(f"{name}: {size(total)}, {clean_line(str(where), 1_000)}")
    here = await asyncio.to_thread(Backups(home).list)
    chat.line(counted(len(here), "backup") + (f", the newest: {backup_line(here[0])}" if here else ""))
    chat.line(learning_words(chat.desk.services))
    keeper = chat.desk.services.keeper
    if keeper is not None and keeper.trouble is not None:
        chat.failure(keeper.trouble.message, keeper.trouble.hint)


async def backup(chat: "PlainChat", file: str) -> None:
    desk = _kept(chat)
    path = Path(file) if file else None
    done = await asyncio.to_thread(back_up, desk.home, desk.clock.now(), file=path)
    chat.status(f"backed up: {contents_words(done.contents)}. {clean_line(str(done.path), 1_000)}")


async def backups(chat: "PlainChat", _: str) -> None:
    here = await asyncio.to_thread(Backups(_kept(chat).home).list)
    for number, one in enumerate(here, start=1):
        chat.line(f"{number}. {backup_line(one)}, {one.name}")
    chat.status("/restore NUMBER restores one" if here else "no backups yet. /backup makes one")


async def restore(chat: "PlainChat", which: str) -> None:
    home = _kept(chat).home
    here = await asyncio.to_thread(Backups(home).list)
    if not which:
        raise UiError("Which backup?", "/backups numbers them; /restore 1 restores the newest.")
    if which.isdecimal() and 1 <= int(which) <= len(here):
        which = here[int(which) - 1].name
    source = await asyncio.to_thread(Backups(home).find, which)
    if source.suffix == ".age":
        raise UiError("That one is encrypted.", f"In a shell: steward restore {source.name}")
    for line in preview_lines(await asyncio.to_thread(look_into, home, source)):
        chat.line(clean_line(line, 500))
    if await chat.choose("Restore it?", ("Yes, put it in the place of what is here", "No, leave it")) != 0:
        chat.status("nothing was changed")
        return
    chat.leave_for(lambda: restore_and_tell(home, source))


async def learning(chat: "PlainChat", words: str) -> None:
    services = chat.desk.services
    chat.status(await asyncio.to_thread(set_learning, services, words) if words else learning_words(services))


async def delete_everything(chat: "PlainChat", _: str) -> None:
    home = _kept(chat).home
    files = await asyncio.to_thread(files_of, home)
    for line in erase_lines(home, [one for one in files if goes(one, models=False)]):
        chat.line(clean_line(line, 500))
    chat.line("The models stay; `steward data delete-everything --models` takes them too.")
    typed = await chat.read(f'type "{ERASE_WORDS}" to go on: ')
    if typed is None or typed.strip() != ERASE_WORDS:
        chat.status("nothing was deleted")
        return
    chat.leave_for(lambda: erase_and_tell(home, models=False))


def _kept(chat: "PlainChat") -> "Desk":
    if chat.desk.options.keeps_nothing:
        raise UiError("Nothing is kept in this run.", "Leave out --incognito and --demo.")
    return chat.desk


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    ("data", "", "what is kept, where, and how much", data),
    ("backup", "[FILE]", "back up everything that is kept", backup),
    ("backups", "", "the backups, newest first", backups),
    ("restore", "NUMBER|NAME", "put a backup in the place of what is kept, after a preview", restore),
    ("encryption", "[on|off|change|backups ACT]", "encrypt what is kept, change its key, or decrypt it", encryption),
    ("learning", "[on|off [DOMAIN]]", "pause learning, or close a domain to it", learning),
    ("delete-everything", "", "delete all that is kept, after typing words", delete_everything),
)
