"""Which part of a conversation is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.budget import Cost, Window, fit, reserve_for

costs = st.lists(st.builds(Cost, question=st.integers(1, 400), answer=st.integers(0, 600)), min_size=1, max_size=60)
windows = st.builds(
    Window,
    total=st.integers(256, 4_096),
    system=st.integers(0, 300),
    reserve=st.integers(16, 1_024),
    margin=st.integers(0, 64),
    keep=st.floats(0.1, 0.9),
)


def a_window(total: int = 1_000, *, keep: float = 0.5) -> Window:
    return Window(total=total, system=100, reserve=200, margin=0, keep=keep)


def turns(count: int, question: int = 10, answer: int = 90) -> list[Cost]:
    return [Cost(question=question, answer=answer)] * count


def test_everything_that_fits_is_sent() -> None:
    fitted = fit([*turns(6), Cost(question=10)], a_window())
    assert fitted.kept == (0, 1, 2, 3, 4, 5, 6)
    assert fitted.dropped == ()
    assert fitted.tokens == 100 + 610


def test_the_oldest_leave_in_one_block() -> None:
    fitted = fit([*turns(7), Cost(question=10)], a_window())
    assert fitted.dropped == (0, 1, 2, 3)
    assert fitted.tokens == 100 + 310


def test_the_next_turns_keep_the_same_start() -> None:
    starts = [fit([*turns(count), Cost(question=10)], a_window()).kept[0] for count in range(20)]
    assert starts == [0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 16]


def test_a_long_answer_right_before_the_question_stays() -> None:
    talk = [Cost(question=10, answer=90), Cost(question=20, answer=600), Cost(question=5)]
    assert fit(talk, a_window()).kept == (1, 2)


def test_one_that_was_refused_does_not_push_out_the_rest() -> None:
    fitted = fit([*turns(2), Cost(question=20_000), *turns(1), Cost(question=10)], a_window())
    assert fitted.kept == (0, 1, 3, 4)
    assert fitted.skipped == (2,)


def test_a_question_that_does_not_fit_alone_is_not_sent() -> None:
    fitted = fit([*turns(2), Cost(question=701)], a_window())
    assert fitted.kept == ()
    assert fitted.skipped == (2,)


def test_a_window_smaller_than_the_system_text_sends_nothing() -> None:
    assert fit([Cost(question=1)], Window(total=90, system=100, reserve=20, margin=16, keep=0.5)).kept == ()


def test_there_is_no_prompt_without_a_question() -> None:
    with pytest.raises(ValueError, match="question"):
        fit([], a_window())


@pytest.mark.parametrize(("wish", "total", "reserve"), [(1_024, 8_192, 1_024), (1_024, 2_048, 512), (1_024, 3, 1)])
def test_a_small_window_keeps_a_quarter_for_the_answer(wish: int, total: int, reserve: int) -> None:
    assert reserve_for(wish, total) == reserve


@given(costs, windows)
def test_what_is_sent_and_the_reserve_never_exceed_the_window(costs: list[Cost], window: Window) -> None:
    fitted = fit(costs, window)
    if fitted.kept:
        assert fitted.tokens + window.reserve <= window.total
        sent = sum(costs[index].total for index in fitted.kept[:-1]) + costs[fitted.kept[-1]].question
        assert fitted.tokens == window.system + window.margin + sent


@given(costs, windows)
def test_the_question_is_dropped_only_when_it_cannot_fit_alone(costs: list[Cost], window: Window) -> None:
    fitted = fit(costs, window)
    if costs[-1].question <= window.space:
        assert fitted.kept[-1] == len(costs) - 1
    else:
        assert fitted.kept == ()


@given(costs, windows)
def test_every_exchange_is_sent_or_named(costs: list[Cost], window: Window) -> None:
    fitted = fit(costs, window)
    if fitted.kept:
        assert sorted((*fitted.kept, *fitted.dropped, *fitted.skipped)) == list(range(len(costs)))
        assert [index for index in fitted.dropped if index > fitted.kept[0]] == []


@given(costs, windows)
def test_the_cut_only_moves_forward_and_only_when_the_window_is_full(costs: list[Cost], window: Window) -> None:
    """Between two cuts the start of the prompt is the same from turn to turn."""
    start = 0
    for count in range(1, len(costs) + 1):
        fitted = fit(costs[:count], window)
        if not fitted.kept:
            continue
        now = len(fitted.dropped) and max(fitted.dropped) + 1
        assert now >= start
        before = [index for index in range(start, count - 1) if index not in fitted.skipped]
        if now > start:
            full = sum(costs[index].total for index in before) + costs[count - 1].question
            assert full > window.space
        start = now


@given(st.lists(st.builds(Cost, question=st.integers(1, 10), answer=st.integers(0, 30)), min_size=50, max_size=120))
def test_the_cut_moves_rarely(costs: list[Cost]) -> None:
    """Every cut frees half the space, so cuts are no more often than the space is filled by half."""
    window = a_window()
    starts = {fit(costs[:count], window).kept[0] for count in range(1, len(costs) + 1)}
    filled = sum(cost.total for cost in costs)
    assert len(starts) - 1 <= filled / (window.space * (1 - window.keep) - 40)
