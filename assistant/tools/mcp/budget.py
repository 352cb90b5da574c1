"""How much a server may say. Whoever reads from it spends; what is too much is remembered as one line."""

from assistant.tools.mcp.types import Limits


class Budget:
    """Begun anew with every call. `broken`: what the server did, "" while it kept within the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.broken = ""
        self._bytes = self._messages = self._noise = 0

    def renew(self) -> None:
        self._bytes = self._messages = self._noise = 0

    def message(self, size: int) -> bool:
        """Room for one message of `size` bytes?"""
        self._messages += 1
        if self._messages > self._limits.burst_messages:
            return self._break(f"it sent more than {self._limits.burst_messages:,} messages at once")
        return self.data(size)

    def data(self, size: int) -> bool:
        """Room for `size` bytes?"""
        self._bytes += size
        if self._bytes > self._limits.burst_bytes:
            return self._break(f"it sent more than {self._limits.burst_bytes:,} bytes at once")
        return True

    def noise(self) -> bool:
        """Room for a line that is no message?"""
        self._noise += 1
        if self._noise > self._limits.burst_noise:
            return self._break("it prints text that is no MCP message")
        return True

    def oversized(self) -> bool:
        return self._break(f"it sent a message of more than {self._limits.answer_bytes:,} bytes")

    def _break(self, what: str) -> bool:
        self.broken = self.broken or what
        return False
