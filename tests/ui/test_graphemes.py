"""Written characters: what Backspace takes away at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import graphemes

WHOLE = [
    "a",
    "é",
    "e\u0301",  # e and a combining accent
    "👨\u200d👩\u200d👧\u200d👦",  # a family of four, joined
    "👍🏽",  # with a skin tone
    "❤\ufe0f",  # with a variation selector
    "1\ufe0f\u20e3",  # a keycap
    "🇩🇪",  # a flag
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # a flag made of tags
    "\u1112\u1161\u11ab",  # one syllable of Hangul in three jamo
    "한",
    "नि",  # Devanagari with a vowel sign
    "ก็",  # Thai with a mark above
]


@pytest.mark.parametrize("character", WHOLE, ids=[ascii(character) for character in WHOLE])
def test_each_is_one_step_in_both_directions(character: str) -> None:
    text = f"x{character}y"
    end = 1 + len(character)
    assert graphemes.before(text, end) == 1
    assert graphemes.after(text, 1) == end


def test_flags_in_a_row_are_taken_one_by_one() -> None:
    text = "🇩🇪🇫🇷🇯🇵"
    steps = []
    at = len(text)
    while at:
        at = graphemes.before(text, at)
        steps.append(at)
    assert steps == [4, 2, 0]
    assert graphemes.after(text, 0) == 2


@given(st.lists(st.sampled_from(WHOLE), min_size=1, max_size=20))
def test_steps_reach_both_ends_through_the_same_places(characters: list[str]) -> None:
    text = "".join(characters)
    forward, at = [0], 0
    while at < len(text):
        at = graphemes.after(text, at)
        forward.append(at)
    backward, at = [len(text)], len(text)
    while at > 0:
        at = graphemes.before(text, at)
        backward.append(at)
    assert forward[-1] == len(text)
    assert backward[-1] == 0
    assert forward == backward[::-1]


@given(st.text(), st.integers(0, 50))
def test_every_step_moves(text: str, at: int) -> None:
    if at < len(text):
        assert graphemes.after(text, at) > at
    if 0 < at <= len(text):
        assert graphemes.before(text, at) < at
