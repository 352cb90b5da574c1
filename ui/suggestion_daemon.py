"""Speaking first while no Steward is open: a notification, and a line where the daemon has a terminal."""

import logging
from typing import TextIO

from assistant.policies.cleaning import clean_line
from assistant.proactive_ticker import ProactiveTicker
from assistant.proactive_types import NOBODY, Digest, Presence, Spoken
from assistant.reminder_settings import ReminderSettings
from ui.notify import Notifier, terminal_notice
from ui.suggestion_wiring import engine_of
from ui.suggestion_words import digest_words, text_of
from ui.wiring import Services

logger = logging.getLogger(__name__)

_PRIVATE = "A suggestion waits for you. `steward` shows it."


class DaemonVoice:
    """Implements assistant.proactive_ticker.Voice. What is said never goes to the log."""

    def __init__(self, settings: ReminderSettings, notifier: Notifier | None, out: TextIO) -> None:
        self._settings = settings
        self._notifier = notifier if settings.notify else None
        self._out = out

    def presence(self) -> Presence | None:
        """Where nobody could see it nothing is said: it waits for a Steward that opens."""
        return NOBODY if self._notifier is not None or self._out.isatty() else None

    async def spoken(self, spoken: tuple[Spoken, ...]) -> bool:
        seen = True
        for one in spoken:
            logger.info("suggestion %d came", one.suggestion.id)
            words = clean_line(one.suggestion.text, 300)
            seen = await self._show(words, f"suggestion {one.suggestion.id}: {words}", _PRIVATE) and seen
        return seen

    async def digest(self, digest: Digest) -> None:
        logger.info("a digest of %d came", len(digest.items))
        words = digest_words(digest)
        lines = "; ".join(text_of(told) for told in digest.items)
        await self._show(f"{words}. {lines}", f"suggestions: {words}. {lines}", f"{words}. `steward` shows them.")

    async def _show(self, words: str, line: str, private: str) -> bool:
        notice = words if self._settings.notify_text else private
        on_terminal = self._out.isatty()
        if on_terminal:
            ring = terminal_notice(notice) if self._settings.bell and self._notifier is None else ""
            self._out.write(f"{line}\n{ring}")
            self._out.flush()
        if self._notifier is None:
            return on_terminal
        return await self._notifier.show("Steward", notice) or on_terminal


def ticker_of(services: Services, voice: DaemonVoice) -> ProactiveTicker:
    """No model is loaded for a sentence: the daemon's words are fixed ones. Reads files."""
    return ProactiveTicker(engine_of(services), services.clock, voice)
