"""An OpenAI-compatible server that says what it is told to, and fails on cue. Plain asyncio; loopback only."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.support.waiting import eventually

CONTEXT = 512


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Status:
    """Answer with this HTTP status instead."""

    code: int
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """These bytes as they are."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing more until the client hangs up."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the connection in the middle."""


Step = str | dict[str, Any] | Raw | Wait | HangUp
Turn = Status | Sequence[Step]


@dataclass(slots=True)
class FakeServer:
    """`turns` answer POST /chat/completions in order, then `otherwise` does. A str is a piece of text, a dict one
    whole chunk; the end with usage is added unless the turn ends otherwise."""

    turns: deque[Turn] = field(default_factory=deque)
    otherwise: Turn = ("Hello ", "from ", "the ", "server.")
    owned_by: str = "llamacpp"
    models: tuple[str, ...] = ("served",)
    listing: Turn | None = None
    likely: Sequence[tuple[str, float]] | None = (("yes", -0.1), ("no", -2.4))
    chosen: str = '{"answer": "yes"}'
    asked: list[Asked] = field(default_factory=list)
    open: int = 0
    port: int = 0  # 0: any
    _server: asyncio.Server | None = None
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for writer in tuple(self._writers):
            writer.close()
        await self._server.wait_closed()
        await eventually(lambda: not self._writers)
        self._server = None

    @property
    def url(self) -> str:
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}/v1"

    def posted(self) -> list[Any]:
        return [one.body for one in self.asked if one.path.endswith("/chat/completions")]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                self.open += 1
                try:
                    if not await self._answer(asked, reader, writer):
                        break
                finally:
                    self.open -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._writers.discard(writer)

    async def _answer(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """False: the connection is over."""
        match asked.method, asked.path:
            case "GET", "/v1/models":
                if isinstance(self.listing, Status):
                    return await _send(writer, self.listing)
                data = [{"id": name, "owned_by": self.owned_by} for name in self.models]
                return await _send(writer, Status(200, {"object": "list", "data": data}))
            case "GET", "/props":
                return await _send(writer, Status(200, {"default_generation_settings": {"n_ctx": CONTEXT}}))
            case "POST", "/tokenize":
                return await _send(writer, Status(200, {"tokens": asked.body["content"].split()}))
            case "POST", "/v1/chat/completions" if asked.body.get("stream"):
                return await self._stream(asked.body, reader, writer)
            case "POST", "/v1/chat/completions":
                return await _send(writer, Status(200, self._whole(asked.body)))
            case _:
                return await _send(writer, Status(404, {"error": {"message": "no such path"}}))

    def _whole(self, body: Any) -> Any:
        if body.get("logprobs"):
            top = [{"token": token, "logprob": logprob} for token, logprob in self.likely or ()]
            content = [{"token": "x", "top_logprobs": top}] if self.likely is not None else None
            return {"choices": [{"message": {"content": "x"}, "logprobs": {"content": content}}]}
        return {"choices": [{"message": {"content": self.chosen}, "finish_reason": "stop"}]}

    async def _stream(self, body: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        length = sum(len(message["content"].split()) for message in body["messages"])
        if length >= CONTEXT:
            error = {"message": f"the request exceeds the available context size ({CONTEXT} tokens)"}
            return await _send(writer, Status(400, {"error": error}))
        turn = self.turns.popleft() if self.turns else self.otherwise
        if isinstance(turn, Status):
            return await _send(writer, turn)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        pieces = 0
        for step in turn:
            if pieces >= body["max_tokens"]:
                break
            match step:
                case str():
                    pieces += 1
                    writer.write(_event({"choices": [{"delta": {"content": step}}]}))
                case dict():
                    writer.write(_event(step))
                case Raw(data=data):
                    writer.write(data)
                case Wait():
                    await reader.read()  # until the client goes
                    return False
                case HangUp():
                    return False
            await writer.drain()
        reason = "length" if pieces >= body["max_tokens"] else "stop"
        writer.write(_event({"choices": [{"delta": {}, "finish_reason": reason}]}))
        usage = {"prompt_tokens": length, "completion_tokens": pieces}
        writer.write(_event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n")
        await writer.drain()
        return False


def _event(chunk: Any) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


async def _send(writer: asyncio.StreamWriter, status: Status) -> bool:
    body = status.body.encode() if isinstance(status.body, str) else json.dumps(status.body).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **status.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {status.code} X\r\n{lines}\r\n".encode() + body)
    await writer.drain()
    return True


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, json.loads(body) if body else None)
