"""Lists of sentences as people and other assistants keep them: MEMORY.md, USER.md with its section signs, files like
CLAUDE.md, a pasted list, and JSON that is a list of memories. Every sentence found is proposed; nothing is followed.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from memory.portable.drafts import MOST_DRAFTS, Draft, Foreign
from memory.portable.own_json import Refused
from memory.portable.shapes import LONGEST_STATEMENT, Clean

_BULLET = re.compile(r"^(?:[-*+•]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?")
_DATED = re.compile(r"^\[?(?P<day>\d{4}-\d{2}-\d{2})\]?\s*(?:[-–:]\s*)?")
_RULE = re.compile(r"^(?:[-*_=~]\s*){3,}$")
_TABLE = re.compile(r"^\|.*\|$")
_MARKS = re.compile(r"(\*\*|__|`)(.+?)\1")
_NAMES = ("memory", "content", "text", "statement", "fact", "value", "conversations_memory")
_LISTS = ("memories", "facts", "preferences", "results", "data", "items")


def read(text: str, clean: Clean) -> Foreign:
    """Plain text or Markdown: a bullet, a numbered line, a paragraph's line or a part between section signs each."""
    refused: list[Refused] = []
    lines = _parts(text) if "§" in text else _lines(text)
    drafts = tuple(_drafts(lines, clean, refused))
    return Foreign(origin="list", drafts=drafts, refused=tuple(refused))


def read_json(value: Any, clean: Clean) -> Foreign | None:
    """A list of texts, or of objects with one; None when it is neither."""
    texts = list(_texts(value))
    if not texts:
        return None
    refused: list[Refused] = []
    lines = [
        (f"entry {number}", line)
        for number, text in enumerate(texts[:MOST_DRAFTS], start=1)
        for line in text.splitlines()
    ]
    return Foreign(origin="json", drafts=tuple(_drafts(lines, clean, refused)), refused=tuple(refused))


def _texts(value: Any, depth: int = 4) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, depth) if isinstance(one, str) else _of_object(one, depth)
    else:
        yield from _of_object(value, depth)


def _of_object(value: Any, depth: int) -> Iterator[str]:
    if not isinstance(value, dict) or depth == 0:
        return
    for name in _LISTS:
        if isinstance(value.get(name), list):
            yield from _texts(value[name], depth - 1)
            return
    text = next((value[name] for name in _NAMES if isinstance(value.get(name), str)), None)
    if text is not None:
        yield text


def _parts(text: str) -> Iterator[tuple[str, str]]:
    for number, part in enumerate(text.split("§"), start=1):
        yield f"part {number}", " ".join(line for _, line in _lines(part))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Without front matter, code, headings, tables and comments."""
    fenced = False
    matter = text.startswith("---\n")
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if matter:
            matter = number == 1 or line != "---"
            continue
        if line.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        nothing = not line or line.startswith(("#", "<!--", ">")) or _RULE.match(line) or _TABLE.match(line)
        if not fenced and not nothing:
            yield f"line {number}", line


def _drafts(lines: Iterable[tuple[str, str]], clean: Clean, refused: list[Refused]) -> Iterator[Draft]:
    made = 0
    for where, raw in lines:
        if made >= MOST_DRAFTS:
            refused.append(Refused(where=where, why=f"only the first {MOST_DRAFTS:,} are read"))
            return
        if len(raw) > LONGEST_STATEMENT:
            refused.append(Refused(where=where, why="it is too long for one memory"))
            continue
        words = _MARKS.sub(r"\2", _BULLET.sub("", " ".join(clean(raw).split())))
        dated = _DATED.match(words)
        at = None if dated is None else _day(dated["day"])
        words = words if dated is None or at is None else words[dated.end() :]
        if any(character.isalnum() for character in words) and not words.endswith(":"):
            made += 1
            yield Draft(statement=words, where=where, at=at)


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
