"""What is remembered as Markdown that a person reads, and edits: by domain, each with since when and why.

A memory is one list item that ends with its id in backticks; the indented line under it explains. Read back, an item
with an id is that memory, perhaps in other words; one without is new. Under "No longer true" nothing is new.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from memory.portable.drafts import MOST_DRAFTS, Draft, Foreign
from memory.portable.own_json import Refused
from memory.portable.shapes import LONGEST_STATEMENT, Clean
from memory.preferences import DOMAINS, Item, Polarity, Preference, PreferenceId, Source, Strength

MARK = "<!-- steward-profile-markdown 1 -->"
TITLE = "# What Steward remembers about me"
OPEN_TITLE, ENDED_TITLE = "Not confirmed yet", "No longer true"
_POLARITY: Mapping[Polarity, str] = {-1: "avoids", 0: "about", 1: "wants"}
_STRENGTH: Mapping[Strength, str] = {1: "nice to have", 2: "", 3: "strongly", 4: "a hard limit"}
_SOURCE: Mapping[Source, str] = {
    "explicit": "said",
    "corrected": "said in correcting an answer",
    "confirmed": "confirmed",
    "imported": "imported",
    "inferred": "noticed",
}
_ITEM = re.compile(r"^[-*+] +(?P<words>.+?)(?: +`(?P<id>[a-z0-9]{2,40})`)? *$")
_HEADING = re.compile(r"^#{1,6} +(?P<words>.+?) *#* *$")


def write(items: Sequence[Item], others: Sequence[tuple[str, Sequence[str]]] = ()) -> str:
    """`others`: title and lines of each further section, which are read by people only."""
    in_force = [item for item in items if item.preference.status == "active"]
    waiting = [item for item in items if item.preference.status in ("candidate", "disputed")]
    ended = [item for item in items if item.preference.status in ("superseded", "retracted", "expired")]
    lines = [TITLE, "", MARK]
    for domain in DOMAINS:
        lines += _part(_name(domain), [item for item in in_force if item.preference.domain == domain])
    lines += _part(OPEN_TITLE, waiting)
    lines += _part(ENDED_TITLE, ended)
    for title, points in others:
        if points:
            lines += ["", f"## {title}", "", *(f"> {_flat(point)}" for point in points)]
    return "\n".join(lines) + "\n"


def _name(domain: str) -> str:
    return domain.replace("_", " ").capitalize()


def _part(title: str, items: Sequence[Item]) -> Iterator[str]:
    if not items:
        return
    yield from ("", f"## {title}", "")
    order = sorted(items, key=lambda item: (-item.preference.pinned, item.preference.slot, item.preference.recorded_at))
    for item in order:
        yield f"- {_flat(item.preference.statement)} `{item.id}`"
        yield f"  {_explained(item)}"


def _explained(item: Item) -> str:
    one = item.preference
    parts = [_about(one), _holds(one), _since(one), _why(item)]
    return "; ".join(part for part in parts if part)


def _about(one: Preference) -> str:
    words = f"{_POLARITY[one.polarity]} {_flat(one.object)}" if one.object else ""
    strength = _STRENGTH[one.strength]
    return ", ".join(part for part in (words, strength, _flat(one.condition)) if part)


def _holds(one: Preference) -> str:
    match one.scope.type:
        case "global":
            return ""
        case "until":
            return "for a time"
        case _:
            return f"for the {one.scope.type} {_flat(one.scope.value)}"


def _since(one: Preference) -> str:
    start = _day(one.valid_from or one.recorded_at)
    ended = one.retracted_at or one.valid_to
    if one.status in ("superseded", "retracted", "expired") and ended is not None:
        return f"from {start} to {_day(ended)}"
    until = f" until {_day(one.valid_to)}" if one.valid_to is not None else ""
    return f"since {start}{until}"


def _why(item: Item) -> str:
    quotes = [evidence for evidence in item.evidence if evidence.quote and evidence.stance == "supports"]
    source = _SOURCE[item.preference.source]
    if not quotes:
        return source
    last = quotes[-1]
    times = f", {len(quotes)} times" if len(quotes) > 1 else ""
    return f"{source} on {_day(last.at)}{times}: “{_flat(last.quote)}”"


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _flat(text: str) -> str:
    return " ".join(text.split())


# --- reading ---------------------------------------------------------------------------------------------------


def is_ours(text: str) -> bool:
    return MARK in text[:2_000]


def read(text: str, clean: Clean) -> Foreign:
    """A file that `write` made, and that its reader may have changed."""
    refused: list[Refused] = []
    drafts: list[Draft] = []
    seen: set[str] = set()
    for number, ended, match in _items(text.splitlines()):
        where, words, id = f"line {number}", _flat(clean(match["words"])), match["id"]
        if id is not None and id in seen:
            refused.append(Refused(where=where, why=f"the id {id} stands there twice"))
        elif len(words) > LONGEST_STATEMENT:
            refused.append(Refused(where=where, why="it is too long"))
        elif len(drafts) < MOST_DRAFTS:
            drafts.append(Draft(statement=words, where=where, id=None if id is None else PreferenceId(id), ended=ended))
        seen |= {id} if id is not None else set()
    return Foreign(origin="markdown", drafts=tuple(drafts), refused=tuple(refused), ours=True)


def _items(lines: Iterable[str]) -> Iterator[tuple[int, bool, re.Match[str]]]:
    ended = False
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.match(line)
        if heading is not None:
            ended = heading["words"] == ENDED_TITLE
        match = _ITEM.match(line[: LONGEST_STATEMENT * 2])
        if match is not None:
            yield number, ended, match
