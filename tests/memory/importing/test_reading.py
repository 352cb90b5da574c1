"""From an export to conversations: both formats, old and new, with everything missing that may be missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory.errors import ImportRefused
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation, Limits, Skipped, Unread
from tests.support.exports import (
    BEGAN,
    as_json,
    as_zip,
    chatgpt_conversation,
    chatgpt_node,
    chatgpt_zip_2026,
    claude_conversation,
    claude_message,
    claude_zip,
)


def read(tmp_path: Path, data: bytes, limits: Limits | None = None) -> tuple[list[ImportedConversation], list[Unread]]:
    path = tmp_path / "export"
    path.write_bytes(data)
    reads = list(read_export(path, str, limits or Limits()))
    return (
        [one for one in reads if isinstance(one, ImportedConversation)],
        [one for one in reads if isinstance(one, Unread)],
    )


def one_of(tmp_path: Path, conversation: dict[str, Any]) -> ImportedConversation:
    (found,), unread = read(tmp_path, as_json([conversation]))
    assert unread == []
    return found


def tree(*nodes: dict[str, Any], shown: str) -> dict[str, Any]:
    return {
        **chatgpt_conversation(),
        "mapping": {node["id"]: node for node in nodes},
        "current_node": shown,
    }


def texts(found: ImportedConversation) -> list[tuple[int | None, str, str]]:
    return [(one.parent, one.role, one.content) for one in found.messages]


def test_an_old_export_of_chatgpt(tmp_path: Path) -> None:
    found = one_of(tmp_path, chatgpt_conversation())
    assert (found.source, found.title) == ("chatgpt", "Herons")
    assert texts(found) == [(None, "user", "What is a heron?"), (0, "assistant", "A wading bird.")]
    assert found.head == 1
    assert found.messages[1].model == "gpt-4o"
    assert [one.created_at.timestamp() for one in found.messages] == [BEGAN + 1, BEGAN + 2]


def test_the_many_files_of_2026(tmp_path: Path) -> None:
    found, unread = read(tmp_path, chatgpt_zip_2026(shards=52, each=2))
    assert unread == []
    assert len(found) == len({one.external_id for one in found}) == 104


def test_an_export_of_claude(tmp_path: Path) -> None:
    (found,), unread = read(tmp_path, claude_zip())
    assert unread == []
    assert (found.source, found.title) == ("claude", "Egrets")
    assert texts(found) == [(None, "user", "What is an egret?"), (0, "assistant", "A white heron.")]
    assert found.created_at.isoformat() == "2025-05-01T10:00:00+00:00"


def test_branches_are_kept_and_the_shown_one_is_shown(tmp_path: Path) -> None:
    found = one_of(
        tmp_path,
        tree(
            chatgpt_node("a", None, text="Name a colour"),
            chatgpt_node("b", "a", "assistant", "Red"),
            chatgpt_node("c", "a", "assistant", "Blue"),
            chatgpt_node("d", "b", text="Why?"),
            shown="d",
        ),
    )
    assert sorted(texts(found), key=str) == sorted(
        [(None, "user", "Name a colour"), (0, "assistant", "Red"), (1, "user", "Why?"), (0, "assistant", "Blue")],
        key=str,
    )
    assert found.messages[found.head].content == "Why?"
    assert all(one.parent is None or one.parent < place for place, one in enumerate(found.messages))


def test_tools_and_thoughts_are_no_messages_and_an_answer_in_pieces_is_one(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Sum", "content": "I look it up."}]}
    code = {"content_type": "code", "language": "unknown", "text": "search('heron')"}
    found = one_of(
        tmp_path,
        tree(
            chatgpt_node("a", None, text="Look it up"),
            chatgpt_node("t", "a", "assistant", content=thoughts),
            chatgpt_node("b", "t", "assistant", "I look.", metadata={"model_slug": "o3"}),
            chatgpt_node("c", "b", "assistant", content=code, recipient="web"),
            chatgpt_node("d", "c", "tool", "results"),
            chatgpt_node("e", "d", "assistant", "It is a bird."),
            shown="e",
        ),
    )
    assert texts(found) == [(None, "user", "Look it up"), (0, "assistant", "I look.\n\nIt is a bird.")]
    assert found.messages[1].thought == "I look it up."
    assert found.messages[1].model == "o3"
    assert found.left_out == (("uses of tools", 2),)


def test_what_branches_off_inside_of_an_answer_is_not_joined(tmp_path: Path) -> None:
    found = one_of(
        tmp_path,
        tree(
            chatgpt_node("a", None, text="Go"),
            chatgpt_node("b", "a", "assistant", "One"),
            chatgpt_node("c", "b", "tool", "x"),
            chatgpt_node("d", "c", "assistant", "Two"),
            chatgpt_node("e", "c", "assistant", "Three"),
            shown="e",
        ),
    )
    assert texts(found) == [
        (None, "user", "Go"),
        (0, "assistant", "One"),
        (1, "assistant", "Two"),
        (1, "assistant", "Three"),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"metadata": None}, "Hello"),  # X01: no metadata at all
        ({"author": None}, None),
        ({"content": None}, None),
        ({"content": {"content_type": "text", "parts": None}}, None),
        ({"content": {"content_type": "text", "parts": [None, "", "Hi"]}}, "Hi"),
        ({"content": {"content_type": "text", "parts": [{"text": "Hi"}]}}, "Hi"),
        ({"content": {"content_type": "text", "parts": [1, 2.5, True]}}, None),
        ({"content": {"content_type": "new_kind", "text": "Hi"}}, "Hi"),
        (
            {
                "content": {
                    "content_type": "multimodal_text",
                    "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file://x"}, "What is it?"],
                }
            },
            "[picture]\nWhat is it?",
        ),
        (
            {
                "content": {
                    "content_type": "multimodal_text",
                    "parts": [
                        {"content_type": "audio_transcription", "text": "spoken", "direction": "in"},
                        {"content_type": "audio_asset_pointer"},
                    ],
                }
            },
            "spoken\n[recording]",
        ),
        ({"content": {"content_type": "user_editable_context", "user_profile": "I am Ann"}}, None),
        ({"metadata": {"is_visually_hidden_from_conversation": True}}, None),
        ({"create_time": 0}, "Hello"),
        ({"create_time": None}, "Hello"),
        ({"create_time": "2024-05-01T10:00:00Z"}, "Hello"),
        ({"create_time": 1e300}, "Hello"),
        ({"create_time": -1e300}, "Hello"),
        ({"create_time": {}}, "Hello"),
        ({"content": {"content_type": "text", "parts": ["See \ue200cite\ue202turn0search1\ue201."]}}, "See ."),
    ],
)
def test_a_message_with_something_missing(tmp_path: Path, change: dict[str, Any], expected: str | None) -> None:
    found, unread = read(tmp_path, as_json([tree(chatgpt_node("a", None, **change), shown="a")]))
    assert unread == []
    assert [one.content for conversation in found for one in conversation.messages] == ([expected] if expected else [])


@pytest.mark.parametrize("value", [None, 0, "", "never", [], {}])
def test_without_a_time_of_its_own_a_conversation_has_that_of_its_messages(tmp_path: Path, value: Any) -> None:
    """X03."""
    found = one_of(tmp_path, {**chatgpt_conversation(), "create_time": value, "update_time": value})
    assert found.created_at.timestamp() == BEGAN + 1
    assert found.updated_at.timestamp() == BEGAN + 2


def test_a_conversation_without_any_message_is_skipped_and_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(as_json([{**chatgpt_conversation(), "mapping": {}}, claude_conversation(texts=())]))
    reads = list(read_export(path, str))
    assert sum(isinstance(one, Skipped) for one in reads) == 2
    assert not any(isinstance(one, Unread) for one in reads)


def test_circles_and_strangers_in_a_tree_end(tmp_path: Path) -> None:
    found = one_of(
        tmp_path,
        tree(
            chatgpt_node("a", "b", text="A"),
            chatgpt_node("b", "a", "assistant", "B"),
            chatgpt_node("c", "nobody", text="C"),
            chatgpt_node("d", "d", text="D"),
            shown="nowhere",
        ),
    )
    assert sorted(one.content for one in found.messages) == ["A", "B", "C", "D"]


def test_a_long_chain_is_no_recursion(tmp_path: Path) -> None:
    found = one_of(tmp_path, chatgpt_conversation(texts=["word"] * 5_000))
    assert len(found.messages) == 5_000


def test_an_answer_in_very_many_pieces_takes_linear_time(tmp_path: Path) -> None:
    """Joined one by one this would copy ten gigabytes."""
    pieces = [chatgpt_node("n0", None, text="Go")]
    for number in range(1, 8_001):
        kind = {"content_type": "thoughts", "thoughts": [{"content": "t" * 300}]} if number % 2 else None
        extra: dict[str, Any] = {} if kind is None else {"content": kind}
        pieces.append(chatgpt_node(f"n{number}", f"n{number - 1}", "assistant", "a" * 300, **extra))
    found = one_of(tmp_path, tree(*pieces, shown="n8000"))
    assert len(found.messages) == 2
    assert len(found.messages[1].content) == 4_000 * 302 - 2


def test_claude_with_parents_thoughts_tools_and_files(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "tool_use", "name": "artifacts", "input": {}},
        {"type": "text", "text": "Here."},
        {"type": "voice_note"},
    ]
    messages = [
        claude_message("1", text="Ask", parent_message_uuid="00000000-0000-4000-8000-000000000000"),
        claude_message("2", "assistant", "", content=blocks, parent_message_uuid="1"),
        claude_message("3", "assistant", "Other", parent_message_uuid="1"),
        claude_message("4", text="Read", parent_message_uuid="2", attachments=[{"file_name": "a b.txt"}]),
    ]
    found = one_of(tmp_path, {**claude_conversation(), "chat_messages": messages})
    assert [(one.content, one.thought) for one in found.messages] == [
        ("Ask", ""),
        ("Here.", "Hm."),
        ("Read\n\n[file: a b.txt]", ""),
        ("Other", ""),
    ]
    assert found.messages[found.head].content.startswith("Read")
    assert dict(found.left_out) == {"uses of tools": 1, "parts of an unknown kind": 1, "attached files": 1}


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda good: json.dumps(good).encode(),
        lambda good: b"\xef\xbb\xbf" + as_json([good]),
        lambda good: json.dumps({"conversations": [good]}).encode(),
        lambda good: json.dumps([[good]]).encode(),
        lambda good: json.dumps(good).encode() + b"\n",
        lambda good: json.dumps([good], indent=4).encode(),
    ],
)
def test_the_list_may_be_wrapped(tmp_path: Path, wrapped: Any) -> None:
    found, unread = read(tmp_path, wrapped(chatgpt_conversation()))
    assert len(found) == 1
    assert unread == []


@pytest.mark.parametrize("data", [b"", b"hello", b"\x1f\x8b", b"\xff\xfe[\x00", b"Rar!", b"%PDF-1.7"])
def test_what_is_no_export_is_refused_with_a_hint(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ImportRefused) as refused:
        read(tmp_path, data)
    assert refused.value.hint


def test_a_zip_without_conversations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused):
        read(tmp_path, as_zip({"user.json": b"{}", "photo.png": b""}))


def test_a_conversation_over_the_limit_is_named_and_the_next_one_read(tmp_path: Path) -> None:
    long = chatgpt_conversation("long", ["x" * 5_000_000])
    data = as_json([long, chatgpt_conversation("2"), {**long, "mapping": [["y" * 5_000_000]]}, claude_conversation()])
    found, unread = read(tmp_path, data, Limits(longest=1_000_000))
    assert [one.title for one in found] == ["Herons", "Egrets"]
    assert len(unread) == 2
