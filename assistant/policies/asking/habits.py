"""What an answer to a question could be remembered as, so that it is assumed and told next time (pure).

Only offered, and kept by the user's own words: one answer is no habit.
"""

import json
from typing import Final

from assistant.policies.asking.answers import fills_of
from assistant.policies.cleaning import clean_line
from assistant.policies.sensitivity import holds_a_secret
from memory.decisions import Decision

LASTING: Final = ("place",)  # arguments that tend to be the same again; a time or a text is said anew
LONGEST: Final = 60


def habit_of(decision: Decision) -> str:
    """ "our usual place for the table is Bella"; "" where nothing about it tends to last."""
    asked = decision.asked
    if asked.kind != "clarify" or asked.call is None or asked.effect not in ("undoable", "soft"):
        return ""
    option = next((one for one in asked.options if one.key == decision.answer), None)
    said = fills_of(asked.argument, option.label if option is not None else decision.answer)
    values = json.loads(asked.call.arguments)
    for name in LASTING:
        value = clean_line(said.get(name, ""), LONGEST)
        if value and len(said.get(name, "")) <= LONGEST and not holds_a_secret(value):
            what = clean_line(str(values.get("what") or ""), LONGEST)
            return f"our usual {name}{f' for {_the(what)}' if what else ''} is {value}"
    return ""


def _the(what: str) -> str:
    first = what.split(" ")[0].lower()
    return what if first in ("the", "a", "an", "my", "our", "your") else f"the {what}"
