"""One running MCP server: started, its tools listed, called, ended. Everything happens in one task of its own, because
the SDK's scopes must be left where they were entered; calls come from any task, one at a time.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, assert_never, cast

import anyio

from assistant.errors import ToolError
from assistant.policies.cleaning import clean_line
from assistant.tools.mcp.asking_back import content, form, page
from assistant.tools.mcp.budget import Budget
from assistant.tools.mcp.errors import ServerFailed
from assistant.tools.mcp.listing import listed_tools, result_of
from assistant.tools.mcp.pipe import Ending, environment_of, pipe
from assistant.tools.mcp.types import (
    Dismissed,
    Elicit,
    Elicitation,
    Elicited,
    Filled,
    Limits,
    ListedTool,
    Reach,
    Refused,
    Result,
    Stdio,
    Web,
)
from assistant.tools.mcp.web import host_of, http_client, is_remote, web

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.client import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult, ErrorData, RequestParamsMeta

T = TypeVar("T")

CLOSED_S = 15.0  # the longest an end may take before the task is cancelled
MOST_PAGES = 10


class Connection:
    """Every failure is a ServerFailed with one line, and the end of the server."""

    def __init__(self, name: str, reach: Reach, limits: Limits, elicit: Elicit | None = None) -> None:
        self._name = name
        self._reach = reach
        self._limits = limits
        self._elicit = elicit
        self._budget = Budget(limits)
        self._ending = Ending()
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._starting: anyio.CancelScope | None = None
        self._session: ClientSession | None = None
        self._turn = asyncio.Lock()
        self._tool = ""  # the one that is being called
        self._clock: asyncio.Timeout | None = None  # of the call in progress; stands still while the user is asked
        self._asked = 0
        self._asking: set[asyncio.Future[Elicited]] = set()
        self._refusal = ""
        self.relist = False  # it says that its tools have changed

    @property
    def alive(self) -> bool:
        return self._session is not None and not self._over.is_set()

    async def open(self) -> tuple[ListedTool, ...]:
        """Start it; what it lists. Raises ServerFailed."""
        for name in _named(self._reach):
            if name not in os.environ:
                raise ServerFailed(
                    f"{self._name} needs the variable {name}, and it is not set.",
                    f"Set {name} before you start Steward.",
                )
        await asyncio.to_thread(_load_sdk)
        ready: asyncio.Future[tuple[ListedTool, ...]] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(ready), name=f"mcp {self._name}")
        try:
            return await asyncio.shield(ready)
        except BaseException:
            await self.close()
            raise

    async def list(self) -> tuple[ListedTool, ...]:
        """What it lists now. Raises ServerFailed."""
        self.relist = False
        async with self._turn:
            self._budget.renew()
            return await self._limited(self._list(self._running()))

    async def call(self, tool: str, arguments: Mapping[str, Any], key: str) -> Result:
        """Raises ServerFailed."""
        async with self._turn:
            self._tool, self._asked, self._refusal = tool, 0, ""
            self._budget.renew()
            try:
                result = await self._limited(self._call(tool, arguments, key))
            finally:
                for asking in tuple(self._asking):  # it did not wait for the answer
                    asking.cancel()
            if result.failed and self._refusal:
                raise ServerFailed(self._refusal, "Say it in your request, and ask again.")
            return replace(result, texts=(*result.texts, f"({self._refusal})")) if self._refusal else result

    async def close(self) -> None:
        """Ended within a few seconds, whatever state it is in."""
        self._over.set()
        if self._task is None or self._task.done():
            return
        if self._session is None and self._starting is not None:
            self._starting.cancel()
        for cancel in (False, True):
            if cancel:
                self._task.cancel()
            await asyncio.wait({self._task}, timeout=CLOSED_S)
            if self._task.done():
                return

    # the task

    async def _live(self, ready: "asyncio.Future[tuple[ListedTool, ...]]") -> None:
        failure: ServerFailed | None = None
        deadline = anyio.current_time() + self._limits.start_s
        try:
            with anyio.CancelScope(deadline=deadline) as scope:
                self._starting = scope
                async with AsyncExitStack() as stack:
                    session = await self._connected(stack)
                    found = await self._list(session)
                    self._session = session
                    scope.deadline = float("inf")
                    if not ready.done():
                        ready.set_result(found)
                    await self._over.wait()
            if scope.cancelled_caught:
                failure = self._failed(f"it did not answer within {self._limits.start_s:g} s")
        except Exception as error:  # noqa: BLE001  the SDK raises groups of whatever a server provokes; it is one line
            failure = self._failure(error)
        finally:
            self._over.set()
            self._session = None
            if not ready.done():
                ready.set_exception(failure or self._failed("it was stopped while it started"))
                ready.exception()  # seen, also when nobody waits any more

    async def _connected(self, stack: AsyncExitStack) -> "ClientSession":
        from mcp import Client
        from mcp_types import Implementation

        match self._reach:
            case Stdio():
                environment = environment_of(self._reach, os.environ)
                transport: AbstractAsyncContextManager[Any] = pipe(
                    self._reach, environment, self._limits, self._budget, self._ending, self._over
                )
            case Web():
                token = os.environ[self._reach.token] if self._reach.token else ""
                sender = await asyncio.to_thread(http_client, token, self._limits, self._budget)  # reads certificates
                await stack.enter_async_context(sender)
                transport = web(self._reach.url, sender, self._limits)
            case _:
                assert_never(self._reach)
        client = await stack.enter_async_context(
            Client(
                transport,
                client_info=Implementation(name="steward", version="1"),
                elicitation_callback=self._asked_back,
                message_handler=self._noticed,
                cache=None,
            )
        )
        return client.session

    async def _list(self, session: "ClientSession") -> tuple[ListedTool, ...]:
        from mcp_types import PaginatedRequestParams

        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            answer = await session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
            tools += answer.tools
            cursor = answer.next_cursor
            if not cursor:
                break
        return listed_tools(self._name, tools)

    # a call

    async def _call(self, tool: str, arguments: Mapping[str, Any], key: str) -> Result:
        """Not through the SDK's call_tool: that checks the answer against a schema with the server's own patterns,
        which may take for ever, on our loop. A server that wants to know more is called again with the answers."""
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, InputRequiredResult
        from pydantic import TypeAdapter

        answers: Any = None
        state: str | None = None
        for _ in range(self._limits.questions + 1):
            request = CallToolRequest(
                params=CallToolRequestParams(
                    name=tool,
                    arguments=dict(arguments),
                    input_responses=answers,
                    request_state=state,
                    _meta=cast("RequestParamsMeta", {"steward/key": key}),  # keys of one's own are allowed
                )
            )
            kind: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)
            answer = await self._running().send_request(request, kind)
            if isinstance(answer, CallToolResult):
                return result_of(answer)
            answers, state = await self._inputs(answer.input_requests or {}), answer.request_state
        raise self._failed("it asked again and again instead of answering")

    def _running(self) -> "ClientSession":
        if self._session is None:
            raise self._failed("it has ended")
        return self._session

    async def _inputs(self, requests: Mapping[str, Any]) -> dict[str, Any]:
        from mcp_types import ElicitRequest

        answers: dict[str, Any] = {}
        for name, request in requests.items():
            if not isinstance(request, ElicitRequest):
                raise self._failed("it wants something that Steward does not give to servers")
            answers[name] = await self._answer(request.params)
        return answers

    async def _limited(self, work: Awaitable[T]) -> T:
        """Within the limit of a call, or the server is ended."""
        try:
            async with asyncio.timeout(self._limits.call_s) as self._clock:
                return await work
        except TimeoutError:
            await self.close()
            raise self._failed(f"it did not answer within {self._limits.call_s:g} s") from None
        except Exception as error:  # noqa: BLE001  see _live
            if self._over.is_set():
                await self.close()  # so that its last words are known
            raise self._failure(error) from None
        finally:
            self._clock = None

    # what it asks back, and what it tells

    async def _asked_back(
        self, context: "ClientRequestContext", params: "ElicitRequestParams"
    ) -> "ElicitResult | ErrorData":
        return await self._answer(params)

    async def _answer(self, params: "ElicitRequestParams") -> "ElicitResult":
        from mcp_types import ElicitResult

        self._asked += 1
        try:
            asked = self._question(params)
            if self._elicit is None or self._asked > self._limits.questions:
                self._refusal = _unasked(asked)
                return ElicitResult(action="cancel")
            with self._standing_clock():
                answer = await self._answered(self._elicit, asked)
            match answer:
                case Filled():
                    values = None if asked.url else content(asked, answer.values)
                    return ElicitResult(action="accept", content=values)  # type: ignore[arg-type]  # invariant dict
                case Refused():
                    self._refusal = f"You turned down what {self._name} asked for."
                    return ElicitResult(action="decline")
                case Dismissed(because="nobody"):
                    self._refusal = _unasked(asked)
                    return ElicitResult(action="cancel")
                case Dismissed():
                    late = " in time" if answer.because == "late" else ""
                    self._refusal = f"What {self._name} asked for was not answered{late}."
                    return ElicitResult(action="cancel")
                case _:
                    assert_never(answer)
        except ToolError as error:
            self._refusal = error.message
            return ElicitResult(action="decline")

    async def _answered(self, elicit: Elicit, asked: Elicitation) -> Elicited:
        """The question ends with the call or the connection it belongs to, whichever ends first."""
        task = asyncio.ensure_future(elicit(asked))
        self._asking.add(task)
        try:
            await asyncio.wait({task})
            return Dismissed() if task.cancelled() else task.result()
        finally:
            self._asking.discard(task)
            task.cancel()

    def _question(self, params: "ElicitRequestParams") -> Elicitation:
        where = host_of(self._reach.url) if isinstance(self._reach, Web) and is_remote(self._reach.url) else ""
        if params.mode == "url":
            return page(self._name, self._tool, params.message, params.url, where=where)
        return form(self._name, self._tool, params.message, dict(params.requested_schema), where=where)

    @contextmanager
    def _standing_clock(self) -> Iterator[None]:
        """The user may think as long as they like."""
        clock, loop = self._clock, asyncio.get_running_loop()
        due = clock.when() if clock else None
        left = due - loop.time() if due is not None else None
        if clock is not None:
            clock.reschedule(None)
        try:
            yield
        finally:
            if clock is not None and clock is self._clock and left is not None:
                clock.reschedule(loop.time() + left)

    async def _noticed(self, message: object) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self.relist = True

    # words

    def _failed(self, reason: str) -> ServerFailed:
        return ServerFailed(f"{self._name}: {reason}.", "`steward tools list` shows the state of your servers.")

    def _failure(self, error: Exception) -> ServerFailed:
        """Whatever came out of the SDK, as one line."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED

        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        if self._budget.broken:
            return self._failed(self._budget.broken)
        if isinstance(error, ServerFailed):
            return error
        said = clean_line(str(error), 160) or type(error).__name__
        if isinstance(self._reach, Web) and type(error).__module__.startswith("httpx"):
            return self._failed(f"{host_of(self._reach.url)} cannot be reached ({said})")
        if not isinstance(error, MCPError | OSError):
            return self._failed(f"it answered something that cannot be read ({type(error).__name__})")
        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return self._failed(f"it refused, saying “{said}”")
        return self._failed(self._ending.line_of_end() or said)


def _unasked(asked: Elicitation) -> str:
    said = " or ".join(asked.fields[0].labels) if asked.fields else ""
    wanted = clean_line(f"{asked.message}{f' ({said})' if said else ''}", 300)
    return f"{asked.server} asked “{wanted}” in the middle of it, and nobody was asked."


def _named(reach: Reach) -> tuple[str, ...]:
    """The variables the user named for it."""
    match reach:
        case Stdio():
            return reach.environment
        case Web():
            return (reach.token,) if reach.token else ()
        case _:
            assert_never(reach)


def _load_sdk() -> None:
    """More than a second of importing, beside the loop. What servers say is theirs, and stays out of our log."""
    import mcp
    import mcp.client.streamable_http

    logging.getLogger(mcp.__name__).setLevel(logging.CRITICAL)
