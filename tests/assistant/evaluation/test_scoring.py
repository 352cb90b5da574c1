"""The arithmetic of the suites, and that each of them can fail."""

from dataclasses import replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.evaluation.chains import chains
from assistant.evaluation.demands import DEMANDS, demands_of, own_users, users_of
from assistant.evaluation.fixtures import never_stored, pairs, small_talk, stated, which_applies
from assistant.evaluation.living import Lived, living
from assistant.evaluation.merging import Chain, Step, merging, updating
from assistant.evaluation.reading import Profile
from assistant.evaluation.recognising import recognising
from assistant.evaluation.results import Measure, Suite, as_lines, as_value
from assistant.evaluation.scoring import any_at, mean, ndcg_at
from assistant.evaluation.turn_search import Bm25, TurnSearch
from tests.support.english import english

RANKS = st.lists(st.integers(0, 20), unique=True, max_size=12)


def test_scores_of_a_ranking() -> None:
    assert any_at("abc", "c", 3) == 1.0
    assert any_at("abc", "c", 2) == 0.0
    assert ndcg_at("abc", "a", 5) == 1.0
    assert ndcg_at("abc", "b", 5) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg_at("abc", "", 5) == 0.0
    assert mean([]) == 0.0


@given(RANKS, st.sets(st.integers(0, 20), max_size=5), st.integers(1, 12))
def test_scores_lie_between_nothing_and_all(ranked: list[int], relevant: set[int], k: int) -> None:
    assert 0.0 <= ndcg_at(ranked, relevant, k) <= 1.0
    assert any_at(ranked, relevant, k) == float(ndcg_at(ranked, relevant, k) > 0)
    assert any_at(ranked, relevant, k) <= any_at(ranked, relevant, k + 1)


class TestResults:
    SUITE = Suite(
        name="one",
        about="something",
        measures=(
            Measure(name="good", value=0.96, of=100, bar=0.95),
            Measure(name="bad", value=1.0, of=10, bar=0.0, better="less"),
            Measure(name="only told", value=3.0, of=4),
            Measure(name="not measured", value=0.0, of=0, bar=1.0),
        ),
        misses=("this one",),
    )

    def test_bars_are_kept_or_missed(self) -> None:
        assert [measure.passed for measure in self.SUITE.measures] == [True, False, None, None]
        assert not self.SUITE.passed
        assert replace(self.SUITE, measures=self.SUITE.measures[:1]).passed

    def test_the_table_lines_up_and_says_what_was_missed(self) -> None:
        lines = as_lines([self.SUITE], misses=True)
        assert "MISSED" in lines[2]
        assert lines[-1] == "one: this one"
        assert len({line.index("ok") if "ok" in line else line.index("MISSED") for line in lines[1:3]}) == 1

    def test_the_json_has_every_number(self) -> None:
        value = as_value([self.SUITE])
        assert value["passed"] is False
        assert [measure["value"] for measure in value["suites"][0]["measures"]] == [0.96, 1.0, 3.0, 0.0]


class TestFixtures:
    def test_they_are_what_the_bars_are_about(self) -> None:
        assert len(pairs()) == 60
        assert len(stated("stated.txt")) == len(stated("stated_second.txt")) == 100
        assert len(never_stored("never_stored.txt")) >= 200
        assert len(which_applies("which_applies_held_out.tsv")) >= 40
        assert len(small_talk()) == 40
        assert not set(small_talk()) & set(small_talk("nothing_applies_seen.txt"))

    def test_recognising_counts_both_ways_of_being_wrong(self) -> None:
        right = recognising(stated("stated.txt")[:5], never_stored("never_stored.txt")[:5], english(), name="x")
        assert [measure.value for measure in right.measures] == [1.0, 0.0]
        turned = tuple(replace(one, sign="-" if one.sign == "+" else "+") for one in stated("stated.txt")[:5])
        wrong = recognising(turned, never_stored("never_stored.txt")[:5], english(), name="x")
        assert wrong.measures[0].value == 0.0
        assert len(wrong.misses) == 5

    def test_a_wrong_merge_is_counted(self) -> None:
        assert merging(pairs()).measures[0].value == 0.0
        wrong = replace(pairs()[0], relation="opposite")
        assert merging([wrong]).measures[0].value == 2.0


class TestChains:
    def test_our_lives_end_exactly_right(self) -> None:
        suite = updating(chains(6))
        assert suite.measures[0].value == 1.0
        assert suite.measures[0].of == 6 * 30

    def test_they_are_the_same_every_time(self) -> None:
        assert chains(3) == chains(3)
        assert chains(3, seed=8) != chains(3)

    def test_a_wrong_set_is_counted(self) -> None:
        step = Step(slot="food.taste", object="olives")
        chain = Chain(name="x", steps=(step,), after=(frozenset(),))
        suite = updating([chain])
        assert suite.measures[0].value == 0.0
        assert "olives" in suite.misses[0]


class TestDemands:
    GOOD: ClassVar = {
        "bullets": "- one\n- two",
        "numbered": "1. one\n2. two",
        "headings": "## One\ntext",
        "three sentences": "One. Two. Three.",
        "summary at the end": "Long text.\nTL;DR: short.",
        "confidence": "It is. I am 80% confident.",
        "blunt": "Use salt.",
        "only what was asked": "Use salt.",
        "next step": "Use salt.\nWould you like a recipe?",
    }
    BAD: ClassVar = {
        "bullets": "one and two",
        "numbered": "- one",
        "headings": "One\ntext",
        "three sentences": "One. Two. Three. Four.",
        "summary at the end": "TL;DR: short.\nLong text.",
        "confidence": "I am sure.",
        "blunt": "Great question! Use salt.",
        "only what was asked": "Use salt. Let me know if you need more.",
        "next step": "Use salt.",
    }

    @pytest.mark.parametrize("name", DEMANDS)
    def test_rules_tell_kept_from_broken(self, name: str) -> None:
        assert DEMANDS[name].holds(self.GOOD[name])
        assert not DEMANDS[name].holds(self.BAD[name])

    def test_one_answer_can_meet_each_of_our_users(self) -> None:
        answers = (
            "- Salt.\nTL;DR: salt",
            "Use salt.",
            "1. Use salt.\nTL;DR: salt",
            "## How\n- Use salt\n\nWould you like more?",
            "I am 80% confident: salt.",
            "- Salt, 80% sure",
        )
        for demands, answer in zip(own_users(), answers, strict=True):
            assert [demand.name for demand in demands if not demand.holds(answer)] == []

    def test_profiles_give_what_a_rule_can_check_and_no_two_that_exclude_each_other(self) -> None:
        profile = Profile(
            persona="",
            preferences=(
                "You prefer the agent responses structured in bullet-point format. Consider ...",
                "You prefer agent responses to be blunt without pleasantries, apologetic language ...",
                "You prefer holistic responses.",
            ),
        )
        assert [demand.name for demand in demands_of(profile)] == ["bullets", "blunt"]
        clash = Profile(
            persona="",
            preferences=(
                "You prefer the agent responses to be no longer than three sentences.",
                "You prefer the agent structured responses that have numbered steps.",
            ),
        )
        assert [demand.name for demand in demands_of(clash)] == ["three sentences"]
        assert len(users_of((profile, clash))) == 1


class TestLiving:
    def test_later_sessions_are_held_against_the_first_and_against_no_memory(self) -> None:
        suite = living([Lived(corrections=(4, 2, 1, 1, 1, 1), broken=(2, 1, 1, 1, 1, 1))], [])
        assert {measure.name: measure.value for measure in suite.measures}["later against first"] == 0.25
        assert suite.passed
        forgetful = Lived(corrections=(2, 2, 2, 2, 2, 2), broken=(1,) * 6)
        worse = living([forgetful], [Lived(corrections=(2, 1, 1, 1, 1, 1), broken=(1,) * 6)])
        assert not worse.passed
        assert {measure.name: measure.value for measure in worse.measures}["more than without memory"] == 1.0
        assert "corrections a session, memory: 2.00 2.00" in worse.misses[0]


class TestTurnSearch:
    TEXTS = ("Ann: I bought a sailing boat", "Bob: What colour?", "Ann: Red, like my bicycle", "Bob: We ate soup today")

    def test_rarer_words_count_more(self) -> None:
        bm25 = Bm25(self.TEXTS)
        scores = bm25.scores("Which colour is the boat of Ann?")
        assert scores.index(max(scores)) in (0, 1)
        assert bm25.scores("nothing here") == [0.0] * 4

    def test_neighbours_help_within_a_session_only(self) -> None:
        found = TurnSearch(self.TEXTS, (1, 1, 1, 2), None).ranked("colour of the boat")
        assert found[:3] == [1, 0, 2]
        assert TurnSearch((), (), None).ranked("anything") == []
