"""The decision that waits, above the prompt. It never takes the focus: a key of its own goes to it.

Nothing is answered by one key: a number (u, x) marks, Enter answers. What reaches others or is grave has nothing marked
beforehand. Keys that cannot be meant for it do nothing (ui/key_guard.py), and neither do clicks but for marking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from ui.decision_lines import CardRows, card_rows, foot_words, head_runs
from ui.foot import foot_rows
from ui.grant_acts import grant_offers
from ui.key_guard import NEW_SECONDS
from ui.keys import KEYS
from ui.lines import PLAIN, Line, Look
from ui.widgets.bars import Rows

if TYPE_CHECKING:
    from memory.decisions import Decision
    from ui.key_guard import KeyGuard

QUIET_PART, ACTIVE_PART = 0.5, 0.75  # of the screen, at most
LEAST_TALK = 2  # rows of the conversation that stay in sight
LIGHT = ("read", "undoable", "soft")  # effects where what is recommended may be marked beforehand


def card_keys(own: Mapping[str, str]) -> dict[str, str]:
    """key -> action for the keys of the card, the user's own in place of the defaults."""
    return {
        part.strip(): key.action
        for key in KEYS
        if key.place == "decision"
        for part in own.get(key.name, key.keys).split(",")
    }


class DecisionCard(Vertical):
    """Posts `Answered` and `Wanted`; the app does what they say."""

    can_focus = False

    @dataclass
    class Answered(Message):
        """`answer`: an option's key, or "u"; `typed`: it has to be typed in full first."""

        decision: Decision
        answer: str
        typed: str = ""

    @dataclass
    class Wanted(Message):
        """`what`: other, why, later, needless, always, stop, list; nothing: a key that had nothing to act on."""

        decision: Decision
        what: str

    def __init__(self, guard: KeyGuard, keys: Mapping[str, str]) -> None:
        super().__init__(id="decision")
        self.guard = guard
        self.marked = ""  # an option's number from 1, "u", "x"; "" for nothing
        self._marked_at = 0.0
        self._keys = dict(keys)
        self._decision: Decision | None = None
        self._place = (1, 1)
        self._shown = CardRows(rows=(), option_at=())

    def compose(self) -> ComposeResult:
        yield Rows(id="decision-head", background="panel")
        with VerticalScroll(id="decision-body", can_focus=False):
            yield Rows(id="decision-rows", background="surface")
        yield Rows(id="decision-foot", background="surface")

    @property
    def decision(self) -> Decision | None:
        return self._decision

    def show(self, decision: Decision, place: int, of: int) -> None:
        """Another decision is new: its keys are dead for a moment."""
        if self._decision is None or self._decision.id != decision.id:
            asked = decision.asked
            light = asked.effect in LIGHT and asked.recommended
            numbers = [str(number) for number, one in enumerate(asked.options, 1) if one.key == asked.recommended]
            self.marked = numbers[0] if light and numbers else ""
            self.call_after_refresh(self._is_new)
            self.guard.shown(float("inf"))  # until it has been painted
        self._decision, self._place = decision, (place, of)
        self.lay_out()

    def _is_new(self) -> None:
        self.guard.shown(self._now())
        self._marked_at = self._now()
        self.query_one("#decision-body").scroll_home(animate=False)

    def _now(self) -> float:
        """Of the clock that stamps events."""
        return events.Event().time

    def lay_out(self) -> None:
        if self._decision is None or not self.size.width or not self.query("#decision-foot"):
            return  # not there yet, or going
        width = max(self.size.width - 2, 20)
        self._shown = card_rows(self._decision, width, marked=self.marked)
        self.query_one("#decision-head", Rows).show_runs(head_runs(self._decision, *self._place, self.has_focus))
        self.query_one("#decision-rows", Rows).show_lines(self._shown.rows)
        offers = bool(grant_offers(self._decision))
        words = foot_words(self._decision, marked=self.marked, focused=self.has_focus, grants=offers)
        look = Look(tone="accent") if self.has_focus else PLAIN
        foot = [Line(runs=((row, look),)) for row in foot_rows(words, width)]
        part = int(self.app.size.height * (ACTIVE_PART if self.has_focus else QUIET_PART))
        room = min(part, self._room()) - 1
        if not self.has_focus and room < len(foot) + 1:
            foot = []  # its head says which key answers
        self.query_one("#decision-foot", Rows).show_lines(foot)
        least = 2 if self.has_focus else 1
        self.query_one("#decision-body").styles.height = min(len(self._shown.rows), max(room - len(foot), least))

    def _room(self) -> int:
        """Rows that what else stands in the chat leaves to it."""
        beside = [one for one in self.screen.children if one is not self and one.id != "transcript" and one.display]
        return self.screen.size.height - LEAST_TALK - sum(one.size.height for one in beside)

    def on_resize(self) -> None:
        self.call_after_refresh(self.lay_out)

    # the focus

    def take_focus(self) -> None:
        self.can_focus = True
        self.focus()

    def on_focus(self) -> None:
        self.add_class("-active")
        self.call_after_refresh(self.lay_out)

    def on_blur(self) -> None:
        self.can_focus = False
        self.remove_class("-active")
        self.call_after_refresh(self.lay_out)

    # keys and clicks

    def on_key(self, event: events.Key) -> None:
        action = self._keys.get(event.key)
        if action is None and not event.is_printable and event.key not in ("enter", "tab", "space"):
            return  # scrolling and the like belong to the screen
        event.stop()
        event.prevent_default()
        if action is None and event.key.isdecimal():
            action = f"mark('{event.key}')"  # no option has it, which is said
        if action is None:
            self.guard.typed(event.time)  # somebody is typing, and means something else
        elif self.guard.takes(event.time):
            self._do(action, event.time)

    def _do(self, action: str, at: float) -> None:
        assert self._decision is not None
        name, _, argument = action.removesuffix(")").partition("(")
        match name:
            case "mark":
                self._mark(argument.strip("'"), at)
            case "answer":
                self._answer(at)
            case "scroll":
                self.query_one("#decision-body").scroll_relative(y=int(argument), animate=False)
            case _:
                self._post(argument.strip("'"))

    def _mark(self, what: str, at: float) -> None:
        assert self._decision is not None
        asked = self._decision.asked
        if (what == "u" and not asked.you_decide) or (what.isdecimal() and not 1 <= int(what) <= len(asked.options)):
            if what.isdecimal():
                self._post("nothing")
            return
        self.marked, self._marked_at = what, at
        self.lay_out()
        self.call_after_refresh(self._show_marked)

    def _show_marked(self) -> None:
        """Where the options are longer than the card, the marked one comes into sight."""
        rows = [row for row, option in enumerate(self._shown.option_at) if str((option or 0) + 1) == self.marked]
        body = self.query_one("#decision-body")
        rows = [row for row in rows if self._shown.option_at[row] is not None]
        if rows and not (body.scroll_y <= rows[0] and rows[-1] < body.scroll_y + body.size.height):
            body.scroll_to(y=rows[0], animate=False)

    def _answer(self, at: float) -> None:
        """Enter that follows a mark at once is a burst of keys, not an answer, where it cannot be taken back."""
        assert self._decision is not None
        asked = self._decision.asked
        if not self.marked:
            self._post("nothing")
            return
        if asked.effect not in LIGHT and at - self._marked_at < NEW_SECONDS:
            return
        if self.marked == "x":
            self._post("stop")
        elif self.marked == "u":
            self.post_message(self.Answered(self._decision, "u"))
        else:
            key = asked.options[int(self.marked) - 1].key
            typed = asked.typed if self.marked == "1" else ""
            self.post_message(self.Answered(self._decision, key, typed))

    def _post(self, what: str) -> None:
        assert self._decision is not None
        self.post_message(self.Wanted(self._decision, what))

    def on_click(self, event: events.Click) -> None:
        """Marks, and never answers. The click that brings the window back does nothing."""
        event.stop()
        if self.guard.swallows_click() or not self.guard.takes(event.time):
            return
        rows = self.query_one("#decision-rows", Rows)
        at = event.screen_y - rows.region.y
        self.take_focus()
        if event.widget is rows and 0 <= at < len(self._shown.option_at):
            option = self._shown.option_at[at]
            if option is not None:
                self._mark(str(option + 1), event.time)

    # actions of the table in ui/keys.py, for whoever looks whether they exist

    def action_mark(self, what: str) -> None:
        self._mark(what, self._now())

    def action_answer(self) -> None:
        self._answer(self._now())

    def action_wanted(self, what: str) -> None:
        self._post(what)

    def action_scroll(self, rows: int) -> None:
        self.query_one("#decision-body").scroll_relative(y=rows, animate=False)
