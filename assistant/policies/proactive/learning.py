"""What a rating teaches, and only about the factor it names. Pure.

The time model is a Bayesian logistic regression with Gaussian weights, updated one rating at a time by assumed density
filtering (Spiegelhalter and Lauritzen 1990): p = sigmoid(m.x); c = w p (1-p); S -= c (Sx)(Sx)' / (1 + c x'Sx);
m += w (y-p) S x. Predictions integrate over the weights by MacKay's approximation. Topics are Beta counts. To be
ignored teaches nothing about time or content.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assistant.policies.proactive.prior import COVARIANCE, MEAN, TOPIC, topic_prior
from memory.suggestions import Answer, Factors, Posteriors, Reason, Settings, TopicPosterior

Matrix = tuple[tuple[float, ...], ...]
ACTED = 0.5  # of an explicit rating
DISMISSED = 0.5
FADE = 0.99  # a day: how much of what was learned stays; the rest goes back to the prior
FEWER_FOR = timedelta(days=3)
GAP_GROWS = 1.15
GAP_GROWS_TO = 2.0
BINS = 10
_NEGLIGIBLE = 0.02  # of a feature, for the spread
RATED_BEFORE_DYNAMIC = 30
CALIBRATED = 0.08


def sigmoid(value: float) -> float:
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)


def weights(learned: Posteriors) -> tuple[tuple[float, ...], Matrix]:
    """Mean and covariance; the shipped prior where nothing was learned, or for another vector than today's."""
    return (learned.mean, learned.covariance) if len(learned.mean) == len(MEAN) else (MEAN, COVARIANCE)


def predict(learned: Posteriors, x: Sequence[float]) -> float:
    """The probability that the moment is welcome."""
    mean, covariance = weights(learned)
    spread = sum(value * _dot(row, x) for value, row in zip(x, covariance, strict=True) if abs(value) > _NEGLIGIBLE)
    return sigmoid(_dot(mean, x) / math.sqrt(1 + math.pi * spread / 8))


def updated(learned: Posteriors, x: Sequence[float], y: float, weight: float) -> Posteriors:
    """After one observation of the moment `x`: y = 1 welcome, 0 unwelcome."""
    mean, covariance = weights(learned)
    p = sigmoid(_dot(mean, x))
    c = weight * p * (1 - p)
    sx = tuple(_dot(row, x) for row in covariance)
    shrink = c / (1 + c * _dot(x, sx))
    after = tuple(
        tuple(value - shrink * left * right for value, right in zip(row, sx, strict=True))
        for row, left in zip(covariance, sx, strict=True)
    )
    step = weight * (y - p)
    moved = tuple(old + step * _dot(row, x) for old, row in zip(mean, after, strict=True))
    return replace(learned, mean=moved, covariance=after)


def topic_of(learned: Posteriors, topic: str, settings: Settings) -> TopicPosterior:
    found = next((one for one in learned.topics if one.topic == topic), None)
    return found or topic_prior(topic, settings)


def learn(
    learned: Posteriors,
    *,
    answer: Answer,
    reason: Reason,
    topic: str,
    x: Sequence[float],
    factors: Factors | None,
    settings: Settings,
    at: datetime,
) -> Posteriors:
    """After one answer. `x` and `factors` are those of the decision that led to the suggestion; x is empty for what was
    not spoken: it says nothing about moments."""
    learned = faded(learned, at)
    explicit = answer in ("useful", "not")
    if explicit and factors is not None:
        learned = _tallied(replace(learned, rated=learned.rated + 1), factors.acceptance, answer == "useful")
    about = topic_of(learned, topic, settings)
    timed, y, good, bad = _credit(answer, reason, factors, about.mean)
    if timed and len(x) == len(MEAN):
        learned = updated(learned, x, y, timed)
    if good or bad or (explicit and reason in ("", "topic")):
        about = replace(
            about,
            alpha=about.alpha + good,
            beta=about.beta + bad,
            good=about.good + (answer == "useful"),
            rated=about.rated + explicit,
        )
        learned = replace(learned, topics=(*(one for one in learned.topics if one.topic != topic), about))
    if reason == "often" and answer == "not":
        learned = _fewer(learned, at)
    if reason == "style" and answer == "not":
        learned = replace(learned, style_complaints=learned.style_complaints + 1)
    return learned


def _credit(answer: Answer, reason: Reason, factors: Factors | None, topic_mean: float) -> tuple[float, ...]:
    """(weight of the time observation, what it was, good and bad counts of the topic)."""
    match answer, reason:
        case ("useful", _):
            return 1.0, 1.0, 1.0, 0.0
        case ("acted", _):
            return ACTED, 1.0, ACTED, 0.0
        case ("not", "time"):
            return 1.0, 0.0, 0.0, 0.0
        case ("not", "topic"):
            return 0.5, 1.0, 0.0, 1.0
        case ("not", "often" | "style"):
            return 0.0, 0.0, 0.0, 0.0
        case ("not" | "dismissed", _):
            share = _share_of_time(factors, topic_mean)
            weight = 1.0 if answer == "not" else DISMISSED
            return weight * share, 0.0, 0.0, weight * (1 - share)
        case ("snooze", _):
            return 0.5, 0.0, 0.0, 0.0
        case _:
            return 0.0, 0.0, 0.0, 0.0


def _share_of_time(factors: Factors | None, topic_mean: float) -> float:
    """How far the moment is to blame, where the user named nothing."""
    if factors is None:
        return 0.0
    late, dull = 1 - factors.time_fit, 1 - topic_mean
    return late / (late + dull) if late + dull > 0 else 0.5


def _fewer(learned: Posteriors, at: datetime) -> Posteriors:
    """ "Too often": a longer gap, one message a day less for three days; said again within a week, for good."""
    again = learned.fewer_until is not None and at < learned.fewer_until - FEWER_FOR + timedelta(days=7)
    return replace(
        learned,
        gap_factor=min(GAP_GROWS_TO, learned.gap_factor * GAP_GROWS),
        fewer_by=1,
        fewer_until=at + FEWER_FOR,
        fewer_for_good=learned.fewer_for_good + again,
    )


def faded(learned: Posteriors, at: datetime) -> Posteriors:
    """Evidence ages by 1 % a whole day, towards the prior, so that a user who changed is followed."""
    if learned.drifted_at is None:
        return replace(learned, drifted_at=at)
    days = int((at - learned.drifted_at) / timedelta(days=1))
    if days <= 0:
        return learned
    keep = FADE**days
    learned = replace(learned, drifted_at=learned.drifted_at + timedelta(days=days))
    if len(learned.mean) == len(MEAN):
        mean = tuple(keep * old + (1 - keep) * prior for old, prior in zip(learned.mean, MEAN, strict=True))
        covariance = tuple(
            tuple(keep * old + (1 - keep) * prior for old, prior in zip(row, first, strict=True))
            for row, first in zip(learned.covariance, COVARIANCE, strict=True)
        )
        learned = replace(learned, mean=mean, covariance=covariance)
    alpha, beta = TOPIC
    topics = (
        replace(one, alpha=keep * one.alpha + (1 - keep) * alpha, beta=keep * one.beta + (1 - keep) * beta)
        for one in learned.topics
    )
    return replace(learned, topics=tuple(topics))


def _tallied(learned: Posteriors, predicted: float, welcome: bool) -> Posteriors:
    tallies = list(learned.tallies or ((0.0, 0.0, 0.0),) * BINS)
    place = min(BINS - 1, int(predicted * BINS))
    count, total, good = tallies[place]
    tallies[place] = (count + 1, total + predicted, good + welcome)
    return replace(learned, tallies=tuple(tallies))


def calibration_error(tallies: Iterable[tuple[float, float, float]]) -> float:
    """Expected calibration error of ten equal bins, 0..1; 1 where nothing was rated."""
    rows = [row for row in tallies if row[0]]
    count = sum(row[0] for row in rows)
    return sum(abs(total - good) for _, total, good in rows) / count if count else 1.0


def is_calibrated(learned: Posteriors) -> bool:
    """Whether the dynamic threshold may be trusted: uncalibrated it is worse than a fixed one (PRISM, 2602.01532)."""
    return learned.rated >= RATED_BEFORE_DYNAMIC and calibration_error(learned.tallies) <= CALIBRATED


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(map(float.__mul__, left, right))
