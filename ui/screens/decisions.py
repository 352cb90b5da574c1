"""All decisions: what waits, what is over, and what questions cost. One is answered on its card only."""

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memory.decisions import Decision, DecisionId, DecisionState
from memory.errors import StoreError
from ui.acting_words import STATES
from ui.asking_prices import price_lines, reset_words
from ui.decision_lines import page_rows
from ui.desk import Desk
from ui.keys import bindings
from ui.lines import DIM, Line, Look
from ui.rendering import content, fitted
from ui.screens.dialog import Choice, Offer
from ui.screens.item_page import ItemPage
from ui.screens.page import Page
from ui.widgets.bars import Foot, Head
from ui.widgets.row_view import Pages

if TYPE_CHECKING:
    from memory.decision_store import DecisionStore
    from ui.app import StewardApp

OVER: tuple[DecisionState, ...] = ("answered", "done", "failed", "superseded", "declined", "withdrawn", "expired")
MOST = 200  # that are over; `steward decisions list --all` shows them all


class DecisionPage(Page):
    def __init__(self, decision: Decision) -> None:
        super().__init__(f"Decision {decision.id}: {STATES[decision.state]}")
        self._decision = decision

    def rows_for(self, width: int) -> list[Line]:
        return page_rows(self._decision, width)


_EMPTY_FOOT = ("Esc closes", "p prices", "r reset", "g allowed")
_FOOT = ("Esc closes", "Enter answers", "w whole", "p prices", "r reset", "g allowed")
_NOTHING = (
    "No decision yet. What reaches others, costs money or cannot be taken back waits here for your word, and so does "
    "what is not clear. To see one, say in the chat: “put the dentist in my calendar”."
)


class DecisionsScreen(Screen[DecisionId | None]):
    """Answers with the decision whose card is wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("decisions"), Binding("escape", "leave", "Close", show=False)]
    app: "StewardApp"

    def __init__(self, desk: Desk, wish: str = "") -> None:
        super().__init__()
        self._desk = desk
        self._wish = wish  # prices, reset
        self._rows: tuple[Decision | None, ...] = ()  # None: a heading

    def compose(self) -> ComposeResult:
        yield Head(id="decisions-head")
        yield OptionList(id="decisions-list", compact=True)
        yield Pages(id="decisions-side")
        yield Foot(id="decisions-foot")

    def on_mount(self) -> None:
        self._list.focus()
        self.query_one("#decisions-foot", Foot).show_keys(_FOOT)
        self._read()
        match self._wish:
            case "prices":
                self.action_prices()
            case "reset":
                self.action_reset()
            case _:
                pass

    @property
    def _list(self) -> OptionList:
        return self.query_one("#decisions-list", OptionList)

    @property
    def _store(self) -> "DecisionStore":
        return self._desk.conversation.services.decisions

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        try:
            waiting, over = await self._store.decisions(), await self._store.decisions(OVER, limit=MOST)
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        if self.query("#decisions-list"):
            self._put(waiting, over)

    def _put(self, waiting: tuple[Decision, ...], over: tuple[Decision, ...]) -> None:
        rows: list[Decision | None] = []
        options = self._list
        options.clear_options()
        for name, found, tone in (("Waiting for you", waiting, "$warning"), ("Over", over, "")):
            if not found:
                continue
            options.add_option(Option(content(name, "bold $accent"), disabled=True))
            rows.append(None)
            for decision in found:
                options.add_option(Option(content(_row(decision, self.size.width), tone)))
                rows.append(decision)
        self._rows = tuple(rows)
        self.query_one("#decisions-foot", Foot).show_keys(_FOOT if rows else _EMPTY_FOOT)
        if rows:
            options.highlighted = 1
        else:
            options.add_option(Option(content(_NOTHING), disabled=True))
        head = [
            (" Decisions", Look(bold=True)),
            (f"  {len(waiting)} waiting", Look(tone="warning") if waiting else DIM),
        ]
        self.query_one("#decisions-head", Head).show_runs(head)
        self._detail()

    @on(OptionList.OptionHighlighted)
    def highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._detail()

    def _detail(self) -> None:
        side = self.query_one(Pages)
        decision = self._chosen()
        side.show(page_rows(decision, max(side.text_width, 20)) if decision is not None else [])

    def on_resize(self) -> None:
        self.call_after_refresh(self._detail)

    def _say(self, message: str, hint: str = "") -> None:
        self.query_one("#decisions-foot", Foot).say(message, hint)

    def _chosen(self) -> Decision | None:
        at = self._list.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    # what can be done

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_answer(self) -> None:
        decision = self._chosen()
        if decision is None:
            return
        if decision.state == "open":
            self.dismiss(decision.id)
        else:
            self._say(f"Decision {decision.id} {STATES[decision.state]}.", "To have it done now, ask for it again.")

    def action_whole(self) -> None:
        if (decision := self._chosen()) is not None:
            self.app.show_decision(decision)

    @work
    async def action_prices(self) -> None:
        try:
            lines = price_lines(await self._store.prices())
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        self.app.push_screen(ItemPage("What questions cost you", lines, "r in the list of decisions forgets it."))

    @work
    async def action_reset(self) -> None:
        offers = (Offer(name="", words="Leave it as it is"), Offer(name="reset", words="Forget it"))
        text = ("What was learned about how often to ask you is forgotten. Hard gates stay as they are.",)
        if await self.app.push_screen_wait(Choice("Forget what was learned about asking?", text, offers)) != "reset":
            return
        try:
            self._say(reset_words(await self._store.forget_prices()))
        except StoreError as error:
            self._say(error.message, error.hint)

    @work
    async def action_grants(self) -> None:
        from ui.screens.decision_dialogs import ask_revoke

        try:
            words = await ask_revoke(self.app, self._desk.conversation.services)
        except StoreError as error:
            self._say(error.message, error.hint)
        else:
            self._say(words)


def _row(decision: Decision, width: int) -> str:
    state = "" if decision.state == "open" else f"  ({STATES[decision.state]})"
    room = max(width - len(state) - 10, 20)
    return f"  {decision.id:>3}  {fitted(decision.asked.question, room)}{state}"
