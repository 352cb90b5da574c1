"""The simulation itself: who lives in it, that the same seed is the same life, that knowing everything is best."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import DataUnreadable
from assistant.evaluation.proactive import measuring as m
from assistant.evaluation.proactive.engine import EnginePolicy
from assistant.evaluation.proactive.living import live
from assistant.evaluation.proactive.personas import TOPICS, own_personas, read_personas
from assistant.evaluation.proactive.rivals import AlwaysSilent, AlwaysSpeak, Oracle, StatedRules
from assistant.evaluation.proactive.words import read_rules
from assistant.evaluation.proactive.world import Replies, World, moment

WORLD = World(days=4)
ALL = m.Span()


def test_there_are_32_personas_who_want_two_or_three_a_day() -> None:
    people = own_personas()
    assert [one.id for one in people] == list(range(1, 33))
    assert all(len(one.liked) == 3 and one.liked <= set(TOPICS) for one in people)
    assert all(one.wake <= start < stop <= one.sleep for one in people for start, stop in one.windows)
    assert 2 <= sum(one.most for one in people) / 32 <= 3


def test_the_same_seed_is_the_same_life() -> None:
    persona = own_personas()[3]
    assert live(persona, WORLD, EnginePolicy, 1) == live(persona, WORLD, EnginePolicy, 1)
    assert live(persona, WORLD, EnginePolicy, 1).said != live(persona, WORLD, EnginePolicy, 2).said


def test_the_oracle_is_best_and_speaking_always_worst() -> None:
    people = own_personas()[:4]
    oracle, always, silent, rules = (
        tuple((live(one, WORLD, policy, 1),) for one in people)
        for policy in (Oracle, AlwaysSpeak, AlwaysSilent, StatedRules)
    )
    assert m.estimate(oracle, m.timing_f1, ALL).mean > 0.95
    assert m.estimate(always, m.timing_f1, ALL).mean < 0.05
    assert m.estimate(silent, m.messages, ALL).mean == 0
    assert m.estimate(silent, m.good, ALL).by_persona == (None,) * 4
    score = m.estimate(oracle, m.all_steps, ALL).mean
    assert score > m.estimate(rules, m.all_steps, ALL).mean > m.estimate(always, m.all_steps, ALL).mean


def test_the_engine_keeps_to_what_is_stated() -> None:
    people = own_personas()[:3]
    lives = tuple((live(one, replace(WORLD, rate=1.0), EnginePolicy, 1),) for one in people)
    assert sum(m.violations(each, ALL) or 0 for each in lives) == 0
    assert (m.estimate(lives, m.messages, ALL).mean or 0) <= 3


def test_an_interval_holds_its_mean_and_a_difference_is_paired() -> None:
    people = own_personas()[:6]
    lives = tuple((live(one, WORLD, StatedRules, 1),) for one in people)
    found = m.estimate(lives, m.messages, ALL)
    assert found.low <= found.mean <= found.high
    nothing = m.difference(found, found)
    assert (nothing.low, nothing.mean, nothing.high) == (0, 0, 0)


def test_personas_of_propersim_are_read_with_rules_or_from_their_words(tmp_path: Path) -> None:
    criteria = {
        "Timing": "I prefer suggestions in the late morning or early evening. I avoid them at night.",
        "Frequency": "I like two to three suggestions a day, every 3 to 4 hours.",
    }
    (tmp_path / "personas_x.json").write_text(json.dumps({"4": {"criteria": criteria}, "2": {"criteria": criteria}}))
    rules = {"wake": 6, "sleep": 22, "windows": [[9, 10.5]], "max_per_day": 2, "min_gap_h": 4}
    (tmp_path / "rules_x.json").write_text(json.dumps({"2": rules}))
    second, fourth = read_personas(tmp_path)
    assert (second.id, second.windows, second.most, second.gap) == (2, ((9.0, 10.5),), 2, 4.0)
    assert (fourth.id, fourth.windows, fourth.most, fourth.gap) == (4, ((10.0, 12.0), (17.0, 19.0)), 3, 3.0)
    assert read_rules("", "")["max_per_day"] == 3


@pytest.mark.parametrize("text", ["[]", "{", '{"one": {}}'])
def test_what_is_no_file_of_propersim_is_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "personas.json"
    path.write_text(text)
    with pytest.raises(DataUnreadable):
        read_personas(path)


def test_windows_that_moved_are_asked_about_and_stated_anew() -> None:
    persona = own_personas()[5]
    world = World(days=24, rate=1.0, shift=3.0, shift_on=7)
    later = m.Span(first=17)
    replies: tuple[Replies, ...] = ("hours", "never")
    asked, unanswered = (live(persona, replace(world, replies=each), EnginePolicy, 1) for each in replies)
    assert [day >= 7 for day in asked.asked[:1]] == [True]
    assert len(unanswered.asked) == 1  # once
    assert (m.timing_f1([asked], later) or 0) > (m.timing_f1([unanswered], later) or 0)


def test_hours_are_those_of_the_clock_on_the_wall_also_when_it_changes() -> None:
    assert moment(26, 9.5, "Europe/Berlin").hour == 8
    assert moment(27, 9.5, "Europe/Berlin").hour == 7  # 29 March 2026


def test_exact_predictions_err_by_chance_alone_and_less_on_more_messages() -> None:
    people = own_personas()[:2]
    few, many = (
        tuple(tuple(live(one, WORLD, EnginePolicy, seed) for seed in range(seeds)) for one in people)
        for seeds in (1, 6)
    )
    assert 0 < m.calibration_floor(many, ALL) < m.calibration_floor(few, ALL) < 1
    low, high = m.calibration_interval(many, ALL)
    assert low <= m.calibration(many, ALL)[0] <= high
