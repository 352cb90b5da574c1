"""The sections `suggestion_rules` and `suggestion_timing` of a profile: what the user stated about being spoken to
first, and what was learned from the answers. Moments and identifiers that mean nothing elsewhere stay.
"""

from dataclasses import replace
from datetime import datetime
from math import isfinite
from typing import TypeAlias, cast

from pydantic import TypeAdapter, ValidationError

from memory.portable.own_json import reason
from memory.portable.sections import Json, SectionRefused
from memory.suggestion_store import SuggestionStore
from memory.suggestions import Posteriors, Rule, RuleId, Settings

MOST_RULES, MOST_TOPICS, MOST_WEIGHTS = 200, 500, 200
LONGEST = 300  # characters of a rule or a topic

_SETTINGS: TypeAdapter[Settings] = TypeAdapter(Settings)
_RULES: TypeAdapter[tuple[Rule, ...]] = TypeAdapter(tuple[Rule, ...])
_LEARNED: TypeAdapter[Posteriors] = TypeAdapter(Posteriors)
_Stated: TypeAlias = tuple[Settings, tuple[Rule, ...]]


class SuggestionRules:
    """Implements memory.portable.sections.ProfileSection."""

    name = "suggestion_rules"
    title = "Rules for suggestions"
    private = False

    def __init__(self, store: SuggestionStore) -> None:
        self._store = store

    async def dump(self) -> Json:
        return _stated_value(await self._store.settings(), await self._store.rules())

    def check(self, value: Json) -> Json:
        return _stated_value(*_stated(value))

    def lines(self, value: Json) -> tuple[str, ...]:
        settings, rules = _stated(value)
        if value is None:
            return ()
        lines = ["speaks first" if settings.on else "never speaks first", f"at most {settings.most_a_day} a day"]
        if settings.quiet is not None:
            lines.append(f"quiet from {settings.quiet.start:%H:%M} to {settings.quiet.stop:%H:%M}")
        lines += [f"only from {one.start:%H:%M} to {one.stop:%H:%M}" for one in settings.windows]
        lines += [f"not about {topic}" for topic in settings.muted]
        return (*lines, *(f"“{rule.said}”" for rule in rules))

    async def merged(self, value: Json) -> Json:
        return value

    async def load(self, value: Json, *, at: datetime) -> None:
        settings, wanted = _stated(value)
        here = {_portable(rule): rule.id for rule in await self._store.rules()}
        for rule, id in here.items():
            if rule not in wanted:
                await self._store.undo_rule(id)
        for rule in wanted:
            if rule not in here:
                await self._store.add_rule(rule)
        await self._store.save_settings(settings)


def _portable(rule: Rule) -> Rule:
    return replace(rule, id=RuleId(0), state="active")


def _stated(value: Json) -> _Stated:
    """Raises SectionRefused."""
    if value is None:
        return Settings(), ()
    try:
        found = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        settings = _SETTINGS.validate_python(found.get("settings", {}), strict=False)
        rules = tuple(_portable(rule) for rule in _RULES.validate_python(found.get("rules", ())))
    except ValidationError as error:
        raise SectionRefused(reason(error)) from error
    texts = (*(rule.said for rule in rules), *(rule.topic for rule in rules), *settings.topics, *settings.muted)
    if len(texts) > 2 * MOST_RULES or any(len(text) > LONGEST for text in texts):
        raise SectionRefused("there are too many rules, or one is too long")
    if not 0 <= settings.most_a_day <= 100:
        raise SectionRefused("so many a day are not possible")
    return settings, rules


def _stated_value(settings: Settings, rules: tuple[Rule, ...]) -> Json:
    if settings == Settings() and not rules:
        return None
    told = _RULES.dump_python(tuple(_portable(rule) for rule in rules), mode="json")
    for rule in told:
        del rule["id"], rule["state"]
    return {"settings": _SETTINGS.dump_python(settings, mode="json"), "rules": told}


class LearnedTiming:
    """Implements memory.portable.sections.ProfileSection."""

    name = "suggestion_timing"
    title = "When and about what suggestions are welcome"
    private = False

    def __init__(self, store: SuggestionStore, weights: int) -> None:
        """`weights`: how many the time model of this Steward has; those of another one fit nothing here."""
        self._store = store
        self._weights = weights

    async def dump(self) -> Json:
        return _learned_value(await self._store.posteriors())

    def check(self, value: Json) -> Json:
        learned = _learned(value)
        if learned.mean and len(learned.mean) != self._weights:
            raise SectionRefused(f"it has {len(learned.mean)} weights, and {self._weights} are known here")
        return _learned_value(learned)

    def lines(self, value: Json) -> tuple[str, ...]:
        learned = _learned(value)
        topics = sorted(learned.topics, key=lambda one: one.topic)
        rated = (f"{learned.rated} ratings",) if learned.rated else ()
        return (*rated, *(f"{one.topic}: welcome {one.mean:.0%}" for one in topics))

    async def merged(self, value: Json) -> Json:
        return value

    async def load(self, value: Json, *, at: datetime) -> None:
        await self._store.save_posteriors(_learned(value))


def _learned(value: Json) -> Posteriors:
    """Raises SectionRefused."""
    if value is None:
        return Posteriors()
    try:
        learned = _LEARNED.validate_python(value)
    except ValidationError as error:
        raise SectionRefused(reason(error)) from error
    size = len(learned.mean)
    square = len(learned.covariance) == size and all(len(row) == size for row in learned.covariance)
    numbers = (*learned.mean, *(one for row in learned.covariance for one in row), learned.gap_factor)
    certain = all(learned.covariance[at][at] > 0 for at in range(size)) if square else False
    if not certain or size > MOST_WEIGHTS or not all(map(isfinite, numbers)):
        raise SectionRefused("the weights do not fit each other")
    counts = [count for one in learned.topics for count in (one.alpha, one.beta)]
    if len(counts) > 2 * MOST_TOPICS or not all(0 < count < 1e6 for count in counts):
        raise SectionRefused("the counts of a topic are not possible")
    if any(len(one.topic) > LONGEST for one in learned.topics):
        raise SectionRefused("the name of a topic is too long")
    return learned


def _learned_value(learned: Posteriors) -> Json:
    if learned == Posteriors():
        return None
    ordered = replace(learned, topics=tuple(sorted(learned.topics, key=lambda one: one.topic)))
    return cast("Json", _LEARNED.dump_python(ordered, mode="json"))
