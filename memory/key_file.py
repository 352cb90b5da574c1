"""Where the key of an encrypted home is kept: data/encryption.json (0600), which holds it wrapped or says where it is.

With a passphrase the file holds the key encrypted by what scrypt (RFC 7914) makes of it; with the system keyring it
holds nothing secret. A new passphrase wraps the same key anew, so nothing else is written. Whether a home is encrypted,
the database says itself: a file that begins like SQLite's is in the clear, whatever key lies beside it.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memory.data_dir import Home, atomic_write, unusable
from memory.errors import HomeLocked, StoreError
from memory.first_bytes import first_bytes
from memory.home_key import BYTES, Key

FILE = "encryption.json"
CLEAR = b"SQLite format 3\x00"
LEAST_CHARACTERS = 8
Store = Literal["keyring", "passphrase"]

_MOST_BYTES = 10_000
COST = {"n": 1 << 17, "r": 8, "p": 1}  # 128 MB and half a second of one core
_MOST_MEMORY = 1 << 30  # bytes that a file may ask scrypt to take
_ABOUT = b"steward key 1"


class WrongPassphrase(HomeLocked): ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFile:
    """`wrapped`: the key, salt and cost, for a passphrase; empty for the keyring."""

    store: Store
    fingerprint: str
    wrapped: Mapping[str, Any]


def file_of(home: Home) -> Path:
    return home.data / FILE


def is_encrypted(home: Home) -> bool:
    """Reads a few bytes. A home that was never written counts by its key. Raises HomeUnusable."""
    try:
        beginning = first_bytes(home.database, len(CLEAR))
    except FileNotFoundError:
        return file_of(home).exists()
    except OSError as error:
        raise unusable(home.database, error) from error
    return beginning != CLEAR and file_of(home).exists()


def key_of(home: Home) -> Key | None:
    """What opens the database and the files of this home; None for one in the clear.

    Blocks; the first time in a run it may ask the user or the keyring. Raises HomeLocked, HomeUnusable."""
    if not is_encrypted(home):
        return None
    if home.unlock is None:
        raise HomeLocked("This home is encrypted and locked.", "Open it with its passphrase or from its keyring.")
    return home.unlock(home)


def read_key_file(home: Home) -> KeyFile:
    """Raises HomeLocked when there is none, or it says nothing that can be understood."""
    return parse_key_file(file_of(home))


def parse_key_file(path: Path) -> KeyFile:
    """Likewise."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("too large")
        found = json.loads(path.read_text("utf-8"))
        if found["format"] != 1 or found["store"] not in ("keyring", "passphrase"):
            raise ValueError("of a newer Steward")
        wrapped = dict(found.get("wrapped", {}))
        return KeyFile(store=found["store"], fingerprint=str(found["fingerprint"])[:64], wrapped=wrapped)
    except FileNotFoundError as error:
        raise HomeLocked(f"The key file {path} is missing.", "Put it back from a copy of this folder.") from error
    except OSError as error:
        raise unusable(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HomeLocked(
            f"The key file {path} cannot be understood.", "Put it back from a copy of this folder, or update Steward."
        ) from error


def keep_with_passphrase(home: Home, key: Key, passphrase: str) -> None:
    """Blocks for about a second. Raises StoreError."""
    check_passphrase(passphrase)
    salt = secrets.token_bytes(16)
    wrapped = {"salt": _text(salt), **COST, "key": _text(_lock(passphrase, salt, COST, key.secret))}
    _write(home, {"format": 1, "store": "passphrase", "fingerprint": key.fingerprint, "wrapped": wrapped})


def check_passphrase(passphrase: str) -> None:
    """Raises StoreError."""
    if len(passphrase) < LEAST_CHARACTERS:
        raise StoreError("The passphrase is too short.", f"Use {LEAST_CHARACTERS} characters or more; words are good.")


def keep_in_keyring(home: Home, key: Key) -> None:
    """The key is in the keyring before the file says so. Raises StoreError."""
    from memory.system_keyring import put

    put(key)
    _write(home, {"format": 1, "store": "keyring", "fingerprint": key.fingerprint})


def unlock_with_passphrase(file: KeyFile, passphrase: str) -> Key:
    """Blocks for about a second. Raises WrongPassphrase, HomeLocked."""
    try:
        salt, locked = (base64.b64decode(str(file.wrapped[name]), validate=True) for name in ("salt", "key"))
        cost = {name: int(file.wrapped[name]) for name in ("n", "r", "p")}
        if 128 * cost["n"] * cost["r"] > _MOST_MEMORY or cost["p"] > 16:
            raise ValueError("costs too much")
        key = _unlock(passphrase, salt, cost, locked)
    except (KeyError, TypeError, ValueError) as error:
        raise HomeLocked("The key file cannot be understood.", "Put it back from a copy of this folder.") from error
    if key is None:
        raise WrongPassphrase(
            "That is not the passphrase of this home.", "Try again. Nothing is damaged, and nothing was changed."
        )
    return key


def unlock_from_keyring(file: KeyFile) -> Key:
    """Raises HomeLocked: no keyring, locked, or the key is not in it."""
    from memory.system_keyring import get

    return get(file.fingerprint)


def forget_key(home: Home) -> None:
    """After the home was decrypted: the file goes, and the key leaves the keyring."""
    path = file_of(home)
    if not path.exists():
        return
    try:
        file = read_key_file(home)
    except HomeLocked:
        file = None
    if file is not None and file.store == "keyring":
        from memory.system_keyring import remove

        remove(file.fingerprint)
    path.unlink(missing_ok=True)


def _write(home: Home, content: Mapping[str, object]) -> None:
    atomic_write(file_of(home), json.dumps(content, indent=1).encode() + b"\n")


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _stretched(passphrase: str, salt: bytes, cost: Mapping[str, int]) -> bytes:
    words = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(words, salt=salt, **cost, maxmem=_MOST_MEMORY + (1 << 20), dklen=BYTES)


def _lock(passphrase: str, salt: bytes, cost: Mapping[str, int], secret: bytes) -> bytes:
    """The salt is new every time, so the key of the cipher is, and one nonce does."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(_stretched(passphrase, salt, cost)).encrypt(bytes(12), secret, _ABOUT)


def _unlock(passphrase: str, salt: bytes, cost: Mapping[str, int], locked: bytes) -> Key | None:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        secret = ChaCha20Poly1305(_stretched(passphrase, salt, cost)).decrypt(bytes(12), locked, _ABOUT)
    except InvalidTag:
        return None
    return Key(secret)
