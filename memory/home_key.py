"""The key of an encrypted home: 32 random bytes, from which one key for the database and one for files are made.

Small files (what was not sent yet, letters between processes) are sealed with ChaCha20-Poly1305 (RFC 8439); nobody can
read them, and a changed one is refused.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Self

from memory.errors import StoreError

BYTES = 32
_NONCE = 12
HEADER = b"steward-sealed-1\n"


class WrongKey(StoreError):
    """The file is sealed with another key, or was changed."""


@dataclass(frozen=True, slots=True)
class Key:
    """Never shown: neither `repr` nor an error holds it."""

    secret: bytes = field(repr=False)

    @classmethod
    def make(cls) -> Self:
        return cls(secrets.token_bytes(BYTES))

    @property
    def of_database(self) -> str:
        """64 hexadecimal digits: SQLCipher takes them as the key itself and derives nothing."""
        return self._derive(b"database").hex()

    @property
    def fingerprint(self) -> str:
        """Which key it is, without saying anything about it: 16 hexadecimal digits."""
        return self._derive(b"fingerprint").hex()[:16]

    def seal(self, content: bytes) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        nonce = secrets.token_bytes(_NONCE)
        return HEADER + nonce + ChaCha20Poly1305(self._derive(b"files")).encrypt(nonce, content, HEADER)

    def unseal(self, sealed: bytes) -> bytes:
        """Raises WrongKey."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        nonce, body = sealed[len(HEADER) :][:_NONCE], sealed[len(HEADER) + _NONCE :]
        try:
            return ChaCha20Poly1305(self._derive(b"files")).decrypt(nonce, body, HEADER)
        except (InvalidTag, ValueError) as error:
            raise WrongKey("A file is encrypted with another key, or was changed.") from error

    def _derive(self, purpose: bytes) -> bytes:
        """HKDF-Expand of RFC 5869 with SHA-256, one block."""
        return hmac.new(self.secret, b"steward 1 " + purpose + b"\x01", hashlib.sha256).digest()


def sealed_for(content: bytes, key: Key | None) -> bytes:
    """As it goes to the disk: sealed in an encrypted home, as it is in one in the clear."""
    return content if key is None else key.seal(content)


def opened_with(content: bytes, key: Key | None) -> bytes:
    """What `sealed_for` was given; also what was written before the home was encrypted. Raises WrongKey."""
    if not content.startswith(HEADER):
        return content
    if key is None:
        raise WrongKey("A file is encrypted, and this home is not.")
    return key.unseal(content)


def no_key() -> Key | None:
    """Of what is kept in the clear."""
    return None
