"""One tool of an MCP server, as any other tool."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from assistant.errors import ToolError
from assistant.policies.cleaning import clean_line
from assistant.tools.mcp.answers import outcome_of
from assistant.tools.mcp.schema import arguments_of, required_of, wire_arguments
from assistant.tools.mcp.types import ApprovedTool, Result
from assistant.tools.mcp.words import is_about, summary_of
from assistant.tools.types import (
    CallContext,
    Effect,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)

Call = Callable[[str, Mapping[str, Any], str], Awaitable[Result]]  # tool, arguments, key
LONGEST_LINE = 400
LONGEST_TEXT = 100_000
NEW_LINE = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
_PEOPLE = (
    "to",
    "cc",
    "bcc",
    "recipient",
    "recipients",
    "attendee",
    "attendees",
    "guest",
    "guests",
    "invitees",
    "email",
)
_AMOUNT = ("amount", "price", "total", "sum")


class McpTool:
    """`where`: how the server is reached, in words, when what is sent leaves this machine."""

    def __init__(self, server: str, name: ToolName, tool: ApprovedTool, call: Call, *, where: str = "") -> None:
        self._server = server
        self._tool = tool
        self._call = call
        self._where = where
        self._arguments: type[ToolArguments] | None = None
        self.name = name
        self.summary = summary_of(server, tool.listed)

    @property
    def effect(self) -> Effect:
        return self._tool.effect

    @property
    def arguments(self) -> type[ToolArguments]:
        if self._arguments is None:
            self._arguments = arguments_of(self.name, self._tool.listed.schema)
        return self._arguments

    @property
    def repeatable(self) -> bool:
        """Only what the user said reads: a server's word that twice is as good as once is a claim."""
        return self._tool.effect == "read"

    def read(self, text: str, context: CallContext) -> Reading[ToolArguments] | None:
        return Reading(arguments=None, sure=False) if is_about(text, self._tool.listed) else None

    async def preview(self, arguments: ToolArguments, context: CallContext) -> Preview:
        sent = wire_arguments(arguments)
        missing = [name for name in required_of(type(arguments)) if name not in sent]
        title = clean_line(self._tool.listed.title or self._tool.listed.name, 60)
        lines = [f"{clean_line(key, 64)}: {_shown(value)}" for key, value in sent.items()]
        if self._where:
            lines.append(f"sent to: {self._where}")
        said = ", ".join(f"{clean_line(key, 40)} “{_shown(value, 60)}”" for key, value in sent.items())
        return Preview(
            summary=clean_line(f"{self._server}: {title}{f' with {said}' if said else ''}", LONGEST_LINE),
            lines=tuple(lines),
            gaps=tuple(self._gap(name) for name in missing),
            people=_people(sent),
            amount=_amount(sent),
        )

    async def run(self, arguments: ToolArguments, key: EffectKey, context: CallContext) -> Outcome:
        sent = wire_arguments(arguments)
        if missing := [name for name in required_of(type(arguments)) if name not in sent]:
            raise ToolError(f"“{clean_line(missing[0], 64)}” is needed.")
        result = await self._call(self._tool.listed.name, sent, key)
        if result.failed:
            said = clean_line(" ".join(result.texts), 300) or "no reason given"
            raise ToolError(f"{self._server} could not do it. It says: “{said}”.")
        done = (await self.preview(arguments, context)).summary if self._tool.effect != "read" else ""
        return outcome_of(self._server, self._tool.listed.name, result, changed=done)

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError(f"What {self._server} did cannot be taken back from here.")

    def _gap(self, name: str) -> Gap:
        field = next(field for field in self.arguments.model_fields.values() if field.alias == name)
        described = clean_line(field.description or "", 100)
        shown = clean_line(name.replace("_", " "), 40)
        return Gap(argument=name, question=f"Which {shown}?" if described in ("", shown) else f"{shown}: {described}?")


def _shown(value: object, limit: int = LONGEST_TEXT) -> str:
    """The exact value, on one line, whole: nothing of what is sent hides behind a cut or a blank."""
    if isinstance(value, list):
        return clean_line(", ".join(_shown(one) for one in value), limit)
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clean_line(text.strip().replace("\n", f" {NEW_LINE} "), limit)


def _people(sent: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    for name in _PEOPLE:
        value = sent.get(name)
        rows: Sequence[object] = value if isinstance(value, list) else [value] if value else []
        found += [clean_line(str(one), 80) for one in rows]
    return tuple(found)


def _amount(sent: Mapping[str, Any]) -> str:
    for name in _AMOUNT:
        if isinstance(value := sent.get(name), int | float | str) and not isinstance(value, bool):
            currency = sent.get("currency")
            return clean_line(f"{currency} {value}" if isinstance(currency, str) else str(value), 40)
    return ""
