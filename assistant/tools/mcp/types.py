"""MCP servers as the user approved them, and what a server may ask back.

listed by the server -> shown to the user -> approved, with an effect class for each tool -> pinned
-> started when first needed -> the same listing? -> called
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from assistant.tools.types import Effect
from memory.decisions import FormField

# What a server says of its tool and nobody has checked: shown as a claim, decides nothing.
Claim = Literal["only reads", "destroys", "only adds", "changes nothing the second time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stdio:
    """A program on this machine. `folder`: where it is started, so that a relative argument means the same for ever.
    `environment`: names of variables it gets besides PATH, HOME, LANG and TMPDIR."""

    command: tuple[str, ...]
    folder: str = "/"
    environment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A server over HTTP. `token`: name of the environment variable that holds a bearer token, "" for none."""

    url: str
    token: str = ""


Reach = Stdio | Web


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as its server lists it. Texts are raw: they are cleaned where they are shown."""

    name: str
    title: str = ""
    description: str = ""
    schema: str = "{}"  # JSON Schema of the arguments, canonical
    output: str = ""  # JSON Schema of the result, canonical; "" when there is none
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedTool:
    """`effect` is the user's word, "external" unless they said otherwise. `unusable`: why it cannot be called, ""
    when it can."""

    listed: ListedTool
    effect: Effect
    unusable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds and bytes. A server that breaks one is ended."""

    start_s: float = 10.0
    call_s: float = 30.0
    close_s: float = 1.0  # after its input is closed, before it is told to end
    answer_bytes: int = 1_000_000  # one message
    burst_bytes: int = 4_000_000  # all messages of one call
    burst_messages: int = 1_000
    burst_noise: int = 100  # lines that are no message
    questions: int = 5  # it may ask back in one call


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """`pin`: hash of reach and tools when the user said yes. `changed`: how it was seen to differ since; then it is
    not used. `start_s`: how long it may take to start."""

    name: str
    reach: Reach
    tools: tuple[ApprovedTool, ...]
    pin: str
    approved_at: datetime
    changed: str = ""
    start_s: float = Limits().start_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a server answered, as plain values. `texts` are its text parts; `other` names parts that are not text."""

    texts: tuple[str, ...] = ()
    structured: Mapping[str, object] | None = None
    other: tuple[str, ...] = ()
    failed: bool = False  # the server says so


# what a server asks back in the middle of a call (MCP elicitation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """`fields` for a form; `url` instead when the user is to open a page themselves (never opened for them). `where`:
    the machine that the answer goes to, when it leaves this one."""

    server: str
    tool: str
    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The user answered. `values` by field name, as the user said them; () for an opened page."""

    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The user said no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissed:
    """Nobody answered. `late`: somebody was asked, and the time went by; `nobody`: there was nobody to ask."""

    because: Literal["late", "stopped", "nobody"] = "stopped"


Elicited = Filled | Refused | Dismissed


class Elicit(Protocol):
    """Puts a server's question in front of the user and waits for the answer; the call's clock stands still."""

    async def __call__(self, asked: Elicitation, /) -> Elicited: ...
