"""What is believed about a user nobody has met: the shipped prior of the time model and of topics. Tables."""

from typing import Final

from assistant.policies.proactive.features import SIZE
from memory.suggestions import Settings, TopicPosterior

# One row a feature: mean and standard deviation of its weight, in the order of features.NAMES. The means are a logistic
# regression over moments of the 16 own personas with even numbers, half of them with stated windows
# (docs/evaluation.md); that of "usual" is two thirds of it, since people are less regular. The deviations are chosen.
WEIGHTS: Final = (
    (-3.6, 0.60),  # bias
    (1.45, 0.50),  # inside a stated window
    (1.9, 0.60),  # depth: 45 minutes from its edges
    (0.5, 0.70),  # around 7
    (2.2, 0.70),
    (2.3, 0.70),
    (1.6, 0.70),
    (1.8, 0.70),
    (1.35, 0.70),  # around 22
    (1.7, 0.50),  # an hour after the quiet hours
    (0.9, 0.50),  # three hours before them
    (-2.1, 0.60),  # busy
    (2.0, 0.50),  # usually there at this time of day
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
