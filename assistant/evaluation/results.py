"""What an evaluation comes to: named numbers, each with what it was measured on and the bar it is held to. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Better = Literal["more", "less"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """`value` and `bar` in the same unit; `of` is how many cases it was measured on. `interval`: 95 %, where known."""

    name: str
    value: float
    of: int
    bar: float | None = None
    better: Better = "more"
    interval: tuple[float, float] | None = None

    @property
    def passed(self) -> bool | None:
        """None where there is no bar, or nothing was measured."""
        if self.bar is None or not self.of:
            return None
        return self.value >= self.bar if self.better == "more" else self.value <= self.bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """`misses` are some of the cases that went wrong, in words."""

    name: str
    about: str
    measures: tuple[Measure, ...]
    misses: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return all(measure.passed is not False for measure in self.measures)


def as_value(suites: Sequence[Suite]) -> dict[str, Any]:
    """For JSON."""
    return {
        "passed": all(suite.passed for suite in suites),
        "suites": [
            {
                "name": suite.name,
                "about": suite.about,
                "passed": suite.passed,
                "seconds": round(suite.seconds, 2),
                "measures": [
                    {
                        "name": measure.name,
                        "value": round(measure.value, 4),
                        "of": measure.of,
                        "bar": measure.bar,
                        "better": measure.better,
                        "passed": measure.passed,
                        "interval": None if measure.interval is None else [round(edge, 4) for edge in measure.interval],
                    }
                    for measure in suite.measures
                ],
                "misses": list(suite.misses),
            }
            for suite in suites
        ],
    }


def as_lines(suites: Sequence[Suite], *, misses: bool) -> list[str]:
    """A table for people; with `misses` also what went wrong."""
    rows = [
        (suite.name, measure.name, _value(measure), f"{measure.of:,}", _bar(measure), _verdict(measure))
        for suite in suites
        for measure in suite.measures
    ]
    table = [("suite", "what", "value", "of", "bar", ""), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(6)]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}  "
        f"{row[4]:>{widths[4]}}  {row[5]}".rstrip()
        for row in table
    ]
    if misses:
        lines += [f"{suite.name}: {miss}" for suite in suites for miss in suite.misses]
    return lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) >= 2 else f"{value:.3f}"


def _value(measure: Measure) -> str:
    if measure.interval is None:
        return _number(measure.value)
    low, high = measure.interval
    return f"{measure.value:.3f} ({low:.3f} to {high:.3f})"


def _bar(measure: Measure) -> str:
    if measure.bar is None:
        return ""
    return f"{'>=' if measure.better == 'more' else '<='} {measure.bar:g}"


def _verdict(measure: Measure) -> str:
    return {True: "ok", False: "MISSED", None: ""}[measure.passed]
