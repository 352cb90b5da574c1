"""Encrypts a file with a passphrase in the age format (https://age-encryption.org/v1), which other tools open as well.

A file is sealed as a whole in memory, so its size has a limit. Without the passphrase nobody can open it, we included.
"""

from memory.errors import StoreError

HEADER = b"age-encryption.org/v1\n"
MOST_BYTES = 512 * 1024 * 1024
LEAST_CHARACTERS = 8


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
