"""Encryption of what is kept, in line mode. A passphrase is typed where it is not echoed, or comes over the pipe."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from ui.encryption_acts import (
    change_and_tell,
    decrypt_and_tell,
    encrypt_and_tell,
    settle_and_tell,
    status_lines,
    status_of,
)
from ui.encryption_words import (
    BACKUPS_TO,
    COSTS,
    COVERED,
    DECRYPT_WORDS,
    ENCRYPT_WORDS,
    IN_THE_CLEAR,
    NOBODY,
    BackupsTo,
    How,
)
from ui.errors import UiError
from ui.plain_speech import said_here

if TYPE_CHECKING:
    from ui.plain import PlainChat

USE = "/encryption, /encryption on, /encryption off, /encryption change, /encryption backups encrypt"


async def encryption(chat: "PlainChat", words: str) -> None:
    """Raises UiError, StoreError."""
    if chat.desk.options.keeps_nothing:
        raise UiError("Nothing is kept in this run.", "Leave out --incognito and --demo.")
    match words.split():
        case []:
            for line in status_lines(await asyncio.to_thread(status_of, chat.desk.home)):
                chat.line(said_here(line))
        case ["on"]:
            await _on(chat)
        case ["off"]:
            await _off(chat)
        case ["change"]:
            await _change(chat)
        case ["backups", "encrypt"]:
            chat.leave_for(partial(settle_and_tell, chat.desk.options, "encrypt"))
        case ["backups", "remove"]:
            chat.leave_for(partial(settle_and_tell, chat.desk.options, "remove"))
        case _:
            raise UiError(f"There is no such act: {words}", USE)


async def _on(chat: "PlainChat") -> None:
    found = await asyncio.to_thread(status_of, chat.desk.home)
    if found.encrypted:
        raise UiError("What is kept is encrypted already.", "/encryption says with what.")
    for line in (COVERED, COSTS):
        chat.line(line)
    how = await _how(chat, found.keyring)
    if how is None:
        chat.status("nothing was changed")
        return
    passphrase = await _twice(chat) if how == "passphrase" else ""
    names: tuple[BackupsTo, ...] = tuple(BACKUPS_TO)
    to = await chat.choose("The copy made first, and other backups in the clear:", tuple(BACKUPS_TO.values()))
    chat.line(NOBODY[how])
    if to is None or not await _typed(chat, ENCRYPT_WORDS):
        chat.status("nothing was changed")
        return
    desk = chat.desk
    chat.leave_for(partial(encrypt_and_tell, desk.options, how, passphrase, names[to]))


async def _off(chat: "PlainChat") -> None:
    chat.line(IN_THE_CLEAR)
    if not await _typed(chat, DECRYPT_WORDS):
        chat.status("nothing was changed")
        return
    chat.leave_for(partial(decrypt_and_tell, chat.desk.options))


async def _change(chat: "PlainChat") -> None:
    found = await asyncio.to_thread(status_of, chat.desk.home)
    if not found.encrypted:
        raise UiError("What is kept is not encrypted.", "/encryption on")
    how = await _how(chat, found.keyring)
    if how is None:
        chat.status("nothing was changed")
        return
    chat.line(NOBODY[how])
    passphrase = await _twice(chat) if how == "passphrase" else ""
    chat.leave_for(partial(change_and_tell, chat.desk.options, how, passphrase))


async def _how(chat: "PlainChat", keyring: str) -> How | None:
    """`keyring`: why it cannot be used."""
    if keyring:
        chat.status(f"with a passphrase: {keyring}")
        return "passphrase"
    chosen = await chat.choose(
        "What is the key kept with?", ("The keyring of this system", "A passphrase, asked for at every start")
    )
    return None if chosen is None else ("keyring", "passphrase")[chosen]


async def _twice(chat: "PlainChat") -> str:
    """Raises UiError."""
    first = await chat.read_hidden("passphrase: ")
    if not first or await chat.read_hidden("once more: ") != first:
        raise UiError("The two were not the same, so nothing was changed.", "/encryption on asks again.")
    return first


async def _typed(chat: "PlainChat", words: str) -> bool:
    typed = await chat.read(f'type "{words}" to go on: ')
    return typed is not None and typed.strip() == words
