"""A conversation of a Claude export: `chat_messages` in order, since 2025 with the message before each. Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from memory.importing.tree import Node, span_of, straightened
from memory.importing.types import ImportedConversation
from memory.importing.values import (
    Clean,
    counted,
    digest_of,
    first_text,
    list_of,
    mapping_of,
    moment_of,
    text_of,
)
from memory.types import MessageRole

_ROLES: dict[str, MessageRole] = {"human": "user", "user": "user", "assistant": "assistant"}
_TOOLS = ("tool_use", "tool_result", "server_tool_use", "web_search_tool_result", "token_budget", "flag")
_LONGEST_TITLE = 200


def read_claude(value: Mapping[str, Any], clean: Clean) -> ImportedConversation | None:
    """None when nothing was said in it. Raises ValueError when its messages are missing."""
    listed = value.get("chat_messages")
    if not isinstance(listed, list):
        raise ValueError("its messages are missing")
    left_out: Counter[str] = Counter()
    model = clean(text_of(value.get("model"))[:100])
    nodes = _nodes(listed, model, left_out, clean)
    created, updated = span_of(moment_of(value.get("created_at")), moment_of(value.get("updated_at")), nodes.values())
    last = first_text(value.get("current_leaf_message_uuid")) or next(reversed(nodes), "")
    messages, head = straightened(nodes, last, created)
    if head is None:
        return None
    digest = digest_of(messages)
    return ImportedConversation(
        source="claude",
        external_id=text_of(value.get("uuid"))[:200] or digest,
        title=clean(first_text(value.get("name"), value.get("title"))[:_LONGEST_TITLE]),
        created_at=created,
        updated_at=updated,
        messages=messages,
        head=head,
        digest=digest,
        left_out=counted(left_out),
    )


def _nodes(listed: list[Any], model: str, left_out: Counter[str], clean: Clean) -> dict[str, Node]:
    """By their ids, or by their places where there are none. Without a message before, it is the one above."""
    nodes: dict[str, Node] = {}
    above: str | None = None
    known = {mapping_of(one).get("uuid") for one in listed if isinstance(mapping_of(one).get("uuid"), str)}
    for place, one in enumerate(listed):
        message = mapping_of(one)
        key = text_of(message.get("uuid")) or f"at {place}"
        if key in nodes:
            key = f"{key} at {place}"
        named = message.get("parent_message_uuid")
        parent = above
        if isinstance(named, str) and named:
            parent = named if named in known else None  # the first one names a message that is in no export
        nodes[key] = _node(message, parent, model, left_out, clean)
        above = key
    return nodes


def _node(message: Mapping[str, Any], parent: str | None, model: str, left_out: Counter[str], clean: Clean) -> Node:
    role = _ROLES.get(text_of(first_text(message.get("sender"), message.get("role"))))
    if role is None:
        left_out["messages of an unknown kind"] += 1
        return Node(parent=parent)
    words, thought = _content(message, left_out)
    words = "\n\n".join(piece for piece in (words, *_attached(message, left_out)) if piece)
    text = clean(words).strip()
    if not text:
        return Node(parent=parent, thought=clean(thought))
    return Node(
        parent=parent,
        role=role,
        content=text,
        thought=clean(thought),
        model=model if role == "assistant" else "",
        at=moment_of(message.get("created_at")),
    )


def _content(message: Mapping[str, Any], left_out: Counter[str]) -> tuple[str, str]:
    """What was said and what was thought. `text` holds the same as the blocks in newer exports, and all in old ones."""
    said: list[str] = []
    thought: list[str] = []
    for one in list_of(message.get("content")):
        block = mapping_of(one)
        kind = block.get("type")
        if kind == "thinking":
            thought.append(first_text(block.get("thinking"), block.get("text")))
        elif kind in _TOOLS:
            left_out["uses of tools"] += kind != "token_budget"
        elif words := text_of(block.get("text")):
            said.append(words)
        elif kind != "text":
            left_out["parts of an unknown kind"] += 1
    words = "\n\n".join(said) or text_of(message.get("text")) or text_of(message.get("content"))
    return words, "\n\n".join(filter(None, thought))


def _attached(message: Mapping[str, Any], left_out: Counter[str]) -> list[str]:
    """Files are not in the export; their names are, and sometimes their text, which is no word of the user."""
    names = []
    for one in (*list_of(message.get("attachments")), *list_of(message.get("files"))):
        name = text_of(mapping_of(one).get("file_name"))
        if one:
            left_out["attached files"] += 1
        if name:
            names.append(f"[file: {' '.join(name.split())[:200]}]")
    return names
