"""What the user's answers teach: the price of a kind of question, and how far a stated belief can be trusted.

Only the price moves, within limits, and never a hard gate. Beliefs are scaled by Platt's method (Platt 1999, with his
smoothed targets) once there are labels enough; a new model begins again, since its mistakes are its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal, assert_never

from assistant.policies.asking.value import PRICE_LIMITS

Reaction = Literal[
    "stop_asking",  # the user said so, or pressed "not needed"
    "dismissed",  # closed unread
    "needless",  # the answer was what would have been done anyway
    "changed_plan",  # the answer changed what was done
    "should_have_asked",
]
LEAST_LABELS = 30
RIDGE = 1.0  # pulls the scale to 1 and the shift to 0 while labels are few
ROUNDS = 25


def next_log_price(log_price: float, reaction: Reaction) -> float:
    """The natural logarithm of the price after this reaction; it begins at 0."""
    match reaction:
        case "stop_asking":
            step = 0.5
        case "needless":
            step = 0.15
        case "dismissed":
            step = 0.05
        case "changed_plan":
            step = -0.05
        case "should_have_asked":
            step = -0.35
        case _:
            assert_never(reaction)
    low, high = PRICE_LIMITS
    return min(max(log_price + step, log(low)), log(high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A belief that was acted on or asked about, and whether it turned out right."""

    belief: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """belief -> sigmoid(scale * logit(belief) + shift)."""

    scale: float = 1.0
    shift: float = 0.0
    labels: int = 0

    def apply(self, belief: float) -> float:
        return _sigmoid(self.scale * _logit(belief) + self.shift)


def calibrate(labels: Sequence[Label]) -> Calibration:
    """Newton's method on the penalised log loss; the identity under LEAST_LABELS labels."""
    if len(labels) < LEAST_LABELS:
        return Calibration(labels=len(labels))
    right = sum(label.right for label in labels)
    high, low = (right + 1) / (right + 2), 1 / (len(labels) - right + 2)
    points = [(_logit(label.belief), high if label.right else low) for label in labels]
    scale, shift = 1.0, 0.0
    for _ in range(ROUNDS):
        step_scale, step_shift = _newton(points, scale, shift)
        scale, shift = max(scale - step_scale, 0.0), shift - step_shift
    return Calibration(scale=scale, shift=shift, labels=len(labels))


def _newton(points: Sequence[tuple[float, float]], scale: float, shift: float) -> tuple[float, float]:
    gradient_scale, gradient_shift = RIDGE * (scale - 1), RIDGE * shift
    second_scale = second_shift = RIDGE
    mixed = 0.0
    for x, target in points:
        p = _sigmoid(scale * x + shift)
        error, weight = p - target, p * (1 - p)
        gradient_scale += error * x
        gradient_shift += error
        second_scale += weight * x * x
        second_shift += weight
        mixed += weight * x
    determinant = second_scale * second_shift - mixed * mixed
    return (
        (second_shift * gradient_scale - mixed * gradient_shift) / determinant,
        (second_scale * gradient_shift - mixed * gradient_scale) / determinant,
    )


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))


def _logit(p: float) -> float:
    bounded = min(max(p, 1e-3), 1 - 1e-3)
    return log(bounded / (1 - bounded))
