"""What is believed about a user nobody has met: the shipped prior of the time model and of topics. Tables."""

from typing import Final

from assistant.policies.proactive.features import SIZE
from memory.suggestions import Settings, TopicPosterior

# One row a feature: mean and standard deviation of its weight, in the order of features.NAMES. The means of bias,
# window, hours and busy are a logistic regression over moments of the 16 own personas with even numbers, half of them
# with stated windows (docs/evaluation.md); the others are 0, since nothing is known. The deviations are chosen.
WEIGHTS: Final = (
    (-2.0, 0.60),  # bias
    (0.9, 0.50),  # inside a stated window
    (2.3, 0.60),  # depth: 45 minutes from its edges
    (0.0, 0.70),  # around 7
    (1.6, 0.70),
    (1.2, 0.70),
    (0.9, 0.70),
    (1.4, 0.70),
    (0.6, 0.70),  # around 22
    (0.0, 0.30),  # weekend
    (0.0, 0.30),  # the program was opened
    (0.0, 0.30),  # back from a pause
    (0.0, 0.30),  # an answer was read
    (0.0, 0.30),  # idle
    (0.0, 0.30),  # session
    (-2.2, 0.60),  # busy
    (0.0, 0.30),  # gap
    (0.0, 0.30),  # dosage
    (0.0, 0.30),  # today
    (0.0, 0.20),  # sign of the last answer
)
assert len(WEIGHTS) == SIZE

MEAN: Final = tuple(mean for mean, _ in WEIGHTS)
COVARIANCE: Final = tuple(
    tuple(deviation**2 if row == column else 0.0 for column in range(SIZE))
    for row, (_, deviation) in enumerate(WEIGHTS)
)
TOPIC: Final = (1.3, 0.9)  # Beta counts of a topic nobody has said anything about
LIKED: Final = (6.0, 1.0)  # of one the user named as welcome


def topic_prior(topic: str, settings: Settings) -> TopicPosterior:
    alpha, beta = LIKED if topic in settings.topics else TOPIC
    return TopicPosterior(topic=topic, alpha=alpha, beta=beta)
