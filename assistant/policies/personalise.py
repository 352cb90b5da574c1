"""What the model is told about the user: a block at the head that stays the same through a conversation, and a few
notes beside the question. Data in the user's own words, never instructions from a document. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.policies.style import Rule
from memory.preferences import Preference

HEAD_TOKENS = 350
BESIDE_TOKENS = 200
MOST_BESIDE = 6

# What a diet rules out: a small model does not draw the conclusion by itself.
_DIETS = {
    "vegetarian": "no meat, no poultry, no fish",
    "vegan": "no meat, no fish, no dairy, no eggs, no honey",
    "pescatarian": "no meat, no poultry; fish is fine",
    "pescetarian": "no meat, no poultry; fish is fine",
    "eats fish": "no meat, no poultry; fish is fine",
    "kosher": "no pork, no shellfish, no meat together with dairy",
    "halal": "no pork, no alcohol",
    "gluten-free": "no wheat, barley or rye",
    "dairy-free": "no milk, butter, cheese or cream",
    "keto": "very few carbohydrates",
}
_LIMIT = 160  # characters of a statement in a prompt
_AGAINST_RULES = re.compile(
    r"\b(?:ignore|disregard|override|bypass|disobey)\b.{0,40}"
    r"\b(?:rules?|instructions?|guidelines?|prompts?|restrictions|safety)\b"
    r"|\b(?:reveal|print|show|repeat|output|change|replace|leak|rewrite) (?:me )?(?:the |your |this )?system prompt\b"
    r"|\byou are now\b|\bdeveloper mode\b|\bjailbreak"
    r"|<\|?[a-z_]+\|?>|\[/?inst\]|^\s*(?:system|assistant)\s*:",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A line of a prompt and the item it comes from."""

    preference: Preference
    line: str


def is_fit_for_prompts(preference: Preference) -> bool:
    """An item that speaks to the model over the user's head stays data in the store and out of every prompt."""
    text = f"{preference.statement}\n{preference.object}\n{preference.condition}"
    return not is_against_rules(text) and preference.sensitivity != "secret"


def is_against_rules(text: str) -> bool:
    """Whether it tells the model to leave its rules, or plays another part of the conversation."""
    return _AGAINST_RULES.search(text) is not None


def note(preference: Preference) -> Note:
    """One line that says what to do with it, and the user's words; who it is about when that is not the user."""
    words = " ".join(preference.statement.split())[:_LIMIT]
    who = f" (this is about the user's {preference.scope.value})" if preference.scope.type == "person" else ""
    when = f" {preference.condition}" if preference.condition else ""
    return Note(preference=preference, line=f'- {_meaning(preference)}{when}: "{words}"{who}')


def _meaning(preference: Preference) -> str:
    about = preference.object or "this"
    if preference.slot == "food.diet" and preference.polarity == 1:
        rules_out = _DIETS.get(preference.object.lower().replace(" ", "-"), _DIETS.get(preference.object.lower(), ""))
        return f"Diet {about} ({rules_out})" if rules_out else f"Diet {about}"
    match preference.polarity:
        case -1:
            return f"NEVER {about}" if preference.strength >= 3 else f"AVOID {about}"
        case 1:
            return f"LIKES {about}" if preference.kind == "preference" else f"Wants {about}"
        case _:
            return "Fact"


def head_text(notes: Sequence[Note], rules: Sequence[Rule]) -> str:
    """The block at the head; "" when there is nothing to say."""
    parts = []
    if notes:
        parts.append("Notes about the user, in their own words:\n" + "\n".join(one.line for one in notes))
    if rules:
        parts.append("The user wants every answer like this:\n" + "\n".join(f"- {rule.line}" for rule in _once(rules)))
    return "\n\n".join(parts)


def beside_text(
    notes: Sequence[Note], rules: Sequence[Rule], *, repeat: Sequence[Rule] = (), again: bool = False
) -> str:
    """The notes beside the question. `repeat`: a wish that was just broken comes last. `again`: the answer before is
    wanted in another form; a small model would only say "all right"."""
    parts = []
    if again:
        parts.append("Give your last answer again, whole, with this change.")
    if notes:
        lines = "\n".join(one.line for one in notes)
        parts.append(f"Notes about me that matter here; follow them, do not repeat them:\n{lines}")
    last = tuple(_once(rule for rule in repeat))
    wished = [rule.line for rule in _once(rules) if rule.line not in {one.line for one in last}]
    if wished:
        parts.append(" ".join(wished))
    if last:
        parts.append("Important: " + " ".join(rule.line for rule in last))
    return "\n\n(" + "\n".join(parts) + ")" if parts else ""


def most_that_fit(costs: Sequence[int], limit: int) -> int:
    """How many of the leading entries fit into `limit` together."""
    total = 0
    for index, cost in enumerate(costs):
        total += cost
        if total > limit:
            return index
    return len(costs)


def _once(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Each line once, in order."""
    return tuple({rule.line: rule for rule in rules}.values())
