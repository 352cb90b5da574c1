"""Encrypts a file with a passphrase in the age format (https://age-encryption.org/v1), which other tools open as well.

A file is sealed as a whole in memory, so its size has a limit. Without the passphrase nobody can open it, we included.
"""

from memory.errors import StoreError
from memory.home_key import Key

HEADER = b"age-encryption.org/v1\n"
MOST_BYTES = 512 * 1024 * 1024
LEAST_CHARACTERS = 8
_PORTABLE = b"steward-portable-1\n"


class WrongPassphrase(StoreError): ...


def seal(content: bytes, passphrase: str) -> bytes:
    """Blocks for about a second: deriving the key is made slow on purpose. Raises StoreError."""
    from pyrage import passphrase as age

    if len(passphrase) < LEAST_CHARACTERS:
        raise StoreError("The passphrase is too short.", f"Use {LEAST_CHARACTERS} characters or more; words are good.")
    if len(content) > MOST_BYTES:
        raise StoreError(
            f"{len(content):,} bytes are too many to encrypt here.",
            "Leave out --encrypt and encrypt the file with `age -p FILE`.",
        )
    return bytes(age.encrypt(content, passphrase))


def portable(database: bytes, key: Key) -> bytes:
    """An encrypted database with its key, to be sealed: it opens on any machine, and never lies in the clear."""
    return _PORTABLE + key.secret.hex().encode("ascii") + b"\n" + database


def unpacked(content: bytes) -> tuple[bytes, Key | None]:
    """What was sealed: a database, and its key when it is encrypted itself. Raises StoreError."""
    if not content.startswith(_PORTABLE):
        return content, None
    secret, _, database = content[len(_PORTABLE) :].partition(b"\n")
    try:
        return database, Key(bytes.fromhex(secret.decode("ascii")))
    except ValueError as error:
        raise StoreError("The key in this backup cannot be understood.", "Take another backup.") from error


def is_sealed(beginning: bytes) -> bool:
    return beginning.startswith(HEADER)


def unseal(content: bytes, passphrase: str) -> bytes:
    """Blocks likewise. Raises WrongPassphrase, also for a file that was changed."""
    import pyrage

    try:
        return bytes(pyrage.passphrase.decrypt(content, passphrase))
    except pyrage.DecryptError as error:
        raise WrongPassphrase(
            "The passphrase does not open this file, or the file was changed.",
            "Try again. Without the passphrase nobody can open it.",
        ) from error
