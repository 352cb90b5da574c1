"""/plan, /plans and their key in the terminal UI."""

from __future__ import annotations

from textual import work

from memory.errors import StoreError
from memory.plans import EVERY
from ui.decision_app import DecisionApp
from ui.errors import UiError
from ui.plan_acts import ACTS, run_plans
from ui.screens.plans import PlansPage


class PlanApp(DecisionApp):
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
        if len(self.screen_stack) == 1:
            await self.push_screen(PlansPage(self.desk, found, at), self._left_plans)

    def _left_plans(self, _: None) -> None:
        self.refresh_decisions()
