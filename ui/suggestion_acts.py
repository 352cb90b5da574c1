"""What a user does with suggestions: the same acts for the command line, line mode and the screens."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from assistant.policies.cleaning import clean_line
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options, Understood
from assistant.policies.when.zones import resolve
from assistant.ports import Clock
from assistant.proactive_port import Proactive
from assistant.proactive_types import Learned, NotARule, Preview, Proposed, State, Why
from memory.suggestion_store import SuggestionStore
from memory.suggestions import Answer, Reason, Rule, RuleId, Settings, Suggestion, SuggestionId, Told
from ui.errors import UiError
from ui.suggestion_settings import HINTS, changed
from ui.suggestion_words import NOT_A_RULE, RULE_EXAMPLES, hours_question, learned_words, rule_words

MOST = 200
KEYS: dict[str, tuple[Answer, Reason]] = {
    "y": ("useful", ""),
    "n": ("not", ""),
    "t": ("not", "time"),
    "r": ("not", "topic"),
    "f": ("not", "often"),
    "s": ("not", "style"),
    "z": ("snooze", ""),
    "m": ("mute", ""),
    "d": ("acted", ""),
}
WORDS: dict[str, str] = {
    "yes": "y", "useful": "y", "no": "n", "not": "n", "time": "t", "topic": "r", "relevant": "r", "often": "f",
    "style": "s", "snooze": "z", "later": "z", "mute": "m", "done": "d",
}  # fmt: skip
PLOTTED = timedelta(days=28)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """`question`: whether the stated hours still fit, where that is open now."""

    words: str
    learned: Learned
    question: str = ""


class SuggestionActs:
    """`dates`: how this user's phrases about time are read. Raises UiError, StoreError."""

    def __init__(self, engine: Proactive, store: SuggestionStore, clock: Clock, here: str, dates: Options) -> None:
        self.engine = engine
        self.store = store
        self.here = here
        self._clock = clock
        self._dates = dates

    @property
    def now(self) -> datetime:
        return self._clock.now()

    # looking

    async def waiting(self) -> tuple[Told, ...]:
        return await self.store.list(limit=MOST)

    async def everything(self) -> tuple[Told, ...]:
        return await self.store.list(("claimed", "shown", "answered", "withdrawn"), limit=MOST)

    async def preview(self, at: str = "") -> Preview:
        return await self.engine.preview(await asyncio.to_thread(self.moment, at) if at else self.now)

    async def why(self, id: int) -> Why:
        return await self.engine.why(SuggestionId(id))

    async def rules(self, *, undone: bool = False) -> tuple[Rule, ...]:
        return await self.store.rules(undone=undone)

    async def state(self) -> State:
        return await self.engine.state(self.now)

    async def history(self) -> tuple[tuple[Suggestion, ...], tuple[Suggestion, ...]]:
        """What was said, and what was answered, in the last four weeks."""
        since = self.now - PLOTTED
        said = await self.store.spoken_since(since)
        rated = await self.store.rated()
        return said, tuple(one for one, _ in rated if one.answered_at is not None and one.answered_at >= since)

    def moment(self, text: str) -> datetime:
        """A moment in words, or as "2026-03-04 10:30". Blocks for some milliseconds. Raises UiError."""
        said = clean_line(text, 200)
        try:
            found = datetime.fromisoformat(said)
        except ValueError:
            outcome = parse(said, replace(self._dates, now=self.now))
            if isinstance(outcome, Understood) and not outcome.title.strip():
                return outcome.reading.due
            example = 'For example: "tomorrow at 10:30", "2026-03-04 10:30".'
            raise UiError(f"{said!r} is no moment that can be read without asking.", example) from None
        return (resolve(found, self.here) if found.tzinfo is None else found).astimezone(UTC)

    # answering

    async def rate(self, id: int, answer: str, because: str = "", until: str = "") -> Rated:
        """`answer`: a key or word of KEYS and WORDS. `because`: of a no. `until`: of a snooze, in words."""
        key = WORDS.get(answer.lower(), answer.lower())
        if key not in KEYS:
            raise UiError(
                f"{clean_line(answer, 40)!r} is no answer.", "y useful, n not useful, z later, m mute, d done."
            )
        said, reason = KEYS[key]
        if because:
            if said != "not":
                raise UiError("A reason goes with a no.", "For example: n --because time")
            reason = KEYS[WORDS[because]][1]
        when = await asyncio.to_thread(self.moment, until) if until else None
        learned = await self.engine.rate(SuggestionId(id), said, reason, at=self.now, until=when)
        question = hours_question(learned.asks) if learned.asks is not None else ""
        return Rated(words=learned_words(learned, self.here, self.now), learned=learned, question=question)

    # rules and settings

    async def propose(self, text: str) -> Proposed | NotARule:
        return await self.engine.propose_rule(clean_line(text, 300), at=self.now)

    async def add_rule(self, text: str) -> Rule:
        """What the words say, kept. Raises UiError where they say no rule, or one that is there."""
        found = await self.propose(text)
        if isinstance(found, NotARule):
            raise UiError(NOT_A_RULE[found.because], RULE_EXAMPLES)
        if found.already:
            raise UiError(f"That rule is there already: {rule_words(found.rule, self.here)}.")
        return await self.engine.confirm_rule(found.rule)

    async def remove_rule(self, id: int) -> Rule:
        return await self.engine.undo_rule(RuleId(id))

    async def change(self, changes: Mapping[str, str]) -> Settings:
        """All of them or none. Windows may be "fit", which answers the open question about them. Raises UiError."""
        if (changes.get("windows") or "").strip().lower() == "fit":
            await self._hours_fit()
            changes = {name: text for name, text in changes.items() if name != "windows"}
        after = await self.engine.settings()
        for name, text in changes.items():
            after = changed(after, name, text)
        await self.engine.save_settings(after)
        return after

    async def _hours_fit(self) -> None:
        if await self.engine.hours_question(self.now) is None:
            raise UiError("Nothing is asked about your hours.", f"windows: it takes {HINTS['windows']}.")
        await self.engine.hours_fit(self.now)

    async def reset(self) -> None:
        """Forget what was learned; what was stated stays."""
        await self.engine.reset(self.now)
