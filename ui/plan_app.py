"""/plan, /plans and their key in the terminal UI."""

from __future__ import annotations

from textual import work

from memory.errors import StoreError
from memory.plans import EVERY, Plan
from ui.decision_app import DecisionApp
from ui.errors import UiError
from ui.plan_acts import ACTS, run_plans
from ui.plan_words import going_words
from ui.screens.plans import PlansPage
from ui.widgets.bars import Notice


class PlanApp(DecisionApp):
    def on_mount(self) -> None:
        self.desk.services.plan_watch.listener = self.plan_goes_on

    def plan_goes_on(self, plan: Plan | None) -> None:
        self._show_going(plan)

    @work(group="plan line", exclusive=True)
    async def _show_going(self, plan: Plan | None) -> None:
        """The line above the prompt while a plan goes on. It never takes the focus."""
        if not self.is_running or not self.chat.is_attached:
            return  # the app ends
        found = self.chat.query("#plan")
        if not found and plan is None:
            return
        line = found.first(Notice) if found else Notice(id="plan", tone="accent")
        if not found:
            await self.chat.mount(line, after="#transcript")
        line.set_class(plan is None, "hidden")
        if plan is not None:
            line.say("plan", going_words(plan), "Alt+P shows it")

    def action_plan(self, text: str = "") -> None:
        if not text.strip():
            self.say("A plan of what? For example: /plan dentist on Friday, buy a present, call mum at 6pm", "warning")
        elif self.chat.view.busy:
            self.say("An answer is being written; Esc stops it first.", "warning")
        else:
            self.chat.say(f"Make a plan: {text.strip()}", "typed")

    @work(group="plans")
    async def action_plans(self, argument: str = "") -> None:
        """The page of plans, the newest first; with an act, that is done and said."""
        store = self.desk.conversation.services.decisions
        first = argument.strip().partition(" ")[0].removeprefix("#")
        try:
            if first.lower() in ACTS and first.lower() != "all":
                said = await run_plans(self.desk.deciding, store, argument)
                self.say(" ".join(said.lines))
                self.refresh_decisions()
                return
            found = await store.plans(EVERY)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return
        at = next((place for place, plan in enumerate(found) if str(plan.id) == first), 0)
        if self.make_way():
            await self.push_screen(PlansPage(self.desk, found, at), self._left_plans)

    def _left_plans(self, _: None) -> None:
        self.refresh_decisions()
