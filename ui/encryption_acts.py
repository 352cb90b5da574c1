"""Encrypting the home, decrypting it, changing where its key is: for the command, line mode and the data screen.

Everything here blocks; call it in a thread. The history is not open meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memory.data_dir import Home
from memory.encrypting import (
    Changed,
    clear_backups,
    clear_damaged,
    decrypt_home,
    encrypt_home,
    remove_clear,
    rewrite_backup,
)
from memory.errors import HomeLocked, StoreError
from memory.home_key import Key
from memory.key_file import (
    check_passphrase,
    is_encrypted,
    keep_in_keyring,
    keep_with_passphrase,
    key_of,
    read_key_file,
)
from ui.data_words import contents_words
from ui.encryption_words import CHANGED, TRACES, BackupsTo, How, backups_left
from ui.errors import UiError
from ui.handover import take_home
from ui.wiring import Options, SystemClock, resolve_home


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`key_in` None: in the clear. `clear`: backups that anybody can read. `trouble`: why the key file is of no use."""

    encrypted: bool
    key_in: How | None
    fingerprint: str
    clear: int
    keyring: str  # why it cannot be used; "" when it can
    trouble: str = ""


def status_of(home: Home) -> Status:
    """Without opening anything. Raises StoreError."""
    encrypted = is_encrypted(home)
    clear = len(clear_backups(home)) + len(clear_damaged(home)) if encrypted else 0
    key_in: How | None = None
    fingerprint = trouble = ""
    if encrypted:
        try:
            file = read_key_file(home)
            key_in, fingerprint = file.store, file.fingerprint
        except HomeLocked as error:
            trouble = f"{error.message} {error.hint}"
    return Status(
        encrypted=encrypted,
        key_in=key_in,
        fingerprint=fingerprint,
        clear=clear,
        keyring=keyring_trouble(),
        trouble=trouble,
    )


def keyring_trouble() -> str:
    """Why no key can be kept in the keyring of this system; "" when one can."""
    from memory.system_keyring import trouble

    return trouble()


def status_lines(found: Status) -> tuple[str, ...]:
    if not found.encrypted:
        where = (
            "The keyring of this system can hold the key." if not found.keyring else f"{found.keyring.capitalize()}."
        )
        return (
            "What is kept is not encrypted: files are readable by you and by whoever has this disk.",
            where,
            "steward encryption on",
        )
    lines = ["What is kept is encrypted (SQLCipher 4, AES-256)."]
    if found.key_in == "keyring":
        lines.append(f"Its key is in the keyring of this system, as Steward / {found.fingerprint}.")
    elif found.key_in == "passphrase":
        lines.append("Its key opens with your passphrase.")
    else:
        lines.append(found.trouble)
    if found.clear:
        lines.append(backups_left(found.clear) + " steward encryption backups encrypt")
    return tuple(lines)


def turn_on(options: Options, home: Home, how: How, passphrase: str, at: datetime) -> Changed:
    """With a new key. Raises HomeInUse, StoreError; then everything is what it was."""
    key = Key.make()
    if how == "passphrase":
        check_passphrase(passphrase)  # before a backup is made for nothing

    def keep() -> None:
        if how == "keyring":
            keep_in_keyring(home, key)
        else:
            keep_with_passphrase(home, key, passphrase)
        options.unlocked.put(home, key)

    with take_home(home, what="encryption", at=at):
        return encrypt_home(home, key, keep, at)


def turn_off(options: Options, home: Home, at: datetime) -> Changed:
    """The backups of this home are decrypted too. Raises HomeInUse, StoreError."""
    with take_home(home, what="encryption", at=at):
        changed = decrypt_home(home)
    options.unlocked.drop(home)
    return changed


def change_key(home: Home, how: How, passphrase: str, at: datetime) -> None:
    """The same key, kept in another way; nothing else is written. Raises HomeInUse, StoreError, UiError."""
    key = key_of(home)
    if key is None:
        raise UiError("What is kept is not encrypted.", "Encrypt it first: steward encryption on")
    with take_home(home, what="encryption", at=at):
        before = read_key_file(home).store
        if how == "keyring":
            keep_in_keyring(home, key)
            return
        keep_with_passphrase(home, key, passphrase)
        if before == "keyring":
            from memory.system_keyring import remove

            remove(key.fingerprint)


def settle_backups(home: Home, to: BackupsTo, at: datetime) -> str:
    """What becomes of those in the clear, in words. Raises HomeInUse, StoreError, UiError."""
    key = key_of(home)
    if key is None:
        raise UiError("What is kept is not encrypted, and neither are its backups.", "steward encryption on")
    if to == "keep":
        return "The backups in the clear stay as they are."
    with take_home(home, what="encryption", at=at):
        if to == "remove":
            return f"Removed: {remove_clear(home):,} in the clear. {TRACES}"
        done, failed = 0, ""
        for one in clear_backups(home):
            try:
                rewrite_backup(home, one, None, key)
                done += 1
            except StoreError as error:
                failed = f" {one.name} stays in the clear: {error.message}"
        damaged = len(clear_damaged(home))
        left = f" {damaged:,} damaged originals stay in the clear." if damaged else ""
        many = "one backup" if done == 1 else f"{done:,} backups"
        return f"Encrypted: {many}.{failed}{left} {TRACES}"


def said_on(changed: Changed) -> str:
    if changed.contents is None:
        return "Encrypted from now on. Nothing was kept yet."
    return f"Encrypted, checked, and in its place: {contents_words(changed.contents)}."


def said_off(changed: Changed) -> str:
    if changed.contents is None:
        return "Not encrypted from now on."
    return (
        f"Decrypted, checked, and in its place: {contents_words(changed.contents)}. Its backups are in the clear too."
    )


def encrypt_and_tell(options: Options, how: How, passphrase: str, backups: BackupsTo) -> str:
    """After a front end has closed what is kept; the words with which it opens again."""

    home = resolve_home(options)

    def act() -> str:
        now = SystemClock().now()
        said = said_on(turn_on(options, home, how, passphrase, now))
        left = bool(clear_backups(home) or clear_damaged(home))
        return f"{said} {settle_backups(home, backups, now)}" if left else said

    return _told(act)


def decrypt_and_tell(options: Options) -> str:
    """Likewise."""
    return _told(lambda: said_off(turn_off(options, resolve_home(options), SystemClock().now())))


def change_and_tell(options: Options, how: How, passphrase: str) -> str:
    """Likewise."""

    def act() -> str:
        change_key(resolve_home(options), how, passphrase, SystemClock().now())
        return CHANGED

    return _told(act)


def settle_and_tell(options: Options, to: BackupsTo) -> str:
    """Likewise."""
    return _told(lambda: settle_backups(resolve_home(options), to, SystemClock().now()))


def _told(act: Callable[[], str]) -> str:
    try:
        return act()
    except (StoreError, UiError) as error:
        return f"Nothing more was changed: {error.message} {error.hint}".rstrip()
