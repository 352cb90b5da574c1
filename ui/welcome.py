"""What an empty conversation says."""

from typing import TYPE_CHECKING

from ui.lines import DIM, EMPTY, PLAIN, Line, Look, Run

if TYPE_CHECKING:
    from ui.desk import Desk


def welcome_rows(desk: "Desk") -> list[Line]:
    options = desk.options
    where: list[Run]
    if desk.conversation.incognito or options.keeps_nothing:
        where = [("Nothing of this conversation is kept.", Look(tone="warning"))]
    else:
        where = [(f"Kept in {desk.home.data}, on this machine only.", DIM)]
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
        where,
    ]
    return [EMPTY, *(Line(runs=tuple(row)) for row in rows)]
