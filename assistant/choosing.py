"""Several things were found and one is wanted: picked and told where the user's words settle it, else their choice.

The comparison is code over attributes; no model sees the options, so nothing they claim or how they are ordered counts.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from math import exp
from typing import Final

from assistant.policies.asking.cards import choose_card
from assistant.policies.asking.options import SHOWN, Comparison, compare
from assistant.policies.asking.tables import choices_in
from assistant.policies.asking.weights import Weighed, about, wants_choice, weigh
from assistant.ports import Clock
from assistant.reports import Found, Report, Waits
from assistant.tools.types import Choice
from memory.decision_store import DecisionStore
from memory.types import Message

YOURS: Final = "Nothing was booked or bought: that is yours to do."
_BOOKS: Final = re.compile(r"\b(?:book|buy|order|reserve|pay(?: for)?) (?:it|one|that|them|the)\b", re.IGNORECASE)
MOST_NAMED: Final = 4  # attributes that a question names


class Chooser:
    """`remembered`: a question to what the user once said that matters for it. Raises StoreError."""

    def __init__(
        self, store: DecisionStore, clock: Clock, remembered: Callable[[str], Awaitable[Sequence[str]]]
    ) -> None:
        self._store = store
        self._clock = clock
        self._remembered = remembered

    async def settle(self, found: Found, message: Message, *, task: tuple[int, int] | None = None) -> Report:
        """The same report where nothing was to be chosen."""
        if found.outcome.final or not wants_choice(message.content):
            return found
        choices = found.outcome.choices or choices_in(found.outcome.text)
        if len(choices) < 2:
            return found
        said = [one for query in (message.content, *about(choices)) for one in await self._remembered(query)]
        weighed = weigh(choices, message.content, tuple(dict.fromkeys(said)))
        prices = await self._store.prices()
        price = exp(prices["choose"].log_price) if "choose" in prices else 1.0
        comparison = compare(weighed.options, weighed.weights, price=price)
        if comparison.settled:
            text = picked(weighed, comparison)
            if _BOOKS.search(message.content):
                text += f"\n{YOURS}"
            return replace(found, outcome=replace(found.outcome, text=text, final=True))
        card = choose_card(
            weighed.options,
            comparison,
            question=question(weighed, comparison),
            seed=f"{message.id}",
            source=found.outcome.sources[0] if found.outcome.sources else None,
            session_id=message.session_id,
            message_id=message.id,
        )
        if task is not None:
            card = replace(card, task_id=task[0], step=task[1])
        return Waits(decision=await self._store.raise_decision(card, at=self._clock.now()))


def picked(weighed: Weighed, comparison: Comparison) -> str:
    """What was picked, why, and what else there was; "claims" of sellers are left out."""
    by_id = {option.id: option for option in weighed.options}
    best, *others = [by_id[id] for id in comparison.order]
    lines = [f"{best.label}: {_values(best)}.", _because(weighed, best)]
    if others:
        lines.append("Others:")
        lines += [f"- {other.label}: {_values(other)}" for other in others[: SHOWN - 1]]
    if len(others) >= SHOWN:
        lines.append(f"And {len(others) - SHOWN + 1} more, of {len(weighed.options)} compared.")
    return "\n".join(line for line in lines if line)


def question(weighed: Weighed, comparison: Comparison) -> str:
    """ "LH 101 and AF 303 are equal on price. They differ in departure and stops. Which one?" """
    by_id = {option.id: option for option in weighed.options}
    tied = [by_id[id] for id in comparison.tied[:SHOWN]]
    equal = " and ".join(weighed.weights) or "everything you named"
    labels = _listed([option.label for option in tied])
    lead = f"{labels} are equal on {equal}. " if len(tied) > 1 and weighed.weights else ""
    return f"{lead}They differ in {_listed(_differing(weighed, comparison, tied))}. Which one?"


def _differing(weighed: Weighed, comparison: Comparison, tied: Sequence[Choice]) -> list[str]:
    """What the tied differ in that nobody weighed: first what would settle it, then the rest as the table has it."""
    values: dict[str, set[str]] = {}
    for option in tied:
        for one in option.attributes:
            values.setdefault(one.name, set()).add(one.value)
    rest = [name for name, seen in values.items() if len(seen) > 1 and name not in weighed.weights]
    return list(dict.fromkeys((comparison.differs, *rest)))[:MOST_NAMED]


def _because(weighed: Weighed, best: Choice) -> str:
    if not weighed.weights:
        return "It is the best or close to it on all that can be compared; you named no wish."
    said = [name for name in weighed.weights if name in weighed.now]
    kept = [name for name in weighed.weights if name not in weighed.now]
    parts = [f"you asked for the best {_listed(said)}"] if said else []
    parts += [f"you once said “{weighed.because[name]}”" for name in kept]
    return f"Picked because {' and '.join(parts)}."


def _values(option: Choice) -> str:
    return ", ".join(f"{one.name} {one.value}" for one in option.attributes if one.value)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
