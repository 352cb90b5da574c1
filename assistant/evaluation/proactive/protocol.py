"""Protocol P1: rule users, every baseline, ablations; and P5: drift and abuse. No model takes part.

The shipped prior was fitted on own personas with even numbers and the knobs were chosen there; what is reported is
measured on those with odd numbers, or on personas by path. A heartbeat that asks a model every half hour is not among
the baselines: it would need a model.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time
from typing import Final

from assistant.evaluation.proactive import measuring as m
from assistant.evaluation.proactive.engine import EnginePolicy, Parts
from assistant.evaluation.proactive.living import Life, MakesPolicy, live
from assistant.evaluation.proactive.personas import Persona
from assistant.evaluation.proactive.rivals import (
    AlwaysSilent,
    AlwaysSpeak,
    BetaAnchors,
    Ceiling,
    FixedHours,
    Oracle,
    RandomRate,
    StatedRules,
)
from assistant.evaluation.proactive.world import START, Replies, World
from assistant.evaluation.results import Better, Measure, Suite
from assistant.policies.proactive.decide import Knobs
from memory.suggestions import Answer, Reason, Rule

Groups = tuple[tuple[Life, ...], ...]
Told = Callable[[str], None]
_LATE: Final = m.Span(first=11, stop=14)
_FIRST: Final = m.Span(first=0, stop=1)
_ALL: Final = m.Span()
_FORTNIGHT: Final = m.Span(first=0, stop=14)
_THIRD: Final = m.Span(first=14, stop=21)
_FOURTH: Final = m.Span(first=21, stop=28)
_CHANGED: Final = m.Span(first=28, stop=42)
_ZONES: Final = ("UTC", "Europe/Berlin")
_REPLIES: Final[tuple[tuple[Replies, str], ...]] = (
    ("hours", "hours stated anew"),
    ("never", "never answered"),
)
_WITH: Final[Mapping[str, Parts]] = {
    "stated rules and prior, nothing learned": Parts(learns=False),
    "time not learned": Parts(knobs=Knobs(time="prior")),
    "topics not learned": Parts(knobs=Knobs(topics=False)),
    "no reasons given": Parts(chips=False),
    "no digest": Parts(digest=False),
    "windows never asked about": Parts(asks=False),
    "no waiting for a better moment": Parts(knobs=Knobs(waits=False)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much is simulated."""

    days: int = 28
    seeds: int = 3
    rate: float = 0.2
    ablations: bool = True


def evaluate(personas: Sequence[Persona], extent: Extent, told: Told) -> tuple[Suite, ...]:
    """Minutes of arithmetic; `told` hears what is done."""
    world = World(days=max(14, extent.days), rate=extent.rate)
    run = functools.partial(_run, personas, extent.seeds, told)
    shipped = run("the engine", world, EnginePolicy)
    silent = run("always silent", world, AlwaysSilent)
    rules = run("stated rules only", world, StatedRules)
    unstated = run("the engine, no windows stated", replace(world, states_windows=False), EnginePolicy)
    anchors = run("Beta anchors", world, BetaAnchors)
    rivals = {"always silent": silent, "Beta anchors": anchors, "stated rules only": rules} | _baselines(run, world)
    suites = [
        _against_the_bars(shipped, unstated, silent, anchors),
        _table("baselines", rivals | {"the engine": shipped, "the engine, nothing stated": unstated}),
    ]
    if extent.ablations:
        parts = {name: run(name, world, functools.partial(EnginePolicy, parts=each)) for name, each in _WITH.items()}
        parts["no sensor of being busy"] = run("no sensor", replace(world, sensor=False), EnginePolicy)
        deaf = replace(world, states_windows=False, opens=False)
        parts["nothing stated, not knowing when the user is there"] = run("no habits", deaf, EnginePolicy)
        parts["topics stated as well"] = run("topics stated", replace(world, states_topics=True), EnginePolicy)
        suites.append(_table("ablations", parts))
        suites.append(_compared(shipped, {"stated rules only": rules} | parts))
    suites.append(_abuse(personas, replace(world, days=28), told))
    return tuple(suites)


def _run(personas: Sequence[Persona], seeds: int, told: Told, name: str, world: World, makes: MakesPolicy) -> Groups:
    told(name)
    return tuple(tuple(live(persona, world, makes, seed) for seed in range(seeds)) for persona in personas)


def _baselines(run: Callable[[str, World, MakesPolicy], Groups], world: World) -> dict[str, Groups]:
    return {
        "always speak": run("always speak", world, AlwaysSpeak),
        "random, as many as stated": run("random", world, RandomRate),
        "fixed 9, 13, 19": run("fixed hours", world, FixedHours),
        "ceiling: exact windows and topics": run("ceiling", replace(world, exact=True), Ceiling),
        "oracle": run("oracle", world, Oracle),
    }


def _measure(
    name: str, groups: Groups, metric: m.Metric, span: m.Span, bar: float | None = None, better: Better = "more"
) -> Measure:
    found = m.estimate(groups, metric, span)
    count = sum(value is not None for value in found.by_persona)
    return Measure(name=name, value=found.mean, of=count, bar=bar, better=better, interval=(found.low, found.high))


def _from(found: m.Estimate, name: str, of: int, bar: float | None = None) -> Measure:
    return Measure(name=name, value=found.mean, of=of, bar=bar, interval=(found.low, found.high))


def _against_the_bars(shipped: Groups, unstated: Groups, silent: Groups, anchors: Groups) -> Suite:
    gain = m.difference(m.estimate(shipped, m.all_steps, _LATE), m.estimate(silent, m.all_steps, _LATE))
    ahead = m.difference(m.estimate(unstated, m.timing_f1, _ALL), m.estimate(anchors, m.timing_f1, _ALL))
    error, count = m.calibration(shipped, _ALL)
    unsure, few = m.calibration(unstated, _ALL)
    broken = sum(m.violations(lives, _ALL) or 0 for lives in (*shipped, *unstated))
    people = len(shipped)
    measures = (
        _measure("messages a day, days 12-14", shipped, m.messages, _LATE, 3.0, "less"),
        _measure("away from wanted, a day", shipped, m.off_wanted, _ALL, 0.7, "less"),
        _measure("3 of 4 or more, day 1", shipped, m.good, _FIRST, 0.75),
        _measure("3 of 4 or more, days 12-14", shipped, m.good, _LATE, 0.88),
        _measure("score of what is said, days 12-14", shipped, m.said_score, _LATE, 3.3),
        _from(gain, "all steps over always silent", people, 0.2),
        _measure("timing F1, windows stated", shipped, m.timing_f1, _ALL, 0.62),
        _measure("timing F1, days 12-14", shipped, m.timing_f1, _LATE),
        _measure("timing F1, nothing stated", unstated, m.timing_f1, _ALL, 0.30),
        _from(ahead, "ahead of Beta anchors, the same known", people),
        Measure(
            name="calibration error of acceptance",
            value=error,
            of=count,
            bar=0.05,
            better="less",
            interval=m.calibration_interval(shipped, _ALL),
        ),
        Measure(name="the same, were it exact", value=m.calibration_floor(shipped, _ALL), of=count),
        Measure(name="calibration error, nothing stated", value=unsure, of=few, better="less"),
        _measure("ratings in 14 days", shipped, m.ratings, _FORTNIGHT, 10, "less"),
        Measure(name="quiet hours and budget broken", value=broken, of=people * 2, bar=0, better="less"),
    )
    return Suite(name="P1", about="rule users, personas not tuned on", measures=measures)


def _table(name: str, rows: Mapping[str, Groups]) -> Suite:
    measures: list[Measure] = []
    for label, groups in rows.items():
        measures += [
            _measure(f"{label}: messages", groups, m.messages, _LATE),
            _measure(f"{label}: timing F1", groups, m.timing_f1, _ALL),
            _measure(f"{label}: 3 of 4", groups, m.good, _LATE),
            _measure(f"{label}: said", groups, m.said_score, _LATE),
            _measure(f"{label}: all steps", groups, m.all_steps, _LATE),
        ]
    return Suite(name=name, about="days 12-14, timing over all days", measures=tuple(measures))


def _compared(shipped: Groups, others: Mapping[str, Groups]) -> Suite:
    """The engine minus each, paired by persona: an interval around 0 is a tie."""
    measures = []
    for label, groups in others.items():
        for what, metric, span in (("timing F1", m.timing_f1, _ALL), ("said", m.said_score, _LATE)):
            gap = m.difference(m.estimate(shipped, metric, span), m.estimate(groups, metric, span))
            measures.append(_from(gap, f"minus {label}: {what}", len(shipped)))
    return Suite(name="gain", about="the engine minus another, paired by persona", measures=tuple(measures))


class _AlwaysYes(EnginePolicy):
    def rated(self, at: object, topic: str, answer: Answer, reason: Reason, *, spoken: bool) -> None:
        EnginePolicy.rated(self, at, topic, "useful", "", spoken=spoken)  # type: ignore[arg-type]  # a datetime


class _AlwaysNo(EnginePolicy):
    def rated(self, at: object, topic: str, answer: Answer, reason: Reason, *, spoken: bool) -> None:
        EnginePolicy.rated(self, at, topic, "not", "", spoken=spoken)  # type: ignore[arg-type]  # a datetime


def _abuse(personas: Sequence[Persona], world: World, told: Told) -> Suite:
    """P5. Windows that move by three hours without a word; users who answer without reading; a rule against ratings;
    clocks that change."""
    kept = list[tuple[Life, ...]]()

    def run(name: str, world: World, makes: MakesPolicy) -> Groups:
        found = _run(personas, 1, told, name, world, makes)
        kept.extend(found)
        return found

    rule = Rule(kind="not_before", said="not before ten", at=START, start=time(10))
    ruled = run("a rule against ratings", world, functools.partial(_AlwaysYes, parts=Parts(rules=(rule,))))
    early = sum(one.hour % 24 < 10 for lives in ruled for life in lives for one in life.said)
    unrated = run("nobody rates", replace(world, rate=0.0), EnginePolicy)
    yes = run("always yes", replace(world, rate=1.0), _AlwaysYes)
    no = run("always no", replace(world, rate=1.0), _AlwaysNo)
    here, there = (
        run(f"clocks of {zone}", replace(world, days=42, zone=zone), functools.partial(EnginePolicy, zone=zone))
        for zone in _ZONES
    )
    drift = _drift(run, world)
    broken = sum(m.violations(each, _ALL) or 0 for each in kept)
    measures = (
        *drift,
        Measure(name="messages against a stated rule", value=early, of=len(personas), bar=0, better="less"),
        _measure("nobody rates: timing F1", unrated, m.timing_f1, _ALL),
        _measure("always yes: messages", yes, m.messages, _FOURTH, 3.0, "less"),
        _measure("always no: messages", no, m.messages, _FOURTH),
        _measure("clocks that stay: timing F1, two weeks", here, m.timing_f1, _CHANGED),
        _measure("clocks that change: the same", there, m.timing_f1, _CHANGED),
        Measure(name="quiet hours and budget broken", value=broken, of=len(kept), bar=0, better="less"),
    )
    return Suite(name="P5", about="drift, abuse, clocks that change", measures=measures)


def _drift(run: Callable[[str, World, MakesPolicy], Groups], world: World) -> tuple[Measure, ...]:
    """Windows move on day 14. Asked whether they fit, some users state others, some say nothing."""
    moves = replace(world, shift=3.0, rate=0.4)
    found = {
        replies: run(f"windows move, {words}", replace(moves, replies=replies), EnginePolicy)
        for replies, words in _REPLIES
    }
    still = run("windows stay", replace(world, rate=0.4), EnginePolicy)
    seldom = run("windows move, a fifth rated", replace(moves, rate=world.rate), EnginePolicy)
    free = run("windows move, none stated", replace(moves, states_windows=False), EnginePolicy)
    measures = [_measure("windows move 3 h: timing F1 before", found["hours"], m.timing_f1, _FORTNIGHT)]
    for replies, words in _REPLIES:
        measures.append(_measure(f"{words}: third week", found[replies], m.timing_f1, _THIRD))
        measures.append(_measure(f"{words}: fourth week", found[replies], m.timing_f1, _FOURTH))
    return (
        *measures,
        _measure("hours stated anew, a fifth rated: fourth week", seldom, m.timing_f1, _FOURTH),
        _measure("asked within two weeks", found["hours"], m.asked, m.Span(first=14)),
        _measure("asked within two weeks, a fifth rated", seldom, m.asked, m.Span(first=14)),
        _measure("asked in four weeks although they fit", still, m.asked, _ALL),
        _measure("none stated: before", free, m.timing_f1, _FORTNIGHT),
        _measure("none stated: fourth week", free, m.timing_f1, _FOURTH),
    )
