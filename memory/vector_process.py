"""The Chroma process, seen from Steward: started, asked, given up. It may die at any moment and nothing is lost."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from memory.vector_frames import LENGTHS, Header, frame, header_of, sizes

START_S = 30.0  # importing Chroma on a busy, slow disk
ANSWER_S = 20.0  # a batch of upserts
BYE_S = 2.0


class IndexLost(Exception):
    """The index process ended, hung or could not use its folder. Internal: exact search takes over."""


class IndexProcess:
    """One child with one folder open. Calls take turns. Every call raises IndexLost once it is of no use."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()
        self._lost = False

    @classmethod
    async def start(cls, folder: Path, command: Sequence[str] = ()) -> Self:
        """With the folder open, made when it is missing. Raises IndexLost: not installed, damaged, foreign, crashed."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(command or (sys.executable, "-P", "-m", "memory.vector_index")),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=quiet_environment(os.environ),
                start_new_session=True,
            )
        except OSError as error:
            raise IndexLost(f"the index process does not start: {error}") from error
        index = cls(process)
        try:
            await index._ask({"do": "open", "folder": str(folder)}, limit_s=START_S)
        except BaseException:
            await index.close()
            raise
        return index

    @property
    def alive(self) -> bool:
        return not self._lost and self._process.returncode is None

    async def stamps(self) -> Mapping[str, str]:
        answer = await self._ask({"do": "stamps"})
        return {str(id): str(stamp) for id, stamp in answer["stamps"].items()}

    async def upsert(self, ids: Sequence[str], stamps: Sequence[str], vectors: bytes) -> None:
        await self._ask({"do": "upsert", "ids": list(ids), "stamps": list(stamps)}, vectors)

    async def delete(self, ids: Sequence[str]) -> None:
        await self._ask({"do": "delete", "ids": list(ids)})

    async def search(self, vector: bytes, limit: int, *, limit_s: float) -> tuple[str, ...]:
        """Ids, nearest first. Raises TimeoutError when it is only slow; the late answer is dropped."""
        answer = await self._ask({"do": "search", "limit": limit}, vector, limit_s=limit_s, patient=True)
        return tuple(str(id) for id in answer["ids"])

    async def close(self) -> None:
        """Ended within a few seconds, whatever state it is in."""
        self._lost = True
        if self._process.returncode is None:
            try:
                if self._process.stdin is not None:
                    self._process.stdin.write(frame({"do": "bye"}))
                    self._process.stdin.close()
                async with asyncio.timeout(BYE_S):
                    await self._process.wait()
            except (TimeoutError, OSError):
                self._kill()
        await self._process.wait()
        _close_transport(self._process)

    async def _ask(
        self, question: Header, body: bytes = b"", *, limit_s: float = ANSWER_S, patient: bool = False
    ) -> Header:
        asking = asyncio.ensure_future(self._exchange(question, body))
        try:
            async with asyncio.timeout(limit_s):
                return await (asyncio.shield(asking) if patient else asking)
        except TimeoutError as error:
            if patient:
                asking.add_done_callback(_seen)
                raise
            self._lost = True
            self._kill()
            raise IndexLost(f"no answer within {limit_s:.0f} s") from error

    async def _exchange(self, question: Header, body: bytes) -> Header:
        async with self._turn:
            if self._lost or self._process.stdin is None or self._process.stdout is None:
                raise IndexLost("it ended")
            try:
                self._process.stdin.write(frame(question, body))
                await self._process.stdin.drain()
                head, size = sizes(await self._process.stdout.readexactly(LENGTHS.size))
                answer = header_of(await self._process.stdout.readexactly(head))
                if size:
                    await self._process.stdout.readexactly(size)
            except (OSError, EOFError, ValueError) as error:
                self._lost = True
                self._kill()
                raise IndexLost(f"it ended: {error}") from error
            except asyncio.CancelledError:
                self._lost = True  # half an answer may be in the pipe: nothing after it can be trusted
                self._kill()
                raise
        if not answer.get("ok"):
            raise IndexLost(str(answer.get("error", "no reason given")))
        return answer

    def _kill(self) -> None:
        if self._process.returncode is None:
            try:
                self._process.kill()
            except ProcessLookupError:
                return


def _seen(done: "asyncio.Future[Header]") -> None:
    """A late answer, or the reason why there is none, was waited for by nobody."""
    if not done.cancelled():
        done.exception()


def _close_transport(process: asyncio.subprocess.Process) -> None:
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


def quiet_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Our packages can be imported; nothing is reported anywhere; one thread of computation."""
    root = str(Path(__file__).resolve().parents[1])
    present = base.get("PYTHONPATH")
    return {
        **base,
        "PYTHONPATH": os.pathsep.join(filter(None, (root, present))),
        "ANONYMIZED_TELEMETRY": "False",
        "OMP_NUM_THREADS": "1",
    }
