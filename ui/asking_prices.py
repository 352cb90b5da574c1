"""What questions cost the user, as it was learned, in words. Hard gates are no part of it: no price opens them."""

from collections.abc import Mapping
from math import exp
from typing import Any

from assistant.policies.asking.learning import Reaction
from assistant.policies.asking.value import PRICE_LIMITS
from assistant.policies.cleaning import clean_line
from memory.effects import QuestionPrice

GATES = "What reaches others, cannot be taken back, or is about money, health or law still waits for your word."
_ORDINARY = 0.05  # a logarithm this near to 0 is the ordinary price


def price_lines(prices: Mapping[str, QuestionPrice]) -> tuple[str, ...]:
    """One line a kind of question, the dearest first."""
    found = sorted(prices.values(), key=lambda price: (-price.log_price, price.kind))
    if not found:
        return ("Every question has its ordinary price: nothing was learned yet.", GATES)
    return (*map(price_line, found), GATES)


def price_line(price: QuestionPrice) -> str:
    kind = clean_line(price.kind, 80) or "every other question"
    asked = f"asked {price.asked}, needless {price.needless}, useful {price.useful}"
    return f"{kind}: x{exp(price.log_price):.2f}, {_meaning(price)} ({asked})"


def _meaning(price: QuestionPrice) -> str:
    low, high = PRICE_LIMITS
    if exp(price.log_price) >= high - 0.01:
        return "asked as rarely as can be"
    if exp(price.log_price) <= low + 0.01:
        return "asked as often as can be"
    if abs(price.log_price) < _ORDINARY:
        return "as at the beginning"
    return "asked less often" if price.log_price > 0 else "asked more often"


def moved_words(reaction: Reaction, price: QuestionPrice) -> str:
    """The answer to what the user said about being asked."""
    factor = f"x{exp(price.log_price):.2f}"
    if reaction == "should_have_asked":
        return f"I will ask sooner: a question counts {factor} of its ordinary price now. {_UNDO}"
    return f"I will ask less: a question counts {factor} of its ordinary price now. {GATES} {_UNDO}"


_UNDO = "/decisions prices shows it, /decisions reset puts it back."


def reset_words(many: int) -> str:
    if not many:
        return "There was nothing to put back: every question has its ordinary price."
    return f"Put back: every question has its ordinary price again ({many} had another)."


def price_value(price: QuestionPrice) -> dict[str, Any]:
    """As documented in docs/formats.md."""
    return {
        "kind": price.kind,
        "factor": round(exp(price.log_price), 4),
        "asked": price.asked,
        "needless": price.needless,
        "useful": price.useful,
    }
