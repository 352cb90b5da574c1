"""Server-sent events, as far as chat servers use them: the data of each event, line by line (pure)."""

from collections.abc import Iterator

MAX_EVENT_BYTES = 8 * 1024 * 1024


class EventTooLong(ValueError):
    """An event without an end."""


class EventReader:
    """Feed bytes as they come, cut anywhere; get the data of whole events. Comments and other fields are skipped."""

    def __init__(self) -> None:
        self._buffer = b""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Raises EventTooLong, UnicodeDecodeError."""
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))
        if len(self._buffer) > MAX_EVENT_BYTES:
            raise EventTooLong

    def _line(self, line: bytes) -> Iterator[str]:
        if not line:
            if self._data:
                yield "\n".join(self._data)
            self._data.clear()
        elif line.startswith(b"data:"):
            self._data.append(line.removeprefix(b"data:").removeprefix(b" ").decode())
