"""Options out of a table: CSV, a list of JSON objects, or a Markdown table (pure).

Every option gets the same attributes in the same order. What a seller says of an option (notes, badges, "sponsored") is
kept apart as a claim and never scored (ACES, arXiv 2508.02630: such words move a model's choice).
"""

import csv
import io
import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final, Literal

from assistant.policies.cleaning import clean_line
from assistant.tools.types import Attribute, Choice

MOST_ROWS: Final = 60
MOST_COLUMNS: Final = 12
_LOW: Final = re.compile(
    r"price|cost|fare|fee|rent|deposit|total|duration|travel time|minutes|hours|stops|changes|transfers|distance|delay|"
    r"weight|noise|co2|emission|wait|walk|age\b|interest",
    re.IGNORECASE,
)
_HIGH: Final = re.compile(
    r"rating|stars|score|review|battery|warranty|capacity|size|space|memory|storage|speed|discount|salary|legroom",
    re.IGNORECASE,
)
_CLAIMS: Final = re.compile(
    r"^(?:notes?|description|comments?|badges?|tags?|sponsored|promot\w*|highlights?|claims?|ads?|remarks?|text)$",
    re.IGNORECASE,
)
_NAMES: Final = re.compile(
    r"^(?:name|title|option|flight|train|hotel|product|item|model|id|airline|restaurant|place|plan|offer)s?\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"^(?:[A-Z]{3}|[^\w\s]{1,2})?\s?(-?\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|-?\d+(?:[.,]\d+)?)\s*\D{0,12}$"
)
_SPAN: Final = re.compile(r"^(?:(\d+)\s*h(?:ours?|rs?)?)?\s*(?:(\d+)\s*m(?:in(?:utes?)?)?)?$", re.IGNORECASE)
_CLOCK: Final = re.compile(r"^(?:\d{4}-\d\d-\d\d[ T])?(\d{1,2}):(\d\d)(?::\d\d)?\s*(am|pm)?$", re.IGNORECASE)
_NONE: Final = frozenset({"none", "no", "nonstop", "non-stop", "direct", "free"})


def choices_in(text: str) -> tuple[Choice, ...]:
    """The rows of the first table in the text; () when there is none, or it has a single row."""
    rows = _json_rows(text) or _table_rows(text)
    rows = list({_id(row): row for row in rows[:MOST_ROWS] if any(row.values())}.values())
    if len(rows) < 2:
        return ()
    columns = list(rows[0])[:MOST_COLUMNS]
    named = _name_column(columns, rows)
    claims = [column for column in columns if column not in named and _CLAIMS.match(column)]
    scored = [column for column in columns if column not in claims and column not in named]
    numbers = {column: [_number(row.get(column, "")) for row in rows] for column in scored}
    return tuple(
        Choice(
            id=_id(row),
            label=clean_line(" ".join(row.get(column, "") for column in named) or f"Option {place}", 80),
            attributes=tuple(_attribute(column, row.get(column, ""), numbers[column], place - 1) for column in scored),
            claims=clean_line("; ".join(row[column] for column in claims if row.get(column)), 160),
        )
        for place, row in enumerate(rows, start=1)
    )


def _id(row: dict[str, str]) -> str:
    """By what it holds, so that no order of the rows gives one an advantage."""
    return blake2b("\0".join(row.values()).encode(), digest_size=5).hexdigest()


def _attribute(column: str, value: str, numbers: Sequence[float | None], place: int) -> Attribute:
    whole = None not in numbers
    return Attribute(
        name=clean_line(column, 40),
        value=clean_line(value, 60),
        number=numbers[place] if whole else None,
        better=_better(column) if whole else "",
    )


def _better(column: str) -> Literal["", "low", "high"]:
    if _LOW.search(column):
        return "low"
    return "high" if _HIGH.search(column) else ""


def _name_column(columns: Sequence[str], rows: Sequence[dict[str, str]]) -> list[str]:
    """What an option is called: the first columns that tell all rows apart."""
    head = columns[0]
    if len({row.get(head, "") for row in rows}) == len(rows) and not _better(head) and not _CLAIMS.match(head):
        return [head]
    wordy = [one for one in columns if not _CLAIMS.match(one) and not _all_numbers(one, rows)]
    first = [one for one in columns if _NAMES.match(one) and not _CLAIMS.match(one)] or wordy
    if not first:
        return []
    same = len({row.get(first[0], "") for row in rows}) < len(rows)
    return [first[0], *(column for column in first[1:2] if same and _NAMES.match(column))]


def _all_numbers(column: str, rows: Sequence[dict[str, str]]) -> bool:
    return all(_number(row.get(column, "")) is not None for row in rows)


def _number(value: str) -> float | None:
    """ "EUR 1,200.50" 1200.5, "2h 35m" 155, "14:05" 845, "direct" 0."""
    said = re.sub(r"\b(?:m2|m²|sqm|co2)(?!\w)", "", value, flags=re.IGNORECASE).strip()
    if said.casefold() in _NONE:
        return 0.0
    if (span := _SPAN.match(said)) and (span[1] or span[2]):
        return int(span[1] or 0) * 60.0 + int(span[2] or 0)
    if clock := _CLOCK.match(said):
        hour = int(clock[1]) % 12 + (12 if clock[3].lower() == "pm" else 0) if clock[3] else int(clock[1])
        return hour * 60.0 + int(clock[2])
    if (found := _NUMBER.match(said)) is None:
        return None
    digits = found[1]
    if re.search(r"[, ]\d{3}", digits):
        digits = digits.replace(",", "").replace(" ", "")
    return float(digits.replace(",", "."))


def _json_rows(text: str) -> list[dict[str, str]]:
    start = min((place for place in (text.find("["), text.find("{")) if place >= 0), default=-1)
    if start < 0 or len(text) > 200_000:
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return []
    for found in _lists(value):
        if len(found) > 1 and all(isinstance(row, dict) for row in found):
            return [{str(key): _plain(one) for key, one in row.items()} for row in found]
    return []


def _lists(value: Any) -> list[list[Any]]:
    if isinstance(value, list):
        return [value]
    return [one for one in value.values() if isinstance(one, list)] if isinstance(value, dict) else []


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else ""


def _table_rows(text: str) -> list[dict[str, str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    if sum(line.lstrip().startswith("|") for line in lines) > 2:
        table = [line.strip().strip("|") for line in lines if line.lstrip().startswith("|")]
        return _read([line for line in table if set(line) - set("|-: ")], "|")
    for separator in ("\t", ";", ","):
        same = [line for line in lines if line.count(separator) == lines[0].count(separator)] if lines else []
        if len(same) > 2 and len(same) == len(lines) and lines[0].count(separator):
            return _read(lines, separator)
    return _read(lines, ",") if len(lines) > 2 and lines[0].count(",") > 1 and '"' in text else []


def _read(lines: Sequence[str], separator: str) -> list[dict[str, str]]:
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return []
    head = [cell.strip() for cell in rows[0]]
    if len(set(head)) < len(head) or not all(head) or all(_number(cell) is not None for cell in head):
        return []
    return [
        {name: cell.strip() for name, cell in zip(head, row, strict=True)} for row in rows[1:] if len(row) == len(head)
    ]
