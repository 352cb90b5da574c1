"""A model hub on loopback: says size and hash of its files as the real one does, serves ranges, fails on request."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.wheels import sha256

REPOSITORY = "someone/tiny-GGUF"


@dataclass
class Hub:
    """`files` by name. The other fields are what goes wrong; `asked` what was asked for, as method and Range."""

    files: dict[str, bytes] = field(default_factory=dict)
    endpoint: str = ""
    etag: str | None = None  # said instead of the file's SHA-256
    breaks: list[int] = field(default_factory=list)  # bytes after which the next downloads break off
    ignores_ranges: bool = False
    status: int = 0  # answered to everything
    error_code: str = ""
    sends: bytes | None = None  # sent instead of the file
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def downloads(self) -> list[str | None]:
        return [span for method, span in self.asked if method == "GET"]


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, hub: Hub, *connection: Any) -> None:
        self.hub = hub
        super().__init__(*connection)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self, *, body: bool) -> None:
        self.hub.asked.append((self.command, self.headers.get("Range")))
        found = re.fullmatch(rf"/{REPOSITORY}/resolve/main/(.+)", self.path)
        content = self.hub.files.get(found.group(1)) if found else None
        if self.hub.status or content is None:
            missing = "EntryNotFound" if found else "RepoNotFound"
            self._refuse(self.hub.status or 404, self.hub.error_code if self.hub.status else missing)
            return
        self._send(content, body=body)

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, content: bytes, *, body: bool) -> None:
        start = 0
        span = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if span and not self.hub.ignores_ranges and body:
            start = int(span.group(1))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        etag = sha256(content) if self.hub.etag is None else self.hub.etag
        self.send_header("ETag", f'"{etag}"')
        self.send_header("X-Linked-Etag", f'"{etag}"')
        self.send_header("X-Linked-Size", str(len(content)))
        self.send_header("X-Repo-Commit", "0" * 40)
        sent = (self.hub.sends or content)[start:]
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        if not body:
            return
        if self.hub.breaks:
            self.wfile.write(sent[: self.hub.breaks.pop(0)])
            self.close_connection = True
            return
        self.wfile.write(sent)


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Answering, hub))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
