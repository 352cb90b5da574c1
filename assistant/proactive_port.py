"""The surface of the proactive engine for daemon and interface: `assistant.proactive.ProactiveEngine` has it."""

from datetime import datetime
from typing import Protocol

from assistant.proactive_types import (
    Digest,
    HoursQuestion,
    Learned,
    NotARule,
    Presence,
    Preview,
    Proposed,
    Spoken,
    State,
    Why,
)
from memory.suggestions import Answer, Reason, Rule, RuleId, Settings, SuggestionId


class Proactive(Protocol):
    """What `ProactiveEngine` offers. Everything raises StoreError, and NotFound for an id that nobody has."""

    async def tick(self, now: datetime, presence: Presence = ...) -> tuple[Spoken, ...]:
        """One look: find, decide, claim, word. At most one thing to say, beside what an ended process left unsaid."""
        ...

    async def mark_shown(self, ids: tuple[SuggestionId, ...]) -> None: ...

    async def preview(self, at: datetime) -> Preview:
        """What would be said then and why, without saying or keeping anything."""
        ...

    async def rate(
        self, id: SuggestionId, answer: Answer, reason: Reason = "", *, at: datetime, until: datetime | None = None
    ) -> Learned:
        """Credit goes to the factor named. `until`: of a snooze."""
        ...

    async def why(self, id: SuggestionId) -> Why: ...

    async def propose_rule(self, text: str, *, at: datetime) -> Proposed | NotARule:
        """Reads "not before ten", "max two a day", "stop about fitness"; keeps nothing."""
        ...

    async def confirm_rule(self, rule: Rule) -> Rule: ...

    async def undo_rule(self, id: RuleId) -> Rule: ...

    async def hours_question(self, now: datetime) -> HoursQuestion | None:
        """Whether the stated windows still fit: a rating raises it once the answers speak against them, and it is open
        until it is answered."""
        ...

    async def hours_fit(self, now: datetime) -> None:
        """They do: not asked again for two months."""
        ...

    async def settings(self) -> Settings: ...

    async def save_settings(self, settings: Settings) -> None: ...

    async def inbox(self, *, limit: int = 100) -> tuple[Spoken, ...]:
        """What waits to be read, newest first: also what was spoken and not answered."""
        ...

    async def digest(self, now: datetime) -> Digest | None:
        """The morning's or evening's, once each day where the settings have one and there is something. Its time is the
        user's own statement, so that neither windows nor the budget hold it back; quiet hours and mutes do."""
        ...

    async def away(self, since: datetime, now: datetime) -> Digest | None:
        """What came to the inbox or was said while nobody looked."""
        ...

    async def state(self, now: datetime) -> State: ...

    async def reset(self, at: datetime) -> None:
        """Forget what was learned; what the user stated stays."""
        ...
