"""Answering suggestions, rules and settings from a second terminal: the act goes through the mailbox to the process
that owns the home, which does it once and says what became of it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory.errors import ChangeRefused, NotFound
from memory.settled import Settled
from memory.suggestion_mailbox import SuggestionLetter, SuggestionMailbox
from memory.suggestions import SuggestionId
from ui.errors import EXIT_DONE, EXIT_FAILED, UiError
from ui.suggestion_json import rule_value, state_value, told_value
from ui.suggestion_lines import plot_lines, settings_lines
from ui.suggestion_words import hours_answers, rule_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from ui.suggestion_acts import SuggestionActs
    from ui.wiring import Services

    Told = Callable[[Settled], Awaitable[None]]

WAIT_SECONDS = 5.0
_LOOK_EVERY = 0.05


@dataclass(frozen=True, slots=True)
class _Then:
    """Implements Clock: the moment of a letter."""

    at: datetime

    def now(self) -> datetime:
        return self.at


class SuggestionPost:
    """The owner's end. `told` hears of each letter that came, after it was done."""

    def __init__(self, services: Services, told: Told | None = None) -> None:
        self._services = services
        self._mailbox = SuggestionMailbox(services.home)
        self._told = told

    async def drain(self) -> int:
        """Take all that waits; how many there were. Raises StoreError for what is no refusal of the store's."""
        letters = await asyncio.to_thread(self._mailbox.waiting)
        for one in letters:
            settled = await self.settled(one.letter)
            await asyncio.to_thread(self._mailbox.settle, one.name, settled)
            if self._told is not None:
                await self._told(settled)
        return len(letters)

    async def settled(self, letter: SuggestionLetter) -> Settled:
        from ui.suggestion_wiring import acts_of

        acts = await asyncio.to_thread(acts_of, replace(self._services, clock=_Then(letter.at)))
        try:
            return await perform(acts, letter)
        except (UiError, ChangeRefused, NotFound) as error:
            lines = tuple(part for part in (error.message, error.hint) if part)
            return Settled(lines=lines, value=None, code=EXIT_FAILED)


async def perform(acts: SuggestionActs, letter: SuggestionLetter) -> Settled:
    """What one letter asks for; the second time the same words and no second deed. Raises UiError, StoreError."""
    match letter.act:
        case "rate":
            return await _rated(acts, letter)
        case "add_rule":
            kept = [rule for rule in await acts.rules() if rule.at == letter.at and rule.said == letter.text]
            rule = kept[0] if kept else await acts.add_rule(letter.text)
            lines = (
                f"Rule {rule.id}: {rule_words(rule, acts.here)}.",
                f"To take it back: steward suggestions rules remove {rule.id}",
            )
            return Settled(lines=lines, value=rule_value(rule), code=EXIT_DONE)
        case "remove_rule":
            rule = await acts.remove_rule(letter.id)
            words = f"Taken back: {rule_words(rule, acts.here)}."
            return Settled(lines=(words,), value=rule_value(rule), code=EXIT_DONE)
        case "settings":
            if letter.changes:
                await acts.change(letter.changes)
            if letter.reset_learned:
                await acts.reset()
            return await settings_said(acts)


async def _rated(acts: SuggestionActs, letter: SuggestionLetter) -> Settled:
    before = await acts.store.told(_id(letter))
    if before.suggestion.answered_at == letter.at:  # taken before, and cut off before it was settled
        lines: tuple[str, ...] = ("Noted.",)
    else:
        rated = await acts.rate(letter.id, letter.answer, letter.because, letter.until)
        lines = (f"{rated.words}.",)
        if rated.learned.asks is not None:
            lines += (rated.question, hours_answers("steward suggestions settings --windows"))
    return Settled(lines=lines, value=told_value(await acts.store.told(_id(letter))), code=EXIT_DONE)


def _id(letter: SuggestionLetter) -> SuggestionId:
    return SuggestionId(letter.id)


async def settings_said(acts: SuggestionActs) -> Settled:
    """The settings as they are, with what was learned and the plot."""
    state = await acts.state()
    said, rated = await acts.history()
    plot = ["", *plot_lines(said, rated, acts.here, acts.now)] if said or rated else []
    lines = (*settings_lines(state, acts.here), *plot)
    return Settled(lines=lines, value=state_value(state), code=EXIT_DONE)


async def hand_over(mailbox: SuggestionMailbox, letter: SuggestionLetter) -> Settled:
    """Returns what the owner made of it; after some seconds without a sign, that it waits there. Raises UiError for
    what was refused."""
    name = await asyncio.to_thread(mailbox.post, letter)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + WAIT_SECONDS
    while await asyncio.to_thread(mailbox.is_waiting, name):
        if loop.time() > deadline:
            words = "It waits for the Steward that is running here; it is kept, and done once."
            return Settled(lines=(words,), value={"result": "handed_over", "message": words}, code=EXIT_DONE)
        await asyncio.sleep(_LOOK_EVERY)
    settled = await asyncio.to_thread(mailbox.settled, name)
    if settled is None:
        return Settled(lines=("Done.",), value=None, code=EXIT_DONE)
    if settled.code != EXIT_DONE:
        raise UiError(settled.lines[0], " ".join(settled.lines[1:]))
    return settled
