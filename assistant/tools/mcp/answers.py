"""What a server answered, as an outcome: data to quote, never to obey; tables become options to compare (pure)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from assistant.policies.cleaning import boundary, clean, clean_line
from assistant.tools.mcp.types import Result
from assistant.tools.types import Attribute, Choice, Outcome, Source

LONGEST = 100_000  # characters of an answer that are kept
MOST_ROWS = 50
MOST_ATTRIBUTES = 8
_NAMES = ("name", "title", "label", "subject", "flight", "product", "item", "id", "code", "number")
_IDS = ("id", "uid", "code", "key", "reference", "number")
_PRAISE = ("description", "summary", "blurb", "pitch", "marketing", "note", "notes", "review", "tagline", "highlights")
_LOW = ("price", "cost", "fee", "fare", "amount", "total", "duration", "minutes", "hours", "distance", "stops",
        "delay", "changes", "transfers", "km", "miles", "wait")  # fmt: skip
_HIGH = ("rating", "stars", "score", "discount", "capacity", "battery", "warranty")


def outcome_of(server: str, tool: str, result: Result, *, changed: str = "") -> Outcome:
    """`changed`: the line for the report when the call was one with effects."""
    source = Source(kind="mcp", label=clean_line(f"{server}, {tool}", 120))
    return Outcome(
        text=_text(result),
        sources=(source,),
        choices=choices_of(result),
        changed=(changed,) if changed else (),
        untrusted=True,
    )


def choices_of(result: Result) -> tuple[Choice, ...]:
    """The rows of the one table in the answer, 2 to MOST_ROWS of them; () when there is none."""
    rows = _table(result.structured) if result.structured is not None else ()
    if not rows and len(result.texts) == 1:
        rows = _table(_json(result.texts[0]))
    if not rows:  # some servers give each row a part of its own
        parts = [_json(text) for text in result.texts]
        rows = _table(parts) if len(parts) > 1 else ()
    if not 2 <= len(rows) <= MOST_ROWS:
        return ()
    columns = [key for key in rows[0] if all(_scalar(row.get(key)) for row in rows)]
    label = min(columns, key=_fitness_as_label, default="")
    if not label:
        return ()
    praise = next((key for key in columns if key.lower() in _PRAISE), "")
    ids = next(
        (key for key in columns if key.lower() in _IDS and len({str(row[key]) for row in rows}) == len(rows)), ""
    )
    shown = [key for key in columns if key not in (label, praise) and not (key == ids and key != label)]
    return tuple(
        Choice(
            id=clean_line(str(row[ids]), 80) if ids else str(place),
            label=clean_line(str(row[label]), 120),
            attributes=tuple(_attribute(key, row[key]) for key in shown[:MOST_ATTRIBUTES]),
            claims=clean_line(str(row[praise]), 200) if praise else "",
        )
        for place, row in enumerate(rows, start=1)
    )


def _fitness_as_label(key: str) -> int:
    """The first of _NAMES, else the first column."""
    return _NAMES.index(key.lower()) if key.lower() in _NAMES else len(_NAMES)


def _text(result: Result) -> str:
    texts = list(result.texts)
    if not texts and result.structured is not None:
        texts.append(json.dumps(result.structured, ensure_ascii=False, indent=1, default=str))
    text = clean("\n".join(texts))
    if len(text) > LONGEST:
        left = len(text) - LONGEST
        text = f"{text[: boundary(text, LONGEST)]}\n(The other {left:,} characters are not shown.)"
    notes = [f"({kind} is not shown)" for kind in map(_plainly, result.other)]
    return "\n".join([*filter(None, [text]), *notes])


def _plainly(kind: str) -> str:
    return {"image": "A picture", "audio": "A recording", "resource": "A file"}.get(kind, "A part")


def _json(text: str) -> object:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("[", "{") else None
    except (ValueError, RecursionError):
        return None


def _table(value: object) -> Sequence[Mapping[str, Any]]:
    """The list of objects in `value`, also one step inside an object that holds exactly one."""
    if isinstance(value, Mapping):
        inside = [one for one in value.values() if isinstance(one, list) and len(one) > 1 and _rows(one)]
        return inside[0] if len(inside) == 1 else ()
    return value if isinstance(value, list) and _rows(value) else ()


def _rows(value: Sequence[object]) -> bool:
    return bool(value) and all(
        isinstance(row, dict) and row and all(isinstance(key, str) for key in row) for row in value
    )


def _scalar(value: object) -> bool:
    return isinstance(value, str | int | float | bool) and not (isinstance(value, str) and len(value) > 500)


def _attribute(key: str, value: object) -> Attribute:
    number = _number(value)
    better: Literal["", "low", "high"] = ""
    words = key.lower().replace("-", "_").split("_")
    if number is not None:
        better = "low" if any(word in _LOW for word in words) else "high" if any(w in _HIGH for w in words) else ""
    shown = ("yes" if value else "no") if isinstance(value, bool) else clean_line(str(value), 120)
    return Attribute(name=clean_line(key.replace("_", " "), 40), value=shown, number=number, better=better)


def _number(value: object) -> float | None:
    """Also of text such as "EUR 120.00" and "7 h": one number in it, and no more."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    parts = [part.strip("€$£,;") for part in str(value).split()]
    numbers = [number for part in parts if (number := _float(part)) is not None]
    return numbers[0] if len(numbers) == 1 and len(parts) <= 2 else None


def _float(text: str) -> float | None:
    try:
        return float(text) if text[:1].isdigit() else None
    except ValueError:
        return None
