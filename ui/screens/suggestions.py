"""What was said first and what waits to be read: one key an answer, the reasons beside it; and the settings with what
was learned.
"""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.proactive_types import NotARule
from memory.errors import StoreError
from memory.suggestions import Rule, Told
from ui.desk import Desk
from ui.errors import UiError
from ui.keys import bindings
from ui.lines import DIM, Look
from ui.rendering import content, fitted
from ui.screens.dialog import Choice, Offer, OneLine
from ui.screens.item_page import ItemPage
from ui.suggestion_lines import learned_lines, plot_lines
from ui.suggestion_settings import HINTS, LABELS
from ui.suggestion_words import (
    KINDS,
    RULE_EXAMPLES,
    preview_lines,
    proposed_words,
    quoted,
    rule_line,
    rule_words,
    settings_rows,
    text_of,
    why_lines,
)
from ui.widgets.bars import Foot, Head

if TYPE_CHECKING:
    from ui.app import StewardApp
    from ui.suggestion_acts import SuggestionActs

WHY = "Why this now"
_FOOT = (
    "Esc closes", "y useful", "n not", "z later", "m mute", "w why", "o settings", "v preview", "d done", "t time",
    "r topic", "f often", "s style",
)  # fmt: skip
_SETTINGS_FOOT = (
    "Esc closes",
    "Enter changes it",
    "a rule in your words",
    "x takes one back",
    "r forgets what was learned",
)


class SuggestionsScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("suggestions"), Binding("escape", "leave", "Close", show=False)]
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._waiting: tuple[Told, ...] = ()
        self._last_no: Told | None = None  # a reason may follow it

    def compose(self) -> ComposeResult:
        yield Head(id="suggestions-head")
        yield OptionList(id="suggestions-list", compact=True)
        yield Foot(id="suggestions-foot")

    def on_mount(self) -> None:
        self._list.focus()
        self._foot()
        self._read()

    @property
    def _list(self) -> OptionList:
        return self.query_one("#suggestions-list", OptionList)

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        await self._show()

    async def _show(self) -> None:
        try:
            acts = await self.app.suggestion_acts()
            self._waiting = await acts.waiting()
            state = await acts.state()
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        if not self.query("#suggestions-list"):
            return
        at, options = self._list.highlighted, self._list
        options.clear_options()
        for told in self._waiting:
            options.add_option(Option(content(self._row(told, acts))))
        if not self._waiting:
            words = "Nothing waits. v shows what is held back, and by which rule."
            options.add_option(Option(content(words), disabled=True))
        else:
            options.highlighted = min(at or 0, len(self._waiting) - 1)
        today = f"on · {state.spoken_today} of {state.most_today} today"
        on = today if state.settings.on else "off: o turns it on"
        runs = [(" What Steward says first", Look(bold=True)), (f"  {len(self._waiting)} wait", DIM)]
        runs.append((f" · {on}", DIM))
        self.query_one("#suggestions-head", Head).show_runs(runs)

    def _row(self, told: Told, acts: "SuggestionActs") -> str:
        width = max(self.size.width - 4, 30)
        where = "said" if told.suggestion.channel == "spoken" else "to read"
        about = f"{KINDS[told.opportunity.kind]}, {told.opportunity.topic}, {where}"
        because = quoted(told.opportunity.evidence[0], acts.here) if told.opportunity.evidence else ""
        first = fitted(text_of(told), width)
        second = fitted(f"{about}: {because}", width - 2)
        return f"{first}\n  {second}"

    def _foot(self) -> None:
        self.query_one("#suggestions-foot", Foot).show_keys(_FOOT)

    def on_resize(self) -> None:
        self.call_after_refresh(self._read)

    def _say(self, message: str, hint: str = "") -> None:
        self.query_one("#suggestions-foot", Foot).say(message, hint)

    @property
    def _marked(self) -> Told | None:
        at = self._list.highlighted
        return self._waiting[at] if at is not None and at < len(self._waiting) else None

    # answers

    def action_leave(self) -> None:
        self.dismiss(None)

    @work(group="rate", exclusive=True)
    async def action_rate(self, key: str) -> None:
        """A reason right after a plain no goes to that one."""
        reason = key in ("t", "r", "f", "s")
        told = self._last_no if reason and self._last_no is not None else self._marked
        if told is None:
            self._say("Nothing waits here.")
            return
        words = await self.app.rate_suggestion(told, key)
        if words is None:
            return
        self._last_no = told if key == "n" else None
        await self._show()
        self._say(
            f"{words}.", "t time, r not relevant, f too often, s style says what was wrong." if key == "n" else ""
        )

    @on(OptionList.OptionSelected)
    def selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_why()

    @work(group="why", exclusive=True)
    async def action_why(self) -> None:
        told = self._marked
        if told is None:
            return
        acts = await self.app.suggestion_acts()
        found = await acts.why(told.suggestion.id)
        await self.app.push_screen(ItemPage(WHY, why_lines(found, acts.here, acts.now), "Esc goes back"))

    @work(group="why", exclusive=True)
    async def action_preview(self) -> None:
        hint = 'Nothing is said by it. "tomorrow at 10:30"; empty: now. Esc leaves it.'
        at = await self.app.push_screen_wait(OneLine("What would be said when?", "", hint))
        if at is None:
            return
        acts = await self.app.suggestion_acts()
        try:
            found = await acts.preview(at.strip())
        except UiError as error:
            self._say(error.message, error.hint)
            return
        lines = preview_lines(found, await acts.rules(), acts.here)
        await self.app.push_screen(ItemPage("What would be said", lines, "Esc goes back"))

    def action_settings(self) -> None:
        self.app.push_screen(SuggestionSettingsScreen(self._desk))

    def on_screen_resume(self) -> None:
        self._read()


class SuggestionSettingsScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("suggestion settings"),
        Binding("escape", "leave", "Close", show=False),
    ]
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._rows: tuple[str | Rule | None, ...] = ()  # the name of a setting, a rule, or a line to read

    def compose(self) -> ComposeResult:
        yield Head(id="suggestions-head")
        yield OptionList(id="suggestions-list", compact=True)
        yield Foot(id="suggestions-foot")

    def on_mount(self) -> None:
        self.query_one("#suggestions-head", Head).show_runs(((" When Steward speaks first", Look(bold=True)),))
        self.query_one("#suggestions-foot", Foot).show_keys(_SETTINGS_FOOT)
        self._list.focus()
        self._read()

    @property
    def _list(self) -> OptionList:
        return self.query_one("#suggestions-list", OptionList)

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        await self._show()

    async def _show(self) -> None:
        acts = await self.app.suggestion_acts()
        state = await acts.state()
        said, rated = await acts.history()
        if not self.query("#suggestions-list"):
            return
        rows: list[tuple[str, str | Rule | None]] = [("What you say", None)]
        rows += [(f"  {LABELS[name]:<24} {value}", name) for name, value in settings_rows(state.settings)]
        rows.append(("Your rules (x takes one back)", None))
        rows += [(f"  {rule_line(rule, acts.here)}", rule) for rule in state.rules]
        if not state.rules:
            rows.append(("  none yet; a adds one in your own words", None))
        rows.append(("Learned from your answers (r forgets it)", None))
        rows += [(f"  {line}", None) for line in learned_lines(state)]
        rows.append(("The last four weeks", None))
        rows += [(f"  {line}", None) for line in plot_lines(said, rated, acts.here, acts.now)]
        at, options = self._list.highlighted, self._list
        options.clear_options()
        for words, row in rows:
            heading = row is None and not words.startswith(" ")
            style = "bold $accent" if heading else ""
            options.add_option(Option(content(words, style), disabled=row is None))
        self._rows = tuple(row for _, row in rows)
        options.highlighted = at if at is not None and at < len(rows) and self._rows[at] is not None else 1

    def _say(self, message: str, hint: str = "") -> None:
        self.query_one("#suggestions-foot", Foot).say(message, hint)

    @property
    def _marked(self) -> str | Rule | None:
        at = self._list.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        row = self._rows[event.option_index]
        if isinstance(row, str):
            self._change(row)

    @work(group="change", exclusive=True)
    async def _change(self, name: str) -> None:
        acts = await self.app.suggestion_acts()
        value = dict(settings_rows(await acts.engine.settings()))[name]
        if name == "on":
            typed: str | None = "no" if value == "yes" else "yes"
        else:
            typed = await self.app.push_screen_wait(OneLine(LABELS[name], _typed(value), f"It takes {HINTS[name]}."))
        if typed is not None:
            await self._do(acts.change({name: typed}), "Kept.")

    @work(group="change", exclusive=True)
    async def action_add_rule(self) -> None:
        acts = await self.app.suggestion_acts()
        typed = await self.app.push_screen_wait(OneLine("A rule in your own words", "", RULE_EXAMPLES))
        if not typed or not typed.strip():
            return
        found = await acts.propose(typed)
        words = proposed_words(found, acts.here)
        if isinstance(found, NotARule) or found.already:
            self._say(words)
            return
        offers = (Offer(name="yes", words="Yes, keep it"), Offer(name="no", words="No"))
        if await self.app.push_screen_wait(Choice("Is that what you mean?", (words,), offers)) == "yes":
            await self._do(acts.engine.confirm_rule(found.rule), "Kept. x takes it back.")

    @work(group="change", exclusive=True)
    async def action_remove_rule(self) -> None:
        row = self._marked
        if not isinstance(row, Rule):
            self._say("Go to a rule first.")
            return
        acts = await self.app.suggestion_acts()
        await self._do(acts.remove_rule(row.id), f"Taken back: {rule_words(row, acts.here)}.")

    @work(group="change", exclusive=True)
    async def action_reset(self) -> None:
        acts = await self.app.suggestion_acts()
        offers = (Offer(name="no", words="Keep it"), Offer(name="yes", words="Forget what was learned"))
        text = ("Your settings and rules stay. What your answers taught about times and topics goes.",)
        if await self.app.push_screen_wait(Choice("Forget what was learned?", text, offers)) == "yes":
            await self._do(acts.reset(), "Forgotten.")

    async def _do(self, act: Awaitable[object], words: str) -> None:
        try:
            await act
        except (UiError, StoreError) as error:
            self._say(error.message, error.hint)
            return
        self.app.wake_suggestions()
        await self._show()
        self._say(words)


def _typed(value: str) -> str:
    """What is shown, as it may be typed."""
    return "any" if value.startswith("any time") else value
