"""Token counts by message content, the least recently used forgotten first. Contents are not kept, only digests."""

import hashlib
from collections import OrderedDict

from models.types import ChatMessage

CAPACITY = 8_192


class CountCache:
    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._counts: OrderedDict[bytes, int] = OrderedDict()

    def get(self, message: ChatMessage) -> int | None:
        key = _key(message)
        count = self._counts.get(key)
        if count is not None:
            self._counts.move_to_end(key)
        return count

    def put(self, message: ChatMessage, count: int) -> None:
        self._counts[_key(message)] = count
        while len(self._counts) > self._capacity:
            self._counts.popitem(last=False)


def _key(message: ChatMessage) -> bytes:
    text = f"{message.role}\n{message.content}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
