"""Reminders in the terminal UI: the ticker while it is open, the line that says what is due, and the commands.

The grammar of time and the ticker are imported after the first paint.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual import work

from memory.errors import StoreError
from ui.errors import UiError
from ui.item_app import ItemApp
from ui.looked import missed, reminders_looked_at
from ui.widgets.bars import Notice

if TYPE_CHECKING:
    from assistant.scheduler import Scheduler, Teller
    from memory.reminders import Due
    from memory.settled import Settled
    from ui.desk import Desk
    from ui.reminder_acts import Question, Receipt, ReminderActs
    from ui.suggestion_mail import Told
    from ui.wiring import Services


class ReminderApp(ItemApp):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._reminder_settings = desk.configuration.reminders
        self._scheduler: Scheduler | None = None
        self._waiting: tuple[Due, ...] = ()  # came, and neither done nor snoozed; the latest first
        self._came_before = frozenset[int]()  # notices that came before this run: "while you were away"
        self._seen_before = frozenset[int]()  # those that stood on the screen in an earlier one

    def on_mount(self) -> None:
        self.call_after_refresh(self._remind)

    @work(group="reminders", exclusive=True)
    async def _remind(self) -> None:
        """Ticks until the app ends."""
        scheduler_of = await asyncio.to_thread(_ticker)
        self._scheduler = scheduler_of(self.desk.services, self, self.answered_elsewhere)
        try:
            open_ones = await self.desk.services.reminders.open_notices()
            came_meanwhile = missed(open_ones, await reminders_looked_at(self.desk.services))
            self._came_before = frozenset(due.notice.id for due in came_meanwhile)
            self._seen_before = frozenset(due.notice.id for due in open_ones) - self._came_before
            await self.refresh_due()
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
        async with self._scheduler.running():
            await asyncio.Event().wait()

    async def answered_elsewhere(self, settled: Settled) -> None:
        """Another terminal answered a suggestion, or changed a rule or a setting."""

    # assistant.scheduler.Teller

    async def due(self, dues: tuple[Due, ...]) -> bool:
        if any(due.notice.late or due.again for due in dues):
            self._came_before |= {due.notice.id for due in dues}
        await self.refresh_due()
        if len(self.screen_stack) > 1:
            self.say(f"Reminder: {await asyncio.to_thread(self._due_words)}", "warning")
        self._ring(len(dues))
        return True

    async def zone_changed(self, before: str, after: str, moved: int) -> None:
        from ui.reminder_words import zone_words

        self.say(zone_words(before, after, moved))

    def _ring(self, many: int) -> None:
        """The bell, and OSC 9, which many terminals show as a notification; what it says stays private."""
        if not self.desk.configuration.reminders.bell:
            return
        self.bell()
        if self._driver is not None and not self.is_headless:
            words = "A reminder is due." if many == 1 else f"{many} reminders are due."
            self._driver.write(f"\x1b]9;Steward: {words}\x07")

    # the line

    async def refresh_due(self) -> None:
        """The line above the prompt. It never takes the focus."""
        try:
            self._waiting = await self.desk.services.reminders.open_notices()
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
            return
        words = await asyncio.to_thread(self._due_words)
        found = self.chat.query("#due")
        line = found.first(Notice) if found else Notice(id="due", tone="warning")
        if not found:
            await self.chat.mount(line, after="#transcript")
        line.set_class(not words, "hidden")
        keys = "Alt+D done · Alt+L later" if len(self._waiting) == 1 else "F10 shows them"
        line.say("reminder", words, keys)

    def _due_words(self) -> str:
        if not self._waiting:
            return ""
        from ui.local_zone import local_zone
        from ui.reminder_words import away_words, due_words, open_words

        here, now = local_zone(), self.desk.clock.now()
        before = [due for due in self._waiting if due.notice.id in self._came_before]
        latest = self._waiting[0]
        if latest.notice.id in self._came_before and (len(before) > 1 or latest.notice.late):
            return away_words(before, here, now)
        if all(due.notice.id in self._seen_before for due in self._waiting):
            return open_words(self._waiting, here, now)
        more = f" · {len(self._waiting) - 1} more" if len(self._waiting) > 1 else ""
        return f"{due_words(latest, here, now)}{more}"

    # commands

    async def reminder_acts(self) -> ReminderActs:
        from ui.item_wiring import calendar_of
        from ui.local_zone import local_zone
        from ui.reminder_acts import ReminderActs

        services = self.desk.services
        here = await asyncio.to_thread(local_zone)
        calendar = await asyncio.to_thread(calendar_of, services, here)
        return ReminderActs(
            services.reminders, services.clock, self._reminder_settings, here, self.wake_reminders, calendar
        )

    def wake_reminders(self) -> None:
        if self._scheduler is not None:
            self._scheduler.wake()

    def action_reminders(self) -> None:
        from ui.screens.reminders import RemindersScreen

        if self.make_way():
            self.push_screen(RemindersScreen(self.desk))

    @work
    async def action_remind(self, text: str = "") -> None:
        if self.desk.conversation.incognito:
            self.say("Nothing is kept in an incognito conversation; Ctrl+N begins one that is.", "warning")
            return
        if not text.strip():
            self.say("Say what and when: /remind call mum on Sunday at 6pm")
            return
        receipt = await self.try_reminder(self.new_reminder(text))
        if receipt is not None:
            self.say(f"{receipt.words} · F10 shows it")

    async def new_reminder(self, text: str) -> Receipt:
        from ui.reminder_acts import Question, chosen

        acts = await self.reminder_acts()
        read = await acts.read(text)
        if isinstance(read, Question):
            number = await self.ask_reading(read)
            if number is None:
                raise UiError("Nothing was kept.")
            return await acts.add(chosen(read, number), read.title)
        return await acts.add(read.reading, read.title)

    async def ask_reading(self, question: Question) -> int | None:
        """The number of the reading that is meant; "next Friday" is asked only once. None: none of them."""
        from ui.reminder_questions import remember_answer
        from ui.screens.dialog import Choice, Offer

        offers = [Offer(name=str(number), words=words) for number, words in enumerate(question.words, start=1)]
        offers.append(Offer(name="0", words="None of them; I say it differently"))
        answer = await self.push_screen_wait(Choice(question.text, (), offers))
        number = int(answer or 0)
        if number:
            options = self.desk.options
            self._reminder_settings, _ = await asyncio.to_thread(
                remember_answer, options, self._reminder_settings, question, number
            )
        return number or None

    @work
    async def action_due_done(self) -> None:
        if (due := self._first_waiting()) is not None:
            acts = await self.reminder_acts()
            await self._say_reminder(acts.done(due.reminder.id))

    @work
    async def action_due_snooze(self, how_long: str = "") -> None:
        if (due := self._first_waiting()) is not None:
            acts = await self.reminder_acts()
            await self._say_reminder(acts.snooze(due.reminder.id, how_long))

    def _first_waiting(self) -> Due | None:
        if not self._waiting:
            self.say("No reminder waits for you. F10 shows those that come.")
            return None
        return self._waiting[0]

    async def _say_reminder(self, act: Awaitable[Receipt]) -> None:
        receipt = await self.try_reminder(act)
        if receipt is not None:
            self.say(f"{receipt.words} · undo on F10")

    async def try_reminder(self, act: Awaitable[Receipt]) -> Receipt | None:
        try:
            receipt = await act
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return None
        await self.refresh_due()
        return receipt


def _ticker() -> Callable[[Services, Teller, Told], Scheduler]:
    """Imported in a thread: it wakes the grammar of time."""
    from ui.reminding import scheduler_of

    return scheduler_of
