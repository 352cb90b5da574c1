"""When a call makes no sense any more: what it is for takes place at a time, and that passes (pure).

A decision about it expires then, which does nothing but say so. Of a day without an hour the whole day counts.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options, Understood

_TIMES: Final = re.compile(r"(?:^|_)(?:when|time|date|day|start|starts|begin|at|arrival|departure|slot)(?:$|_)", re.I)
_LONGEST: Final = 200  # characters of a value that may be a time


def passes_at(arguments: Mapping[str, Any], *, now: datetime, zone: str) -> datetime | None:
    """The latest moment that an argument about time names; None where none does, or it has passed."""
    found = [
        moment
        for name, value in arguments.items()
        if isinstance(value, str) and 0 < len(value) <= _LONGEST and _TIMES.search(name)
        if (moment := _moment(value, now, zone)) is not None and moment > now
    ]
    return max(found, default=None)


def _moment(text: str, now: datetime, zone: str) -> datetime | None:
    outcome = parse(
        text.replace("T", " ") if re.match(r"\d{4}-\d\d-\d\dT", text) else text, Options(now=now, zone=zone)
    )
    if not isinstance(outcome, Understood) or outcome.reading.kind == "recurrence":
        return None
    reading = outcome.reading
    return reading.due + timedelta(days=1) if reading.kind == "date" else reading.due
