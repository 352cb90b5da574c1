"""What the user says about being asked: "stop asking so much", "you should have asked" (pure).

Only whole sentences about asking are read so; anything else in the message and it is an ordinary message. They move
the price of a question and nothing else.
"""

import re

from assistant.policies.asking.learning import Reaction

_POLITE = r"(?:(?:please|ok|okay|hey|steward|just|and|but|no|oh|ugh|well)[,!.]?|(?:can|could|would|will) you) "
_LESS = (
    r"(?:stop|quit) (?:always )?(?:asking|questioning)(?: me)?(?: (?:so|that|too) (?:much|many|often))?"
    r"(?: (?:so many |all the(?:se|m)? |these |silly |stupid |needless )?"
    r"(?:questions?|things?|everything|all the time))?",
    r"(?:do not|don'?t|never) ask (?:me )?(?:so (?:much|many|often)|too much|that (?:much|often)|"
    r"(?:so many|these|such|any more|more) (?:\w+ )?questions|about everything|every time|all the time|again)",
    r"ask (?:me )?(?:less|fewer questions|less often)",
    r"you ask (?:me )?(?:too (?:much|many|often)|so many)(?: questions)?",
    r"(?:that|this) (?:question )?(?:was|is) (?:not|n'?t) (?:needed|necessary)|"
    r"(?:that|this) (?:question )?(?:wasn'?t|isn'?t) (?:needed|necessary)",
    r"(?:too many|enough) questions|no more questions",
    r"you (?:did not|didn'?t) (?:need|have) to ask(?: (?:me )?(?:that|this))?",
)
_MORE = (
    r"you should(?: have|'?ve) asked(?: me)?(?: (?:first|before(?: \w+){0,4}|about (?:that|this|it)))?",
    r"(?:next time|in (?:the )?future),? (?:please )?(?:ask|check with)(?: me)?(?: (?:first|before(?: \w+){0,4}))?",
    r"why (?:did you not|didn'?t you|did not you) ask(?: me)?(?: first| before(?: \w+){0,4})?",
    r"ask (?:me )?(?:more|more often|more questions|first|before (?:you|doing)(?: \w+){0,4})(?: next time)?",
    r"(?:always )?ask (?:me )?before(?: you)? (?:act|acting|do(?:ing)? (?:that|this|it|such things|anything))",
    r"i (?:would have|would'?ve|'?d have) (?:liked|wanted|preferred) to be asked(?: first)?",
)
_LEAVE = r"(?:,? (?:please|ok|okay|thanks|thank you|next time|any ?more|from now on))*[.!?\s]*"
LONGEST = 120  # characters; more than that is about more than asking


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{_POLITE})*(?:{pattern}){_LEAVE}$", re.IGNORECASE)


_STOP = tuple(map(_whole, _LESS))
_SHOULD = tuple(map(_whole, _MORE))


def about_asking(text: str) -> Reaction | None:
    """The reaction that a message as a whole is; None for every other message."""
    said = " ".join(text.replace("\u2019", "'").split())
    if len(said) > LONGEST:
        return None
    if any(pattern.match(said) for pattern in _STOP):
        return "stop_asking"
    if any(pattern.match(said) for pattern in _SHOULD):
        return "should_have_asked"
    return None
