"""From the things somebody wants done to the steps of a plan (pure).

What has a time and takes place goes into the calendar, a deed with a time becomes a reminder, any other deed a task; a
wish to the assistant stays that wish. The day of the plan is written as a date, so that it means the same when the
plan goes on next week.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Final

from assistant.policies.asking.calls import canonical
from assistant.policies.stepping.items import Sort, event_words
from assistant.policies.stepping.joins import Read
from memory.plans import Step

CALENDAR, TASKS, REMINDERS, AGENDA = "calendar.add", "tasks.add", "reminders.add", "calendar.list"
Names = Callable[[str], frozenset[str]]  # which of "day" and "clock" the words name
_NOBODYS: Final = "nothing here can do that, so it stays with you"


def steps_of(
    items: Sequence[tuple[str, Sort]],
    *,
    on: date | None,
    day: str,
    reads: Callable[[str], Read],
    names: Names,
    tools: Collection[str],
    untrusted: tuple[str, ...] = (),
) -> tuple[Step, ...]:
    """`on`: the plan's day, `day`: as it is shown. `tools`: the names of those there are."""
    made: list[Step] = []
    if on is not None and AGENDA in tools:
        made.append(_call(f"look what is in the calendar on {day}", AGENDA, {"day": on.isoformat()}, kind="find"))
    for item, sort in items:
        made.append(_step(item, sort, on, reads, names, tools))
    return tuple(
        Step(
            number=number,
            request=step.request,
            kind=step.kind,
            wish=step.wish,
            tool=step.tool,
            arguments=step.arguments,
            result=step.result,
            state=step.state,
            untrusted=untrusted,
        )
        for number, step in enumerate(made, start=1)
    )


def _step(
    item: str, sort: Sort, on: date | None, reads: Callable[[str], Read], names: Names, tools: Collection[str]
) -> Step:
    if reads(item):
        return Step(number=0, request=item)
    named = names(item)
    dated = f" on {on.isoformat()}" if on is not None and "day" not in named else ""
    has_day = bool(dated) or "day" in named
    if sort == "appointment" or (sort == "unclear" and "clock" in named):
        if CALENDAR in tools:
            arguments = {"event": f"{event_words(item)}{dated}", "hour": has_day and "clock" not in named}
            return _call(item, CALENDAR, arguments)
    elif "clock" in named and REMINDERS in tools:
        return _call(item, REMINDERS, {"reminder": f"remind me to {item}{dated}"})
    if TASKS in tools:
        return _call(item, TASKS, {"task": f"{item}{dated}"})
    return Step(number=0, request=item, kind="user", state="skipped", result=_NOBODYS)


def _call(request: str, tool: str, arguments: Mapping[str, object], *, kind: str = "act") -> Step:
    return Step(
        number=0,
        request=request,
        kind="find" if kind == "find" else "act",
        tool=tool,
        arguments=canonical(json.loads(json.dumps(arguments))),
    )


def steps_of_wishes(wishes: Sequence[str], untrusted: tuple[str, ...] = ()) -> tuple[Step, ...]:
    """Of a message that holds several wishes, each as it was said."""
    return tuple(
        Step(number=number, request=wish.rstrip(" .!"), untrusted=untrusted)
        for number, wish in enumerate(wishes, start=1)
    )
