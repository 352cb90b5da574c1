"""Tools, servers and permissions as JSON (docs/formats.md)."""

import json
from typing import Any, assert_never

from assistant.tools.mcp.servers import named
from assistant.tools.mcp.types import Reach, Server, Stdio, Web
from assistant.tools.types import Tool
from memory.effects import Grant
from ui.memory_json import time


def tool_value(tool: Tool[Any]) -> dict[str, Any]:
    return {"name": tool.name, "effect": tool.effect, "summary": tool.summary, "server": None, "state": "ready"}


def server_value(server: Server) -> dict[str, Any]:
    return {
        "name": server.name,
        **_reach(server.reach),
        "state": "changed" if server.changed else "ready",
        "changed": server.changed,
        "approved_at": time(server.approved_at),
        "pin": server.pin,
        "tools": [
            {
                "name": one.name,
                "listed_as": one.tool.listed.name,
                "effect": one.tool.effect,
                "usable": not one.tool.unusable,
                "why_not": one.tool.unusable,
                "description": one.tool.listed.description,
                "claims": list(one.tool.listed.claims),
                "input_schema": json.loads(one.tool.listed.schema),
            }
            for one in named(server.name, server.tools)
        ],
    }


def grant_value(grant: Grant) -> dict[str, Any]:
    return {
        "id": grant.id,
        "tool": grant.tool,
        "fixed": {name: json.loads(value) for name, value in grant.fixed},
        "scope": grant.scope,
        "session_id": grant.session_id,
        "created_at": time(grant.created_at),
        "expires_at": time(grant.expires_at),
        "revoked_at": time(grant.revoked_at),
        "used": grant.used,
        "decision_id": grant.created_from,
    }


def _reach(reach: Reach) -> dict[str, Any]:
    match reach:
        case Stdio():
            return {
                "command": list(reach.command),
                "folder": reach.folder,
                "environment": list(reach.environment),
                "url": None,
                "token": None,
            }
        case Web():
            return {"command": None, "folder": None, "environment": [], "url": reach.url, "token": reach.token or None}
        case _:
            assert_never(reach)
