"""A profile, wired: where its memories come from, and which other parts of Steward have a section in it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from ui.profile_acts import ProfileActs
from ui.reading import reading_memory, store_beside
from ui.wiring import Options, Services, SystemClock, owned

if TYPE_CHECKING:
    from memory.decision_store import DecisionStore
    from memory.portable.sections import ProfileSection
    from memory.suggestion_store import SuggestionStore


def sections_of(decisions: "DecisionStore | None", suggestions: "SuggestionStore | None") -> "list[ProfileSection]":
    """A part that learns or is told something joins the profile by a line here (memory/portable/sections.py)."""
    from assistant.policies.cleaning import clean
    from assistant.policies.proactive.prior import MEAN
    from memory.portable.decision_section import DecisionHistory
    from memory.portable.price_section import QuestionPrices
    from memory.portable.suggestion_sections import LearnedTiming, SuggestionRules

    sections: list[ProfileSection] = []
    if decisions is not None:
        sections += [QuestionPrices(decisions), DecisionHistory(decisions, clean)]
    if suggestions is not None:
        sections += [SuggestionRules(suggestions), LearnedTiming(suggestions, len(MEAN))]
    return sections


@asynccontextmanager
async def reading_profile(options: Options) -> AsyncIterator[ProfileActs]:
    """For looking and exporting, also while another Steward owns the home. Raises StoreError."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(reading_memory(options))
        sections: list[ProfileSection] = []
        if not options.keeps_nothing:
            from memory.sqlite_decisions import SqliteDecisions
            from memory.sqlite_suggestions import SqliteSuggestions

            decisions = await stack.enter_async_context(store_beside(options, SqliteDecisions.open_reading))
            suggestions = await stack.enter_async_context(store_beside(options, SqliteSuggestions.open_reading))
            sections = sections_of(decisions, suggestions)
        yield ProfileActs(store, SystemClock(), None, sections)


@asynccontextmanager
async def own_profile(options: Options) -> AsyncIterator[ProfileActs]:
    """For importing: the home is owned. Raises HomeInUse, StoreError."""
    async with owned(options, "profile") as services:
        yield acts_of(services)


def acts_of(services: Services) -> ProfileActs:
    """In a run that owns the home."""
    home = None if services.options.keeps_nothing else services.home
    sections = sections_of(services.decisions, services.suggestions)
    return ProfileActs(services.preferences, services.clock, home, sections)
