"""What a statement is about: the object as a noun, its slot, its condition. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.policies.language import Language, Rule

_EDGES = " \t.,;:!?…\"'“”‘’()[]"
_HEAD = re.compile(r"^(.*?) (?:of|for|in|on|with|at|from|about|by|called|named|that|who) .*$")
LONGEST_OBJECT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    object: str
    slot: str
    condition: str = ""


def tidy_object(text: str, language: Language) -> tuple[str, str]:
    """The object without what trails behind it, and the condition under which it holds ("at work")."""
    patterns = language.patterns
    text = patterns["objects.end"].sub("", text).strip(_EDGES)
    condition = ""
    for _ in range(3):
        found = patterns["objects.condition"].search(text.lower())
        if found and found.start() > 0:
            condition = condition or text[found.start("condition") : found.end("condition")].strip(_EDGES)
            text = text[: found.start()].strip(_EDGES)
        trailed = patterns["objects.trailing"].search(f" {text.lower()}")
        if trailed:
            text = text[: max(trailed.start() - 1, 0)].strip(_EDGES)
    return text, condition


def parts_of(text: str, language: Language) -> tuple[str, ...]:
    """A list as its parts ("olives, anchovies and capers"); fixed pairs stay whole."""
    lower = text.lower()
    if any(pair in lower for pair in language.joined):
        return (text,)
    parts: list[str] = []
    begin = 0
    for match in language.patterns["objects.separator"].finditer(lower):
        parts.append(text[begin : match.start()])
        begin = match.end()
    parts.append(text[begin:])
    parts = [part.strip(_EDGES) for part in parts]
    fit = all(part and len(part.split()) <= 4 for part in parts)
    return tuple(parts) if fit and len(parts) > 1 else (text,)


def is_worth_keeping(text: str, language: Language) -> bool:
    """No pronoun, nothing that only this conversation knows ("the second paragraph")."""
    lower = text.lower().replace("’", "'")
    if not text or len(text) > LONGEST_OBJECT or not any(character.isalnum() for character in text):
        return False
    if language.patterns["objects.skip"].match(lower):
        return False
    definite = language.patterns["objects.definite"].match(lower)
    return definite is None or lower.startswith(("my ", "our ")) or slot_of(text, language) is not None


def without_article(text: str, language: Language) -> str:
    match = language.patterns["objects.articles"].match(text.lower())
    rest = text[match.end() :] if match else text
    return rest or text


def slot_of(text: str, language: Language, among: frozenset[str] | None = None) -> str | None:
    """The slot whose words the object holds: its head noun first ("window seats on planes": seats), then the longest.
    With `among`, only the head noun counts, and only these slots."""
    words = re.findall(r"[\w+#'.-]*[\w+#]", text.lower().replace("’", "'"))
    head_text = _HEAD.match(" ".join(words))
    heads = head_text[1].split() if head_text else words
    known = _endings(heads, language) if among is not None else (*_endings(heads, language), *_spans(words, language))
    for phrase in known:
        found = language.lexicon.get(phrase) or language.lexicon.get(_singular(phrase))
        if found and (among is None or found in among):
            return found
    return None


def slot_for(rule: Rule, verb: str, text: str, language: Language) -> str | None:
    """The slot of a rule for this object; None when the rule asks for a known object and it is not."""
    if rule.slot.startswith("!"):
        group = rule.slot[1:]
        among = language.groups.get(group)
        return slot_of(text, language, among if among is not None else frozenset((group,)))
    if not rule.slot.startswith("?"):
        return rule.slot
    return slot_of(text, language) or rule.habits.get(verb) or rule.slot[1:]


def _endings(words: list[str], language: Language) -> Iterator[str]:
    for size in range(min(len(words), language.longest), 0, -1):
        yield " ".join(words[-size:])


def _spans(words: list[str], language: Language) -> Iterator[str]:
    for size in range(min(len(words), language.longest), 0, -1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


def _singular(phrase: str) -> str:
    return phrase[:-1] if phrase.endswith("s") else phrase + "s"
