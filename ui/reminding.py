"""Reminders of this home, wired: the acts of a command, and the ticker of whoever owns the home."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.calendar.book import CalendarBook
from assistant.scheduler import Mail, Scheduler, Teller
from memory.data_dir import Home
from memory.errors import HomeInUse
from memory.item_mailbox import ItemMailbox
from memory.mailbox import Mailbox
from ui.daemon_sign import nobody_tells
from ui.handover import REMINDERS
from ui.item_wiring import calendar_of
from ui.local_zone import local_zone
from ui.reading import reading_items, reading_reminders
from ui.reminder_acts import ReminderActs
from ui.reminder_mail import Drained, HandedOver
from ui.wiring import Options, Services, SystemClock, load_configuration, owned, resolve_home

if TYPE_CHECKING:
    from ui.suggestion_mail import Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """Acts, and through whose hands they go: `handed_over` is None where this process owns the home itself."""

    acts: ReminderActs
    home: Home
    handed_over: HandedOver | None = None


@asynccontextmanager
async def hands_on(options: Options) -> AsyncIterator[Hands]:
    """Reminders for one command: as the owner of the home, or through the mailbox beside it. Raises StoreError,
    ConfigError."""
    here = await asyncio.to_thread(local_zone)
    async with AsyncExitStack() as stack:
        try:
            services = await stack.enter_async_context(owned(options, REMINDERS))
        except HomeInUse:
            yield await _beside(options, here, stack)
            return
        mail = mail_of(services)
        if mail is not None:
            await mail.drain()
        acts = ReminderActs(
            services.reminders,
            services.clock,
            services.configuration.reminders,
            here,
            calendar=calendar_of(services, here),
        )
        yield Hands(acts=acts, home=services.home)


async def _beside(options: Options, here: str, stack: AsyncExitStack) -> Hands:
    home = await asyncio.to_thread(resolve_home, options)
    configuration = await asyncio.to_thread(load_configuration, home)
    handed_over = HandedOver(await stack.enter_async_context(reading_reminders(options)), Mailbox(home))
    items = await stack.enter_async_context(reading_items(options))
    calendar = CalendarBook(items, SystemClock(), here)
    acts = ReminderActs(handed_over, SystemClock(), configuration.reminders, here, calendar=calendar)
    return Hands(acts=acts, home=home, handed_over=handed_over)


def mail_of(services: Services) -> Mail | None:
    """What other processes hand over to this one: changes of reminders, events, tasks and notes."""
    if services.options.keeps_nothing:
        return None
    return Mails(
        Drained(services.reminders, Mailbox(services.home), services.clock),
        Drained(services.items, ItemMailbox(services.home), services.clock),
    )


class Mails:
    """Implements assistant.scheduler.Mail: every mailbox of this home."""

    def __init__(self, *mails: Mail) -> None:
        self._mails = mails

    async def drain(self) -> int:
        return sum([await mail.drain() for mail in self._mails])


def scheduler_of(services: Services, teller: Teller, answered: "Told | None" = None) -> Scheduler:
    """`answered` hears of what another terminal said about suggestions."""
    from ui.suggestion_mail import SuggestionPost

    mail = mail_of(services)
    mails = None if mail is None else Mails(mail, SuggestionPost(services, answered))
    return Scheduler(services.reminders, services.clock, local_zone, teller, mails)


async def owner_lines(hands: Hands) -> tuple[str, ...]:
    """What is to be said about who will tell a new reminder."""
    if hands.handed_over is not None:
        if hands.handed_over.waits:
            return ("It waits for the Steward that is running here; it is kept.",)
        return ()
    return await asyncio.to_thread(nobody_tells, hands.home)
