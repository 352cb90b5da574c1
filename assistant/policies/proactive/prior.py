"""What is believed about a user nobody has met: the shipped prior of the time model and of topics. Tables."""

from typing import Final

from assistant.policies.proactive.features import SIZE
from memory.suggestions import Settings, TopicPosterior

# One row a feature: mean and standard deviation of its weight, in the order of features.NAMES.
WEIGHTS: Final = (
    (-0.30, 0.60),  # bias
    (1.20, 0.60),  # inside a stated window
    (1.60, 0.60),  # depth: 45 minutes from its edges
    (0.20, 0.70),  # around 7
    (0.30, 0.70),
    (0.00, 0.70),
    (0.40, 0.70),
    (0.40, 0.70),
    (-0.80, 0.70),  # around 22
    (0.00, 0.30),  # weekend
    (0.10, 0.30),  # the program was opened
    (0.10, 0.30),  # back from a pause
    (0.10, 0.30),  # an answer was read
    (0.00, 0.30),  # idle
    (0.00, 0.30),  # session
    (-2.50, 0.60),  # busy
    (0.20, 0.30),  # gap
    (-0.20, 0.30),  # dosage
    (-0.10, 0.30),  # today
    (0.00, 0.20),  # sign of the last answer
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
