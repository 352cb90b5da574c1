"""Food that an answer may not suggest: what the user avoids, is allergic to, or what their diet rules out. Pure.

A small model forgets "vegetarian" on the way to the chicken. Words can be checked; whether a dish is good cannot.
"""

import re
from collections.abc import Iterable

from assistant.policies.language import Language
from assistant.policies.style import Mention, Rule
from memory.keys import SAME_THING, object_key
from memory.preferences import Preference

_CHECKED = ("food.taste", "food.allergy", "food.drink")
LONGEST = 3  # words of an object that can be looked for


def shun_rules(preferences: Iterable[Preference], question: str, language: Language) -> tuple[Rule, ...]:
    """A rule for each item that applies; none for what the user asks about by name."""
    asked = question.lower()
    rules = []
    for one in preferences:
        words = _words(one, language)
        if not words or one.condition or one.scope.type == "person":
            continue
        if any(re.search(rf"\b{re.escape(word)}\b", asked) for word in words):
            continue
        named = one.object if one.polarity == -1 else f"meat or anything else that is not {one.object}"
        if one.polarity == 1 and one.object.lower() in ("eats fish", "pescatarian", "pescetarian"):
            named = "meat or poultry"
        rules.append(
            Rule(
                slot=one.slot,
                object=one.object,
                polarity=one.polarity,
                line=f"Do not use, name or suggest {named}.",
                words=one.statement,
                shuns=Mention(
                    words=_any_of(words),
                    harmless=language.patterns["diets.harmless"],
                    after=language.patterns["diets.after"],
                ),
            )
        )
    return tuple(rules)


def _words(preference: Preference, language: Language) -> tuple[str, ...]:
    if preference.slot == "food.diet" and preference.polarity == 1:
        return language.shunned.get(preference.object.lower(), ())
    if preference.slot not in _CHECKED or preference.polarity != -1:
        return ()
    name = preference.object.lower().strip()
    if not name or len(name.split()) > LONGEST:
        return ()
    key = object_key(name, language.code)
    others = [word for word, same in SAME_THING.items() if same == key]
    return tuple(dict.fromkeys((name, key, *others)))


def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"\b(?:{names})(?:s|es)?\b", re.IGNORECASE)
