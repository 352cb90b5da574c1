"""The contract of a store of suggestions. Every call is one transaction; what a call returned is kept.

Raises StoreError: NotFound for a name nobody has, ChangeRefused for what does not fit the state it meets, and the
disk's own troubles. Two stores keep it: `memory.suggestions_in_memory`, the reference, and `memory.sqlite_suggestions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory.suggestions import (
        Channel,
        Decision,
        Feedback,
        MadeBy,
        Opportunity,
        OpportunityId,
        OpportunityState,
        Posteriors,
        Rule,
        RuleId,
        Settings,
        Suggestion,
        SuggestionId,
        SuggestionState,
        Told,
    )


class SuggestionStore(Protocol):
    async def version(self) -> int:
        """Grows with every change; cheap. What was read before is still true while it stands."""
        ...

    # --- what the user states, what was learned ---

    async def settings(self) -> Settings: ...

    async def save_settings(self, settings: Settings) -> None: ...

    async def add_rule(self, rule: Rule) -> Rule:
        """With its id."""
        ...

    async def undo_rule(self, id: RuleId) -> Rule:
        """Raises NotFound, ChangeRefused when it was undone already."""
        ...

    async def rules(self, *, undone: bool = False) -> tuple[Rule, ...]:
        """Oldest first; those in force, or with `undone` all."""
        ...

    async def posteriors(self) -> Posteriors: ...

    async def save_posteriors(self, learned: Posteriors) -> None:
        """For a reset and the daily forgetting; ratings go through `rate`."""
        ...

    # --- opportunities ---

    async def keep(self, found: Sequence[Opportunity]) -> tuple[Opportunity, ...]:
        """Those that are new are added, and returned; of one that is open the window, deadline, value and need are
        brought up to date. What was told, closed or expired stays so."""
        ...

    async def open(self, *, limit: int = 2_000) -> tuple[Opportunity, ...]:
        """Those that may still be told, in any channel: the earliest to close first."""
        ...

    async def opportunity(self, id: OpportunityId) -> Opportunity: ...

    async def set_state(self, ids: Sequence[OpportunityId], state: OpportunityState) -> None:
        """Also of those gone meanwhile: they are passed over."""
        ...

    async def noted(self, name: str) -> str:
        """A note of the engine's own ("" where there is none): up to which message it read, which digest was given."""
        ...

    async def note(self, name: str, value: str) -> None: ...

    # --- deciding and telling ---

    async def claim(self, decisions: Sequence[Decision], *, channel: Channel, at: datetime) -> tuple[Told, ...]:
        """Take opportunities to tell them. Each becomes a suggestion without text, and can be taken once to speak and
        once before that for the inbox or a digest; what is not open any more is left out. What is spoken is withdrawn
        from the inbox."""
        ...

    async def record(self, decision: Decision) -> Decision:
        """A decision not to speak; kept for "what was held back"."""
        ...

    async def word(self, id: SuggestionId, text: str, made_by: MadeBy) -> None:
        """Its text. Raises NotFound."""
        ...

    async def mark_shown(self, ids: Sequence[SuggestionId]) -> None: ...

    async def unshown(self, *, limit: int = 50) -> tuple[Told, ...]:
        """Claimed by somebody who ended before showing them, oldest first; `again` is set."""
        ...

    async def rate(self, feedback: Feedback, learned: Posteriors, rule: Rule | None = None) -> Suggestion:
        """The answer, what follows for what was learned, and a rule (of a mute) in one transaction. A later answer
        takes the place of an earlier one. A snooze opens the opportunity again; being ignored leaves it as it is; any
        other answer closes it and withdraws what else was said about it. Raises NotFound."""
        ...

    async def rated(self, since: datetime | None = None) -> tuple[tuple[Suggestion, Decision], ...]:
        """What was answered, in the order of the answers, with the decision it rests on."""
        ...

    # --- looking back ---

    async def told(self, id: SuggestionId) -> Told: ...

    async def list(
        self,
        states: Sequence[SuggestionState] = ("claimed", "shown"),
        channels: Sequence[Channel] = ("spoken", "inbox", "digest"),
        *,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Told, ...]:
        """Newest first."""
        ...

    async def spoken_since(self, at: datetime, *, limit: int = 500) -> tuple[Suggestion, ...]:
        """What interrupted, newest first; also what rests on something forgotten."""
        ...

    async def decisions(self, *, limit: int = 50, since: datetime | None = None) -> tuple[Decision, ...]:
        """Newest first."""
        ...

    async def purge(self, before: datetime) -> int:
        """Drop what ended before that moment: opportunities, the words of their suggestions, and decisions; how many
        opportunities."""
        ...
