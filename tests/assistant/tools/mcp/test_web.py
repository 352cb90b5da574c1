"""A server at an address: called, counted, and told nothing it should not know."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from assistant.tools.mcp.connection import Connection
from assistant.tools.mcp.errors import ServerFailed
from assistant.tools.mcp.types import Web
from tests.support.mcp import QUICK

TOOL = {"name": "look", "description": "Look something up.", "inputSchema": {"type": "object", "properties": {}}}


class HttpServer:
    """Speaks just enough HTTP and MCP. `kind`: "good", "huge", "packed", "moves", "fails"."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.headers: list[str] = []
        self.url = ""

    async def __aenter__(self) -> "HttpServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/mcp"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.headers.append(head)
            length = next(
                (int(line.split(":")[1]) for line in head.lower().split("\r\n") if line.startswith("content-length:")),
                0,
            )
            body = await reader.readexactly(length)
            status, extra, answer = self._answer(head, json.loads(body) if body else {})
            fixed = f"HTTP/1.1 {status}\r\nContent-Length: {len(answer)}\r\nConnection: close\r\n{extra}\r\n"
            writer.write(fixed.encode() + answer)
            await writer.drain()
        except (OSError, EOFError):
            pass
        finally:
            writer.close()

    def _answer(self, head: str, message: dict[str, Any]) -> tuple[str, str, bytes]:
        if not head.startswith("POST"):
            return "405 Method Not Allowed", "", b""
        if "id" not in message:
            return "202 Accepted", "", b""
        call = message["method"] == "tools/call"
        if call and self.kind == "moves":
            return "307 Temporary Redirect", "Location: http://127.0.0.1:9/elsewhere\r\n", b""
        if call and self.kind == "fails":
            return "500 Internal Server Error", "", b"<h1>oops</h1>"
        packed = "Content-Encoding: gzip\r\n" if call and self.kind == "packed" else ""
        return "200 OK", f"Content-Type: application/json\r\n{packed}", json.dumps(self._result(message)).encode()

    def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        match message["method"]:
            case "initialize":
                info = {"name": "web", "version": "1"}
                version = message["params"]["protocolVersion"]
                result: dict[str, Any] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                result = {"tools": [TOOL]}
            case "tools/call":
                text = "x" * 5_000_000 if self.kind == "huge" else "found"
                result = {"content": [{"type": "text", "text": text}]}
            case _:
                error = {"code": -32601, "message": "Method not found"}
                return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}


@pytest.fixture
async def good() -> AsyncIterator[HttpServer]:
    async with HttpServer("good") as server:
        yield server


async def test_a_server_at_an_address_is_called_with_its_token(
    good: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_TOKEN", "canary-3")
    connection = Connection("web", Web(url=good.url, token="WEB_TOKEN"), QUICK)
    assert [tool.name for tool in await connection.open()] == ["look"]
    assert (await connection.call("look", {}, "key")).texts == ("found",)
    await connection.close()
    assert all("authorization: bearer canary-3" in head.lower() for head in good.headers)


@pytest.mark.parametrize(
    ("kind", "says"),
    [("huge", "more than 4,000,000 bytes"), ("packed", "web: "), ("moves", "web: "), ("fails", "web: ")],
)
async def test_a_server_that_misbehaves_is_one_line(kind: str, says: str) -> None:
    async with HttpServer(kind) as server:
        connection = Connection("web", Web(url=server.url), QUICK)
        await connection.open()
        with pytest.raises(ServerFailed, match=says) as raised:
            await connection.call("look", {}, "key")
        assert "\n" not in raised.value.message
        await connection.close()


async def test_nobody_at_the_address() -> None:
    connection = Connection("web", Web(url="http://127.0.0.1:9/mcp"), QUICK)
    with pytest.raises(ServerFailed, match="cannot be reached"):
        await connection.open()
