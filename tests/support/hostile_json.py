"""Broken and spiteful JSON files, made up here, most with whole conversations before and after the harm."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.exports import as_json, chatgpt_conversation, chatgpt_node, claude_conversation

FIRST, LAST = chatgpt_conversation("first", title="First"), chatgpt_conversation("last", title="Last")
WHOLE = {"First", "Last"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileJson:
    """`titles` have to come out of it, whatever else does."""

    name: str
    data: bytes
    titles: frozenset[str]


def hostile_jsons() -> Iterator[HostileJson]:
    for name, harm in _between().items():
        data = b"[" + json.dumps(FIRST).encode() + b", " + harm + b", " + json.dumps(LAST).encode() + b"]"
        yield HostileJson(name=name, data=data, titles=frozenset(WHOLE))
    for name, data in _ends().items():
        yield HostileJson(name=name, data=data, titles=frozenset({"First"}))


def _between() -> dict[str, bytes]:
    broken = json.dumps(chatgpt_conversation("broken", title="Broken")).encode()
    deep = b'{"title": "x", "mapping": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    return {
        "null": b"null",
        "number": b"1e999",
        "string": b'"only a text"',
        "empty-object": b"{}",
        "empty-list": b"[]",
        "deep": deep,
        "deep-objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        "deep-unclosed": b'{"mapping": ' + b"[" * 50_000,
        "huge-number": b'{"mapping": {}, "create_time": ' + b"9" * 1_000_000 + b"}",
        "trailing-comma": broken[:-1] + b",}",
        "single-quotes": b"{'title': 'x', 'mapping': {}}",
        "comment": b'{"title": "x", /* no */ "mapping": {}}',
        "control-characters": broken.replace(b"heron", b"her\x00\x01\x1b[2Jon"),
        "broken-utf8": broken.replace(b"heron", b"h\xff\xfe\xc3\x28ron"),
        "lone-surrogate": broken.replace(b"heron", b"\\ud800 heron \\udfff"),
        "bad-escape": broken.replace(b"heron", b"\\x41 \\u12"),
        "raw-newline": broken.replace(b"heron", b"her\non"),
        "nan": broken.replace(b"1700000000.0", b"NaN"),
        "infinity": broken.replace(b"1700000000.0", b"-Infinity"),
        "extra-brace": broken + b"}}}]]",
        "missing-brace": broken[:-1],
        "missing-quote": broken.replace(b'"title": "Broken"', b'"title": "Broken'),
        "mapping-list": b'{"title": "x", "mapping": []}',
        "mapping-text": b'{"title": "x", "mapping": "y"}',
        "mapping-numbers": b'{"title": "x", "create_time": 1700000000, "mapping": {"a": 1, "b": null, "c": []}}',
        "messages-object": b'{"uuid": "x", "chat_messages": {}}',
        "messages-numbers": b'{"uuid": "x", "created_at": "2025-01-01", "chat_messages": [1, null, [], "x"]}',
        "ids-that-are-numbers": json.dumps({**chatgpt_conversation(), "id": 5, "conversation_id": {}}).encode(),
        "title-object": json.dumps({**chatgpt_conversation(), "title": {"a": 1}}).encode(),
        "title-of-a-megabyte": json.dumps({**chatgpt_conversation(), "title": "x" * 1_000_000}).encode(),
        "title-that-acts": json.dumps({**chatgpt_conversation(), "title": "\x1b]0;x\x07[bold]\u202e"}).encode(),
        "same-key-often": b'{"mapping": {}, ' + b'"title": "x", ' * 50_000 + b'"create_time": 1}',
        "many-roots": json.dumps(_many_roots()).encode(),
        "children-lie": json.dumps(_lying_children()).encode(),
        "text-with-brackets": json.dumps(chatgpt_conversation("t", ['"}]}]}, {"title": "No"', "\\"])).encode(),
        "quadratic": b'{"title": "x", ' + b'"id": {"title": ' * 3_000,
        "noise": random.Random(5).randbytes(20_000).replace(b'"', b"'").replace(b"{", b"(").replace(b"}", b")"),
    }


def _many_roots() -> dict[str, object]:
    nodes = {f"n{number}": chatgpt_node(f"n{number}", None, text="x") for number in range(3_000)}
    return {**chatgpt_conversation("roots"), "mapping": nodes}


def _lying_children() -> dict[str, object]:
    nodes = {"a": chatgpt_node("a", None, children=["a", "b", "zz"]), "b": chatgpt_node("b", "a", children=["a"])}
    return {**chatgpt_conversation("children"), "mapping": nodes}


def _ends() -> dict[str, bytes]:
    """Files that break off, or go on for no good."""
    two = as_json([FIRST, LAST])
    return {
        "cut-in-the-second": two[:-200],
        "cut-in-a-character": as_json([FIRST, chatgpt_conversation("x", ["é" * 500])])[:-301],
        "no-closing": two[:-1],
        "zeros-behind": as_json([FIRST]) + b"\x00" * 1_000_000,
        "spaces-behind": as_json([FIRST]) + b" " * 5_000_000,
        "second-list": as_json([FIRST]) + as_json([claude_conversation()]),
    }
