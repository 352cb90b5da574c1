"""One streamed answer of a server: from bytes to events, whatever the connection does meanwhile."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import httpx

from models import server_answers as answers
from models.mailbox import Mailbox
from models.server_link import ServerLink
from models.sse import EventReader, EventTooLong
from models.thinking import ThoughtSplitter
from models.types import Delta, Failure, Finished, Usage

_LOG = logging.getLogger(__name__)

_BUG = Failure(
    kind="bug",
    message="The server's answer could not be processed.",
    hint="Please report it with the log (`steward where` names it).",
)


class AnswerStream:
    """`run` is a task; however it ends, also cancelled, a Finished is put into `mailbox` last (by `close`)."""

    def __init__(self, link: ServerLink, payload: dict[str, Any], on_lost: Callable[[Failure], None]) -> None:
        self.mailbox = Mailbox()
        self._link = link
        self._payload = payload | {"stream": True, "stream_options": {"include_usage": True}}
        self._on_lost = on_lost  # the server cannot be reached
        self._splitter = ThoughtSplitter()
        self._started = asyncio.get_running_loop().time()
        self._first = self._last = self._started
        self._pieces = 0
        self._end: Finished | None = None
        self._closing: answers.Answer | None = None  # the chunk with the usage

    async def run(self) -> None:
        try:
            async with self._link.stream(self._payload) as response:
                if response.status_code != 200:
                    body = await response.aread()
                    self._fail(answers.refused(self._link.url, response.status_code, body))
                else:
                    await self._listen(response)
        except httpx.HTTPError as error:
            if not self._pieces and self._end is None:
                self._on_lost(self._link.failure_of(error))
            self._break_off(self._link.failure_of(error))
        except (EventTooLong, UnicodeDecodeError):
            self._break_off(answers.unreachable(self._link.url, "answers in a form that is not understood"))

    def close(self, task: asyncio.Task[None], *, tokens_in: int, total: int) -> None:
        """When `task`, which ran `run`, is done. `tokens_in` counts when the server does not say it."""
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("reading the server's answer failed", exc_info=error)
            self._fail(_BUG)
        for part in self._splitter.finish():
            self.mailbox.put(part)
        end = self._end or Finished(reason="cancelled")
        usage = self._usage(tokens_in, total)
        self.mailbox.put(Finished(reason=end.reason, failure=end.failure, usage=usage))

    def _usage(self, tokens_in: int, total: int) -> Usage:
        return answers.usage_of(
            self._closing,
            tokens_in=tokens_in,
            tokens_out=self._pieces,
            first=self._first - self._started,
            generating=self._last - self._first,
            total=total,
        )

    async def _listen(self, response: httpx.Response) -> None:
        reader = EventReader()
        async for chunk in response.aiter_bytes():
            for data in reader.feed(chunk):
                if data.strip() == "[DONE]":
                    continue
                answer = answers.parse(data)
                if answer is None or answer.error is not None:
                    why = "sends what is not understood" if answer is None else "reports an error"
                    self._break_off(answers.unreachable(self._link.url, why))
                    return
                self._take(answer)
        self._break_off(answers.unreachable(self._link.url, "ended its answer before it was whole"))

    def _take(self, answer: answers.Answer) -> None:
        parts: list[Delta] = []
        for choice in answer.choices[:1]:
            if choice.delta.thought:
                parts.append(Delta(text=choice.delta.thought, thought=True))
            if choice.delta.content:
                parts += self._splitter.feed(choice.delta.content)
            if choice.delta.thought or choice.delta.content:
                self._last = asyncio.get_running_loop().time()
                self._first = self._first if self._pieces else self._last
                self._pieces += 1
        for part in parts:
            self.mailbox.put(part)
        if answer.usage is not None:
            self._closing = answer
        if (reason := answers.finish_reason(answer)) is not None:
            self._end = Finished(reason=reason)

    def _fail(self, failure: Failure) -> None:
        self._end = Finished(reason="failed", failure=failure)

    def _break_off(self, failure: Failure) -> None:
        """The stream is over; unless the answer was whole, say why. What has come is kept."""
        if self._end is not None:
            return
        if self._pieces:
            self._end = Finished(reason="worker_died", failure=answers.broke_off(self._link.url))
        else:
            self._fail(failure)
