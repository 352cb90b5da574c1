"""Update chains of our own: a long life of wishes that are added, changed, taken back and turned round. Pure."""

import random

from assistant.evaluation.merging import Chain, Step
from memory.preferences import Polarity
from memory.slots import slot

SINGLE = {
    "reply_style.language": ("English", "German", "French", "Portuguese"),
    "reply_style.length": ("short", "long"),
    "food.diet": ("vegetarian", "vegan", "pescetarian"),
    "identity.location": ("Porto", "Leeds", "Graz", "Turku"),
    "work.occupation": ("nurse", "baker", "surveyor"),
    "programming.editor": ("vim", "helix", "zed"),
    "transport.seat": ("window", "aisle"),
}
MULTI = {
    "food.taste": ("coriander", "olives", "liver", "fennel", "mango"),
    "music.taste": ("fado", "bebop", "techno", "choral music"),
    "programming.style": ("type hints", "snake case", "docstrings", "tabs"),
    "schedule.meetings": ("early meetings", "video calls", "stand-ups"),
    "learning.subject": ("Portuguese", "statistics", "pottery"),
}


def chains(count: int = 40, *, length: int = 30, seed: int = 7) -> tuple[Chain, ...]:
    """The same for the same seed. What holds is worked out by a few lines of set arithmetic, not by memory."""
    chance = random.Random(seed)
    return tuple(_chain(f"life {number}", length, chance) for number in range(1, count + 1))


def _chain(name: str, length: int, chance: random.Random) -> Chain:
    now: set[tuple[str, str, int]] = set()
    steps: list[Step] = []
    after: list[frozenset[tuple[str, str, int]]] = []
    for _ in range(length):
        step = _over(now, chance) if now and chance.random() < 0.2 else _new(chance)
        now = _then(now, step)
        steps.append(step)
        after.append(frozenset(now))
    return Chain(name=name, steps=tuple(steps), after=tuple(after))


def _new(chance: random.Random) -> Step:
    slots = SINGLE if chance.random() < 0.5 else MULTI
    name = chance.choice(sorted(slots))
    polarity: Polarity = 1 if slots is SINGLE or chance.random() < 0.5 else -1
    return Step(slot=name, object=chance.choice(slots[name]), polarity=polarity)


def _over(now: set[tuple[str, str, int]], chance: random.Random) -> Step:
    name, thing, polarity = chance.choice(sorted(now))
    signs: dict[int, Polarity] = {1: 1, 0: 0, -1: -1}
    return Step(slot=name, object=thing, polarity=signs[polarity], say="over")


def _then(now: set[tuple[str, str, int]], step: Step) -> set[tuple[str, str, int]]:
    said = (step.slot, step.object, step.polarity)
    if step.say == "over":
        return now - {said}
    if slot(step.slot).cardinality == "single":
        return {one for one in now if one[0] != step.slot} | {said}
    return {one for one in now if one[:2] != said[:2]} | {said}
