"""config/mcp.json: the servers the user approved, with everything they were shown. It can be read without starting any;
a file that was changed by hand, or in which anything is wrong, is never written over and never used.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, assert_never

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from assistant.errors import FileUnreadable, ToolError
from assistant.tools.mcp.pins import classes_of, holds
from assistant.tools.mcp.types import ApprovedTool, Claim, Limits, ListedTool, Reach, Server, Stdio, Web
from assistant.tools.types import Effect
from memory.data_dir import Home, atomic_write

FILE = "mcp.json"
MOST_SERVERS = 20
MOST_TOOLS = 100
EDITED = "the file mcp.json was changed by hand"
RECLASSED = "what a tool may do without asking was changed by hand in mcp.json"
BY_HAND = (EDITED, RECLASSED)


class _Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _StoredTool(_Stored):
    name: str
    title: str = ""
    description: str = ""
    input_schema: str
    output_schema: str = ""
    claims: tuple[Claim, ...] = ()
    effect: Effect
    unusable: str = ""


class _StoredServer(_Stored):
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,19}$")]
    command: tuple[str, ...] = ()
    folder: str = "/"
    environment: tuple[str, ...] = ()
    url: str = ""
    token: str = ""
    start_s: float = Field(default=Limits().start_s, gt=0, le=120)
    approved_at: AwareDatetime
    pin: str
    classes: str = ""
    changed: str = ""
    tools: tuple[_StoredTool, ...]


class _StoredFile(_Stored):
    version: Literal[1] = 1
    servers: tuple[_StoredServer, ...] = ()


class Shelf:
    """Blocks for a file of some kilobytes. Every method raises FileUnreadable when it cannot be used."""

    def __init__(self, home: Home) -> None:
        self._path = home.config / FILE

    @property
    def path(self) -> Path:
        return self._path

    def stamp(self) -> tuple[int, int]:
        """Another one whenever the file has changed; (0, 0) where there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_ino

    def servers(self) -> tuple[Server, ...]:
        """By name; none where there is no file."""
        return tuple(sorted(map(_server, self._read().servers), key=lambda server: server.name))

    def find(self, name: str) -> Server:
        """Raises ToolError."""
        for server in self.servers():
            if server.name == name:
                return server
        raise ToolError(f"There is no MCP server {name}.", "`steward tools list` shows what there is.")

    def put(self, server: Server) -> None:
        """In place of the one of the same name. Raises ToolError for too many."""
        others = [one for one in self.servers() if one.name != server.name]
        if len(others) >= MOST_SERVERS or sum(len(one.tools) for one in (*others, server)) > MOST_TOOLS:
            raise ToolError(
                f"{MOST_SERVERS} MCP servers with {MOST_TOOLS} tools together are the most.",
                "Remove one first: steward tools remove NAME",
            )
        self._write([*others, server])

    def remove(self, name: str) -> Server:
        """Raises ToolError."""
        server = self.find(name)
        self._write([one for one in self.servers() if one.name != name])
        return server

    def mark_changed(self, name: str, how: str) -> None:
        """It is not used until it is approved again. A server that is gone meanwhile is let be."""
        self._write([_marked(one, how) if one.name == name else one for one in self.servers()])

    def _read(self) -> _StoredFile:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return _StoredFile()
        except OSError as error:
            raise FileUnreadable(
                f"{self._path} cannot be read: {error.strerror}", "Check its owner and mode."
            ) from error
        try:
            return _StoredFile.model_validate_json(content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise FileUnreadable(
                f"{self._path} is not usable{f', at {where}' if where else ''}: {first['msg']}",
                "Mend it, or remove it and add your servers again with `steward tools add-mcp`.",
            ) from error

    def _write(self, servers: Iterable[Server]) -> None:
        stored = _StoredFile(servers=tuple(map(_stored, sorted(servers, key=lambda server: server.name))))
        content = json.dumps(stored.model_dump(mode="json", exclude_defaults=False), indent=1, ensure_ascii=True)
        atomic_write(self._path, content.encode() + b"\n")


def _marked(server: Server, how: str) -> Server:
    return replace(server, changed=how)


def _server(stored: _StoredServer) -> Server:
    tools = tuple(
        ApprovedTool(
            listed=ListedTool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                schema=tool.input_schema,
                output=tool.output_schema,
                claims=tool.claims,
            ),
            effect=tool.effect,
            unusable=tool.unusable,
        )
        for tool in stored.tools
    )
    reach: Reach = (
        Web(url=stored.url, token=stored.token)
        if stored.url
        else Stdio(command=stored.command, folder=stored.folder, environment=stored.environment)
    )
    server = Server(
        name=stored.name,
        reach=reach,
        tools=tools,
        pin=stored.pin,
        approved_at=stored.approved_at,
        changed=stored.changed,
        start_s=stored.start_s,
    )
    if stored.changed:
        return server
    if not holds(server):
        return _marked(server, EDITED)
    return server if stored.classes == classes_of(server) else _marked(server, RECLASSED)


def _stored(server: Server) -> _StoredServer:
    match server.reach:
        case Stdio():
            reach = {
                "command": server.reach.command,
                "folder": server.reach.folder,
                "environment": server.reach.environment,
            }
        case Web():
            reach = {"url": server.reach.url, "token": server.reach.token}
        case _:
            assert_never(server.reach)
    tools = tuple(
        _StoredTool(
            name=tool.listed.name,
            title=tool.listed.title,
            description=tool.listed.description,
            input_schema=tool.listed.schema,
            output_schema=tool.listed.output,
            claims=tool.listed.claims,
            effect=tool.effect,
            unusable=tool.unusable,
        )
        for tool in server.tools
    )
    return _StoredServer(
        name=server.name,
        start_s=server.start_s,
        approved_at=server.approved_at,
        pin=server.pin,
        classes=classes_of(server),
        changed=server.changed,
        tools=tools,
        **reach,  # type: ignore[arg-type]  # checked by pydantic
    )
