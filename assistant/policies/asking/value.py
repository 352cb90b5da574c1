"""What acting wrongly would cost, what an answer is worth, and what a question costs.

Expected value of information against cost: Rao and Daume, Learning to ask good questions (NAACL 2018); Horvitz,
Principles of mixed-initiative user interfaces (CHI 1999). Entropy is not used: its order of questions is arbitrary
when a wrong act costs more than a wrong guess. The losses are a table in code, never asked of a model.
"""

from collections.abc import Mapping
from math import log2

from assistant.policies.asking.types import Candidate, Moment, OpenGap
from assistant.tools.types import Effect

LOSS: Mapping[Effect, float] = {"read": 0.75, "undoable": 3.0, "soft": 8.0, "external": 40.0, "grave": 100.0}
LOSS_OF_NOT_ACTING = 4.0  # the task fails for want of an argument
ANSWERED, USABLE = 0.85, 0.9  # the user answers; the answer settles it
BASE_COST = 1.0
REPEAT = 0.5  # each earlier question of this kind makes the next dearer by half (SAGE, arXiv 2511.08798)
READING = 0.1  # for each option beyond four, and for each gap beyond the first on a card
AT: Mapping[Moment, float] = {"idle": 1.0, "typing": 3.0, "step_done": 0.7}
PRICE_LIMITS = (0.33, 3.0)
NEVER_SURE = 0.05  # some belief is always left for a call nobody thought of


def loss_of(call: Candidate) -> float:
    """What carrying this out costs if it is not what the user meant."""
    base = LOSS[call.effect]
    match call.effect:
        case "external":
            return base * (1 + log2(1 + call.people))
        case "grave":
            return base + 20 * call.amount
        case _:
            return base


def p_right(candidates: tuple[Candidate, ...], gaps: tuple[OpenGap, ...]) -> float:
    """The belief that the first candidate with the best choice in every gap is what the user meant."""
    if not candidates:
        return 0.0
    p = min(max(candidates[0].share, 0.0), 1 - NEVER_SURE)
    for gap in gaps:
        p *= min(max(gap.best, 0.0), 1.0)
    return p


def expected_loss(call: Candidate, p: float, *, fillable: bool) -> float:
    """Of acting now. An argument without any value cannot be acted on: then the task fails."""
    return (1 - p) * loss_of(call) if fillable else LOSS_OF_NOT_ACTING


def value_of_asking(call: Candidate, share: float, loss_now: float) -> float:
    """Loss that answers take away: what is left is the chance that it is another call altogether."""
    left = (1 - min(share, 1 - NEVER_SURE)) * loss_of(call)
    return ANSWERED * USABLE * max(0.0, loss_now - min(left, loss_now))


def cost_of_asking(
    gaps: tuple[OpenGap, ...], *, asked: Mapping[str, int], prices: Mapping[str, float], kind: str, moment: Moment
) -> float:
    """Of one card with these gaps, for this user now."""
    low, high = PRICE_LIMITS
    price = min(max(prices.get(kind, prices.get("", 1.0)), low), high)
    options = sum(max(0, len(gap.gap.choices) - 4) for gap in gaps)
    length = 1 + READING * (options + max(0, len(gaps) - 1))
    return BASE_COST * price * AT[moment] * (1 + REPEAT * asked.get(kind, 0)) * length
