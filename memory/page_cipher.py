"""Single pages of a SQLCipher 4 file in the clear, whether or not they are sound: what salvage reads.

SQLCipher itself refuses a page whose checksum is wrong, and a file whose first page is. Here the checksum is not looked
at: a damaged page gives the rows that its damage left. https://www.zetetic.net/sqlcipher/design/
"""

from collections.abc import Callable

from memory.home_key import Key
from memory.page_scan import MAGIC

PAGE = 4096
RESERVED = 80  # at the end of a page: 16 bytes of initialization vector, 64 of HMAC-SHA512
_SALT = 16  # at the start of the file, in place of SQLite's magic words
_BLOCK = 16

OpenPage = Callable[[int, bytes], bytes]


def page_opener(key: Key) -> OpenPage:
    """From number (from 1) and content of a page to its content in the clear, with zeros for what is reserved."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    algorithm = algorithms.AES(bytes.fromhex(key.of_database))

    def opened(number: int, page: bytes) -> bytes:
        if len(page) != PAGE:
            return b""
        start = _SALT if number == 1 else 0
        vector = page[PAGE - RESERVED :][:_BLOCK]
        body = Cipher(algorithm, modes.CBC(vector)).decryptor().update(page[start : PAGE - RESERVED])
        return _beginning(number, body) + body + bytes(RESERVED)

    return opened


def _beginning(number: int, body: bytes) -> bytes:
    """SQLite's magic words, where what follows them is its header."""
    if number != 1:
        return b""
    sound = body[:2] == PAGE.to_bytes(2, "big") and body[4] == RESERVED
    return MAGIC if sound else bytes(_SALT)
