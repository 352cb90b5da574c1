"""What is kept, in line mode: how much and where, backups, restore, learning, deleting everything."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from memory.backups import Backups
from memory.home_files import files_of, goes
from memory.sealed import is_sealed
from memory.sqlite_backup import Progress
from ui.checks.result import size
from ui.data_acts import ERASE_WORDS, back_up, erase_and_tell, look_into, restore_and_tell
from ui.data_words import FORGOTTEN_PASSPHRASE, backup_line, contents_words, erase_lines, places_of, preview_lines
from ui.errors import UiError
from ui.learning_acts import learning_words, set_learning
from ui.memory_lines import counted
from ui.plain_encryption import encryption

_LONG = 2_000  # pages of a copy that are worth a word while it is made

if TYPE_CHECKING:
    from ui.desk import Desk
    from ui.plain import PlainChat


async def data(chat: "PlainChat", _: str) -> None:
    home = _kept(chat).home
    files = await asyncio.to_thread(files_of, home)
    for name, where, total in places_of(home, files):
        chat.line(f"{name}: {size(total)}, {clean_line(str(where), 1_000)}")
    here = await asyncio.to_thread(Backups(home).list)
    newest = f", the newest: {backup_line(here[0])}" if here else ". /backup makes one"
    chat.line(counted(len(here), "backup") + newest)
    chat.line(learning_words(chat.desk.services))
    keeper = chat.desk.services.keeper
    if keeper is not None and keeper.trouble is not None:
        chat.failure(keeper.trouble.message, keeper.trouble.hint)


async def backup(chat: "PlainChat", argument: str) -> None:
    """/backup [encrypted] [FILE]"""
    desk = _kept(chat)
    first, _, rest = argument.partition(" ")
    sealed = first.lower() == "encrypted"
    file = rest.strip() if sealed else argument
    passphrase = await new_passphrase(chat) if sealed else None
    path = Path(file) if file else None
    done = await asyncio.to_thread(
        back_up, desk.home, desk.clock.now(), file=path, passphrase=passphrase, progress=_told(chat)
    )
    secret = ", encrypted" if done.encrypted else ""
    chat.status(f"backed up{secret}: {contents_words(done.contents)}. {clean_line(str(done.path), 1_000)}")


async def new_passphrase(chat: "PlainChat") -> str:
    """Typed twice, not echoed. Raises UiError."""
    chat.line(FORGOTTEN_PASSPHRASE)
    first = await chat.read_hidden("passphrase: ")
    if not first or await chat.read_hidden("once more: ") != first:
        raise UiError("The two were not the same, so nothing was written.", "The same command asks again.")
    return first


def _told(chat: "PlainChat") -> Progress:
    """How far a long copy is, from the thread that makes it, at each quarter."""
    loop, said = asyncio.get_running_loop(), [0]

    def tell(done: int, total: int) -> None:
        quarter = done * 4 // max(total, 1)
        if total > _LONG and said[0] < quarter < 4:
            said[0] = quarter
            loop.call_soon_threadsafe(chat.status, f"copied {quarter * 25} percent")

    return tell


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
    sealed = await asyncio.to_thread(_is_sealed, source)
    passphrase = (await chat.read_hidden("passphrase of this backup: ") or "") if sealed else ""
    chat.say_all(preview_lines(await asyncio.to_thread(look_into, home, source, passphrase)))
    if await chat.choose("Restore it?", ("Yes, put it in the place of what is here", "No, leave it")) != 0:
        chat.status("nothing was changed")
        return
    chat.leave_for(lambda: restore_and_tell(home, source, passphrase))


def _is_sealed(source: Path) -> bool:
    try:
        with source.open("rb") as file:
            return is_sealed(file.read(64))
    except OSError as error:
        raise UiError(f"{source} cannot be read: {error.strerror}.", "/backups numbers those of this home.") from error


async def learning(chat: "PlainChat", words: str) -> None:
    services = chat.desk.services
    chat.status(await asyncio.to_thread(set_learning, services, words) if words else learning_words(services))


async def delete_everything(chat: "PlainChat", _: str) -> None:
    home = _kept(chat).home
    files = await asyncio.to_thread(files_of, home)
    chat.say_all(erase_lines(home, [one for one in files if goes(one, models=False)]))
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
    ("backup", "[encrypted] [FILE]", "back up everything that is kept; encrypted: with a passphrase", backup),
    ("backups", "", "the backups, newest first", backups),
    ("restore", "NUMBER|NAME", "put a backup in the place of what is kept, after a preview", restore),
    ("encryption", "[on|off|change|backups ACT]", "encrypt what is kept, change its key, or decrypt it", encryption),
    ("learning", "[on|off [DOMAIN]]", "pause learning, or close a domain to it", learning),
    ("delete-everything", "", "delete all that is kept, after typing words", delete_everything),
)
