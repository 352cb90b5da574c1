"""What the SDK read from a server, as plain values, within limits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from assistant.tools.mcp.errors import ServerFailed
from assistant.tools.mcp.pins import canonical
from assistant.tools.mcp.types import Claim, ListedTool, Result

if TYPE_CHECKING:
    from mcp_types import CallToolResult, Tool, ToolAnnotations

MOST_TOOLS = 50
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 20_000
LARGEST_SCHEMA = 20_000  # bytes of canonical JSON


def listed_tools(server: str, tools: "Sequence[Tool]") -> tuple[ListedTool, ...]:
    """By name. Raises ServerFailed for too many, too large or doubled."""
    if len(tools) > MOST_TOOLS:
        raise ServerFailed(f"{server} lists {len(tools)} tools; {MOST_TOOLS} are the most.")
    listed = sorted((_listed(server, tool) for tool in tools), key=lambda tool: tool.name)
    for one, other in zip(listed, listed[1:], strict=False):
        if one.name == other.name:
            raise ServerFailed(f"{server} lists two tools named {clean_line(one.name, 40)}.")
    return tuple(listed)


def result_of(answer: "CallToolResult") -> Result:
    texts: list[str] = []
    other: list[str] = []
    for part in answer.content:
        match part.type:
            case "text":
                texts.append(part.text)
            case "resource" if hasattr(part.resource, "text"):
                texts.append(part.resource.text)
            case "resource_link":
                texts.append(part.uri)
            case _:
                other.append(part.type)
    structured = answer.structured_content
    return Result(
        texts=tuple(texts),
        structured=structured if isinstance(structured, dict) else None,
        other=tuple(other),
        failed=bool(answer.is_error),
    )


def _listed(server: str, tool: "Tool") -> ListedTool:
    shown = clean_line(tool.name, 40)
    if not 0 < len(tool.name) <= LONGEST_NAME:
        raise ServerFailed(f"{server} lists a tool whose name is too long: {shown}")
    if len(tool.description or "") > LONGEST_DESCRIPTION:
        raise ServerFailed(f"{server}: the description of {shown} is longer than {LONGEST_DESCRIPTION:,} characters.")
    return ListedTool(
        name=tool.name,
        title=tool.title or "",
        description=tool.description or "",
        schema=_schema(server, shown, tool.input_schema),
        output="" if tool.output_schema is None else _schema(server, shown, tool.output_schema),
        claims=() if tool.annotations is None else _claims(tool.annotations),
    )


def _schema(server: str, tool: str, schema: object) -> str:
    try:
        text = canonical(schema)
    except (ValueError, RecursionError) as error:
        raise ServerFailed(f"{server}: the arguments of {tool} are described in no way that can be read.") from error
    if len(text) > LARGEST_SCHEMA:
        raise ServerFailed(f"{server}: the description of the arguments of {tool} is too large.")
    return text


def _claims(said: "ToolAnnotations") -> tuple[Claim, ...]:
    found: list[tuple[bool, Claim]] = [
        (said.read_only_hint is True, "only reads"),
        (said.destructive_hint is True, "destroys"),
        (said.destructive_hint is False, "only adds"),
        (said.idempotent_hint is True, "changes nothing the second time"),
    ]
    return tuple(claim for holds, claim in found if holds)
