"""Which items are shown beside a question: few, in force, in scope, explained; or none."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain_exemplars import EXEMPLARS
from memory.preferences import DOMAINS, Domain, Preference, Scope, Status
from memory.rank import MOST_ITEMS, Nominee, Question, rank
from memory.routing import PHRASES, Router, route_by_words
from memory.words import stems_of
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate, an_item
from tests.support.which_applies import cases, measure, small_talk

FOOD: dict[Domain, float] = {"food": 0.9, "other": 0.02, "travel": 0.08}


def a_preference(
    statement: str = "I hate coriander", slot: str = "food.taste", object: str = "coriander", message: int = 1
) -> Preference:
    return an_item(a_candidate(statement, slot, object, message=message)).preference


def ask(text: str = "What should I cook?", route: dict[Domain, float] | None = None, *scopes: Scope) -> Question:
    return Question(text=text, route=FOOD if route is None else route, at=MONDAY + timedelta(days=1), scopes=scopes)


def shown(nominees: Sequence[Nominee], question: Question) -> list[str]:
    return [one.preference.statement for one in rank(nominees, question)]


def test_what_is_close_in_meaning_and_domain_comes_first() -> None:
    near = Nominee(preference=a_preference("I hate coriander"), cosine=0.5)
    same_domain = Nominee(preference=a_preference("I like olives", object="olives", message=2), cosine=0.2)
    elsewhere = Nominee(preference=a_preference("I like jazz", "music.taste", "jazz", 3), cosine=0.1)
    assert shown([elsewhere, same_domain, near], ask()) == ["I hate coriander", "I like olives"]


def test_the_weights_say_what_each_part_adds() -> None:
    (one,) = rank([Nominee(preference=a_preference(), cosine=0.5, bm25=4.0)], ask())
    assert one.score == pytest.approx(sum(part.value for part in one.parts))
    value = {part.name: part.value for part in one.parts}
    assert value["meaning"] == pytest.approx(0.275)
    assert value["domain"] == pytest.approx(0.27)
    assert value["words"] == pytest.approx(0.075)
    assert "close in meaning" in one.reason
    assert "food" in one.reason


def test_nothing_applies_is_an_answer() -> None:
    fruits = [a_preference(f"I like fruit {n}", object=f"fruit {n}", message=n + 1) for n in range(9)]
    far = [Nominee(preference=fruit, cosine=0.0) for fruit in fruits]
    assert rank(far, ask("Why is the sky blue?", {"other": 0.9, "food": 0.1})) == ()
    assert rank([], ask()) == ()


def test_small_talk_needs_more() -> None:
    weak = [Nominee(preference=a_preference(), cosine=0.3)]
    assert shown(weak, ask("hm", {"food": 0.4, "travel": 0.6})) == ["I hate coriander"]
    assert shown(weak, ask("hm", {"food": 0.4, "other": 0.6})) == []


@pytest.mark.parametrize("status", ["candidate", "disputed", "superseded", "retracted", "expired"])
def test_only_what_is_in_force_is_shown(status: Status) -> None:
    assert shown([Nominee(preference=replace(a_preference(), status=status), cosine=1.0)], ask()) == []


def test_what_is_over_or_has_not_begun_is_not_shown() -> None:
    over = replace(a_preference(), valid_to=MONDAY)
    early = replace(a_preference(), valid_from=MONDAY + timedelta(days=7))
    assert shown([Nominee(preference=one, cosine=1.0) for one in (over, early)], ask()) == []


def test_a_scope_that_is_not_here_hides_and_one_that_is_helps() -> None:
    thesis = Scope(type="project", value="thesis")
    scoped = Nominee(preference=replace(a_preference(), scope=thesis), cosine=0.4)
    assert shown([scoped], ask()) == []
    assert shown([scoped], ask("x", None, thesis)) == ["I hate coriander"]
    in_food = Nominee(preference=replace(a_preference(), scope=Scope(type="domain", value="food")), cosine=0.4)
    assert shown([in_food], ask()) == ["I hate coriander"]
    assert shown([in_food], ask("x", {"travel": 1.0})) == []


def test_the_narrower_of_two_values_wins() -> None:
    thesis = Scope(type="project", value="thesis")
    short = a_preference("short answers", "reply_style.length", "short")
    long = replace(a_preference("long answers", "reply_style.length", "long", 2), scope=thesis)
    maths = replace(a_preference("with proof", "reply_style.length", "proof", 3), condition="maths")
    question = ask("a maths problem", {"reply_style": 1.0}, thesis)
    assert shown([Nominee(preference=one, cosine=0.5) for one in (short, long)], question) == ["long answers"]
    assert shown([Nominee(preference=one, cosine=0.5) for one in (short, maths)], question) == ["with proof"]


def test_a_condition_that_is_not_met_counts_against_it() -> None:
    conditional = Nominee(preference=replace(a_preference(), condition="when I have guests"), cosine=0.3)
    assert shown([conditional], ask("dinner for two guests")) == ["I hate coriander"]
    assert shown([replace(conditional, cosine=0.0)], ask("dinner for me")) == []


nominees = st.lists(
    st.builds(
        lambda n, cosine, bm25, strength, days: Nominee(
            preference=replace(
                a_preference(f"likes {n}", object=f"thing {n}", message=n % 40 + 1),
                strength=strength,
                last_reinforced_at=MONDAY - timedelta(days=days),
            ),
            cosine=cosine,
            bm25=bm25,
        ),
        st.integers(0, 500),
        st.none() | st.floats(-1, 1),
        st.floats(0, 50),
        st.sampled_from((1, 2, 3, 4)),
        st.integers(-10, 3_000),
    ),
    max_size=20,
    unique_by=lambda nominee: nominee.preference.id,
)


@given(nominees, st.sampled_from(DOMAINS), st.floats(0, 1))
def test_few_best_first_in_any_order_of_the_nominees(found: list[Nominee], domain: Domain, share: float) -> None:
    question = ask("what now", {domain: share})
    ranked = rank(found, question)
    assert len(ranked) <= MOST_ITEMS
    assert all(0 <= one.score <= 1 for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert all(one.reason for one in ranked)
    random.Random(1).shuffle(found)
    assert rank(found, question) == ranked


# --- routing -------------------------------------------------------------------------------------------------


def test_every_domain_that_needs_a_route_has_one() -> None:
    assert set(EXEMPLARS) == set(DOMAINS) - {"reply_style", "identity"}
    assert all(len(questions) >= 14 for questions in EXEMPLARS.values())
    assert len(set(PHRASES)) == len(PHRASES)


@pytest.mark.parametrize(
    ("question", "domain"),
    [
        ("Which restaurant should we try on Friday?", "food"),
        ("A hotel near the beach", "lodging"),
        ("Which laptop and monitor?", "technology"),
        ("Fix the bug in my Python code", "programming"),
    ],
)
def test_words_alone_route(question: str, domain: Domain) -> None:
    route = route_by_words(question)
    assert max(route, key=lambda name: route[name]) == domain
    assert sum(route.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("question", ["qwertz zuiop", "", "你好", "\x00\ud800"])
def test_unknown_words_route_nowhere_and_hide_nothing(question: str) -> None:
    assert route_by_words(question) == {}
    assert shown([Nominee(preference=a_preference(), bm25=5.0)], ask(question, {})) == ["I hate coriander"]


def test_without_a_vector_words_and_domain_decide() -> None:
    waiting = Nominee(preference=a_preference(), bm25=5.0)
    assert shown([waiting], ask("coriander?", {"other": 0.1, "food": 0.2})) == ["I hate coriander"]
    assert shown([replace(waiting, cosine=0.0)], ask("coriander?", {"other": 0.1, "food": 0.2})) == []


def test_meaning_routes_to_the_domain_of_the_nearest_exemplars() -> None:
    embedder = HashingEmbedder()
    router = Router(vectors=embedder.embed(PHRASES))
    route = router.route(embedder.embed(["which hotel should I book"])[0])
    assert max(route, key=lambda name: route[name]) == "lodging"
    assert sum(route.values()) == pytest.approx(1.0)
    assert router.route(embedder.embed([""])[0]) == {"other": 1.0}


# --- our own sets --------------------------------------------------------------------------------------------


def by_words(question: str, store: Sequence[Preference]) -> list[Preference]:
    """Without an embedder: bm25 of our own, and the route by words."""
    asked = stems_of(question)
    found = []
    for preference in store:
        shared = asked & stems_of(preference.statement)
        found.append(Nominee(preference=preference, bm25=3.0 * len(shared)))
    question_ = Question(text=question, route=route_by_words(question), at=MONDAY)
    return [one.preference for one in rank(found, question_)]


def test_the_sets_are_large_and_do_not_overlap() -> None:
    seen, held_out = cases("which_applies"), cases("which_applies_held_out")
    assert (len(seen), len(held_out), len(small_talk())) == (124, 70, 40)
    assert not {case.question for case in seen} & {case.question for case in held_out}
    assert not {case.question.lower() for case in (*seen, *held_out)} & set(PHRASES)


def test_words_alone_still_find_half_of_what_applies() -> None:
    """The way down when there is no embedder. With one: `python -m tests.benchmarks.memory`."""
    found = measure(cases("which_applies_held_out"), cases("which_applies"), 40, by_words)
    assert found.at_5 >= 0.5
    assert found.shown <= 4


def test_small_talk_shows_little() -> None:
    store = [case.preference for case in cases("which_applies_held_out")][:40]
    counts = [len(by_words(question, store)) for question in small_talk()]
    assert sum(counts) / len(counts) <= 1.0
