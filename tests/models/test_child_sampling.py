from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.child.repetition import EVERY, LEAST_TOKENS, repeats
from models.child.sampling import Logits, Sampler
from models.protocol import SamplingFrame

SCORES: Logits = np.array([0.0, 3.0, 2.0, 1.0, -5.0], np.float32)


def sampler(**changes: Any) -> Sampler:
    values: dict[str, Any] = {
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "max_tokens": 1,
        "seed": 3,
    }
    return Sampler(SamplingFrame(**values | changes))


def drawn(times: int = 500, **changes: Any) -> Counter[int]:
    source = sampler(**changes)
    return Counter(source.pick(SCORES) for _ in range(times))


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_no_temperature_takes_the_best(temperature: float) -> None:
    assert set(drawn(20, temperature=temperature)) == {1}


def test_frequencies_follow_the_scores() -> None:
    exact = np.exp(SCORES) / np.exp(SCORES).sum()
    found = drawn(4_000)
    assert all(abs(found[token] / 4_000 - exact[token]) < 0.03 for token in range(5))


def test_temperature_flattens() -> None:
    assert drawn(temperature=3.0)[1] < drawn(temperature=1.0)[1] < drawn(temperature=0.3)[1]


def test_top_k_top_p_and_min_p_keep_the_best() -> None:
    assert set(drawn(top_k=2)) == {1, 2}
    assert set(drawn(top_p=0.5)) == {1}
    assert set(drawn(top_p=0.8)) == {1, 2}
    assert set(drawn(min_p=0.2)) == {1, 2}
    assert set(drawn(min_p=0.999)) == {1}


def test_a_seed_repeats_the_draws() -> None:
    def row(seed: int | None) -> list[int]:
        source = sampler(seed=seed)
        return [source.pick(SCORES) for _ in range(50)]

    assert row(5) == row(5)
    assert row(5) != row(6)
    assert row(None) != row(None)


def test_the_penalty_hits_what_was_said_and_leaves_the_scores() -> None:
    before = SCORES.copy()
    greedy = sampler(temperature=0.0, repeat_penalty=2.0)
    assert greedy.pick(SCORES, [1, 4]) == 2
    assert greedy.pick(SCORES, []) == 1
    assert (before == SCORES).all()


def test_forbidden_tokens_are_never_drawn() -> None:
    masked = SCORES.copy()
    masked[[1, 2]] = -np.inf
    for settings in ({}, {"top_k": 4}, {"min_p": 0.01}, {"temperature": 0.0}):
        source = sampler(**settings)
        assert not {source.pick(masked) for _ in range(200)} & {1, 2}


@given(
    st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=30),
    st.floats(-1, 3),
    st.floats(0.01, 1),
    st.integers(0, 40),
    st.floats(0, 1),
)
def test_any_settings_draw_a_token_that_exists(
    scores: list[float], temperature: float, top_p: float, top_k: int, min_p: float
) -> None:
    source = sampler(temperature=temperature, top_p=top_p, top_k=top_k, min_p=min_p)
    assert 0 <= source.pick(np.array(scores, np.float32), [0]) < len(scores)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.lists(st.integers(0, 9), max_size=40))
def test_endless_repetition_is_seen(piece: list[int], before: list[int]) -> None:
    said = before + piece * (4 * LEAST_TOKENS // len(piece) + 5)
    assert repeats(said[: len(said) // EVERY * EVERY])


def test_what_may_be_meant_is_let_through() -> None:
    counting = [digit for number in range(400) for digit in (7, number // 100, number // 10 % 10, number % 10)]
    assert not any(repeats(counting[:size]) for size in range(0, 1_600, EVERY))
    assert not repeats([5] * (LEAST_TOKENS - EVERY))
    assert not repeats(list(range(100)) * 3 + [0] * 4)
