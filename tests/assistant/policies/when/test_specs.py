"""Score against public date and time examples (Recognizers-Text, English), when a folder of them is named.

`STEWARD_DATETIME_SPECS=FOLDER pytest tests/assistant/policies/when/test_specs.py -s` prints the counts.

Which rows are meant as reminders: those with exactly one phrase, of a date, a time, a date and time, a part of a day, a
period, a set or a length, whose resolution is known. The other rows are still held to "never wrong in silence". What
counts:
right: the value of the row, a moment inside its period, the same recurrence, or a refusal where the row's moment has
passed or does not exist. Asked: a question, or no time found (then the user is asked when). Wrong: understood as
something else.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.policies.when.parse import parse
from assistant.policies.when.spans import parse_duration
from assistant.policies.when.types import (
    DateOnly,
    NoTime,
    Options,
    Reading,
    Recurrence,
    Refused,
    Understood,
)
from assistant.policies.when.zones import to_local

FOLDER = os.environ.get("STEWARD_DATETIME_SPECS", "")
KINDS = {"date", "time", "datetime", "datetimerange", "timerange", "daterange", "set", "duration"}
# Where these examples follow a convention that a reminder does not: the input, and why ours stands.
CONVENTIONS = {
    "something up around the 21st": "the row finds no date in it, others of the same form do",
    "2 weeks starting May 20th": "the row takes May of this year, which has passed; reminders look forward",
    "out in the mornings": "the row reads one morning; more than one is a recurrence, as in 'on mornings at 9'",
    "working in the night-time": "told of the past; the row's night is that before this morning",
    "back this afternoon": "the row's afternoon ends at 16:00, ours at 18:00",
    "late-evening": "the row's late evening is from 18:00 to 20:00, ours is 21:00",
}
RULES = {
    "P1D": "FREQ=DAILY", "P1W": "FREQ=WEEKLY", "P1M": "FREQ=MONTHLY", "P1Y": "FREQ=YEARLY",
    "P2D": "FREQ=DAILY;INTERVAL=2", "P3W": "FREQ=WEEKLY;INTERVAL=3", "P2W": "FREQ=WEEKLY;INTERVAL=2",
    "P3M": "FREQ=MONTHLY;INTERVAL=3", "P6M": "FREQ=MONTHLY;INTERVAL=6", "TMO": "FREQ=DAILY", "TAF": "FREQ=DAILY",
    "TEV": "FREQ=DAILY", "TNI": "FREQ=DAILY", "P1WE": "FREQ=WEEKLY;BYDAY=SA",
    "P2WE": "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA", "P0.25Y": "FREQ=MONTHLY;INTERVAL=3",
    "P0.5Y": "FREQ=MONTHLY;INTERVAL=6",
}  # fmt: skip
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

pytestmark = pytest.mark.skipif(not FOLDER, reason="STEWARD_DATETIME_SPECS names no folder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One example. `wanted`: (start, end) in ISO text, end "" for a point; `kinds` and `timexes`: one a phrase."""

    text: str
    now: datetime
    kinds: tuple[str, ...]
    wanted: tuple[tuple[str, str], ...]
    timexes: tuple[str, ...]
    phrases: tuple[str, ...]

    @property
    def reminder(self) -> bool:
        known = self.wanted or self.kinds == ("set",)
        return len(self.kinds) == 1 and self.kinds[0] in KINDS and bool(known)


def rows() -> Iterator[Row]:
    for path in sorted(Path(FOLDER).glob("*.json")):
        for raw in json.loads(path.read_text(encoding="utf-8")):
            reference = raw.get("Context", {}).get("ReferenceDateTime", "2016-11-07T00:00:00")[:19]
            results = raw["Results"]
            yield Row(
                text=raw["Input"],
                now=datetime.fromisoformat(reference).replace(tzinfo=UTC),
                kinds=tuple((each.get("Type") or each["TypeName"]).rpartition(".")[2] for each in results),
                wanted=tuple(pair for each in results for pair in values(each)),
                timexes=tuple(timex for each in results for timex in timexes(each)),
                phrases=tuple(each["Text"] for each in results),
            )


def values(result: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "Value" in result:
        for side in ("FutureResolution", "PastResolution"):
            found = [str(value) for value in (result["Value"] or {}).get(side, {}).values()]
            yield from [(found[0], found[1] if len(found) > 1 else "")] if found else []
        return
    for each in (result.get("Resolution") or {}).get("values", []):
        if each.get("value") not in (None, "not resolved") or "start" in each or "end" in each:
            yield each.get("value") or each.get("start") or each["end"], each.get("end", "") if "start" in each else ""


def timexes(result: dict[str, Any]) -> Iterator[str]:
    if "Value" in result:
        yield (result["Value"] or {}).get("Timex", "")
    yield from [each.get("timex", "") for each in (result.get("Resolution") or {}).get("values", [])]


def verdict(row: Row) -> str:
    outcome = parse(row.text, Options(now=row.now, zone="UTC", day_first=False))
    match outcome:
        case Understood(reading=reading):
            return "right" if fits(row, reading) else "wrong"
        case Refused(reading=reading):
            unreal = any(start.startswith("0001") for start, _ in row.wanted) or not row.wanted
            gone = reading is not None and fits(row, reading)
            past = all(start < row.now.isoformat(" ") for start, _ in row.wanted)
            return "right" if unreal or gone or past else "refused"
        case NoTime(lasts=lasts):
            if row.kinds == ("duration",):
                said = parse_duration(row.phrases[0]) or lasts
                return "right" if said and str(int(said.total_seconds())) == row.wanted[0][0] else "no time"
            return "right" if not row.kinds else "no time"
        case _:
            return "asked"


def fits(row: Row, reading: Reading) -> bool:
    local = to_local(reading.due, reading.zone)  # rows with a zone in them give its wall time
    if isinstance(reading.value, Recurrence):
        return any(same_rule(reading.value, timex) for timex in row.timexes)
    day, moment = local.date().isoformat(), local.isoformat(" ", "seconds")
    if isinstance(reading.value, DateOnly):
        return any(start[:10] == day or (end and start <= day <= end) for start, end in row.wanted)
    return any(inside(moment, start, end) for start, end in row.wanted)


def inside(moment: str, start: str, end: str) -> bool:
    if len(start) == 8 and ":" in start:
        return start <= moment[11:] <= end if end else moment[11:] == start
    if len(start) == 10:
        return moment[:10] == start or bool(end) and start <= moment <= end
    return start <= moment <= end if end else moment == start


def same_rule(found: Recurrence, timex: str) -> bool:
    """Whether a TIMEX of a set and our rule say the same; what we add (the day it begins) is left out."""
    at = found.start.local.strftime("T%H" if not found.start.local.minute else "T%H:%M")
    rule = ";".join(part for part in found.rule.split(";") if not part.startswith(("WKST", "BYMONTH")))
    for prefix, weekday in ((f"XXXX-WXX-{day + 1}", WEEKDAYS[day]) for day in range(7)):
        if timex.startswith(prefix):
            rest = timex.removeprefix(prefix)
            return f"BYDAY={weekday}" in rule and (rest in ("", at) or rest in RULES)
    if timex.startswith("XXXX-WXX-"):
        return "BYDAY" in rule
    wanted = RULES.get(timex, "FREQ=DAILY" if timex == at else "")
    return bool(wanted) and all(part in rule.split(";") for part in wanted.split(";"))


def test_reminders_are_read_right_or_asked_and_nothing_wrong_in_silence() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    for row in rows():
        found = verdict(row)
        if found == "wrong":
            known = next((part for part in CONVENTIONS if part in row.text), "")
            found = "convention" if known else found
            wrong += (
                [] if known else [f"{row.now:%Y-%m-%d %H:%M} {row.text!r} wants {row.wanted[:2]} {row.timexes[:1]}"]
            )
        counts["reminders" if row.reminder else "others", found] += 1
    for group in ("reminders", "others"):
        print(group, {name: count for (each, name), count in sorted(counts.items()) if each == group})  # noqa: T201
    assert not wrong, "\n".join(wrong)
    total = sum(count for (group, _), count in counts.items() if group == "reminders")
    good = sum(counts["reminders", name] for name in ("right", "asked", "no time", "convention"))
    assert total > 100
    assert good / total >= 0.95
