"""A plan as a page: its steps, each with a mark and a word, and keys to stop it, go on, or take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work

from memory.errors import StoreError
from ui.errors import UiError
from ui.foot import foot_words
from ui.keys import bindings
from ui.lines import DIM, EMPTY, PLAIN, Line, Look, wrap
from ui.plan_acts import run_plans
from ui.plan_words import plan_lines
from ui.screens.page import Page
from ui.widgets.row_view import Pages

if TYPE_CHECKING:
    from textual.binding import BindingType

    from memory.plans import Plan
    from ui.desk import Desk

_ACTS = ("s stop", "g go on", "u take back")
_TURNS = ("n next plan", "p plan before")
_TONES = {"[?]": Look(tone="warning"), "[!]": Look(tone="warning"), "[x]": Look(tone="good")}


class PlansPage(Page):
    BINDINGS: ClassVar[list[BindingType]] = [*Page.BINDINGS, *bindings("plans")]

    def __init__(self, desk: Desk, plans: tuple[Plan, ...], at: int = 0) -> None:
        super().__init__("Plans")
        self._desk = desk
        self._plans = plans
        self._at = at
        self._said: tuple[str, ...] = ()

    def foot(self) -> str:
        keys = ("Esc closes", *(_ACTS if self._plans else ()), *(_TURNS if len(self._plans) > 1 else ()))
        return foot_words(keys, self.size.width).lstrip()

    def rows_for(self, width: int) -> list[Line]:
        if not self._plans:
            words = "No plan yet. Say: plan my Saturday, I need to see the dentist and buy a present."
            return wrap(((words, DIM),), width)
        rows: list[Line] = []
        if len(self._plans) > 1:
            rows += wrap(((f"{self._at + 1} of {len(self._plans)}, the newest first", DIM),), width)
        for line in plan_lines(self._plans[self._at], keys=True):
            rows += wrap(((line, _TONES.get(line[:3], PLAIN)),), width, hang=(("    ", PLAIN),))
        for line in self._said:
            rows += [*([EMPTY] if line == self._said[0] else []), *wrap(((line, Look(tone="accent")),), width)]
        return rows

    def action_turn(self, step: int) -> None:
        if self._plans:
            self._at, self._said = (self._at + step) % len(self._plans), ()
            self._draw()

    @work(group="plans", exclusive=True)
    async def action_act(self, what: str) -> None:
        if not self._plans:
            return
        id = self._plans[self._at].id
        services = self._desk.conversation.services
        try:
            said = await run_plans(self._desk.deciding, services.decisions, f"{what} {id}")
            plan = await services.decisions.plan(id)
        except (UiError, StoreError) as error:
            self._said = (f"{error.message} {error.hint}".rstrip(),)
        else:
            self._said = said.lines
            self._plans = tuple(plan if one.id == id else one for one in self._plans)
        self._draw()

    def _draw(self) -> None:
        if self.query(Pages):
            pages = self.query_one(Pages)
            pages.show(self.rows_for(pages.text_width))
