"""What an answer to a question could be remembered as, so that it is assumed and told next time (pure).

Only offered, and kept by the user's own words: one answer is no habit.
"""

import json
import re
from typing import Final

from assistant.policies.asking.answers import fills_of, said_plainly
from assistant.policies.cleaning import clean_line
from assistant.policies.sensitivity import holds_a_secret
from assistant.policies.when.parse import parse
from assistant.policies.when.types import NoTime, Options, Understood
from memory.decisions import Decision

LASTING: Final = ("place",)  # arguments that tend to be the same again; a time or a text is said anew
WHOLE: Final = "answer"  # an argument that takes place and time in one answer
LONGEST: Final = 60
MOST_WORDS: Final = 4
_NAME: Final = re.compile(r"(?:the )?[A-Z]")
_LEADING: Final = re.compile(r"^(?:at|in|to) ", re.IGNORECASE)


def habit_of(decision: Decision) -> str:
    """ "our usual place for the table is Bella"; "" where nothing about it tends to last."""
    asked = decision.asked
    if asked.kind != "clarify" or asked.call is None or asked.effect not in ("undoable", "soft"):
        return ""
    option = next((one for one in asked.options if one.key == decision.answer), None)
    said = fills_of(asked.argument, option.label if option is not None else decision.answer)
    values = json.loads(asked.call.arguments)
    if asked.argument == WHOLE and option is None and "place" in values and not values["place"]:
        said = {"place": _place_in(decision)}
    for name in LASTING:
        value = clean_line(said.get(name, ""), LONGEST)
        if value and len(said.get(name, "")) <= LONGEST and not holds_a_secret(value):
            what = clean_line(str(values.get("what") or ""), LONGEST)
            return f"our usual {name}{f' for {_the(what)}' if what else ''} is {value}"
    return ""


def _place_in(decision: Decision) -> str:
    """ "Bella" of "Bella on Friday at 7"; "" where it is nothing like a name."""
    outcome = parse(decision.answer, Options(now=decision.created_at, zone="UTC"))
    rest = outcome.title if isinstance(outcome, Understood | NoTime) else ""
    place = _LEADING.sub("", rest).strip(" ,.;!")
    named = 0 < len(place.split()) <= MOST_WORDS and _NAME.match(place) is not None
    return place if named and said_plainly(place) else ""


def _the(what: str) -> str:
    first = what.split(" ")[0].lower()
    return what if first in ("the", "a", "an", "my", "our", "your") else f"the {what}"
