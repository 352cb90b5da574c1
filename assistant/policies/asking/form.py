"""Does a message ask for something to be done, by the form of its sentence? (pure)

An imperative is a wish, a sentence about something is not, and a question wants an answer: known without a model, and
better than a small model knows it. What is neither is for the model to tell. English; other languages come out unclear.
"""

import re
from typing import Final, Literal

Form = Literal[
    "wish",  # asks for an act
    "question",  # asks for words
    "telling",  # tells something, or forbids it
    "unclear",
]

_GREETING: Final = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|now|well|then|and|also|great|thanks|thank you|steward|right|yes)\b[,!. ]*)+",
    re.IGNORECASE,
)
_ACTS: Final = (
    "accept|add|answer|append|approve|archive|arrange|attach|backup|book|buy|call|cancel|change|clear|close|complete|"
    "confirm|copy|create|decline|delete|deliver|deposit|donate|email|e-mail|empty|enter|erase|extend|file|finish|"
    "forward|get|give|hire|insert|invite|join|keep|leave|log|mail|make|mark|message|move|note|notify|open|order|pay|"
    "phone|pick|place|plan|post|postpone|print|publish|purchase|push|put|record|refund|register|remind|remove|rename|"
    "renew|rent|repeat|reply|report|reschedule|reserve|return|save|schedule|send|set|share|shift|sign|start|stop|store|"
    "submit|subscribe|switch|tell|text|ticket|transfer|turn|undo|unsubscribe|update|upload|wire|wipe|withdraw|write"
)
_LOOKS: Final = "check|choose|compare|count|fetch|find|list|look|look up|read|recommend|search|see|show|suggest|tell me"
_TALKS: Final = (
    "analy[sz]e|brainstorm|define|describe|discuss|draft|explain|imagine|outline|paraphrase|proofread|rephrase|rewrite|"
    "sketch|spell|summari[sz]e|teach|translate"
)
_COMPOSES: Final = re.compile(
    r"^(?:tell|show|give) (?:me|us) (?:what|how|why|who|when|where|whether|if|about|more|the difference)\b|"
    r"^(?:write|make|create|give|tell)\s+(?:me\s+|us\s+)?(?:an?|some|the)\s+(?:\w+\s+)?"
    r"(?:poem|story|essay|haiku|joke|song|limerick|example|function|script|sql|query|regex|"
    r"overview|summary|explanation|tip|tips|idea|ideas|speech|letter)\b",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"^(?:(?:can|could|will) you(?: please| kindly| maybe)?|would you (?:please|kindly)|please|kindly|go ahead and|"
    r"let'?s|let us|"
    r"i(?:'d| would) like you to|i (?:want|need) you to|would you mind|do me a favou?r and|just|now)\s+",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|do|does|did|has|have|had|should|shall|may|"
    r"might|must|isn'?t|aren'?t|wasn'?t|don'?t you|doesn'?t|didn'?t|won'?t|wouldn'?t|what'?s|who'?s|how'?s)\b",
    re.IGNORECASE,
)
_FORBIDS: Final = re.compile(r"^(?:do not|don'?t|never|stop|no need to)\b(?! forget)", re.IGNORECASE)
_TELLS: Final = re.compile(
    r"^(?:i|we|he|she|they|it|you|my|our|his|her|their|your|the|this|that|these|those|there|somebody|someone|everyone|"
    r"yesterday|last|if|when|because|after|before)\b",
    re.IGNORECASE,
)
_WANTS: Final = re.compile(
    r"^(?:i|we)(?:'d| would)? (?:like|love|want|need|wish|require|have to|must|should)\b|^(?:can|could|may) (?:i|we)\b",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(r"^[\w'-]+\s+(?:is|are|was|were|has|have|had|will|would|seems?|looks?|can|should)\b")
_ACTING: Final = re.compile(rf"^(?:{_ACTS})\b(?!\s*[:=]?\s*$)", re.IGNORECASE)
_LOOKING: Final = re.compile(rf"^(?:{_LOOKS})\b", re.IGNORECASE)
_TALKING: Final = re.compile(rf"^(?:{_TALKS})\b", re.IGNORECASE)
_THEN: Final = re.compile(rf"[,;.]\s*(?:(?:so|then|now|please|and|could you|can you)\s+)+(?:{_ACTS})\b", re.IGNORECASE)
_PLEASE: Final = re.compile(r"\bplease\W*$|,\s*please\b", re.IGNORECASE)


def form_of(text: str) -> Form:
    """Of the message as a whole; its first sentence tells, unless a later one asks politely."""
    said = _GREETING.sub("", " ".join(text.replace("\u2019", "'").split()), count=1).strip(" \"'“”")
    plain = _stripped(said)
    polite = plain != said
    if not plain:
        return "unclear"
    if _FORBIDS.match(said):
        return "telling"
    if _TALKING.match(plain) or _COMPOSES.match(plain):
        return "question"
    if _ACTING.match(plain) and not _ABOUT.match(plain):
        return "wish"
    if _LOOKING.match(plain) and not _ABOUT.match(plain):
        return "wish"
    if polite:
        return "unclear"
    return _without_a_verb(said)


def _stripped(said: str) -> str:
    plain = said
    while (match := _POLITE.match(plain)) is not None:
        plain = plain[match.end() :]
    return plain


def _without_a_verb(said: str) -> Form:
    if _THEN.search(said):
        return "wish"
    if _WANTS.match(said):
        return "unclear"
    if _ASKS.match(said) or said.endswith("?"):
        return "question"
    if _TELLS.match(said) or _ABOUT.match(said):
        return "telling"
    return "wish" if _PLEASE.search(said) else "unclear"
