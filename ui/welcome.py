"""What an empty conversation says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.lines import DIM, EMPTY, PLAIN, Line, Look

if TYPE_CHECKING:
    from ui.desk import Desk
    from ui.lines import Run

# What may be typed first: a memory, the quickest test that reminders reach one, something that /undo takes back.
TO_TRY = ("I'm vegetarian", "Remind me to stretch in two minutes", "Add a task: renew the passport by Friday")
ON_ITS_OWN = (
    "On its own Steward does only what can be undone, and says so. What reaches others or costs money waits for your "
    "yes. It speaks first only if you allow it."
)


def welcome_rows(desk: Desk) -> list[Line]:
    options = desk.options
    where: list[Run]
    private = desk.conversation.incognito or options.incognito
    if private or options.keeps_nothing:
        where = [("Nothing of this conversation is kept.", Look(tone="warning"))]
    else:
        secrecy = "encrypted" if desk.services.encrypted else "not encrypted (F12, c)"
        where = [(f"Kept in {desk.home.data}, on this machine only, {secrecy}.", DIM)]
    rows: list[list[Run]] = [
        [("Ask anything.", Look(tone="heading", bold=True))],
        [],
        [
            ("Enter ", Look(tone="accent")),
            ("sends   ", PLAIN),
            ("Ctrl+J ", Look(tone="accent")),
            ("breaks the line   ", PLAIN),
            ("Esc ", Look(tone="accent")),
            ("stops an answer", PLAIN),
        ],
        [
            ("F2 ", Look(tone="accent")),
            ("earlier conversations   ", PLAIN),
            ("F7 ", Look(tone="accent")),
            ("memory   ", PLAIN),
            ("/ ", Look(tone="accent")),
            ("commands   ", PLAIN),
            ("F1 ", Look(tone="accent")),
            ("every key", PLAIN),
        ],
        [],
        *([] if private else _to_try()),
        where,
    ]
    return [EMPTY, *(Line(runs=tuple(row)) for row in rows)]


def _to_try() -> list[list[Run]]:
    """Where something is done from what is said: an incognito conversation does nothing."""
    rows: list[list[Run]] = [[("  ", PLAIN), (typed, Look(tone="accent"))] for typed in TO_TRY]
    return [[("For example:", PLAIN)], *rows, [], [(ON_ITS_OWN, PLAIN)], []]
