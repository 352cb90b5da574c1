"""Suggestions without a disk: the reference for the store in SQLite, and what --incognito and --demo keep."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.suggestion_rules import (
    after_answer,
    can_take,
    check_undo_rule,
    no_opportunity,
    no_rule,
    no_suggestion,
    taken,
)
from memory.suggestions import (
    Channel,
    Decision,
    DecisionId,
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


class InMemorySuggestions:
    """Implements memory.suggestion_store.SuggestionStore."""

    def __init__(self) -> None:
        self._version = 0
        self._settings = Settings()
        self._learned = Posteriors()
        self._rules: list[Rule] = []
        self._opportunities: dict[OpportunityId, Opportunity] = {}
        self._decisions: list[Decision] = []
        self._suggestions: list[Suggestion] = []
        self._notes: dict[str, str] = {}

    async def version(self) -> int:
        return self._version

    async def settings(self) -> Settings:
        return self._settings

    async def save_settings(self, settings: Settings) -> None:
        self._version += 1
        self._settings = settings

    async def add_rule(self, rule: Rule) -> Rule:
        self._version += 1
        kept = replace(rule, id=RuleId(len(self._rules) + 1), state="active")
        self._rules.append(kept)
        return kept

    async def undo_rule(self, id: RuleId) -> Rule:
        if not 0 < id <= len(self._rules):
            raise no_rule(id)
        check_undo_rule(self._rules[id - 1])
        self._version += 1
        self._rules[id - 1] = replace(self._rules[id - 1], state="undone")
        return self._rules[id - 1]

    async def rules(self, *, undone: bool = False) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._rules if undone or rule.state == "active")

    async def posteriors(self) -> Posteriors:
        return self._learned

    async def save_posteriors(self, learned: Posteriors) -> None:
        self._version += 1
        self._learned = learned

    async def keep(self, found: Sequence[Opportunity]) -> tuple[Opportunity, ...]:
        new = []
        for one in found:
            before = self._opportunities.get(one.id)
            if before is None:
                kept = replace(one, state="open", snoozed_until=None)
                new.append(kept)
            elif before.state in ("open", "inbox"):
                kept = replace(
                    before,
                    opens_at=one.opens_at,
                    closes_at=one.closes_at,
                    deadline=one.deadline,
                    value=one.value,
                    need=one.need,
                )
            else:
                continue
            if kept != before:
                self._version += 1
                self._opportunities[one.id] = kept
        return tuple(new)

    async def open(self, *, limit: int = 2_000) -> tuple[Opportunity, ...]:
        found = [one for one in self._opportunities.values() if one.state in ("open", "inbox")]
        return tuple(sorted(found, key=lambda one: (one.closes_at, one.id))[:limit])

    async def opportunity(self, id: OpportunityId) -> Opportunity:
        if id not in self._opportunities:
            raise no_opportunity(id)
        return self._opportunities[id]

    async def set_state(self, ids: Sequence[OpportunityId], state: OpportunityState) -> None:
        for id in ids:
            if id in self._opportunities:
                self._version += 1
                self._opportunities[id] = replace(self._opportunities[id], state=state)
                if state in ("closed", "expired"):
                    self._withdraw(id)

    async def noted(self, name: str) -> str:
        return self._notes.get(name, "")

    async def note(self, name: str, value: str) -> None:
        self._notes[name] = value

    async def claim(self, decisions: Sequence[Decision], *, channel: Channel, at: datetime) -> tuple[Told, ...]:
        told = [self._claim(decision, channel, at) for decision in decisions]
        return tuple(one for one in told if one is not None)

    def _claim(self, decision: Decision, channel: Channel, at: datetime) -> Told | None:
        one = self._opportunities.get(decision.opportunity_id or OpportunityId(""))
        if one is None or not can_take(one.state, channel):
            return None
        self._version += 1
        if channel == "spoken":
            self._withdraw(one.id)
        one = self._opportunities[one.id] = replace(one, state=taken(channel))
        decision = self._record(decision)
        suggestion = Suggestion(
            id=SuggestionId(len(self._suggestions) + 1),
            opportunity_id=one.id,
            decision_id=decision.id,
            topic=one.topic,
            channel=channel,
            claimed_at=at,
        )
        self._suggestions.append(suggestion)
        return Told(suggestion=suggestion, opportunity=one, decision=decision)

    def _withdraw(self, id: OpportunityId) -> None:
        for place, one in enumerate(self._suggestions):
            if one.opportunity_id == id and one.state in ("claimed", "shown"):
                self._suggestions[place] = replace(one, state="withdrawn")

    async def record(self, decision: Decision) -> Decision:
        return self._record(decision)

    def _record(self, decision: Decision) -> Decision:
        kept = replace(decision, id=DecisionId(len(self._decisions) + 1))
        self._decisions.append(kept)
        return kept

    async def word(self, id: SuggestionId, text: str, made_by: MadeBy) -> None:
        self._suggestions[id - 1] = replace(self._suggestion(id), text=text, made_by=made_by)

    async def mark_shown(self, ids: Sequence[SuggestionId]) -> None:
        for id in ids:
            if 0 < id <= len(self._suggestions) and self._suggestions[id - 1].state == "claimed":
                self._suggestions[id - 1] = replace(self._suggestions[id - 1], state="shown")

    async def unshown(self, *, limit: int = 50) -> tuple[Told, ...]:
        found = [one for one in self._suggestions if one.state == "claimed" and one.channel == "spoken"]
        return tuple(replace(self._told(one), again=True) for one in found[:limit])

    async def rate(self, feedback: Feedback, learned: Posteriors, rule: Rule | None = None) -> Suggestion:
        before = self._suggestion(feedback.suggestion_id)
        self._version += 1
        after = replace(
            before, state="answered", answer=feedback.answer, reason=feedback.reason, answered_at=feedback.at
        )
        self._suggestions[before.id - 1] = after
        state, one = after_answer(feedback.answer), self._opportunities.get(before.opportunity_id)
        if state is not None and one is not None:
            self._withdraw(one.id)
            until = feedback.until if state == "open" else None
            self._opportunities[one.id] = replace(one, state=state, snoozed_until=until)
        self._learned = learned
        if rule is not None:
            await self.add_rule(rule)
        return after

    async def rated(self, since: datetime | None = None) -> tuple[tuple[Suggestion, Decision], ...]:
        found = [one for one in self._suggestions if one.answered_at is not None]
        found = [one for one in found if since is None or (one.answered_at or since) >= since]
        found.sort(key=lambda one: (one.answered_at, one.id))
        return tuple((one, self._decisions[one.decision_id - 1]) for one in found)

    async def told(self, id: SuggestionId) -> Told:
        return self._told(self._suggestion(id))

    def _told(self, one: Suggestion) -> Told:
        return Told(
            suggestion=one,
            opportunity=self._opportunities[one.opportunity_id],
            decision=self._decisions[one.decision_id - 1],
        )

    def _suggestion(self, id: SuggestionId) -> Suggestion:
        if not 0 < id <= len(self._suggestions):
            raise no_suggestion(id)
        return self._suggestions[id - 1]

    async def list(
        self,
        states: Sequence[SuggestionState] = ("claimed", "shown"),
        channels: Sequence[Channel] = ("spoken", "inbox", "digest"),
        *,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Told, ...]:
        found = [one for one in reversed(self._suggestions) if one.state in states and one.channel in channels]
        found = [one for one in found if one.opportunity_id in self._opportunities]
        found.sort(key=lambda one: (one.claimed_at, one.id), reverse=True)
        return tuple(self._told(one) for one in found[offset : offset + limit])

    async def spoken_since(self, at: datetime, *, limit: int = 500) -> tuple[Suggestion, ...]:
        found = [one for one in self._suggestions if one.channel == "spoken" and one.claimed_at >= at]
        return tuple(sorted(found, key=lambda one: (one.claimed_at, one.id), reverse=True)[:limit])

    async def decisions(self, *, limit: int = 50, since: datetime | None = None) -> tuple[Decision, ...]:
        found = [one for one in reversed(self._decisions) if since is None or one.at >= since]
        return tuple(found[:limit])

    async def purge(self, before: datetime) -> int:
        over = [
            one.id
            for one in self._opportunities.values()
            if one.state in ("told", "closed", "expired") and one.closes_at < before
        ]
        for id in over:
            del self._opportunities[id]
        self._suggestions = [
            replace(one, opportunity_id=OpportunityId(""), text="") if one.opportunity_id in over else one
            for one in self._suggestions
        ]
        self._version += bool(over)
        return len(over)
