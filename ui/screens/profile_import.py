"""What an import would change, to be read before it is done."""

from collections.abc import Callable
from typing import ClassVar

from textual.binding import BindingType

from memory.portable.difference import VERDICTS
from ui.foot import foot_words
from ui.keys import bindings
from ui.lines import EMPTY, PLAIN, Line, Look, wrap
from ui.profile_acts import Plan
from ui.profile_words import HEADINGS, beside_lines, counts_line, line_words, section_lines
from ui.screens.page import Page

MOST_SHOWN = 200  # lines of one verdict
_HEAD = Look(tone="heading", bold=True)
_TONES = {
    "new": Look(tone="good"),
    "changed": Look(tone="accent"),
    "conflicting": Look(tone="warning"),
    "known": Look(tone="dim"),
    "refused": Look(tone="error"),
}
_SIGNS = {"new": "+", "changed": "~", "conflicting": "?", "known": "=", "refused": "!"}


class ProfileImport(Page):
    """`take` is called when its reader wants it; the page is gone by then."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("profile")]

    def __init__(self, plan: Plan, take: Callable[[], None]) -> None:
        super().__init__("What would come in")
        self._plan = plan
        self._take = take

    def foot(self) -> str:
        does = ("Esc leaves it",) if self._plan.empty else ("Enter takes it in", "Esc leaves it")
        return foot_words((*does, "arrows and PageUp, PageDown scroll"), self.size.width).lstrip()

    def rows_for(self, width: int) -> list[Line]:
        plan = self._plan
        rows = wrap(((counts_line(plan), PLAIN),), width)
        for note in plan.notes:
            rows += wrap(((note, Look(tone="warning")),), width)
        if plan.empty:
            rows += wrap((("There is nothing to take in.", PLAIN),), width)
        for verdict in VERDICTS:
            lines = [line for line in plan.difference.lines if line.verdict == verdict]
            if not lines:
                continue
            rows += [EMPTY, *wrap(((HEADINGS[verdict], _HEAD),), width)]
            lead = ((f"{_SIGNS[verdict]} ", _TONES[verdict]),)
            for line in lines[:MOST_SHOWN]:
                rows += wrap(((line_words(line), PLAIN),), width, lead=lead, hang=(("  ", PLAIN),))
            if len(lines) > MOST_SHOWN:
                rows += wrap(((f"  and {len(lines) - MOST_SHOWN:,} more", Look(tone="dim")),), width)
        for change in plan.sections:
            title, *points = section_lines(change, MOST_SHOWN)
            rows += [EMPTY, *wrap(((title, _HEAD),), width)]
            for point in points:
                rows += wrap(((point.strip(), PLAIN),), width, hang=(("  ", PLAIN),))
        for words in beside_lines(plan):
            rows += wrap(((words, PLAIN),), width) if words else [EMPTY]
        return rows

    def action_take(self) -> None:
        if self._plan.empty:
            return
        self.dismiss(None)
        self._take()
