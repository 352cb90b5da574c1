"""Options compared fairly: scored in code from their attributes, never from their order or what a seller claims.

The user's weights are beliefs. Where better knowledge of them would pay for a question, or the best options tie and
differ in something nobody weighed, the difference is the user's to weigh (Morae, arXiv 2508.21456, pauses there).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import log

from assistant.tools.types import Choice

SAMPLES = 400
WITHIN = 0.02  # utilities closer than this are a tie
UNKNOWN_WEIGHT = 1.0  # the Dirichlet share of an attribute nothing is known about
DECISION_WORTH = 10.0  # annoyance units from the worst option to the best
SHOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`order` best first by expected utility. `tied`: ids that share the first place. `differs`: the attribute whose
    weight would settle it, "" when nothing would. `regret`: what choosing now is expected to lose, 0 to 1."""

    order: tuple[str, ...]
    utilities: tuple[float, ...]
    tied: tuple[str, ...]
    differs: str
    regret: float

    @property
    def settled(self) -> bool:
        return not self.differs and len(self.tied) == 1


def compare(options: Sequence[Choice], weights: Mapping[str, float], *, price: float = 1.0) -> Comparison:
    """`weights`: by attribute name, how much the user is known to care, 0 and up (a stated wish is 10 or so); an
    attribute that is not in it is unknown. `price`: what a question costs this user now. Raises ValueError without
    options. The same for every order of `options`."""
    if not options:
        raise ValueError("nothing to compare")
    ordered = sorted(options, key=lambda option: option.id)
    names = _ranked_attributes(ordered)
    if not names:
        return _unranked(ordered)
    scores = [[_score(ordered, option, name) for name in names] for option in ordered]
    alphas = [weights.get(name, UNKNOWN_WEIGHT) or 1e-3 for name in names]
    total = sum(alphas)
    mean = [sum(a / total * s for a, s in zip(alphas, row, strict=True)) for row in scores]
    regret = _regret(scores, alphas, mean)
    best = max(mean)
    stated = [index for index, name in enumerate(names) if name in weights]
    tied = _tied(ordered, scores, alphas, stated, mean)
    differs = ""
    if len(tied) > 1 or (regret * DECISION_WORTH > price and len(ordered) > 1):
        rivals = [index for index, option in enumerate(ordered) if option.id in tied or mean[index] >= best - 0.2]
        differs = _difference(ordered, rivals, names, scores, weights)
    ranks = sorted(range(len(ordered)), key=lambda index: (-mean[index], ordered[index].id))
    return Comparison(
        order=tuple(ordered[index].id for index in ranks),
        utilities=tuple(mean[index] for index in ranks),
        tied=tied if differs else (ordered[ranks[0]].id,),
        differs=differs,
        regret=regret,
    )


def shuffled(options: Sequence[Choice], seed: str) -> tuple[Choice, ...]:
    """An order that depends on the seed and the ids alone: stable within one decision, and nobody's advantage."""
    return tuple(sorted(options, key=lambda option: blake2b(f"{seed}\0{option.id}".encode(), digest_size=8).digest()))


def _ranked_attributes(options: Sequence[Choice]) -> list[str]:
    """Attributes that every option has, that can be ranked and that differ."""
    names: list[str] = []
    for attribute in options[0].attributes:
        found = [_number(option, attribute.name) for option in options]
        if attribute.better and None not in found and len(set(found)) > 1:
            names.append(attribute.name)
    return names


def _number(option: Choice, name: str) -> float | None:
    return next((attribute.number for attribute in option.attributes if attribute.name == name), None)


def _score(options: Sequence[Choice], option: Choice, name: str) -> float:
    """0 for the worst of these options, 1 for the best."""
    numbers = [_number(other, name) or 0.0 for other in options]
    low, high = min(numbers), max(numbers)
    place = ((_number(option, name) or 0.0) - low) / (high - low)
    better = next(attribute.better for attribute in option.attributes if attribute.name == name)
    return place if better == "high" else 1 - place


def _regret(scores: Sequence[Sequence[float]], alphas: Sequence[float], mean: Sequence[float]) -> float:
    """E[best option for the true weights] - best expected option, weights from a Dirichlet of `alphas`; the sample is
    the same every time (Halton points), so the policy stays a function."""
    best_for_each = 0.0
    for number in range(1, SAMPLES + 1):
        draws = [_gamma(alpha, _halton(number, _PRIMES[place % 12])) for place, alpha in enumerate(alphas)]
        total = sum(draws) or 1.0
        best_for_each += max(sum(d / total * s for d, s in zip(draws, row, strict=True)) for row in scores)
    return max(0.0, best_for_each / SAMPLES - max(mean))


_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _halton(number: int, base: int) -> float:
    part, value = 1.0, 0.0
    while number:
        part /= base
        value += part * (number % base)
        number //= base
    return value


def _gamma(shape: float, uniform: float) -> float:
    """The quantile of a gamma variable by Wilson and Hilferty's cube; for a shape of 1 exactly the exponential's."""
    if shape == 1.0:
        return -log(1 - uniform)
    deviate = _normal(uniform)
    cube = 1 - 1 / (9 * shape) + deviate / (3 * shape**0.5)
    return shape * float(max(cube, 0.0) ** 3)


def _normal(uniform: float) -> float:
    """The standard normal quantile by the logistic's, within 0.1 in the middle; enough for a weight."""
    bounded = min(max(uniform, 1e-4), 1 - 1e-4)
    return log(bounded / (1 - bounded)) / 1.702


def _tied(
    options: Sequence[Choice],
    scores: Sequence[Sequence[float]],
    alphas: Sequence[float],
    stated: Sequence[int],
    mean: Sequence[float],
) -> tuple[str, ...]:
    """Options within WITHIN of the best on what the user is known to weigh; on everything where nothing is known."""
    if not stated:
        best = max(mean)
        return tuple(option.id for option, value in zip(options, mean, strict=True) if value >= best - WITHIN)
    total = sum(alphas[index] for index in stated)
    known = [sum(alphas[index] / total * row[index] for index in stated) for row in scores]
    best = max(known)
    return tuple(option.id for option, value in zip(options, known, strict=True) if value >= best - WITHIN)


def _difference(
    options: Sequence[Choice],
    rivals: Sequence[int],
    names: Sequence[str],
    scores: Sequence[Sequence[float]],
    weights: Mapping[str, float],
) -> str:
    """The attribute without a known weight in which the rivals differ most; also one that cannot be ranked. Where one
    rival is as good as the others in all that can be ranked, only what cannot be ranked is left to the user."""
    if _dominates(rivals, names, scores):
        return _unweighed(options, rivals, {**weights, **dict.fromkeys(names, 1.0)})
    spread = {
        name: max(scores[index][place] for index in rivals) - min(scores[index][place] for index in rivals)
        for place, name in enumerate(names)
        if name not in weights
    }
    widest = max(spread, key=lambda name: (spread[name], name), default="")
    if widest and spread[widest] > 0:
        return widest
    return _unweighed(options, rivals, weights)


def _dominates(rivals: Sequence[int], names: Sequence[str], scores: Sequence[Sequence[float]]) -> bool:
    best = [max(scores[index][place] for index in rivals) for place in range(len(names))]
    return len(rivals) > 1 and any(scores[index] == best for index in rivals)


def _unweighed(options: Sequence[Choice], rivals: Sequence[int], weights: Mapping[str, float]) -> str:
    for attribute in options[0].attributes:
        values = {
            next((other.value for other in options[index].attributes if other.name == attribute.name), "")
            for index in rivals
        }
        if len(values) > 1 and attribute.name not in weights:
            return attribute.name
    return ""


def _unranked(options: Sequence[Choice]) -> Comparison:
    """Nothing can be ranked: one option is settled, several are the user's."""
    ids = tuple(option.id for option in options)
    differs = _unweighed(options, range(len(options)), {}) if len(options) > 1 else ""
    return Comparison(order=ids, utilities=tuple(0.0 for _ in ids), tied=ids, differs=differs, regret=0.0)
