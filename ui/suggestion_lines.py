"""Lists of suggestions: settings with what was learned, and a small plot of four weeks. Pure."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from assistant.policies.when.zones import to_local
from assistant.proactive_types import State
from memory.suggestions import Suggestion
from ui.suggestion_settings import LABELS
from ui.suggestion_words import hours_question, rule_line, settings_rows, span_words

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
DAYS: Final = 28


def settings_lines(state: State, here: str) -> list[str]:
    lines = [f"{LABELS[name]:<24} {value}" for name, value in settings_rows(state.settings)]
    lines.append(f"{'Today':<24} {state.spoken_today} of {state.most_today} were said")
    if state.asks is not None:
        lines += ["", hours_question(state.asks)]
    lines += ["", "Rules in your words:"]
    lines += [f"  {rule_line(rule, here)}" for rule in state.rules] or ["  none yet"]
    return [*lines, "", "Learned from your answers:", *(f"  {line}" for line in learned_lines(state))]


def learned_lines(state: State) -> list[str]:
    """What was learned, as it acts. Stated hours and limits stand above all of it."""
    learned = state.posteriors
    if not learned.rated and not learned.topics:
        return ["nothing yet; y and n teach it"]
    lines = [f"{learned.rated} rated"]
    lines += [
        f"{one.topic}: {one.mean:.0%} welcome ({one.good} of {one.rated} useful)"
        for one in sorted(learned.topics, key=lambda one: -one.mean)
    ]
    lines.append(f"hours of a day like today, 0 to 23: {bars(state.hours, 1.0)}")
    if learned.gap_factor > 1:
        gap = state.settings.gap * learned.gap_factor
        lines.append(f"gap: {span_words(gap)} instead of {span_words(state.settings.gap)}, because some came too often")
    if learned.fewer_for_good:
        lines.append(f"{learned.fewer_for_good} a day less, because some came too often")
    return lines


def plot_lines(
    said: Sequence[Suggestion], rated: Sequence[Suggestion], here: str, now: datetime, days: int = DAYS
) -> list[str]:
    """Three rows of block characters, one column a day, the last one today: said, useful, not useful."""
    first, rows = _counted(said, rated, here, now, days)
    top = max(1, *(max(counts) for _, counts in rows))
    lines = [f"{name:<11}{bars(counts, float(top))} {sum(counts)}" for name, counts in rows]
    left, right = f"{first.day} {first:%b}", "today"
    return [*lines, " " * 11 + left + right.rjust(days - len(left))]


def plot_words(
    said: Sequence[Suggestion], rated: Sequence[Suggestion], here: str, now: datetime, days: int = DAYS
) -> str:
    """The same as a sentence."""
    _, rows = _counted(said, rated, here, now, days)
    return f"In the last {days} days: {', '.join(f'{sum(counts)} {name}' for name, counts in rows)}."


def _counted(
    said: Sequence[Suggestion], rated: Sequence[Suggestion], here: str, now: datetime, days: int
) -> tuple[date, tuple[tuple[str, list[int]], ...]]:
    """The first day, and how many of each a day."""
    today = to_local(now, here).date()
    first = today - timedelta(days=days - 1)
    useful = [one for one in rated if one.answer in ("useful", "acted")]
    unwelcome = [one for one in rated if one.answer in ("not", "dismissed", "mute")]
    return first, (
        ("said", _a_day([one.claimed_at for one in said], first, days, here)),
        ("useful", _a_day([one.answered_at for one in useful if one.answered_at], first, days, here)),
        ("not useful", _a_day([one.answered_at for one in unwelcome if one.answered_at], first, days, here)),
    )


def _a_day(moments: Sequence[datetime], first: date, days: int, here: str) -> list[int]:
    counts = [0] * days
    for moment in moments:
        column = (to_local(moment, here).date() - first).days
        if 0 <= column < days:
            counts[column] += 1
    return counts


def bars(values: Sequence[float], top: float) -> str:
    """A character a value: the height of it in eighths of `top`; what is more than nothing is always seen."""
    return "".join(BLOCKS[0] if value <= 0 else BLOCKS[max(1, min(8, round(value / top * 8)))] for value in values)
