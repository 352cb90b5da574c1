"""What the user approved, as a hash, and how a server differs from it (pure).

The pin covers the command or address and, of every tool, its name, title, description, both schemas and its claims:
a server that changes any of it afterwards (CVE-2025-54136) is not used until the user has seen the difference. What the
user said each tool may do has a hash of its own.
"""

import json
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from hashlib import sha256
from typing import Any, assert_never

from assistant.tools.mcp.types import ListedTool, Reach, Server, Stdio, Web

MOST_LINES = 40


def canonical(value: Any) -> str:
    """Equal values, equal text. Raises ValueError, RecursionError for what is no JSON."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)


def pin_of(reach: Reach, tools: Sequence[ListedTool]) -> str:
    """SHA-256; the same for every order of `tools`."""
    listed = [_tool(tool) for tool in sorted(tools, key=lambda tool: tool.name)]
    return sha256(canonical({"reach": _reach(reach), "tools": listed}).encode()).hexdigest()


def holds(server: Server) -> bool:
    """Whether what is kept of the server is still what was approved; a file edited by hand is not."""
    return pin_of(server.reach, [tool.listed for tool in server.tools]) == server.pin


def classes_of(server: Server) -> str:
    """SHA-256 of what each tool may do without asking, and which can be called at all: the user's word, which a hand
    in the file must not make lighter."""
    classes = {tool.listed.name: [tool.effect, tool.unusable] for tool in server.tools}
    return sha256(canonical({"pin": server.pin, "classes": classes}).encode()).hexdigest()


def change_in_a_line(server: Server, listed: Sequence[ListedTool]) -> str:
    """What differs from the approved tools, in one line; "" when nothing does."""
    before = {tool.listed.name: tool.listed for tool in server.tools}
    now = {tool.name: tool for tool in listed}
    parts = [f"it has lost {name}" for name in sorted(before.keys() - now.keys())]
    parts += [f"it has a new tool {name}" for name in sorted(now.keys() - before.keys())]
    for name in sorted(before.keys() & now.keys()):
        if fields := _differing(before[name], now[name]):
            parts.append(f"{name} has another {' and '.join(fields)}")
    shown = "; ".join(parts[:3])
    return f"{shown}; and {len(parts) - 3} more" if len(parts) > 3 else shown


def difference(server: Server, reach: Reach, listed: Sequence[ListedTool]) -> tuple[str, ...]:
    """What changed, line by line, "-" for before and "+" for now; raw text."""
    before = _lines(server.reach, [tool.listed for tool in server.tools])
    lines = [line for line in unified_diff(before, _lines(reach, listed), n=0, lineterm="") if line[:2] != "@@"][2:]
    if len(lines) > MOST_LINES:
        return (*lines[:MOST_LINES], f"({len(lines) - MOST_LINES} more lines)")
    return tuple(lines)


def _differing(one: ListedTool, other: ListedTool) -> list[str]:
    names: Mapping[str, tuple[object, object]] = {
        "title": (one.title, other.title),
        "description": (one.description, other.description),
        "set of arguments": (one.schema, other.schema),
        "form of result": (one.output, other.output),
        "claim about itself": (one.claims, other.claims),
    }
    return [name for name, (before, now) in names.items() if before != now]


def _lines(reach: Reach, tools: Sequence[ListedTool]) -> list[str]:
    lines = [canonical(_reach(reach))]
    for tool in sorted(tools, key=lambda tool: tool.name):
        lines += [
            f"{tool.name} {key}: {_shown(value)}" for key, value in _tool(tool).items() if key != "name" and value
        ]
    return lines


def _shown(value: object) -> str:
    return value if isinstance(value, str) else canonical(value)


def _reach(reach: Reach) -> Mapping[str, object]:
    match reach:
        case Stdio():
            return {"command": list(reach.command), "folder": reach.folder, "environment": sorted(reach.environment)}
        case Web():
            return {"url": reach.url, "token": reach.token}
        case _:
            assert_never(reach)


def _tool(tool: ListedTool) -> Mapping[str, object]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "schema": tool.schema,
        "output": tool.output,
        "claims": list(tool.claims),
    }
