"""A tree of messages as exports hold it, as a transcript keeps it: only what was said, parents before children. Pure.

Nodes without words (settings, tools, placeholders) are taken out and their children hang on what was before. Parts of
one answer that follow each other become one message: a transcript knows no answer to an answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.importing.types import ImportedMessage
from memory.types import MessageRole

_MOST_THOUGHTS = 100  # before one answer


@dataclass(slots=True, kw_only=True)  # not frozen, which would take three times as long for each of a million
class Node:
    """`parent` is a key of the nodes, or None; `role` None for what is not shown. `thought` without content waits for
    the answer after it. Nobody changes one."""

    parent: str | None
    role: MessageRole | None = None
    content: str = ""
    thought: str = ""
    model: str = ""
    at: datetime | None = None


Waiting = tuple[Any, str] | None  # thoughts before an answer: those before, and the last one


@dataclass(slots=True)
class _Draft:
    """A message in the making; what it was written in pieces is joined at the end, so that it takes linear time."""

    parent: int | None
    role: MessageRole
    at: datetime
    model: str
    said: list[str]
    thought: list[str]


@dataclass(slots=True)
class _Grown:
    """`place` of each key is that of its own message, or of the nearest one before; None where there is none."""

    drafts: list[_Draft] = field(default_factory=list)
    place: dict[str, int | None] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    alone: dict[str, bool] = field(default_factory=dict)  # whether nothing branches off since that message


def span_of(created: datetime | None, updated: datetime | None, nodes: Iterable[Node]) -> tuple[datetime, datetime]:
    """When a conversation began and when it was last changed: as its export says, else by its messages.

    Raises ValueError where nothing in it has a time."""
    times = [node.at for node in nodes if node.at is not None]
    began = created or min(times, default=None)
    changed = updated or max(times, default=None) or began
    if began is None or changed is None:
        raise ValueError("nothing in it has a time")
    return began, max(began, changed)


def straightened(
    nodes: Mapping[str, Node], shown: str, began: datetime
) -> tuple[tuple[ImportedMessage, ...], int | None]:
    """The messages, and the place of the one that is shown last; None when nothing was said.

    A message without a time has that of the one before, else `began`. Circles are cut where they are met."""
    children = _children(nodes)
    grown = _Grown()
    for key in _in_order(nodes, children):
        node = nodes[key]
        above = node.parent if node.parent in grown.place else None
        place = None if above is None else grown.place[above]
        waiting = None if above is None else grown.waiting.get(above)
        alone = above is not None and grown.alone[above]
        only_one = len(children.get(key, ())) <= 1
        if node.role is None:
            grown.place[key] = place
            grown.waiting[key] = (waiting, node.thought) if node.thought else waiting
            grown.alone[key] = only_one and alone
            continue
        grown.alone[key] = only_one
        grown.place[key] = _put(grown, node, place, waiting, began, alone)
    messages = tuple(map(_finished, grown.drafts))
    head = grown.place.get(shown)
    return messages, (len(messages) - 1 if messages else None) if head is None else head


def _put(grown: _Grown, node: Node, place: int | None, waiting: Waiting, began: datetime, alone: bool) -> int:
    assert node.role is not None
    thought = [] if waiting is None else _thoughts(waiting)
    if node.thought:
        thought.append(node.thought)
    before = None if place is None else grown.drafts[place]
    if before is not None and place is not None and alone and before.role == node.role == "assistant":
        before.said.append(node.content)
        before.thought += thought
        before.model = before.model or node.model
        return place
    at = node.at or (before.at if before is not None else began)
    draft = _Draft(parent=place, role=node.role, at=at, model=node.model, said=[node.content], thought=thought)
    grown.drafts.append(draft)
    return len(grown.drafts) - 1


def _thoughts(waiting: Waiting) -> list[str]:
    """In their order; of very many the last ones."""
    found: list[str] = []
    while waiting is not None and len(found) < _MOST_THOUGHTS:
        waiting, text = waiting
        found.append(text)
    return found[::-1]


def _finished(draft: _Draft) -> ImportedMessage:
    return ImportedMessage(
        parent=draft.parent,
        role=draft.role,
        content=draft.said[0] if len(draft.said) == 1 else "\n\n".join(draft.said),
        created_at=draft.at,
        thought="\n\n".join(draft.thought),
        model=draft.model,
    )


def _children(nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for key, node in nodes.items():
        if node.parent is not None and node.parent in nodes and node.parent != key:
            children.setdefault(node.parent, []).append(key)
    return children


def _in_order(nodes: Mapping[str, Node], children: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Parents before children, a branch as a whole before the next; what only a circle leads to comes last."""
    met: set[str] = set()
    roots = [key for key, node in nodes.items() if node.parent is None or node.parent not in nodes]
    for start in (*roots, *nodes):
        stack = [start]
        while stack:
            key = stack.pop()
            if key in met:
                continue
            met.add(key)
            yield key
            stack += reversed(children.get(key, ()))
