"""Decisions in the terminal UI: the card above the prompt, the list, answers from elsewhere, and /undo.

The card shows the newest that waits and was not put off. It takes the focus by its key only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from textual import events, on, work

from assistant.policies.cleaning import clean_line
from assistant.reports import Carried, CouldNot, Waits
from memory.decisions import DecisionId
from memory.errors import StoreError
from ui.acting_words import report_words
from ui.decision_lines import nothing_marked
from ui.errors import UiError
from ui.key_guard import KeyGuard
from ui.keys import KEYS
from ui.messages import RoomChanged
from ui.reminder_app import ReminderApp
from ui.widgets.decision_card import DecisionCard, card_keys

if TYPE_CHECKING:
    from assistant.reports import Report
    from memory.decisions import Decision
    from ui.desk import Desk
    from ui.status import Mode

T = TypeVar("T")


class DecisionApp(ReminderApp):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.guard = KeyGuard()
        self._decisions: tuple[Decision, ...] = ()  # that wait, the newest first
        self._put_off = frozenset[DecisionId]()
        self._wanted: DecisionId | None = None  # asked for by its number
        own = desk.configuration.ui.keys
        chord = next(key for key in KEYS if key.name == "decisions")
        self._chord = frozenset(part.strip() for part in own.get(chord.name, chord.keys).split(","))

    def on_mount(self) -> None:
        self.call_after_refresh(self._watch_decisions)

    @work(group="deciding", exclusive=True)
    async def _watch_decisions(self) -> None:
        """Until the app ends: takes what other terminals answer."""
        from ui.deciding_begins import watching

        self.refresh_decisions()
        self.desk.attend(self)
        async with watching(self.desk.services, self.desk.kept_deciding, self._told):
            await asyncio.Event().wait()

    async def _told(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(clean_line(line, 300))
        self.refresh_decisions()

    # what servers ask in the middle of a call (assistant.tools.mcp.asked_back.Asker)

    def present(self) -> bool:
        return not self.desk.conversation.incognito

    def asked(self, decision: Decision) -> None:
        self.say(f"{clean_line(decision.asked.sources[0], 120)} asks something. F11 answers.")
        self.refresh_decisions()

    def over(self, decision: Decision, words: str) -> None:
        if words:
            self.say(f"Decision {decision.id}: {clean_line(words, 200)}", "warning")
        self.refresh_decisions()

    def mode(self) -> Mode:
        return replace(super().mode(), decisions=len(self._decisions))

    # keys that are not meant for the card

    async def on_event(self, event: events.Event) -> None:
        typed = isinstance(event, events.Key) and not event.is_forwarded and event.key not in self._chord
        if typed and not isinstance(self.focused, DecisionCard):
            self.guard.typed(event.time)
        await super().on_event(event)

    def on_app_focus(self) -> None:
        self.guard.back()
        if isinstance(self.focused, DecisionCard):
            self.guard.shown(events.Event().time)

    # the card

    @work(group="decisions", exclusive=True)
    async def refresh_decisions(self) -> None:
        try:
            self._decisions = (await self.desk.deciding.waiting())[::-1]
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
            return
        await self._show_card()
        self.chat.refresh_bars()

    async def _show_card(self, focus: bool = False) -> None:
        waiting = [one for one in self._decisions if one.id not in self._put_off]
        shown = next((one for one in self._decisions if one.id == self._wanted), waiting[0] if waiting else None)
        card = self._card
        if shown is None:
            if card is not None:
                await self._take_down(card)
            return
        if card is None:
            card = DecisionCard(self.guard, card_keys(self.desk.configuration.ui.keys))
            await self.chat.mount(card, before="#alert")
        place = [one.id for one in self._decisions].index(shown.id) + 1
        card.show(shown, place, len(self._decisions))
        if focus:
            card.take_focus()

    @property
    def _card(self) -> DecisionCard | None:
        if not self.screen_stack:  # a widget's last message, after the screens are gone
            return None
        found = self.chat.query(DecisionCard)
        return found.first() if found else None

    async def _take_down(self, card: DecisionCard) -> None:
        if card.has_focus:
            self.chat.set_focus(self.chat.prompt)
        await card.remove()

    async def action_decisions(self) -> None:
        """To the card; from the card, or where there is none, to the list."""
        if not self.make_way():
            return
        card = self._card
        if card is not None and not card.has_focus:
            card.take_focus()
            if (decision := card.decision) is not None and decision.asked.allow_other and not decision.asked.options:
                card.post_message(DecisionCard.Wanted(decision, "other"))  # there is no other way to answer it
        elif card is None and self._decisions:
            self._put_off = frozenset()
            await self._show_card(focus=True)
        else:
            self.action_decisions_list()

    @on(RoomChanged)
    def room_changed(self, event: RoomChanged) -> None:
        event.stop()
        if (card := self._card) is not None:
            card.lay_out()

    @on(DecisionCard.Answered)
    @work(group="answering")
    async def card_answered(self, event: DecisionCard.Answered) -> None:
        if not event.typed:
            await self._answer(event.decision, event.answer)
            return
        from ui.screens.dialog import OneLine

        hint = f"Type {clean_line(event.typed, 60)} in full and press Enter. Esc leaves it: nothing happens."
        typed = await self.push_screen_wait(OneLine(clean_line(event.decision.asked.question, 120), "", hint))
        if typed is not None and typed.strip():
            await self._answer(event.decision, typed.strip())

    async def _answer(self, decision: Decision, text: str) -> None:
        report = await self._try_decision(self.desk.deciding.answer(decision.id, text, source="card"))
        if report is not None:
            await self._tell_report(decision, report)
        self._wanted = None
        self.refresh_decisions()
        if self._card is not None and self._card.has_focus:
            self.chat.set_focus(self.chat.prompt)

    async def _tell_report(self, decision: Decision, report: Report) -> None:
        """A notice, and a note under the message it came from."""
        lines = [clean_line(line, 300) for line in report_words(report).split("\n")]
        match report:
            case Waits():
                words = f"Decision {report.decision.id} asks again: {report.decision.asked.question}"
                self.say(clean_line(words, 300), "warning")
                return
            case CouldNot():
                self.say(" ".join(lines), "warning")
            case Carried():
                self.say(lines[0] + (" · /undo takes it back" if report.undoable else ""))
            case _:
                self.say(lines[0])
        message_id = decision.asked.message_id
        if message_id is not None and self.chat.transcript.entry(message_id) is not None:
            await self._put_note(message_id, (f"Decision {decision.id}: {lines[0]}", *lines[1:]))

    @on(DecisionCard.Wanted)
    @work(group="answering")
    async def card_wanted(self, event: DecisionCard.Wanted) -> None:
        decision = event.decision
        match event.what:
            case "later":
                await self._later(decision)
            case "why":
                self.show_decision(decision)
            case "other":
                await self._own_words(decision)
            case "needless":
                await self._needless(decision)
            case "always":
                await self._always(decision)
            case "stop":
                await self._stop(decision)
            case "nothing":
                self.say(nothing_marked(decision))
            case _:
                self.action_decisions_list()

    async def _later(self, decision: Decision) -> None:
        self._put_off |= {decision.id}
        self._wanted = None
        self.chat.set_focus(self.chat.prompt)
        await self._show_card()
        self.say(f"Decision {decision.id} stays in the list (F11).")

    def show_decision(self, decision: Decision) -> None:
        from ui.screens.decisions import DecisionPage

        self.push_screen(DecisionPage(decision))

    async def _own_words(self, decision: Decision) -> None:
        from ui.screens.dialog import OneLine

        if not decision.asked.allow_other:
            self.say("This one takes only its options as an answer; Esc goes back to writing.")
            return
        if len(decision.asked.fields) > 1:
            from ui.screens.server_form import ServerForm

            filled = await self.push_screen_wait(ServerForm(decision))
            if filled:
                await self._answer(decision, filled)
            return
        hint = "Your own words are the answer. Esc leaves it."
        text = await self.push_screen_wait(OneLine(clean_line(decision.asked.question, 120), "", hint))
        if text is not None and text.strip():
            await self._answer(decision, text.strip())

    async def _needless(self, decision: Decision) -> None:
        from ui.asking_prices import moved_words

        kind = decision.asked.asked_about
        if not kind:
            self.say("This one is no question of price: it always waits for your word.")
            return
        price = await self._try_decision(self.desk.deciding.react(kind, "stop_asking"))
        if price is not None:
            self.say(moved_words("stop_asking", price))

    async def _always(self, decision: Decision) -> None:
        from ui.screens.decision_dialogs import ask_grant

        services = self.desk.conversation.services
        words = await self._try_decision(ask_grant(self.chat.app, decision, services))
        if words:
            self.say(words)

    async def _stop(self, decision: Decision) -> None:
        withdrawn = await self._try_decision(self.desk.deciding.withdraw(decision.id))
        if withdrawn is not None:
            self.say(f"Decision {decision.id} is withdrawn. Nothing was done.")
        self.chat.set_focus(self.chat.prompt)
        self.refresh_decisions()

    async def _try_decision(self, act: Awaitable[T]) -> T | None:
        try:
            return await act
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            self.refresh_decisions()
            return None

    # commands

    def action_decisions_list(self, words: str = "") -> None:
        from ui.screens.decisions import DecisionsScreen

        if self.make_way():
            self.push_screen(DecisionsScreen(self.desk, words.strip().lower()), self._go_to)

    def _go_to(self, id: DecisionId | None) -> None:
        self.refresh_decisions()
        if id is not None:
            self._wanted = id
            self.call_after_refresh(self._show_card, True)

    @work(group="answering")
    async def action_decide(self, text: str = "") -> None:
        which, _, answer = text.strip().partition(" ")
        if not which.removeprefix("#").isdecimal() or len(which) > 9:
            self.say("Say which and what: /decide 12 yes. F11 shows what waits.")
            return
        id = DecisionId(int(which.removeprefix("#")))
        decision = await self._try_decision(self.desk.conversation.services.decisions.decision(id))
        if decision is None:
            return
        if answer.strip():
            await self._answer(decision, answer.strip())
        elif decision.state == "open":
            self._wanted = id
            await self._show_card(focus=True)
        else:
            self.show_decision(decision)

    @work
    async def action_undo_memory(self, number: str = "") -> None:
        """A change of memory by its number, or whichever was last: a memory or a deed."""
        from ui.undoing import undo_change, undo_last

        act = undo_change(self._acts, number) if number else undo_last(self._acts, self.desk.deciding)
        words = await self._try_decision(act)
        if words is not None:
            self.say(words)
        self.refresh_memory()
