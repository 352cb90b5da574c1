"""The way to a server over HTTP: one address, https or this machine, answers counted byte by byte."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assistant.errors import ToolError
from assistant.tools.mcp.budget import Budget
from assistant.tools.mcp.types import Limits

if TYPE_CHECKING:
    import httpx2

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def checked_url(text: str) -> str:
    """Raises ToolError for an address that is none, would send everything unencrypted, or holds a password."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or text != text.strip() or not text.isascii():
        raise ToolError(f"“{text}” is not the address of a server.", "For example https://tools.example/mcp")
    if parts.username or parts.password:
        raise ToolError("The address holds a password.", "Give the name of a variable that holds it: --token NAME")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise ToolError(f"http://{host} would send everything unencrypted.", "Use its https:// address.")
    return text


def host_of(url: str) -> str:
    return urlsplit(url).hostname or url


def is_remote(url: str) -> bool:
    """Whether what is sent there leaves this machine."""
    return host_of(url) not in LOOPBACK


def http_client(token: str, limits: Limits, budget: Budget) -> "httpx2.AsyncClient":
    """What the SDK sends with. Redirects leave the address the user approved and are not followed. Blocks for some
    milliseconds."""
    import httpx2

    async def count(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("the answer is packed", request=response.request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _counted(response.stream, limits, budget)

    headers = {"Accept-Encoding": "identity"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    seconds = httpx2.Timeout(limits.call_s, connect=limits.start_s)
    return httpx2.AsyncClient(
        headers=headers, timeout=seconds, follow_redirects=False, event_hooks={"response": [count]}
    )


def web(url: str, client: "httpx2.AsyncClient", limits: Limits) -> AbstractAsyncContextManager[Any]:
    """The server's streams."""
    from mcp.client.streamable_http import streamable_http_client

    return streamable_http_client(
        url, http_client=client, terminate_on_close=False, max_sse_event_size=limits.answer_bytes
    )


def _counted(stream: "httpx2.AsyncByteStream", limits: Limits, budget: Budget) -> "httpx2.AsyncByteStream":
    import httpx2

    class Counted(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for block in stream:
                if not budget.data(len(block)):
                    raise httpx2.ReadError(budget.broken)
                yield block

        async def aclose(self) -> None:
            await stream.aclose()

    return Counted()
