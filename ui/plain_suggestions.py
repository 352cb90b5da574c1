"""Speaking first in line mode: a line of its own, and /suggestions with its acts; answers are commands."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from assistant.proactive_types import Digest, Presence, Spoken
from memory.types import MessageId
from ui.attention import Attention
from ui.errors import UiError
from ui.suggestion_greeting import OFFER, came_meanwhile, offer_is_due, rule_in
from ui.suggestion_settings import HINTS, LABELS, changed
from ui.suggestion_typed import run_typed
from ui.suggestion_words import digest_lines, digest_words, listed, proposed_words

if TYPE_CHECKING:
    from assistant.proactive import ProactiveEngine
    from ui.plain import PlainChat
    from ui.suggestion_acts import SuggestionActs

SUGGESTION = "suggestion: "
_ASKED = ("windows", "most", "gap", "topics", "quiet")


class PlainSuggestions:
    """Implements assistant.proactive_ticker.Voice."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self._attention = Attention(chat.desk.clock.now())
        self._engine: ProactiveEngine | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ticks meanwhile; what came while nobody looked is said first, and once the offer."""
        from assistant.proactive_ticker import ProactiveTicker

        services, engine = self._chat.desk.services, await self.engine()
        away = await came_meanwhile(services, engine)
        if away is not None:
            await self.digest(away)
        elif await offer_is_due(services):
            self._chat.announce(f"{SUGGESTION}{OFFER} /suggestions setup asks when; /suggestions off says no.")
        async with ProactiveTicker(engine, services.clock, self).running():
            yield

    async def engine(self) -> "ProactiveEngine":
        if self._engine is None:
            self._engine = await asyncio.to_thread(self._make)
        return self._engine

    def _make(self) -> "ProactiveEngine":
        from ui.suggestion_drafting import IdleDrafter
        from ui.suggestion_wiring import engine_of

        desk = self._chat.desk
        return engine_of(desk.services, IdleDrafter(lambda: desk.model, lambda: desk.conversation.session.busy))

    async def acts(self) -> "SuggestionActs":
        from ui.suggestion_wiring import acts_of

        if self._chat.desk.options.keeps_nothing:
            raise UiError("Nothing is kept in this run, so nothing is said first.", "Leave out --incognito and --demo.")
        engine = await self.engine()
        return await asyncio.to_thread(acts_of, self._chat.desk.services, engine)

    def presence(self) -> Presence | None:
        """Keys are not seen in line mode: somebody who types is interrupted at most by a line of its own."""
        desk = self._chat.desk
        if desk.conversation.incognito or desk.options.keeps_nothing:
            return None
        return self._attention.presence(desk.clock.now(), generating=desk.conversation.session.busy, writing=False)

    async def spoken(self, spoken: tuple[Spoken, ...]) -> bool:
        for one in spoken:
            words = clean_line(one.suggestion.text, 300)
            number = one.suggestion.id
            self._chat.announce(f"{SUGGESTION}{words} (/suggestions y {number}, n {number}, why {number})")
        return True

    async def digest(self, digest: Digest) -> None:
        self._chat.announce(f"{SUGGESTION}{digest_words(digest)}")
        for line in digest_lines(digest):
            self._chat.announce(clean_line(line, 400))

    @property
    def last_looked_at(self) -> datetime:
        return self._attention.last_looked_at

    def typed(self) -> None:
        self._attention.typed(self._chat.desk.clock.now())

    async def answered(self, id: MessageId | None) -> None:
        """A turn is over. A rule that its message states is proposed."""
        conversation = self._chat.desk.conversation
        self._attention.answered(self._chat.desk.clock.now())
        if id is None or conversation.incognito:
            return
        message = await conversation.transcript.message(id)
        engine = await self.engine()
        proposed = await rule_in(self._chat.desk.services, engine, message)
        if proposed is None:
            return
        acts = await self.acts()
        question = f"{proposed_words(proposed, acts.here)} Shall it hold for what I say first?"
        if await self._chat.choose(question, ("Yes, keep it", "No")) == 0:
            rule = await engine.confirm_rule(proposed.rule)
            self._chat.status(f"kept as rule {rule.id}; /suggestions unrule {rule.id} takes it back")


async def suggestions(chat: "PlainChat", argument: str) -> None:
    """/suggestions alone lists what waits; its first word may be an act or an answer."""
    acts = await chat.suggestions.acts()
    if argument.strip().lower() == "setup" or (not argument and not (await acts.engine.settings()).asked):
        await _set_up(chat, acts)
        return
    if argument:
        said = await run_typed(acts, argument)
        chat.say_all((*said.lines, *said.told))
        return
    waiting = await acts.waiting()
    for told in waiting:
        chat.line(listed(told, acts.here, acts.now))
    if waiting:
        chat.line("/suggestions y NUMBER: useful; n NUMBER time, topic, often or style: not; why NUMBER.")
    else:
        chat.status("nothing waits. /suggestions preview shows what is held back, and by which rule")


async def _set_up(chat: "PlainChat", acts: "SuggestionActs") -> None:
    answers = ("Yes, as usual: 3 a day, 3 hours apart, quiet 22 to 8", "Yes, and ask me when", "No", "Not now")
    answer = await chat.choose("May Steward speak first, rarely, about what you said?", answers)
    if answer is None or answer == 3:
        chat.status("Steward stays silent until you say yes")
        return
    settings = changed(await acts.engine.settings(), "on", "no" if answer == 2 else "yes")
    for name in _ASKED if answer == 1 else ():
        while True:
            typed = await chat.read(f"{LABELS[name]} ({HINTS[name]}; empty: as usual): ")
            if not typed or not typed.strip():
                break
            try:
                settings = changed(settings, name, typed)
                break
            except UiError as error:
                chat.failure(error.message, error.hint)
    await acts.engine.save_settings(settings)
    chat.status("Steward stays silent" if answer == 2 else "Steward may speak first; /suggestions settings shows when")


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    (
        "suggestions",
        "[ACT]",
        "what Steward says first; ACT: y, n, z, m NUMBER, why, preview, settings, set, rule, setup, on, off",
        suggestions,
    ),
)
