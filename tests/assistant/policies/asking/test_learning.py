"""Prices stay within limits, and beliefs are scaled only when there are labels enough."""

from math import exp

from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.learning import LEAST_LABELS, Label, Reaction, calibrate, next_log_price
from assistant.policies.asking.value import PRICE_LIMITS

REACTIONS: tuple[Reaction, ...] = ("stop_asking", "dismissed", "needless", "changed_plan", "should_have_asked")


@given(st.lists(st.sampled_from(REACTIONS), max_size=60))
def test_a_price_stays_within_its_limits(reactions: list[Reaction]) -> None:
    log_price = 0.0
    for reaction in reactions:
        log_price = next_log_price(log_price, reaction)
        assert PRICE_LIMITS[0] - 1e-9 <= exp(log_price) <= PRICE_LIMITS[1] + 1e-9


def test_needless_questions_grow_dearer_and_missed_ones_cheaper() -> None:
    assert next_log_price(0, "needless") > 0 > next_log_price(0, "should_have_asked")
    assert next_log_price(0, "stop_asking") > next_log_price(0, "needless") > next_log_price(0, "dismissed")


def test_few_labels_change_nothing() -> None:
    calibration = calibrate([Label(belief=0.9, right=False)] * (LEAST_LABELS - 1))
    assert abs(calibration.apply(0.9) - 0.9) < 1e-9


def test_an_overconfident_model_is_believed_less() -> None:
    labels = [Label(belief=0.95, right=number % 2 == 0) for number in range(60)]
    labels += [Label(belief=0.6, right=number % 3 == 0) for number in range(60)]
    calibration = calibrate(labels)
    assert abs(calibration.apply(0.95) - 0.5) < 0.1
    assert calibration.apply(0.6) < 0.45


@given(st.lists(st.builds(Label, belief=st.floats(0, 1), right=st.booleans()), min_size=LEAST_LABELS, max_size=80))
def test_a_calibration_keeps_the_order_of_beliefs(labels: list[Label]) -> None:
    calibration = calibrate(labels)
    shown = [calibration.apply(number / 10) for number in range(11)]
    assert shown == sorted(shown)
    assert all(0 <= belief <= 1 for belief in shown)
