"""Which factor a decision to speak hung on. Pure: for "why now", and for the test that the explanation is true."""

from dataclasses import replace
from typing import Literal

from assistant.policies.proactive.decide import cost_of
from memory.suggestions import Factors

Counterfactual = Literal["", "need", "topic", "time"]


def would_speak(factors: Factors) -> bool:
    """Whether these factors, taken as they are, lead to speaking (policies/proactive/decide.py)."""
    others = max(factors.wait, factors.inbox)
    return factors.acceptance >= factors.threshold and factors.speak > 0 and factors.speak >= others


def without(factors: Factors, what: Counterfactual) -> Factors:
    """As if the user were indifferent about this: a probability of one half becomes of it, unless it is below."""
    time, topic, need = factors.time_fit, factors.topic_mean, factors.need
    match what:
        case "time":
            time = min(time, 0.5)
        case "topic":
            topic = min(topic, 0.5)
        case "need":
            need = min(need, 0.5)
        case "":
            pass
    acceptance, cost = time * topic, cost_of(factors.dosage)
    scale = need / factors.need if factors.need else 1.0
    before, after = factors.acceptance, acceptance
    gain = (factors.speak + cost * (1 - before)) / before if before else 0.0
    speak = after * gain * scale - (1 - after) * cost
    inbox = factors.inbox * (topic / factors.topic_mean if factors.topic_mean else 1.0) * scale
    return replace(factors, time_fit=time, topic_mean=topic, need=need, acceptance=acceptance, speak=speak, inbox=inbox)


def counterfactual(factors: Factors) -> Counterfactual:
    """The factor without which it would not have been said; "" where no single one decides."""
    if not would_speak(factors):
        return ""
    changed: list[tuple[float, Counterfactual]] = []
    options: tuple[Counterfactual, ...] = ("time", "topic", "need")
    for what in options:
        other = without(factors, what)
        if not would_speak(other):
            changed.append((other.speak, what))
    return min(changed)[1] if changed else ""
