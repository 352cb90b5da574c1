"""A conversation of a ChatGPT export: a tree of nodes under `mapping`, the shown leaf under `current_node`. Pure.

Exports since 2026 leave out much that older ones had (metadata of user messages, the model of single answers), so
every field may be missing.
"""

import re
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

_MARKER = re.compile(
    "\ue200[^\ue200-\ue202]*(?:\ue202[^\ue200-\ue202]*)*\ue201"
)  # references only its web page can show
_PARTS = {
    "image_asset_pointer": ("pictures", "[picture]"),
    "audio_asset_pointer": ("recordings", "[recording]"),
    "video_container_asset_pointer": ("videos", "[video]"),
    "real_time_user_audio_video_asset_pointer": ("recordings", "[recording]"),
}
_TOOLS = ("execution_output", "tether_quote", "tether_browsing_display", "sonic_webpage", "computer_output")
_TO_ALL = ("all", None, "")
_SETTINGS = ("user_editable_context", "model_editable_context")
_LONGEST_TITLE = 200


def read_chatgpt(value: Mapping[str, Any], clean: Clean) -> ImportedConversation | None:
    """None when nothing was said in it. Raises ValueError when its tree is none."""
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        raise ValueError("its messages are missing")
    left_out: Counter[str] = Counter()
    model = text_of(value.get("default_model_slug"))
    nodes = {key: _node(mapping_of(one), model, left_out, clean) for key, one in mapping.items()}
    created, updated = span_of(moment_of(value.get("create_time")), moment_of(value.get("update_time")), nodes.values())
    messages, head = straightened(nodes, text_of(value.get("current_node")), created)
    if head is None:
        return None
    digest = digest_of(messages)
    return ImportedConversation(
        source="chatgpt",
        external_id=first_text(value.get("conversation_id"), value.get("id"))[:200] or digest,
        title=clean(text_of(value.get("title"))[:_LONGEST_TITLE]),
        created_at=created,
        updated_at=updated,
        messages=messages,
        head=head,
        digest=digest,
        left_out=counted(left_out),
    )


def _node(value: Mapping[str, Any], model: str, left_out: Counter[str], clean: Clean) -> Node:
    parent = value.get("parent")
    above = parent if isinstance(parent, str) else None
    message = value.get("message")
    if not message or not isinstance(message, dict):
        return Node(parent=above)
    role = mapping_of(message.get("author")).get("role")
    if role == "system":
        return Node(parent=above)
    content = mapping_of(message.get("content"))
    kind = content.get("content_type")
    metadata = mapping_of(message.get("metadata"))
    if kind == "thoughts":
        return Node(parent=above, thought=clean(_thoughts(content)))
    if kind == "reasoning_recap":
        return Node(parent=above)
    if why := _no_words(role, kind, message, metadata):
        left_out[why] += 1
        return Node(parent=above)
    words = _words(content, left_out)
    text = clean(_MARKER.sub("", words) if "\ue200" in words else words).strip()
    if not text or (role != "user" and role != "assistant"):
        return Node(parent=above)
    made_by = "" if role == "user" else clean(first_text(metadata.get("model_slug"), model)[:100])
    return Node(parent=above, role=role, content=text, model=made_by, at=moment_of(message.get("create_time")))


def _no_words(role: Any, kind: Any, message: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    """Why a message is not part of what was said, or ""."""
    if kind in _SETTINGS or metadata.get("is_user_system_message"):
        return "custom instructions"
    if metadata.get("is_visually_hidden_from_conversation"):
        return "hidden messages"
    if kind in _TOOLS or role == "tool" or (role == "assistant" and message.get("recipient") not in _TO_ALL):
        return "uses of tools"
    return "" if role == "user" or role == "assistant" else "messages of an unknown kind"


def _words(content: Mapping[str, Any], left_out: Counter[str]) -> str:
    parts = list_of(content.get("parts"))
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    pieces = [_piece(part, left_out) for part in parts]
    if not pieces:
        pieces = [first_text(content.get("text"), content.get("result"), content.get("content"))]
    return "\n".join(piece for piece in pieces if piece)


def _piece(part: Any, left_out: Counter[str]) -> str:
    if isinstance(part, str):
        return part
    value = mapping_of(part)
    kind = value.get("content_type")
    if isinstance(kind, str) and kind in _PARTS:
        name, shown = _PARTS[kind]
        left_out[name] += 1
        return shown
    if words := first_text(value.get("text"), value.get("content")):
        return words
    if value:
        left_out["parts of an unknown kind"] += 1
    return ""


def _thoughts(content: Mapping[str, Any]) -> str:
    found = [mapping_of(one) for one in list_of(content.get("thoughts"))]
    return "\n\n".join(words for one in found if (words := first_text(one.get("content"), one.get("summary"))))
