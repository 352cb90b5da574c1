"""/suggestions ACT, the same in the terminal UI and in line mode."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from assistant.policies.cleaning import clean_line
from ui.errors import UiError
from ui.suggestion_acts import KEYS, WORDS, SuggestionActs
from ui.suggestion_lines import plot_lines, plot_words, settings_lines
from ui.suggestion_settings import NAMES
from ui.suggestion_words import (
    hours_answers,
    hours_question,
    listed,
    preview_lines,
    rule_line,
    rule_words,
    settings_rows,
    why_lines,
)

USES = (
    "why [N], preview [TIME], settings, set NAME VALUE, hours, rule TEXT, unrule N, all, reset; y n t r f s z m d [N]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLines:
    """`page`: something to read; else what was done. `drawn` stands below the lines where it can be seen, `told` where
    it is heard."""

    lines: Sequence[str]
    page: bool = False
    drawn: Sequence[str] = ()
    told: Sequence[str] = ()


async def run_typed(acts: SuggestionActs, words: str) -> SaidLines:
    """Raises UiError, StoreError."""
    first, _, rest = words.strip().partition(" ")
    act = first.lower()
    if act in _ACTS:
        return await _ACTS[act](acts, rest.strip())
    if act in KEYS or act in WORDS:
        which, _, reason = rest.strip().partition(" ")
        because = reason.removeprefix("because").strip()
        if because and WORDS.get(because, because) not in ("t", "r", "f", "s"):
            raise UiError(f"{clean_line(because, 40)!r} is no reason.", "Reasons: time, topic, often, style.")
        rated = await acts.rate(await _which(acts, which), act, _REASONS.get(because, because))
        asks = rated.learned.asks
        more = () if asks is None else (rated.question, f"/suggestions: {hours_answers('hours')}")
        return SaidLines(lines=(f"{rated.words}.", *more))
    raise UiError(f"/suggestions knows no {clean_line(first, 40)!r}.", f"It takes nothing, or: {USES}")


_REASONS = {"t": "time", "r": "topic", "f": "often", "s": "style", "relevant": "topic"}


async def _which(acts: SuggestionActs, which: str) -> int:
    """The id that is named, or that of the latest. Raises UiError."""
    if which.isdecimal() and len(which) < 10:
        return int(which)
    if which:
        raise UiError(f"{clean_line(which, 40)!r} is no number of a suggestion.", "/suggestions shows them.")
    waiting = await acts.waiting()
    if not waiting:
        raise UiError("No suggestion waits for you.", "/suggestions preview shows what is held back, and why.")
    return waiting[0].suggestion.id


async def _why(acts: SuggestionActs, rest: str) -> SaidLines:
    found = await acts.why(await _which(acts, rest))
    return SaidLines(lines=why_lines(found, acts.here, acts.now), page=True)


async def _preview(acts: SuggestionActs, rest: str) -> SaidLines:
    found = await acts.preview(rest.removeprefix("--at").removeprefix("at ").strip())
    return SaidLines(lines=preview_lines(found, await acts.rules(), acts.here), page=True)


async def _settings(acts: SuggestionActs, _: str) -> SaidLines:
    said, rated = await acts.history()
    any_yet = bool(said or rated)
    return SaidLines(
        lines=settings_lines(await acts.state(), acts.here),
        page=True,
        drawn=["", *plot_lines(said, rated, acts.here, acts.now)] if any_yet else (),
        told=[plot_words(said, rated, acts.here, acts.now)] if any_yet else (),
    )


async def _set(acts: SuggestionActs, rest: str) -> SaidLines:
    name, _, value = rest.partition(" ")
    if not value.strip():
        raise UiError("Set what to what?", f"/suggestions set most 2. Settings: {', '.join(NAMES)}.")
    await acts.change({name.lower(): value})
    return SaidLines(lines=(f"Kept: {name.lower()} is {clean_line(value, 100)}.",))


async def _hours(acts: SuggestionActs, rest: str) -> SaidLines:
    """The open question about the good hours, or its answer."""
    if rest:
        after = await acts.change({"windows": rest})
        return SaidLines(lines=(f"Your good hours: {dict(settings_rows(after))['windows']}.",))
    asks = await acts.engine.hours_question(acts.now)
    if asks is None:
        return SaidLines(lines=("Nothing is asked about your good hours. /suggestions hours 9-12 states them.",))
    return SaidLines(lines=(hours_question(asks), f"/suggestions: {hours_answers('hours')}"))


async def _on(acts: SuggestionActs, _: str) -> SaidLines:
    await acts.change({"on": "on"})
    return SaidLines(lines=("Steward may speak first. /suggestions settings shows when; /suggestions off ends it.",))


async def _off(acts: SuggestionActs, _: str) -> SaidLines:
    await acts.change({"on": "off"})
    return SaidLines(lines=("Steward stays silent unless you write.",))


async def _rule(acts: SuggestionActs, rest: str) -> SaidLines:
    rule = await acts.add_rule(rest)
    words = f"Rule {rule.id}: {rule_words(rule, acts.here)}. /suggestions unrule {rule.id} takes it back."
    return SaidLines(lines=(words,))


async def _unrule(acts: SuggestionActs, rest: str) -> SaidLines:
    if not rest.isdecimal() or len(rest) > 9:
        raise UiError("Which rule?", "/suggestions rules numbers them.")
    rule = await acts.remove_rule(int(rest))
    return SaidLines(lines=(f"Taken back: {rule_words(rule, acts.here)}.",))


async def _rules(acts: SuggestionActs, _: str) -> SaidLines:
    lines = [rule_line(rule, acts.here) for rule in await acts.rules()]
    return SaidLines(lines=lines or ["No rules. /suggestions rule not before ten"], page=True)


async def _all(acts: SuggestionActs, _: str) -> SaidLines:
    found = await acts.everything()
    lines = [listed(told, acts.here, acts.now) for told in found]
    return SaidLines(lines=lines or ["Nothing was said yet."], page=True)


async def _reset(acts: SuggestionActs, _: str) -> SaidLines:
    await acts.reset()
    return SaidLines(lines=("What was learned from your answers is forgotten; your rules and settings stay.",))


_ACTS: dict[str, Callable[[SuggestionActs, str], Awaitable[SaidLines]]] = {
    "why": _why,
    "preview": _preview,
    "settings": _settings,
    "set": _set,
    "hours": _hours,
    "on": _on,
    "off": _off,
    "rule": _rule,
    "unrule": _unrule,
    "rules": _rules,
    "all": _all,
    "reset": _reset,
}
