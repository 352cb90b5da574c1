"""The one place where a call is carried out: permission, then the key on disk, then the tool, then its result on disk.

The key is begun before the tool runs. After a crash in between, a repeatable tool is run again under the same key; of
any other it is not known whether it happened, and that is said instead of trying twice.
"""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from assistant.errors import NotAllowed, ToolError
from assistant.policies.asking.calls import canonical, heavier
from assistant.policies.asking.permission import Call, covers, refusal
from assistant.tools.types import CallContext, EffectKey, Outcome, Preview, Tool, ToolArguments
from memory.decision_store import DecisionStore
from memory.decisions import Decision
from memory.effects import EffectRecord
from memory.errors import ChangeRefused, NotFound
from memory.types import MessageId, SessionId

T = TypeVar("T")
logger = logging.getLogger(__name__)

UNKNOWN = "It was cut off while it ran, so it is not known whether it happened."


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A call with what it may rest on. `key` names this execution for ever."""

    key: EffectKey
    tool: Tool[Any]
    arguments: ToolArguments
    preview: Preview
    decision: Decision | None = None
    untrusted: bool = False
    session_id: SessionId | None = None
    message_id: MessageId | None = None

    @property
    def call(self) -> Call:
        return Call(
            tool=self.tool.name,
            arguments=canonical(self.arguments.model_dump(mode="json")),
            effect=heavier(self.tool.effect, self.preview.effect),
        )


class Executor:
    def __init__(self, store: DecisionStore) -> None:
        self._store = store

    async def carry_out(self, order: Order, context: CallContext) -> Outcome:
        """Raises NotAllowed before anything happened; ToolError when the tool could not, which is kept with the key;
        StoreError."""
        call = order.call
        if call.effect == "read":
            return await _told(order.tool.run(order.arguments, order.key, context))
        await self._allow(order, call, context.now)
        record = EffectRecord(
            key=order.key,
            tool=call.tool,
            arguments=call.arguments,
            started_at=context.now,
            summary=order.preview.summary,
            decision_id=order.decision.id if order.decision else None,
            message_id=order.message_id,
        )
        if not await self._store.begin_effect(record):
            return await self._again(order, record, context)
        return await self._run(order, record, context)

    async def _allow(self, order: Order, call: Call, now: datetime) -> None:
        grants = await self._store.grants() if call.effect == "external" and order.decision is None else ()
        reason = refusal(
            call,
            decision=order.decision,
            grants=grants,
            untrusted=order.untrusted,
            session_id=order.session_id,
            now=now,
        )
        if reason:
            raise NotAllowed(reason, "Nothing was done.")
        for grant in grants:
            if covers(grant, call, session_id=order.session_id, now=now):
                await self._store.use_grant(grant.id)
                return

    async def _run(self, order: Order, record: EffectRecord, context: CallContext) -> Outcome:
        try:
            outcome = await _told(order.tool.run(order.arguments, order.key, context))
        except ToolError as error:
            failed = replace(record, state="failed", changed=(error.message,), finished_at=context.now)
            await self._store.finish_effect(failed)
            raise
        done = replace(
            record, state="done", changed=outcome.changed, undo_token=outcome.undo_token, finished_at=context.now
        )
        await self._store.finish_effect(done)
        return outcome

    async def _again(self, order: Order, record: EffectRecord, context: CallContext) -> Outcome:
        """The key was begun before."""
        before = await self._store.effect(order.key)
        assert before is not None
        match before.state:
            case "done" | "undone":
                return Outcome(text=before.summary, changed=before.changed, undo_token=before.undo_token)
            case "failed":
                raise ToolError(before.changed[0] if before.changed else "It failed when it was tried.")
            case "started" if order.tool.repeatable:
                return await self._run(order, replace(record, started_at=before.started_at), context)
            case _:
                unknown = replace(before, state="failed", changed=(UNKNOWN,), finished_at=context.now)
                await self._store.finish_effect(unknown)
                raise ToolError(UNKNOWN, "Look where it would show, and ask again if it is missing.")

    async def undo(self, record: EffectRecord, tool: Tool[Any], context: CallContext) -> Outcome:
        """Raises ToolError when there is nothing to take back."""
        if record.state != "done" or not record.undo_token:
            raise ToolError(f"“{record.summary}” cannot be taken back.")
        outcome = await _told(tool.undo(record.undo_token, context))
        await self._store.finish_effect(replace(record, state="undone"))
        return outcome


async def previewed(tool: Tool[Any], arguments: ToolArguments, context: CallContext) -> Preview:
    """What the call would do. Raises ToolError, StoreError."""
    return await _told(tool.preview(arguments, context))


async def _told(work: Awaitable[T]) -> T:
    """What is not there or not allowed any more is for the user to mend, as any other refusal of a tool."""
    try:
        return await work
    except (NotFound, ChangeRefused) as error:
        raise ToolError(error.message, error.hint) from error
