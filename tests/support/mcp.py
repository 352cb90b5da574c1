"""MCP servers in tests: how each is started, what it wrote, and whether anything of it still runs."""

import sys
from collections.abc import Sequence
from pathlib import Path

from assistant.tools.mcp.types import Limits, Stdio

SERVER = Path(__file__).parent / "mcp_servers" / "server.py"
SDK_SERVER = SERVER.with_name("sdk_server.py")
QUICK = Limits(start_s=30.0, call_s=30.0, close_s=0.2)  # for servers that behave; only a hang meets these


class Folder:
    """What servers of one test write into."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def reach(self, kind: str, *, environment: Sequence[str] = ()) -> Stdio:
        return Stdio(
            command=(sys.executable, "-I", "-S", str(SERVER), kind, str(self.path)), environment=tuple(environment)
        )

    def lines(self, name: str) -> list[str]:
        file = self.path / name
        return file.read_text().splitlines() if file.exists() else []

    def running(self) -> list[int]:
        """Processes of these servers that are not gone; one that waits to be reaped is."""
        return [pid for pid in map(int, self.lines("pids")) if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")
