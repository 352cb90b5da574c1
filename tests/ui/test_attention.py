"""What is known of the user: typing, reading, away, back."""

from datetime import timedelta

from tests.support.clock import MONDAY
from ui.attention import AWAY, READING, TYPING, WRITING, Attention

SECOND = timedelta(seconds=1)


def breakpoint_at(attention: Attention, seconds: float, *, generating: bool = False, writing: bool = False) -> str:
    at = MONDAY + seconds * SECOND
    return attention.presence(at, generating=generating, writing=writing).breakpoint


def test_the_start_is_used_once() -> None:
    attention = Attention(MONDAY)
    assert [breakpoint_at(attention, second) for second in (1, 2)] == ["start", "clock"]


def test_a_moment_waits_until_the_user_is_free() -> None:
    attention = Attention(MONDAY)
    attention.typed(MONDAY)
    assert breakpoint_at(attention, 1) == "clock"
    assert breakpoint_at(attention, 10, generating=True) == "clock"
    assert breakpoint_at(attention, TYPING.total_seconds() + 1) == "start"


def test_coming_back_and_reading_an_answer_are_moments() -> None:
    attention = Attention(MONDAY)
    breakpoint_at(attention, 0)
    back = AWAY.total_seconds() + 1
    attention.typed(MONDAY + back * SECOND)
    assert breakpoint_at(attention, back + 60, writing=True) == "clock"
    assert breakpoint_at(attention, back + WRITING.total_seconds() + 1, writing=True) == "return"
    attention.answered(MONDAY + (back + 200) * SECOND)
    assert attention.presence(MONDAY + (back + 201) * SECOND, generating=False, writing=False).generating
    assert breakpoint_at(attention, back + 201 + READING.total_seconds()) == "read"
    attention.ended()
    assert breakpoint_at(attention, back + 400) == "end"
