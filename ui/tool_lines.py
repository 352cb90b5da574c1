"""Tools and permissions in words. What a server says is shown as what it says, and nothing in it can hide."""

from collections.abc import Sequence
from typing import Any, assert_never

from assistant.policies.cleaning import clean_line
from assistant.tools.mcp.schema import Unusable, arguments_of, required_of
from assistant.tools.mcp.servers import named
from assistant.tools.mcp.types import ApprovedTool, ListedTool, Reach, Server, Stdio, Web
from assistant.tools.mcp.words import summary_of, visible
from assistant.tools.types import Effect, Tool
from memory.effects import Grant
from ui.memory_words import minute

EFFECT_WORDS: dict[Effect, str] = {
    "read": "looks up",
    "undoable": "can be undone",
    "soft": "partly undone",
    "external": "asks first",
    "grave": "always asks",
}
EFFECT_MEANING: dict[Effect, str] = {
    "read": "looks something up; done without asking",
    "undoable": "changes something here that one key takes back",
    "soft": "changes something others may rely on, or that undo restores only in part",
    "external": "reaches others or cannot be taken back: asks first, every time",
    "grave": "money, health, law: asks first, and can never be allowed for good",
}
LONGEST = 600


def own_rows(tools: Sequence[Tool[Any]]) -> list[tuple[str, str, str]]:
    """Name, effect, summary."""
    return [(tool.name, EFFECT_WORDS[tool.effect], clean_line(tool.summary, 160)) for tool in tools]


def server_lines(server: Server) -> list[str]:
    """A server and its tools, for the list."""
    state = f"not used: {clean_line(server.changed, 200)}" if server.changed else "ready"
    lines = [f"{server.name}: {reach_words(server.reach)} ({state})"]
    for one in named(server.name, server.tools):
        effect = f"not usable, {one.tool.unusable}" if one.tool.unusable else EFFECT_WORDS[one.tool.effect]
        lines.append(f"  {one.name}  [{effect}]  {clean_line(summary_of(server.name, one.tool.listed), 160)}")
    if server.changed:
        lines.append(f"  See what changed, and decide: steward tools approve {server.name}")
    return lines


def offer_lines(name: str, reach: Reach, tools: Sequence[ApprovedTool], *, remote: bool = False) -> list[str]:
    """Everything the user says yes to: the command, and each tool with what it says of itself."""
    lines = [f"{name} is started as: {reach_words(reach)}", *_given(reach)]
    if remote:
        lines.append("It is on another machine: what you let it do leaves this one.")
    lines.append(f"It lists {len(tools)} tool{'' if len(tools) == 1 else 's'}. What it says of them is its own word:")
    for one in named(name, tools):
        lines += ["", *tool_lines(one.name, one.tool)]
    return lines


def difference_lines(raw: Sequence[str]) -> list[str]:
    if not raw:
        return []
    return ["", "What changed since you approved it (- before, + now):", *(f"  {visible(line)}" for line in raw)]


def tool_lines(name: str, tool: ApprovedTool) -> list[str]:
    lines = [name]
    if tool.unusable:
        lines.append(f"  Steward cannot use it: {tool.unusable}.")
    else:
        lines.append(f"  Steward: {EFFECT_MEANING[tool.effect]}.")
    said = visible(tool.listed.description)
    lines.append(f"  It says: {clean_line(said, LONGEST) or '(nothing)'}")
    if len(said) > LONGEST:
        lines.append(f"  ({len(said) - LONGEST} more characters, which Steward never shows to the model either)")
    if tool.listed.claims:
        lines.append(f"  It claims, unchecked: {', '.join(tool.listed.claims)}.")
    lines += [f"    {line}" for line in _arguments(tool.listed)]
    return lines


def reach_words(reach: Reach) -> str:
    match reach:
        case Stdio():
            return " ".join(_quoted(part) for part in reach.command)
        case Web():
            return clean_line(reach.url, 300)
        case _:
            assert_never(reach)


def grant_line(grant: Grant) -> str:
    """ "3: mcp.mail.send_message, only with to “ann@example.org”; used 2 times; since ..." """
    fixed = ", ".join(f"{clean_line(name, 40)} {clean_line(value, 80)}" for name, value in grant.fixed)
    scope = {"session": "in one conversation", "always": "until revoked"}.get(
        grant.scope, f"until {minute(grant.expires_at)}" if grant.expires_at else "for a time"
    )
    state = f"; revoked {minute(grant.revoked_at)}" if grant.revoked_at else ""
    with_what = f"only with {fixed}" if fixed else "with any arguments"
    times = "once" if grant.used == 1 else f"{grant.used} times"
    return f"{grant.id}: {grant.tool}, {with_what}; {scope}; used {times}{state}"


def _given(reach: Reach) -> list[str]:
    """Where it runs, and what it gets of the user's."""
    match reach:
        case Stdio():
            lines = [f"In the folder: {clean_line(reach.folder, 300)}"]
            if reach.environment:
                lines.append(f"It is given the variables: {', '.join(reach.environment)}")
            return lines
        case Web():
            return [f"It is sent the token in the variable {reach.token}."] if reach.token else []
        case _:
            assert_never(reach)


def _arguments(listed: ListedTool) -> list[str]:
    try:
        kind = arguments_of(listed.name, listed.schema)
    except Unusable:
        return []
    needed = required_of(kind)
    return [
        f"{clean_line(str(field.alias), 64)}{'' if str(field.alias) in needed else ' (may be left out)'}: "
        f"{clean_line(field.description or '', 160)}"
        for field in kind.model_fields.values()
    ]


def _quoted(part: str) -> str:
    shown = clean_line(part, 300)
    return shown if shown and not any(one.isspace() or one in "\"'" for one in shown) else repr(shown)
