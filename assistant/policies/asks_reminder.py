"""Whether a message is a wish to be reminded, and not a question that begins alike (pure).

"Remind me to call mum at six" and "set a reminder for ..." are; "remind me what we said" and "can you remind me of the
plot" ask for an answer.
"""

import re

MOST_LETTERS = 300  # longer texts tell more than a reminder

_POLITE = r"(?:please|hey|ok|okay|hi|steward|and|also|can you|could you|would you|will you|you should)[,!]?"
_WISH = re.compile(
    rf"^\s*(?:{_POLITE}\s+)*"
    r"(?:(?P<remind>remind me|reminder)\b\s*:?|"
    r"(?:set|create|add|make)\s+(?:me\s+)?(?:a|another)\s+reminder\b|"
    r"(?:don'?t|do not) let me forget\b)"
    r"\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:again\s+)?(?:what|who|whom|whose|why|how|which|where|whether|if|when)\b",
    re.IGNORECASE,
)


def asks_for_reminder(text: str) -> bool:
    """Whether it can only be that, as long as it also names a time."""
    found = _WISH.match(text) if len(text) <= MOST_LETTERS and "\n" not in text.strip() else None
    return found is not None and bool(found["rest"].strip()) and not _QUESTION.match(found["rest"].strip())


def names_a_deed(text: str) -> bool:
    """Whether it says what to do ("remind me to ...", "don't let me forget ..."), so that a time is worth asking for.
    "Remind me of ..." alone may want to be told."""
    found = _WISH.match(text)
    if found is None:
        return False
    return found["remind"] is None or re.match(r"to\s+\w", found["rest"], re.IGNORECASE) is not None
