"""Exports of ChatGPT and Claude as their services write them, made up: small ones for tests, large ones to measure."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

BEGAN = 1_700_000_000.0  # 14 November 2023


def uuid_of(*names: object) -> str:
    return str(uuid5(NAMESPACE_URL, "/".join(map(str, names))))


def chatgpt_node(
    key: str,
    parent: str | None,
    role: str = "user",
    text: Any = "Hello",
    *,
    at: float | None = BEGAN,
    children: Sequence[str] = (),
    **message: Any,
) -> dict[str, Any]:
    """One entry of `mapping`; `message` adds to or replaces fields of its message."""
    return {
        "id": key,
        "message": {
            "id": key,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": at,
            "update_time": None,
            "content": {"content_type": "text", "parts": [text]},
            "status": "finished_successfully",
            "end_turn": role == "assistant",
            "weight": 1.0,
            "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
            "recipient": "all",
            **message,
        },
        "parent": parent,
        "children": list(children),
    }


def chatgpt_conversation(
    name: str = "1",
    texts: Sequence[str] = ("What is a heron?", "A wading bird."),
    *,
    title: str = "Herons",
    at: float = BEGAN,
) -> dict[str, Any]:
    """User and assistant in turn, below the two empty nodes that every one begins with."""
    keys = [uuid_of("node", name, place) for place in range(len(texts) + 1)]
    mapping: dict[str, Any] = {"client-created-root": {"id": "client-created-root", "message": None, "parent": None}}
    mapping[keys[0]] = chatgpt_node(keys[0], "client-created-root", "system", "", children=keys[1:2])
    for place, text in enumerate(texts, 1):
        role = "user" if place % 2 else "assistant"
        below = keys[place + 1 : place + 2]
        mapping[keys[place]] = chatgpt_node(keys[place], keys[place - 1], role, text, at=at + place, children=below)
    return {
        "title": title,
        "create_time": at,
        "update_time": at + len(texts),
        "mapping": mapping,
        "moderation_results": [],
        "current_node": keys[-1],
        "conversation_id": uuid_of("chatgpt", name),
        "id": uuid_of("chatgpt", name),
        "is_archived": False,
        "default_model_slug": "gpt-4o",
    }


def claude_message(key: str, sender: str = "human", text: str = "Hello", **fields: Any) -> dict[str, Any]:
    return {
        "uuid": key,
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}],
        "sender": sender,
        "created_at": "2025-05-01T10:00:00.000000Z",
        "updated_at": "2025-05-01T10:00:00.000000Z",
        "attachments": [],
        "files": [],
        **fields,
    }


def claude_conversation(
    name: str = "1", texts: Sequence[str] = ("What is an egret?", "A white heron."), *, title: str = "Egrets"
) -> dict[str, Any]:
    senders = ("human", "assistant")
    return {
        "uuid": uuid_of("claude", name),
        "name": title,
        "created_at": "2025-05-01T10:00:00.000000Z",
        "updated_at": "2025-05-01T10:05:00.000000Z",
        "account": {"uuid": uuid_of("account")},
        "chat_messages": [
            claude_message(uuid_of("message", name, place), senders[place % 2], text)
            for place, text in enumerate(texts)
        ],
    }


def as_json(conversations: Iterable[Any]) -> bytes:
    return json.dumps(list(conversations), ensure_ascii=False).encode("utf-8", "surrogatepass")


def as_zip(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def chatgpt_zip_2026(shards: int = 3, each: int = 2) -> bytes:
    """Many numbered files, beside others that hold no conversations."""
    files = {
        f"conversations-{shard:03}.json": as_json(
            chatgpt_conversation(f"{shard}-{number}", title=f"Talk {shard}-{number}") for number in range(each)
        )
        for shard in range(shards)
    }
    others = {"chat.html": b"<html></html>", "export_manifest.json": b"{}", "user.json": b'{"id": "u"}'}
    return as_zip({**others, **files, "shared_conversations.json": b"[]", "file-abc.png": b"\x89PNG"})


def claude_zip() -> bytes:
    files = {"users.json": b"[]", "projects.json": b"[]", "memories.json": b"[]"}
    return as_zip({**files, "conversations.json": as_json([claude_conversation()])})


def large_export(path: Path, size: int, *, words: Sequence[str]) -> int:
    """A ChatGPT conversations.json of at least `size` bytes; how many conversations are in it."""
    count, written = 0, 0
    with path.open("wb") as file:
        for count, conversation in enumerate(_endless(words), 1):
            data = (b"[" if count == 1 else b", ") + json.dumps(conversation).encode()
            file.write(data)
            written += len(data)
            if written >= size:
                break
        file.write(b"]")
    return count


def _endless(words: Sequence[str]) -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        texts = []
        for place in range(2 + number % 23):
            length = 30 if place % 2 == 0 else 250
            begin = (number * 131 + place * 37) % (len(words) - length)
            texts.append(" ".join(words[begin : begin + length]))
        yield chatgpt_conversation(str(number), texts, title=" ".join(texts[0].split()[:5]), at=BEGAN + number * 600)
        number += 1
