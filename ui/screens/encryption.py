"""Encrypting what is kept, from the data screen: what it means, what the key is kept with, and typed words before it.

The history has to be closed for it: the app ends, it is done, and the app opens again with words about it.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from ui.encryption_acts import (
    Status,
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
    backups_left,
)
from ui.screens.dialog import Choice, Offer, OneLine, new_passphrase

if TYPE_CHECKING:
    from ui.app import StewardApp
    from ui.data_app import Afterwards
    from ui.desk import Desk

_LEAVE = Offer(name="", words="Leave it as it is")
_AGAIN = "Steward closes for a moment and opens again."


async def encryption_wished(app: "StewardApp", desk: "Desk") -> "tuple[Afterwards | None, str]":
    """What is to be done with nothing open, or why nothing is. Raises StoreError."""
    found = await asyncio.to_thread(status_of, desk.home)
    return await (_change(app, desk, found) if found.encrypted else _encrypt(app, desk, found))


async def _encrypt(app: "StewardApp", desk: "Desk", found: Status) -> "tuple[Afterwards | None, str]":
    how = await _how(app, "Encrypt what is kept?", (COVERED, COSTS, _AGAIN), found)
    if how is None:
        return None, ""
    passphrase = ""
    if how == "passphrase":
        passphrase, why_not = await new_passphrase(app, NOBODY["passphrase"])
        if not passphrase:
            return None, why_not
    offers = [Offer(name=name, words=words) for name, words in BACKUPS_TO.items()]
    text = (
        "The history is copied to the backups first, in the clear. What becomes of backups in the clear afterwards?",
    )
    to = await app.push_screen_wait(Choice("Backups in the clear", text, offers))
    if to is None or not await _typed(app, ENCRYPT_WORDS, NOBODY[how]):
        return None, "Nothing was changed."
    wanted: BackupsTo = "encrypt" if to == "encrypt" else "remove" if to == "remove" else "keep"
    return partial(encrypt_and_tell, desk.options, how, passphrase, wanted), ""


async def _change(app: "StewardApp", desk: "Desk", found: Status) -> "tuple[Afterwards | None, str]":
    offers = [_LEAVE, Offer(name="passphrase", words="A new passphrase")]
    if not found.keyring and found.key_in != "keyring":
        offers.append(Offer(name="keyring", words="Keep the key in the keyring of this system"))
    if found.clear:
        offers.append(Offer(name="encrypt", words="Encrypt the backups in the clear"))
        offers.append(Offer(name="remove", words="Remove the backups in the clear"))
    offers.append(Offer(name="off", words="Decrypt everything"))
    text = (*status_lines(found)[:2], *((backups_left(found.clear),) if found.clear else ()), _AGAIN)
    answer = await app.push_screen_wait(Choice("Encryption", text, offers))
    match answer:
        case "passphrase":
            passphrase, why_not = await new_passphrase(app, NOBODY["passphrase"])
            if not passphrase:
                return None, why_not
            return partial(change_and_tell, desk.options, "passphrase", passphrase), ""
        case "keyring":
            return partial(change_and_tell, desk.options, "keyring", ""), ""
        case "encrypt":
            return partial(settle_and_tell, desk.options, "encrypt"), ""
        case "remove":
            return partial(settle_and_tell, desk.options, "remove"), ""
        case "off":
            if not await _typed(app, DECRYPT_WORDS, IN_THE_CLEAR):
                return None, "Nothing was changed."
            return partial(decrypt_and_tell, desk.options), ""
        case _:
            return None, ""


async def _how(app: "StewardApp", title: str, text: tuple[str, ...], found: Status) -> How | None:
    offers = [_LEAVE, Offer(name="passphrase", words="With a passphrase, asked for at every start")]
    if not found.keyring:
        offers.append(Offer(name="keyring", words="With a key in the keyring of this system: nothing to type"))
    answer = await app.push_screen_wait(Choice(title, text, offers))
    return "passphrase" if answer == "passphrase" else "keyring" if answer == "keyring" else None


async def _typed(app: "StewardApp", words: str, meaning: str) -> bool:
    hint = f'{meaning}\nType "{words}" and press Enter. Esc leaves everything as it is.'
    typed = await app.push_screen_wait(OneLine("Go on?", "", hint))
    return typed is not None and typed.strip() == words
