"""Speaking first in the terminal UI: the ticker while it is open, the line that never takes the focus, the answers by
key, and the screens. What it says is claimed before, and marked as shown after.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from textual import events, work

from assistant.policies.cleaning import clean_line
from memory.errors import StoreError
from ui.attention import Attention
from ui.errors import EXIT_DONE, UiError
from ui.reminder_app import ReminderApp
from ui.widgets.bars import Notice

if TYPE_CHECKING:
    from assistant.proactive import ProactiveEngine
    from assistant.proactive_ticker import ProactiveTicker
    from assistant.proactive_types import Digest, Presence, Proposed, Spoken
    from memory.settled import Settled
    from memory.suggestions import Told
    from memory.types import Message
    from ui.desk import Desk
    from ui.suggestion_acts import SuggestionActs

STANDS = timedelta(hours=24)  # how long the line shows what was not answered


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """What the line says, and what Alt+Y and Alt+N mean there."""

    kind: Literal["suggestion", "digest", "rule", "offer", "hours"]
    text: str
    keys: str
    told: Told | None = None
    proposed: Proposed | None = None


class SuggestionApp(ReminderApp):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.attention = Attention(desk.clock.now())
        self._voice_ticker: ProactiveTicker | None = None
        self._engine: ProactiveEngine | None = None
        self._shown_line: _Line | None = None
        self._put_aside = frozenset[int]()  # suggestions whose line was closed in this run

    def on_mount(self) -> None:
        self.call_after_refresh(self._speak_first)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste):
            self.attention.typed(self.desk.clock.now())
        await super().on_event(event)

    @work(group="speaking first", exclusive=True)
    async def _speak_first(self) -> None:
        """Ticks until the app ends."""
        from assistant.proactive_ticker import ProactiveTicker

        engine = await self._engine_here()
        self._voice_ticker = ProactiveTicker(engine, self.desk.clock, self)
        try:
            await self._greet(engine)
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
        async with self._voice_ticker.running():
            await asyncio.Event().wait()

    async def _engine_here(self) -> ProactiveEngine:
        if self._engine is None:
            self._engine = await asyncio.to_thread(self._make_engine)
        return self._engine

    def _make_engine(self) -> ProactiveEngine:
        from ui.suggestion_drafting import IdleDrafter
        from ui.suggestion_wiring import engine_of

        drafter = IdleDrafter(lambda: self.desk.model, lambda: self.desk.conversation.session.busy)
        return engine_of(self.desk.services, drafter)

    async def suggestion_acts(self) -> SuggestionActs:
        from ui.suggestion_wiring import acts_of

        engine = await self._engine_here()
        return await asyncio.to_thread(acts_of, self.desk.services, engine)

    def wake_suggestions(self) -> None:
        if self._voice_ticker is not None:
            self._voice_ticker.wake()

    # assistant.proactive_ticker.Voice

    def presence(self) -> Presence | None:
        if self.desk.conversation.incognito:
            return None
        writing = bool(self.chat.prompt.text)
        generating = self.chat.view.busy or self.desk.conversation.session.busy
        return self.attention.presence(self.desk.clock.now(), generating=generating, writing=writing)

    async def spoken(self, spoken: tuple[Spoken, ...]) -> bool:
        if self.desk.conversation.incognito:
            return False
        await self.refresh_suggestion()
        if len(self.screen_stack) > 1:
            self.say(f"Suggestion: {clean_line(spoken[0].suggestion.text, 200)} · Alt+S shows it")
        return True

    async def digest(self, digest: Digest) -> None:
        from ui.suggestion_words import digest_lines, digest_words

        text = f"{digest_words(digest)}: {' · '.join(digest_lines(digest))}"
        await self._show_line(_Line(kind="digest", text=text, keys="Alt+S shows them · Alt+N puts this away"))

    # the line

    async def _greet(self, engine: ProactiveEngine) -> None:
        """What came while nobody looked; else what stands; else, once, the offer."""
        from ui.suggestion_greeting import OFFER, came_meanwhile, offer_is_due

        away = await came_meanwhile(self.desk.services, engine)
        if away is not None and len(away.items) + away.more > 1:
            await self.digest(away)
        else:
            await self.refresh_suggestion()
        if self._shown_line is None and await offer_is_due(self.desk.services):
            keys = "Alt+Y sets it up in a minute · Alt+N no"
            await self._show_line(_Line(kind="offer", text=OFFER, keys=keys))

    async def refresh_suggestion(self) -> None:
        """The newest that was said, is not answered and not put aside. What else the line says stands before it."""
        if self._shown_line is not None and self._shown_line.kind in ("rule", "offer"):
            return
        if self._shown_line is not None and self._shown_line.kind == "hours" and await self._hours_are_asked():
            return
        since = self.desk.clock.now() - STANDS
        try:
            waiting = await self.desk.services.suggestions.list(channels=["spoken"], limit=10)
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
            return
        standing = [
            told
            for told in waiting
            if told.suggestion.claimed_at >= since
            and told.suggestion.id not in self._put_aside
            and told.suggestion.text
        ]
        if not standing:
            await self._show_line(None)
            return
        more = f" · {len(standing) - 1} more" if len(standing) > 1 else ""
        keys = f"Alt+Y useful · Alt+N not · Alt+W why · Alt+S all{more}"
        text = clean_line(standing[0].suggestion.text, 300)
        await self._show_line(_Line(kind="suggestion", text=text, keys=keys, told=standing[0]))

    async def _show_line(self, shown: _Line | None) -> None:
        """It never takes the focus."""
        self._shown_line = shown
        if not self.is_running or not self.chat.is_attached:
            return  # the app ends
        found = self.chat.query("#suggestion")
        line = found.first(Notice) if found else Notice(id="suggestion", tone="accent")
        if not found:
            await self.chat.mount(line, after="#transcript")
        line.set_class(shown is None, "hidden")
        if shown is None:
            return
        line.say(shown.kind, shown.text, shown.keys)

    async def answered_elsewhere(self, settled: Settled) -> None:
        if settled.code == EXIT_DONE:
            await self.refresh_suggestion()

    # answers by key

    @work(group="suggestion")
    async def action_suggestion_yes(self) -> None:
        match self._shown_line:
            case _Line(kind="suggestion", told=told) if told is not None:
                await self.rate_suggestion(told, "y")
            case _Line(kind="rule", proposed=proposed) if proposed is not None:
                await self._keep_rule(proposed)
            case _Line(kind="hours"):
                await self._answer_hours(fit=False)
            case _Line(kind="offer"):
                self._shown_line = None
                await self.refresh_suggestion()
                self.action_suggestion_setup()
            case _Line(kind="digest"):
                self.action_suggestions()
            case _:
                self.say("No suggestion is shown. Alt+S shows what waits.")

    @work(group="suggestion")
    async def action_suggestion_no(self) -> None:
        from ui.screens.suggestion_dialogs import what_was_wrong

        shown, self._shown_line = self._shown_line, None
        match shown:
            case _Line(kind="suggestion", told=told) if told is not None:
                key = await self.push_screen_wait(what_was_wrong(told))
                if key:
                    await self.rate_suggestion(told, key)
            case _Line(kind="offer"):
                await self._decline()
            case _Line(kind="hours"):
                await self._answer_hours(fit=True)
            case None:
                self.say("No suggestion is shown. Alt+S shows what waits.")
            case _:
                pass
        await self.refresh_suggestion()

    async def _decline(self) -> None:
        acts = await self.suggestion_acts()
        await acts.change({"on": "off"})
        self.say("Steward stays silent unless you write. /suggestions changes that.")

    async def _keep_rule(self, proposed: Proposed) -> None:
        from ui.suggestion_words import rule_words

        acts = await self.suggestion_acts()
        rule = await acts.engine.confirm_rule(proposed.rule)
        self._shown_line = None
        await self.refresh_suggestion()
        self.say(f"Rule {rule.id}: {rule_words(rule, acts.here)}. Alt+S, then o, takes it back.")

    async def rate_suggestion(self, told: Told, key: str) -> str | None:
        """What it changed, in words; None where it could not be."""
        acts = await self.suggestion_acts()
        try:
            rated = await acts.rate(told.suggestion.id, key)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return None
        await self.refresh_suggestion()
        if len(self.screen_stack) == 1:
            self.say(f"{rated.words}.")
        if rated.learned.asks is not None:
            keys = "Alt+Y others · Alt+N they still fit"
            await self._show_line(_Line(kind="hours", text=rated.question, keys=keys))
        return rated.words

    async def _hours_are_asked(self) -> bool:
        engine = await self._engine_here()
        return await engine.hours_question(self.desk.clock.now()) is not None

    async def _answer_hours(self, *, fit: bool) -> None:
        from ui.screens.suggestion_dialogs import ask_hours
        from ui.suggestion_words import settings_rows

        acts = await self.suggestion_acts()
        asked = await acts.engine.hours_question(acts.now)
        self._shown_line = None
        if asked is not None:
            words = "fit" if fit else await ask_hours(self)
            if words is not None:
                settings = await acts.change({"windows": words})
                self.say(f"Your good hours: {dict(settings_rows(settings))['windows']}.")
                self.wake_suggestions()
        await self.refresh_suggestion()

    async def answered(self, message: Message | None) -> None:
        """A turn is over: its answer is read now. A rule that the message states is proposed."""
        self.attention.answered(self.desk.clock.now())
        if message is None or self.desk.conversation.incognito:
            return
        from ui.suggestion_greeting import rule_in
        from ui.suggestion_words import proposed_words

        engine = await self._engine_here()
        proposed = await rule_in(self.desk.services, engine, message)
        if proposed is not None:
            acts = await self.suggestion_acts()
            text = f"{proposed_words(proposed, acts.here)} Shall it hold for what I say first?"
            keys = "Alt+Y keeps it · Alt+N leaves it"
            await self._show_line(_Line(kind="rule", text=text, keys=keys, proposed=proposed))

    # commands and screens

    def action_suggestions(self, words: str = "") -> None:
        if self.desk.options.keeps_nothing:
            self.say("Nothing is kept in this run, so nothing is said first.")
        elif words.strip():
            self._do_typed(words)
        elif self.make_way():
            self._open_suggestions()

    @work(group="suggestion")
    async def _open_suggestions(self) -> None:
        """The inbox; for whoever was never asked, first the set-up."""
        from ui.screens.suggestions import SuggestionsScreen

        if not (await self.desk.services.suggestions.settings()).asked:
            await self.set_up_suggestions()
        await self.push_screen(SuggestionsScreen(self.desk))

    @work(group="suggestion")
    async def action_suggestion_why(self) -> None:
        from ui.screens.item_page import ItemPage
        from ui.suggestion_words import why_lines

        shown = self._shown_line
        if shown is None or shown.told is None:
            self.say("No suggestion is shown. Alt+S shows what waits.")
        elif self.make_way():
            acts = await self.suggestion_acts()
            found = await acts.why(shown.told.suggestion.id)
            await self.push_screen(ItemPage("Why this now", why_lines(found, acts.here, acts.now), "Esc goes back"))

    @work(group="suggestion")
    async def action_suggestion_setup(self) -> None:
        await self.set_up_suggestions()

    async def set_up_suggestions(self) -> None:
        from ui.screens.suggestion_dialogs import set_up

        acts = await self.suggestion_acts()
        said = await set_up(self, acts)
        self.wake_suggestions()
        self.say(said)

    @work(group="suggestion")
    async def _do_typed(self, words: str) -> None:
        from ui.screens.item_page import ItemPage
        from ui.suggestion_typed import run_typed

        acts = await self.suggestion_acts()
        try:
            said = await run_typed(acts, words)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return
        await self.refresh_suggestion()
        if said.page:
            await self.push_screen(ItemPage("Suggestions", [*said.lines, *said.drawn], "Esc goes back"))
        else:
            self.say(" ".join(said.lines))
