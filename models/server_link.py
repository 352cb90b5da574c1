"""HTTP to one model server: one client, checked answers, and what a failed connection means."""

import ipaddress
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from models import server_answers as answers
from models.endings import error_of
from models.errors import ModelError
from models.types import Failure

CONNECT_SECONDS = 10.0

Checked = TypeVar("Checked", bound=BaseModel)


class ServerLink:
    """`url` is the API's base, such as http://127.0.0.1:8080/v1; paths are relative to it.

    Building one costs nothing. Raises ModelError for everything that can be expected to go wrong, except in
    `stream`, which raises httpx.HTTPError."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._client: httpx.AsyncClient | None = None

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def root(self) -> str:
        """Where llama-server has what is not OpenAI's."""
        return self.url.removesuffix("/v1")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def get(self, url: str, kind: type[Checked]) -> Checked:
        return await self._ask("GET", url, None, kind)

    async def post(self, url: str, payload: dict[str, Any], kind: type[Checked]) -> Checked:
        return await self._ask("POST", url, payload, kind)

    async def complete(self, payload: dict[str, Any]) -> answers.Answer:
        return await self.post(f"{self.url}/chat/completions", payload, answers.Answer)

    def stream(self, payload: dict[str, Any]) -> AbstractAsyncContextManager[httpx.Response]:
        return self._http().stream("POST", f"{self.url}/chat/completions", json=payload)

    def failure_of(self, error: httpx.HTTPError) -> Failure:
        match error:
            case httpx.ConnectTimeout():
                why = f"does not answer within {CONNECT_SECONDS:.0f} s"
            case httpx.TimeoutException():
                why = f"said nothing for {self._timeout:g} s"
            case httpx.ConnectError():
                why = "does not answer"
            case _:
                why = f"cannot be talked to ({type(error).__name__})"
        return answers.unreachable(self.url, why)

    async def _ask(self, method: str, url: str, payload: dict[str, Any] | None, kind: type[Checked]) -> Checked:
        try:
            response = await self._http().request(method, url, json=payload)
        except httpx.HTTPError as error:
            raise ModelError(self.failure_of(error)) from error
        if response.status_code != 200:
            raise error_of(answers.refused(self.url, response.status_code, response.content))
        try:
            return kind.model_validate_json(response.content)
        except ValidationError as error:
            raise ModelError(answers.unreachable(self.url, "does not answer in the OpenAI format")) from error

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
                timeout=httpx.Timeout(self._timeout, connect=CONNECT_SECONDS),
                follow_redirects=False,  # the key goes to nobody else
                trust_env=not _is_here(self.url),  # a proxy has no business with this machine
            )
        return self._client


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
